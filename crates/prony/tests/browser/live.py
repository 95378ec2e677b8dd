"""Looks at a live run in headless Chromium as people would, and ends it.

usage: live.py URL FOLDER

Fails with what it missed. Pictures go to FOLDER: live.png, live-dark.png, live-phone.png, live-zh.png.
"""
import os, shutil, sys
from playwright.sync_api import sync_playwright

# As long as a start of two servers may take on a busy machine.
PATIENCE = 180_000
QUESTION = "Is Tomcat 9 < 10.1?"


def opened(browser, url, errors, **how):
    page = browser.new_page(**how)
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(url)
    return page


def text(page, selector):
    return page.locator(selector).inner_text()


def shows_the_run(page):
    page.wait_for_function("question => document.querySelector('h1').textContent === question", arg=QUESTION)
    assert page.title().startswith(QUESTION), page.title()
    page.wait_for_selector("#throughput canvas")
    page.wait_for_selector("#rounds li", state="attached")


def changes_by_itself(page):
    before = text(page, "#times")
    page.wait_for_function("before => document.querySelector('#times').textContent !== before", arg=before)
    slices = int(page.get_attribute("#throughput", "data-points"))
    page.wait_for_function("before => Number(document.querySelector('#throughput').dataset.points) > before", arg=slices)


def zooms(page):
    span = lambda: float(page.get_attribute("#throughput", "data-span"))
    page.locator("#throughput").scroll_into_view_if_needed()
    box, whole = page.locator("#throughput .u-over").bounding_box(), span()
    across = lambda share: (box["x"] + share * box["width"], box["y"] + box["height"] / 2)
    page.mouse.move(*across(0.3))
    page.mouse.down()
    page.mouse.move(*across(0.6), steps=5)
    page.mouse.up()
    page.wait_for_function("whole => Number(document.querySelector('#throughput').dataset.span) < 0.5 * whole", arg=whole)
    narrow, slices = span(), int(page.get_attribute("#throughput", "data-points"))
    page.wait_for_function("before => Number(document.querySelector('#throughput').dataset.points) > before", arg=slices)
    assert span() == narrow, "new points must not undo the reader's zoom"
    page.mouse.dblclick(*across(0.5))
    page.wait_for_function("narrow => Number(document.querySelector('#throughput').dataset.span) > narrow", arg=narrow)


def survives_a_reload(page):
    before = int(page.get_attribute("#throughput", "data-points"))
    page.reload()
    page.wait_for_function("before => Number(document.querySelector('#throughput').dataset.points) >= before", arg=before)


def looks_right(browser, url, errors, folder):
    """Day and night, on a phone, in Chinese: several viewers at once."""
    night = opened(browser, url, errors, color_scheme="dark", viewport={"width": 1000, "height": 1250})
    shows_the_run(night)
    ground = night.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in ground[4:-1].split(",")[:3]) < 150, ground
    night.screenshot(path=os.path.join(folder, "live-dark.png"))
    phone = opened(browser, url, errors, viewport={"width": 390, "height": 844})
    shows_the_run(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390, "the page must not scroll sideways"
    phone.screenshot(path=os.path.join(folder, "live-phone.png"), full_page=True)
    chinese = opened(browser, url + "?lang=zh", errors, viewport={"width": 1000, "height": 1250})
    shows_the_run(chinese)
    assert "实时数据" in text(chinese, "#pulse-part h2") and chinese.evaluate("document.documentElement.lang") == "zh-CN"
    chinese.screenshot(path=os.path.join(folder, "live-zh.png"))


def ends_the_run(page):
    page.click("#stop")
    page.click("#no")
    assert page.is_enabled("#stop")
    page.click("#stop")
    page.click("#yes")
    page.wait_for_function("() => document.querySelector('#doing').textContent.startsWith('Ended before its time')")
    assert page.is_disabled("#stop") and "prony report" in text(page, "#said")


def main():
    url, folder = sys.argv[1:]
    errors = []
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        # A container's root has no user namespaces of its own; nothing is opened but our own page.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = opened(browser, url, errors, viewport={"width": 1000, "height": 1250})
        shows_the_run(page)
        changes_by_itself(page)
        zooms(page)
        survives_a_reload(page)
        looks_right(browser, url, errors, folder)
        page.screenshot(path=os.path.join(folder, "live.png"))
        ends_the_run(page)
        browser.close()
    assert not errors, errors


main()
