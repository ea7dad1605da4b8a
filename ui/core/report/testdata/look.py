"""Opens a report in Chromium, without a network, and prints what it shows as JSON."""

import json
import sys

from playwright.sync_api import sync_playwright

path, picture = sys.argv[1:]
with sync_playwright() as p:
    browser = p.chromium.launch(
        executable_path="/usr/bin/chromium-headless-shell",
        args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    )
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    problems = []
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.on("request", lambda r: r.url.startswith("http") and problems.append("requested " + r.url))
    page.goto("file://" + path)
    found = {
        "title": page.title(),
        "pictures": page.evaluate("[...document.images].map(i => i.naturalWidth)"),
        "headings": page.locator("article h2").all_inner_texts(),
        "code": page.locator("details pre").first.text_content(),
        "folded": not page.locator("details pre").first.is_visible(),
    }
    live = page.locator("button.live").first
    live.click()
    frame = page.frame_locator("article iframe")
    frame.locator(".plot-container .main-svg").first.wait_for(timeout=120_000)
    bar = frame.locator(".bars .point").first
    bar.hover(force=True)
    frame.locator(".hoverlayer .hovertext").first.wait_for(timeout=60_000)
    found["hover"] = frame.locator(".hoverlayer .hovertext").first.text_content()
    # The frame has its own origin: it reaches neither the report nor storage.
    inside = page.frames[1]
    found["outside"] = inside.evaluate("(() => { try { return String(parent.document) } catch (e) { return e.name } })()")
    found["origin"] = inside.evaluate("self.origin")
    found["network"] = inside.evaluate("fetch('http://127.0.0.1:9/').then(() => 'answer', e => e.name)")
    page.screenshot(path=picture)
    live.click()
    found["back"] = page.locator("article iframe").count() == 0 and page.locator("article img").first.is_visible()
    found["problems"] = [x for x in problems if "127.0.0.1:9" not in x]
    print(json.dumps(found))
    browser.close()
