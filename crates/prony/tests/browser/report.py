"""Uses the report of a stored run in headless Chromium: its menu, its tables, its plots over time by mouse, by touch and by keys; in dark
colours, on a phone, in Chinese, in print, and without scripts.

usage: report.py URL FOLDER

URL is that of the list of runs; the script opens the newest run. Pictures go to FOLDER: report.png, report-dark.png,
report-phone.png, report-zh.png.
"""
import re
import sys
from looking import PHONE, Fingers, accessible, browser, drag, fits, is_dark, pictures, text, until

SPAN = "(({ from, to }) => Number(to) - Number(from))(document.querySelector('#timeline').dataset)"


def drawn(page):
    page.wait_for_selector("#timeline[data-panels]", state="attached")
    page.wait_for_selector("#panels canvas")


def zooms_by_mouse(page):
    whole = page.evaluate(SPAN)
    drag(page, page.locator("#panels .u-over").first, 0.25, 0.5)
    until(page, f"whole => {SPAN} < 0.5 * whole", whole)
    page.click("#reset")
    until(page, f"whole => {SPAN} > 0.9 * whole", whole)


def selects_a_span(page):
    """Selects a span on the strip with the whole run, by mouse and by keys."""
    whole = page.evaluate(SPAN)
    drag(page, page.locator("#overview .u-over"), 0.25, 0.5)
    until(page, f"whole => {SPAN} < 0.4 * whole", whole)
    assert re.fullmatch(r"[\d.]+ – [\d.]+ s", text(page, "#span")), "the span is told"
    begin = page.evaluate("Number(document.querySelector('#timeline').dataset.from)")
    page.focus("#overview")
    page.keyboard.press("ArrowRight")
    until(page, "begin => Number(document.querySelector('#timeline').dataset.from) > begin", begin)
    half = page.evaluate(SPAN)
    page.keyboard.press("+")
    until(page, f"half => {SPAN} < 0.6 * half", half)
    page.keyboard.press("Escape")
    until(page, f"whole => {SPAN} > 0.9 * whole", whole)
    assert text(page, "#span") == ""


def tells_values(page):
    """Checks that the box under the pointer has the values of all arms, though they were loaded in turn."""
    panel = page.locator("#panels .u-over").first
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.wait_for_selector("#panels .tip >> visible=true")
    arms = page.locator("#arm option").count() - 1
    lines = page.locator("#panels .tip >> visible=true").locator("b").all_inner_texts()
    assert len(lines) == arms and all(any(c.isdigit() for c in line) for line in lines), lines
    page.mouse.move(0, 0)


def follows(page):
    """Checks that the menu marks the part that is read."""
    page.evaluate("document.getElementById('how').scrollIntoView()")
    page.wait_for_selector(".menu a[href='#how'][aria-current]", state="attached")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_selector(".menu a[href='#top'][aria-current]", state="attached")


