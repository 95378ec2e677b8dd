"""Looks at foreign series on the page of a history in headless Chromium.

usage: foreign.py URL FOLDER

URL opens the list of runs of one experiment, `made-up`, beside which JMeter, wrk, ab and hyperfine have measured. The picture goes to
FOLDER: foreign.png.
"""
import sys
from looking import accessible, browser, fits, pictures, text


def main():
    url, folder = sys.argv[1:]
    picture = pictures(folder)
    with browser() as one:
        page = one.open(url + ("&" if "?" in url else "?") + "lang=en")
        page.click("text=night by night >> nth=0")
        page.wait_for_selector("#tools .foreign")
        words = text(page, "#foreign")
        for part in ["take part in no verdict", "JMeter (JMeter)", "throughput: 2.00 /s", "failed requests: 50.0 %", "p99: 1.00 s", "timed (hyperfine)"]:
            assert part in words, (part, words)
        assert page.locator("#tools .foreign svg").count() == 6, "one of each figure of JMeter, which has two points"
        page.locator("#foreign").scroll_into_view_if_needed()
        fits(page)
        accessible(page)
        picture(page, "foreign.png")


main()
