"""Uses the page of a live run in headless Chromium as people would, and stops the run.

usage: live.py URL FOLDER

The script fails with what is missing on the page. Its pictures go to FOLDER: live.png, live-dark.png, live-phone.png, live-zh.png.
"""
import sys
from looking import PHONE, Fingers, accessible, browser, drag, fits, is_dark, pictures, text, until

QUESTION = "Is Tomcat 9 < 10.1?"
SPAN = "Number(document.querySelector('#throughput').dataset.span)"


def shows_the_run(page):
    until(page, "question => document.querySelector('h1').textContent === question", QUESTION)
    assert page.title().startswith(QUESTION), page.title()
    page.wait_for_selector("#throughput canvas")
    page.wait_for_selector("#rounds li", state="attached")


def changes_by_itself(page):
    before = text(page, "#times")
    until(page, "before => document.querySelector('#times').textContent !== before", before)
    slices = int(page.get_attribute("#throughput", "data-points"))
    until(page, "before => Number(document.querySelector('#throughput').dataset.points) > before", slices)


def zooms(page):
    span = lambda: float(page.get_attribute("#throughput", "data-span"))
    whole = span()
    plot = page.locator("#throughput .u-over")
    drag(page, plot, 0.3, 0.6)
    until(page, f"whole => {SPAN} < 0.5 * whole", whole)
    narrow, slices = span(), int(page.get_attribute("#throughput", "data-points"))
    until(page, "before => Number(document.querySelector('#throughput').dataset.points) > before", slices)
    assert span() == narrow, "new points must not undo the reader's zoom"
    # Get its position again, because a start that ended meanwhile has moved it.
    plot.dblclick()
    until(page, f"narrow => {SPAN} > narrow", narrow)


def survives_a_reload(page):
    before = int(page.get_attribute("#throughput", "data-points"))
    page.reload()
    until(page, "before => Number(document.querySelector('#throughput').dataset.points) >= before", before)


def draws_within(page):
    """Checks the drawings of intervals, if a start counts already: no text is cut off, and a single drawing has the whole width."""
    cut = page.evaluate("""[...document.querySelectorAll('#narrowing svg')].filter((svg) => {
        const { left, right, width } = svg.getBoundingClientRect();
        const letters = [...svg.querySelectorAll('text')].map((text) => text.getBoundingClientRect());
        return width < 0.95 * svg.closest('#narrowing').clientWidth
            || letters.some((box) => box.left < left || box.right > right + 1);
    }).length""")
    assert cut == 0, "the intervals' drawing"


def works_on_a_phone(page):
    shows_the_run(page)
    assert fits(page), "the page must not scroll sideways"
    draws_within(page)
    fingers, whole = Fingers(page, "#throughput .u-over"), float(page.get_attribute("#throughput", "data-span"))
    fingers.spread()
    until(page, f"whole => {SPAN} < 0.5 * whole", whole)
    fingers.tap_twice(page, f"whole => {SPAN} >= whole", whole)


def ends_the_run(page):
    page.click("#stop")
    page.click("#no")
    assert page.is_enabled("#stop")
    page.click("#stop")
    page.click("#yes")
    until(page, "() => document.querySelector('#doing').textContent.startsWith('Ended before its time')")
    assert page.is_disabled("#stop") and "prony report" in text(page, "#message")


def main():
    url, folder = sys.argv[1:]
    picture = pictures(folder)
    with browser() as one:
        page = one.open(url)
        shows_the_run(page)
        changes_by_itself(page)
        zooms(page)
        survives_a_reload(page)
        draws_within(page)
        # Several viewers at a time: in light and dark colours, on a phone, in Chinese.
        night = one.open(url, color_scheme="dark")
        phone = one.open(url, viewport=PHONE, has_touch=True, is_mobile=True)
        chinese = one.open(url + "?lang=zh")
        for viewer in (night, chinese):
            shows_the_run(viewer)
        works_on_a_phone(phone)
        assert is_dark(night)
        assert "实时数据" in text(chinese, "#pulse-part h2") and chinese.evaluate("document.documentElement.lang") == "zh-CN"
        for viewer, name in ((page, "live"), (night, "live-dark"), (chinese, "live-zh"), (phone, "live-phone")):
            picture(viewer, f"{name}.png")
            accessible(viewer)
        ends_the_run(page)


main()