def sorts(page):
    """Sorts the first table that has enough rows by its first heading: up, down, and back."""
    table = page.locator("table:has(thead button)").filter(visible=True).first
    heading = table.locator("thead th:has(button)").first
    place = heading.evaluate("cell => cell.cellIndex") + 1
    # Cells without a value come last in either order.
    column = lambda: [cell for cell in table.locator(f"tbody tr > :nth-child({place})").all_inner_texts() if cell.strip(" –")]
    before = column()
    heading.locator("button").click()
    up = column()
    assert heading.get_attribute("aria-sort") == "ascending" and sorted(up) == sorted(before), up
    heading.locator("button").press("Enter")
    down = column()
    assert heading.get_attribute("aria-sort") == "descending" and sorted(down) == sorted(before), down
    assert down == up[::-1] or len(set(before)) < len(before), (up, down)
    heading.locator("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "none" and column() == before, column()


def folds_its_menu(page):
    """Checks that the menu of a phone is folded, leads to a part, and folds again."""
    menu = page.locator(".menu ol")
    assert not menu.is_visible()
    page.click(".menu summary")
    page.click(".menu a[href='#forest']")
    until(page, "document.getElementById('forest').getBoundingClientRect().top < 0.5 * innerHeight")
    assert not menu.is_visible()


def shows_everything_at_a_glance(page):
    """Checks that answer, causes and errors stand on the first screen."""
    page.evaluate("scrollTo(0, 0)")
    bottom = page.evaluate("Math.max(...[...document.querySelectorAll('#glance .card h3')].map((one) => one.getBoundingClientRect().bottom))")
    assert 0 < bottom < 800, f"{bottom} pixels from the top"


def reads_without_scripts(page):
    assert page.locator("#verdicts table").first.is_visible() and page.locator("#glance h3").first.is_visible()
    assert page.locator(".menu a").count() > 5 and not page.locator("th button").count()


def zooms_by_fingers(page):
    fingers, whole = Fingers(page, "#panels .u-over"), page.evaluate(SPAN)
    fingers.spread()
    until(page, f"whole => {SPAN} < 0.5 * whole", whole)
    fingers.tap_twice(page, f"whole => {SPAN} > 0.9 * whole", whole)


def prints(page):
    """Checks that in print nothing is folded or cut off, and that the controls are hidden."""
    page.emulate_media(media="print")
    # The window is wider than the paper, and a browser that prints does not ask scripts for the layout.
    until(page, "() => [...document.querySelectorAll('#panels .uplot')].every((plot) => plot.clientWidth <= 718)")
    folded = page.evaluate("[...document.querySelectorAll('main details')].filter((part) => !part.lastElementChild.checkVisibility()).length")
    assert folded == 0, "something stays folded"
    assert not is_dark(page), "paper is white"
    light = page.evaluate("[...document.querySelectorAll('.plot text')].filter((text) => getComputedStyle(text).fill === 'rgb(230, 237, 243)').length")
    assert light == 0, "a plot is drawn in white on white"
    assert not page.locator("#timeline .controls").is_visible()
    # The width of A4 within its margins, in CSS pixels.
    page.set_viewport_size({"width": 718, "height": 1000})
    wide = page.evaluate("""[...document.querySelectorAll('main *')]
        .filter((part) => !part.closest('table') && part.getBoundingClientRect().right > innerWidth + 1)
        .map((part) => part.tagName)""")
    assert not wide, f"cut off on paper: {wide}"
    assert page.pdf(format="A4").startswith(b"%PDF")


def shows_the_answer(page):
    """Checks that the plot of the answer is there once, and that no text of it or of the verdicts has to be scrolled to."""
    assert page.locator("#forest .plot").filter(visible=True).count() == 1
    hidden = page.evaluate("""[...document.querySelectorAll('#verdicts td, #forest .plot text')]
        .filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > innerWidth)
        .map((part) => part.textContent)""")
    assert not hidden, f"out of sight: {hidden}"


def main():
    url, folder = sys.argv[1:]
    picture = pictures(folder)
    with browser() as one:
        runs = one.open(url)
        runs.click("#runs a >> nth=0")
        drawn(runs)
        shows_the_answer(runs)
        address = runs.url
        picture(runs, "report.png")
        accessible(runs)
        shows_everything_at_a_glance(runs)
        follows(runs)
        sorts(runs)
        tells_values(runs)
        selects_a_span(runs)
        zooms_by_mouse(runs)
        prints(runs)
        night = one.open(address, color_scheme="dark")
        drawn(night)
        assert is_dark(night)
        picture(night, "report-dark.png")
        accessible(night)
        prints(night)
        phone = one.open(address, viewport=PHONE, has_touch=True, is_mobile=True)
        drawn(phone)
        assert fits(phone), "the page must not scroll sideways"
        shows_the_answer(phone)
        picture(phone, "report-phone.png")
        accessible(phone)
        folds_its_menu(phone)
        zooms_by_fingers(phone)
        reads_without_scripts(one.open(address, java_script_enabled=False))
        chinese = one.open(address + "?lang=zh")
        drawn(chinese)
        assert "如何阅读本报告" in text(chinese, "#how h2")
        picture(chinese, "report-zh.png")
        accessible(chinese)


main()
