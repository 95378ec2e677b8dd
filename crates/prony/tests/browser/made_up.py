"""Checks how pages show made-up data that real runs rarely have: a trial of a suggestion, loads of one kind only, old slices that
are no longer kept, runs that last.

usage: made_up.py WEB WORDS FOLDER

WEB is the folder with the files of the pages; WORDS is a file with their texts, which prony makes itself. The script fails with what
is missing on a page. The pictures made-up.png and fleet.png go to FOLDER.
"""
import http.server, json, sys, threading
from functools import partial
from looking import browser, pictures, text, until

VERDICT = {"arm": "new", "measure": "throughput", "users": 10, "ratio": 1.02, "low": None, "high": None,
            "margin": 0.02, "verdict": "inconclusive"}
STATE = {"run": "main", "experiment": "made-up", "question": "Is it faster?", "arms": ["old", "new"], "baseline": 0,
         "headline": "throughput", "levels": [10], "cap": 12, "trial": None, "phase": "measuring", "doing": {"en": "", "zh": ""},
         "step": {"round": 2, "cap": 12, "what": {"en": "measuring", "zh": "正在测量"}, "share": 0.5}, "idle": 0,
         "began": 1e9, "until": 1e9 + 300, "typically": None, "remarks": [], "faults": [], "stopping": False, "results": None}
TRIAL = {"trial": {"question": "Does old get more with threads = 9?", "question_zh": "改为 threads = 9 后会提高吗？"},
         "step": {**STATE["step"], "round": 1, "cap": 5}}
ROUNDS = [{"round": round, "elapsed": 20, "void": None, "verdicts": [VERDICT]} for round in (1, 2)]
CLOSED = [{"at": 1e9 + at, "round": 1, "arm": at % 2, "users": 10, "throughput": 1000, "p50": 1e-3, "p99": 2e-3, "faults": 0}
          for at in range(4)]
FIXED = [{"at": 1e9 + at, "round": 1, "arm": at % 2, "rate": 500, "throughput": 500, "p50": 1e-3, "p99": 2e-3, "faults": 0}
         for at in range(10, 16)]


def runs():
    line = lambda run, live: {"run": run, "experiment": "made-up", "live": live, "result": None, "error": None}
    lines = [line("open", {"url": "http://127.0.0.1:1/"}), line("guarded", {"url": None}), line("killed", None)]
    return {"runs": lines, "more": False}


class Pages(http.server.SimpleHTTPRequestHandler):
    """Serves the files as prony does, and data that is set before a page is opened."""

    event = None
    words = None
    names = {"/": "/live.html", "/runs": "/runs.html", "/uPlot.min.css": "/uplot/uPlot.min.css",
             "/uPlot.iife.min.js": "/uplot/uPlot.iife.min.js"}

    def do_GET(self):
        page = self.path.split("?")[0]
        if page == "/events":
            return self.send("text/event-stream", f"data: {json.dumps(Pages.event)}\n\n")
        if page == "/api/runs":
            return self.send("application/json", json.dumps(runs()))
        if page == "/words.json":
            return self.send("application/json", Pages.words)
        self.path = self.names.get(page, page)
        super().do_GET()

    def send(self, kind, text):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def set_event(slices, rounds=(), gone=0, **state):
    Pages.event = {"fresh": True, "now": 1e9 + 60, "state": {**STATE, **state}, "rounds": list(rounds), "slices": slices,
                   "kept": len(slices), "gone": gone}


def points(page):
    page.wait_for_selector("#latency[data-points]")
    return [int(page.get_attribute(plot, "data-points")) for plot in ("#throughput", "#latency")]


def a_trial_is_shown_as_a_step_of_the_run(one, url, picture):
    set_event(CLOSED + FIXED, ROUNDS, **TRIAL)
    page = one.open(url)
    page.wait_for_selector("#rounds li", state="attached")
    doing = text(page, "#doing")
    assert "Trying" in doing and "threads = 9" in doing and "Start 1 of at most 5: measuring" in doing, doing
    assert text(page, "h1") == "Is it faster?" and text(page, "#run") == "main"
    assert "of this trial" in text(page, "#times"), text(page, "#times")
    last = page.locator("#narrowing text").last.text_content()
    assert last == "12", f"the axis of starts is the run's, not the trial's: {last}"
    picture(page, "made-up.png")
    chinese = one.open(url + "?lang=zh")
    until(chinese, "() => document.querySelector('#doing').textContent.includes('改为 threads = 9')")
    set_event(CLOSED, ROUNDS)
    page = one.open(url)
    until(page, "() => document.querySelector('#doing').textContent.startsWith('Start 2 of at most 12')")
    assert "trial" not in text(page, "#times")


