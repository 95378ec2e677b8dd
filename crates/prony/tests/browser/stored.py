"""Uses the list of stored runs and the page of two runs side by side in headless Chromium.

usage: stored.py URL FOLDER

URL opens the list in Chinese; it has two runs, on different kernels. Pictures go to FOLDER: runs.png, pair.png, pair-phone.png.
"""
import sys
from looking import PHONE, accessible, browser, fits, is_dark, pictures, text, until


def lists_runs(page):
    until(page, "() => document.querySelectorAll('#runs tr').length === 2")
    assert "已保存的运行" in text(page, "h1") and page.evaluate("document.documentElement.lang") == "zh-CN"
    page.click("footer a[lang=en]")
    until(page, "() => document.querySelector('h1').textContent === 'Stored runs'")
    until(page, "() => document.querySelectorAll('#runs tr').length === 2")
    assert "not finished" in text(page, "#runs tr >> nth=0"), "the newest comes first"
    page.select_option("#experiment", "made-up")
    assert page.locator("#runs tr").count() == 2


def puts_two_side_by_side(page):
    assert page.is_disabled("#pair")
    for row in range(2):
        page.locator("#runs input").nth(row).check()
    page.click("#pair")
    page.wait_for_selector("#values tr")
    assert page.locator("#differ tr").count() == 1 and "kernel\t6.1\t6.18" in text(page, "#differ")
    sides = page.locator("#sides th").all_inner_texts()
    assert [side[:10] for side in sides] == ["2026-11-20", "2026-11-21"], "the older one stands first"


def main():
    url, folder = sys.argv[1:]
    picture = pictures(folder)
    with browser() as one:
        page = one.open(url)
        lists_runs(page)
        picture(page, "runs.png")
        accessible(page)
        puts_two_side_by_side(page)
        picture(page, "pair.png")
        accessible(page)
        phone = one.open(page.url, viewport=PHONE, is_mobile=True, color_scheme="dark")
        phone.wait_for_selector("#values tr")
        assert fits(phone) and is_dark(phone)
        picture(phone, "pair-phone.png")
        accessible(phone)
        broken = one.open(page.url.replace("0002", "0003"))
        until(broken, "() => document.querySelector('#error').textContent.includes('0003')")
        # The browser itself reports the 404; there may be no other error.
        one.errors = [error for error in one.errors if "404" not in error]


main()
