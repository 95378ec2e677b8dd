"""What the tests of pages share: a headless Chromium that records the errors of pages."""
import os, shutil
from axe_playwright_python.sync_playwright import Axe
from contextlib import contextmanager
from playwright.sync_api import TimeoutError, sync_playwright

# In milliseconds: as long as a start of two servers may take on a busy machine.
PATIENCE = 180_000
DESK = {"width": 1000, "height": 1250}
PHONE = {"width": 390, "height": 844}


class Browser:
    """Opens pages; `errors` are their errors."""

    def __init__(self, chromium):
        self.chromium, self.errors = chromium, []

    def open(self, url, **how):
        page = self.chromium.new_page(**{"viewport": DESK, **how})
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(url)
        return page


@contextmanager
def browser():
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        # Root in a container has no user namespaces. No sandbox is needed, because only our own pages are opened.
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        one = Browser(chromium)
        yield one
        chromium.close()
    assert not one.errors, one.errors


def pictures(folder):
    """Returns a function that takes a picture of a page into a file of the folder."""
    return lambda page, name: page.screenshot(path=os.path.join(folder, name))


def drag(page, plot, start, end):
    """Drags the mouse over a plot, between two positions given as shares of its width."""
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    across = lambda share: (box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    page.mouse.move(*across(start))
    page.mouse.down()
    page.mouse.move(*across(end), steps=5)
    page.mouse.up()


def until(page, condition, arg=None, patience=PATIENCE):
    """Waits until a function of JavaScript is true of a value. It is asked ten times a second, because a busy machine may not draw any frame.
    If it never is, the error tells what has the focus, and the attributes of the parts of the page that tests read."""
    try:
        page.wait_for_function(condition, arg=arg, polling=100, timeout=patience)
    except TimeoutError as late:
        parts = "[...document.querySelectorAll('[data-from], [data-points]')].map((part) => [part.id, { ...part.dataset }])"
        seen = page.evaluate(f"[document.activeElement?.id, document.visibilityState, {parts}]")
        raise TimeoutError(f"{condition} of {arg} was never true; the page has {seen}") from late


def text(page, selector):
    return page.locator(selector).inner_text()


def is_dark(page):
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in ground[4:-1].split(",")[:3]) < 150


def fits(page):
    """Whether the page is no wider than the screen; wide parts may scroll by themselves."""
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def accessible(page):
    """Checks the page by the rules of axe-core, so that it can be used by keyboard and with a screen reader."""
    found = Axe().run(page).response["violations"]
    lines = [f"{one['id']}: {one['help']}: {[part['html'][:200] for part in one['nodes'][:5]]}" for one in found]
    assert not lines, "\n".join(lines)


class Fingers:
    """Touches a plot with fingers, at positions given as shares of its width."""

    def __init__(self, page, selector):
        self.plot = page.locator(selector).first
        self.plot.scroll_into_view_if_needed()
        self.box = self.plot.bounding_box()
        self.devtools = page.context.new_cdp_session(page)

    def touch(self, kind, places):
        at = lambda share: self.box["x"] + share * self.box["width"]
        middle = self.box["y"] + self.box["height"] / 2
        points = [{"x": at(share), "y": middle, "id": finger} for finger, share in enumerate(places)]
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def spread(self):
        """Spreads two fingers from the middle, so that the range from a third to two thirds fills most of the width."""
        self.touch("touchStart", [0.4, 0.6])
        for step in range(1, 6):
            self.touch("touchMove", [0.4 - 0.06 * step, 0.6 + 0.06 * step])
        self.touch("touchEnd", [])

    def tap_twice(self, page, condition, arg):
        """Taps twice, and again if a busy machine was so slow that the two taps were not one gesture."""
        for _ in range(60):
            for _ in range(2):
                self.touch("touchStart", [0.5])
                self.touch("touchEnd", [])
            try:
                return until(page, condition, arg, 3000)
            except TimeoutError:
                pass
        raise AssertionError("two taps do not show everything")
