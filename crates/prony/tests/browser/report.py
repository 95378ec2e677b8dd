"""Uses the report of a stored run in headless Chromium: zooms by mouse and by touch, in dark colours, on a phone, in Chinese, in print.

usage: report.py URL FOLDER

URL is that of the list of runs; the script opens the newest run. Pictures go to FOLDER: report.png, report-dark.png,
report-phone.png, report-zh.png.
"""
import sys
from looking import PHONE, Fingers, accessible, browser, drag, fits, is_dark, pictures, text

SPAN = "(({ from, to }) => Number(to) - Number(from))(document.querySelector('#timeline').dataset)"


def drawn(page):
    page.wait_for_selector("#timeline[data-panels]", state="attached")
    page.wait_for_selector("#panels canvas")


def zooms_by_mouse(page):
    whole = page.evaluate(SPAN)
    drag(page, page.locator("#panels .u-over").first, 0.25, 0.5)
    page.wait_for_function(f"whole => {SPAN} < 0.5 * whole", arg=whole)
    page.click("#reset")
    page.wait_for_function(f"whole => {SPAN} > 0.9 * whole", arg=whole)


def zooms_by_fingers(page):
    fingers, whole = Fingers(page, "#panels .u-over"), page.evaluate(SPAN)
    fingers.spread()
    page.wait_for_function(f"whole => {SPAN} < 0.5 * whole", arg=whole)
    fingers.tap_twice(page, f"whole => {SPAN} > 0.9 * whole", whole)


def prints(page):
    """Checks that in print nothing is folded or cut off, and that the controls are hidden."""
    page.emulate_media(media="print")
    # The window is wider than the paper, and a browser that prints does not ask scripts for the layout.
    page.wait_for_function("() => [...document.querySelectorAll('#panels .uplot')].every((plot) => plot.clientWidth <= 718)")
    folded = page.evaluate("[...document.querySelectorAll('details')].filter((part) => !part.lastElementChild.checkVisibility()).length")
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
        zooms_by_fingers(phone)
        chinese = one.open(address + "?lang=zh")
        drawn(chinese)
        assert "如何阅读本报告" in text(chinese, "#how h2")
        picture(chinese, "report-zh.png")
        accessible(chinese)


main()
