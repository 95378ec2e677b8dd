"""Uses the shop of tests/it/served/import.rs as a customer does: shop.py URL har FILE, or shop.py URL proxy ADDRESS."""
import shutil, sys
from playwright.sync_api import sync_playwright

url, how, where = sys.argv[1:4]
with sync_playwright() as playwright:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    # Chromium sends what is for this machine around a proxy otherwise.
    args = ["--no-sandbox", "--proxy-bypass-list=<-loopback>"]
    proxy = {"proxy": {"server": f"http://{where}", "bypass": "<-loopback>"}} if how == "proxy" else {}
    chromium = playwright.chromium.launch(executable_path=program, args=args, **proxy)
    har = {"record_har_path": where, "record_har_content": "embed"} if how == "har" else {}
    context = chromium.new_context(**har)
    page = context.new_page()
    page.goto(url + "/login")
    page.fill("input[name=user]", "anna")
    page.fill("input[name=password]", "s3cret!")
    page.click("button")
    page.wait_for_selector("#order")
    page.click("#order")
    page.wait_for_selector("#done")
    context.close()
    chromium.close()
