"""Takes the README's pictures of a run while it lasts, and waits for its end.

usage: pictures.py URL STARTS FOLDER

After so many starts, and after each that follows: of those the last stay. Between them no browser is there, for what it draws
takes CPU from what is measured. Pictures go to FOLDER: live.png, live-phone.png.
"""
import json, sys, urllib.request
from looking import PHONE, browser, pictures
from playwright.sync_api import Error

VIEWS = {
    "live": {"viewport": {"width": 1000, "height": 1500}},
    "live-phone": {"viewport": PHONE, "is_mobile": True},
}


def events(url):
    for line in urllib.request.urlopen(url + "events"):
        if line.startswith(b"data:"):
            yield json.loads(line[5:])


def take(url, picture):
    with browser() as one:
        for name, how in VIEWS.items():
            page = one.open(url, **how)
            page.wait_for_selector("#throughput canvas")
            page.wait_for_selector("#rounds li", state="attached")
            picture(page, f"{name}.png")
            page.close()


def main():
    url, starts, folder = sys.argv[1:]
    picture, ended = pictures(folder), 0
    for event in events(url):
        ended += len(event["rounds"])
        if event["rounds"] and ended >= int(starts) and event["state"]["phase"] != "ended":
            try:
                take(url, picture)
            except Error:
                break  # It ended meanwhile, and those from before stay.
    assert ended >= int(starts), f"it ended after {ended} starts"


main()
