"""What the tests of pages share: a headless Chromium that notes whatever a page complains about."""
import shutil
from contextlib import contextmanager
from playwright.sync_api import sync_playwright

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


def text(page, selector):
    return page.locator(selector).inner_text()


def is_dark(page):
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in ground[4:-1].split(",")[:3]) < 150


def fits(page):
    """Nothing but what scrolls by itself is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
