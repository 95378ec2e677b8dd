"""Uses the page of a history in headless Chromium: accepts a change, takes that back and dismisses it.

usage: history.py URL FOLDER

URL opens the list of runs of one experiment, `made-up`, in whose history one change is open. Pictures go to FOLDER: history.png,
history-phone.png.
"""
import sys
from looking import PHONE, accessible, browser, fits, is_dark, pictures, text, until


def has(page, words, selector="#headline"):
    until(page, "([selector, words]) => document.querySelector(selector).textContent.includes(words)", [selector, words])


def first(page, selector):
    return page.locator(f"#headline .series >> nth=0 >> {selector}").first


def main():
    url, folder = sys.argv[1:]
    picture = pictures(folder)
    with browser() as one:
        page = one.open(url + ("&" if "?" in url else "?") + "lang=en")
        page.click("text=night by night >> nth=0")
        has(page, "change since")
        has(page, "Worse than before, beside tomcat:9.0.95", "#gate")
        assert page.locator("#headline svg circle").count() >= 16
        assert "commit 6ff1c3e → commit 09ab1d2" in text(page, "#headline .series >> nth=0 >> table >> nth=0")
        accessible(page)
        picture(page, "history.png")
        first(page, "input").fill("<b>the parser</b> checks more")
        first(page, "button:has-text('Accept')").click()
        has(page, "accepted as the new level")
        has(page, "<b>the parser</b> checks more")
        has(page, "shows no change for the worse that is still to be decided", "#gate")
        accessible(page)
        first(page, "button:has-text('Take back')").click()
        has(page, "Worse than before", "#gate")
        first(page, "button:has-text('Dismiss')").click()
        has(page, "dismissed: not counted as a change")
        first(page, "summary").click()
        assert first(page, "details tbody tr >> nth=15").is_visible()
        phone = one.open(page.url.replace("lang=en", "lang=zh"), viewport=PHONE, is_mobile=True, color_scheme="dark")
        has(phone, "已驳回：不计为变化")
        assert fits(phone) and is_dark(phone)
        picture(phone, "history-phone.png")
        accessible(phone)
        page.goto(page.url.replace("made-up", "nobody"))
        has(page, "No run of this experiment has ended.", "#gate")


main()
