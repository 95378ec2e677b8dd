"""What the tests of pages share: a headless Chromium that notes whatever a page complains about."""
import os, shutil
from contextlib import contextmanager
from playwright.sync_api import TimeoutError, sync_playwright

# As long as a start of two servers may take on a busy machine.
PATIENCE = 180_000
DESK = {"width": 1000, "height": 1250}
PHONE = {"width": 390, "height": 844}


class Browser:
    """Opens pages; `errors` is what they complained about."""

    def __init__(self, chromium):
        self.chromium, self.errors = chromium, []

    def open(self, url, **how):
        page = self.chromium.new_page(**{"viewport": DESK, **how})
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(url)
        return page


@contextmanager
def browser():
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        # A container's root has no user namespaces of its own; nothing is opened but our own page.
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        one = Browser(chromium)
        yield one
        chromium.close()
    assert not one.errors, one.errors


def pictures(folder):
    """Takes pictures of pages into a folder, by name."""
    return lambda page, name: page.screenshot(path=os.path.join(folder, name))


def drag(page, plot, start, end):
    """By mouse over a plot, between two places across its width."""
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    across = lambda share: (box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    page.mouse.move(*across(start))
    page.mouse.down()
    page.mouse.move(*across(end), steps=5)
    page.mouse.up()


def text(page, selector):
    return page.locator(selector).inner_text()


def is_dark(page):
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in ground[4:-1].split(",")[:3]) < 150


def fits(page):
    """Nothing but what scrolls by itself is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


class Fingers:
    """Two fingers on a plot, by places across its width."""

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
        """From the middle outwards: what was between a third and two thirds then fills most of the width."""
        self.touch("touchStart", [0.4, 0.6])
        for step in range(1, 6):
            self.touch("touchMove", [0.4 - 0.06 * step, 0.6 + 0.06 * step])
        self.touch("touchEnd", [])

    def tap_twice(self, page, until, arg):
        """Again where a busy machine made two taps of it that have nothing to do with one another."""
        for _ in range(60):
            for _ in range(2):
                self.touch("touchStart", [0.5])
                self.touch("touchEnd", [])
            try:
                return page.wait_for_function(until, arg=arg, timeout=3000)
            except TimeoutError:
                pass
        raise AssertionError("two taps do not show everything")
