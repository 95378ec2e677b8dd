"""Takes the pictures of the README from a run while it lasts, and waits for its end.

usage: pictures.py URL STARTS FOLDER

It takes pictures after this number of starts and after each later one, and the last ones stay. Between the pictures no browser is open,
because it would take CPU from what is measured. Pictures go to FOLDER: live.png, live-phone.png.
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
                break  # The run has ended meanwhile; the earlier pictures stay.
    assert ended >= int(starts), f"it ended after {ended} starts"


main()
