"""Takes the README's pictures of a run while it lasts, and waits for its end.

usage: pictures.py URL STARTS FOLDER

No browser is there before so many starts have ended: what it draws takes CPU from what is measured. Pictures go to FOLDER:
live.png, live-dark.png, live-phone.png.
"""
import json, sys, urllib.request
from looking import PHONE, browser, pictures

VIEWS = {
    "live": {"viewport": {"width": 1000, "height": 1500}},
    "live-dark": {"viewport": {"width": 1000, "height": 1500}, "color_scheme": "dark"},
    "live-phone": {"viewport": PHONE, "is_mobile": True},
}


def events(url):
    for line in urllib.request.urlopen(url + "events"):
        if line.startswith(b"data:"):
            yield json.loads(line[5:])


def main():
    url, starts, folder = sys.argv[1:]
    ended, said = 0, events(url)
    while ended < int(starts):
        event = next(said)
        ended += len(event["rounds"])
        assert event["state"]["phase"] != "ended", f"it ended after {ended} starts"
    with browser() as one:
        picture = pictures(folder)
        for name, how in VIEWS.items():
            page = one.open(url, **how)
            page.wait_for_selector("#throughput canvas")
            page.wait_for_selector("#rounds li", state="attached")
            picture(page, f"{name}.png")
            page.close()
    for _ in said:
        pass


main()