def times_of_two_kinds_are_not_mixed(one, url):
    set_event(CLOSED + FIXED)
    page = one.open(url)
    assert points(page) == [len(CLOSED), len(FIXED)], points(page)
    assert text(page, "#times-of").startswith("Response time at a fixed rate")
    assert page.is_hidden("#levels") and page.is_hidden("#gone"), "there is nothing to choose, and nothing is gone"
    set_event(CLOSED, levels=[10, 20])
    page = one.open(url)
    assert points(page) == [len(CLOSED)] * 2, points(page)
    assert text(page, "#times-of").startswith("Service time in the closed loop")
    page.select_option("#level", "20")
    assert points(page) == [0, 0], points(page)


def the_number_of_old_slices_is_shown(one, url):
    set_event(CLOSED, gone=321)
    page = one.open(url)
    points(page)
    assert "newest 4" in text(page, "#gone") and "321 older" in text(page, "#gone"), text(page, "#gone")


def steps_of_sessions_are_shown_arm_by_arm(one, url):
    row = lambda step, arm, wrong: {"step": step, "arm": arm, "throughput": 100, "wrong": wrong, "p50": 1e-3, "p99": 2e-3}
    steps = [{"name": "log in", "group": None, "transaction": False}, {"name": "buy", "group": "guests", "transaction": True}]
    now = {"round": 2, "users": 10, "rate": None, "rows": [row(0, 0, 0), row(0, 1, 7), row(1, 0, 0), row(1, 1, 0)]}
    set_event(CLOSED, steps=steps, session_steps=now)
    page = one.open(url)
    page.wait_for_selector("#steps tr")
    rows = [[cell.inner_text() for cell in row.locator("td").all()] for row in page.locator("#steps tr").all()]
    assert [row[:2] for row in rows] == [["log in", "old"], ["", "new"], ["guests: buy (group)", "old"], ["", "new"]], rows
    assert rows[1][2:] == ["100 steps/s", "7", "1.00 ms", "2.00 ms"], rows
    assert text(page, "#steps-load") == "Start 2: 10 connections", text(page, "#steps-load")
    set_event(CLOSED)
    page = one.open(url)
    points(page)
    assert page.is_hidden("#steps-part"), "plain requests have no steps"


def errors_are_shown_by_kind(one, url):
    kind = {"en": "wrong status", "zh": "状态码错误"}
    set_event(CLOSED, faults=[{"arm": 1, "kind": kind, "count": 1234, "share": 0.012, "newest": 7}])
    page = one.open(url)
    page.wait_for_selector("#faults tr")
    cells = [" ".join(cell.split()) for cell in page.locator("#faults td").all_text_contents()]
    assert cells == ["wrong status", "new", "1,234", "1.2 %", "7"], cells
    set_event(CLOSED)
    page = one.open(url)
    points(page)
    assert page.is_hidden("#faults-part")


def machines_that_make_the_load_are_shown(one, url, picture):
    whole = {"en": "agents: 1 of 2, start spread 0.4 ms", "zh": "压测机：1/2，开始时刻相差 0.4 ms"}
    row = lambda agent, there, clock, cpu, lag: {"agent": agent, "there": there, "requests": 574170, "clock": clock, "bound": 8.3e-5,
                                                 "link": 1.66e-4, "cpu": cpu, "lag": lag}
    set_event(CLOSED, fleet={"whole": whole, "rows": [row("m1", True, -7.2e-6, 0.21, 9.2e-5), row("m2", False, 180.5, None, None)]})
    page = one.open(url)
    page.wait_for_selector("#agents tr")
    rows = [[cell.inner_text() for cell in row.locator("td").all()] for row in page.locator("#agents tr").all()]
    assert rows == [["m1", "574,170", "−7.20 µs ± 83.0 µs", "166 µs", "21 %", "92.0 µs"],
                    ["m2 (silent)", "574,170", "+181 s ± 83.0 µs", "166 µs", "–", "–"]], rows
    assert text(page, "#agents-whole") == whole["en"] and whole["en"] in text(page, "#times"), text(page, "#times")
    picture(page.locator("#agents-part"), "fleet.png")
    set_event(CLOSED)
    page = one.open(url)
    points(page)
    assert page.is_hidden("#agents-part"), "this machine makes the load"


def runs_that_last_are_listed_by_kind(one, url):
    page = one.open(url + "runs?lang=en")
    until(page, "() => document.querySelectorAll('#runs tr').length === 3")
    rows = page.locator("#runs tr").all()
    links = [row.locator("a", has_text="open the live page").count() for row in rows]
    assert links == [1, 0, 0], links
    assert "token" in rows[1].inner_text() and "not finished" in rows[2].inner_text()


def main():
    web, words, folder = sys.argv[1:]
    with open(words, encoding="utf-8") as file:
        Pages.words = file.read()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=web))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    with browser() as one:
        a_trial_is_shown_as_a_step_of_the_run(one, url, pictures(folder))
        times_of_two_kinds_are_not_mixed(one, url)
        the_number_of_old_slices_is_shown(one, url)
        steps_of_sessions_are_shown_arm_by_arm(one, url)
        errors_are_shown_by_kind(one, url)
        machines_that_make_the_load_are_shown(one, url, pictures(folder))
        runs_that_last_are_listed_by_kind(one, url)


main()
