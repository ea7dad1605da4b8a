"""Tests that pages of other origins cannot do anything to Easel, in a real browser."""

import http.server
import threading
from urllib.parse import urlsplit

import pytest
from lab import CHROMIUM, FLAGS, PATIENCE
from playwright.async_api import async_playwright

# All ways in which a script can reach another origin. Each reports its result.
TRY = """async ([easel, token]) => {
  const out = {};
  const attempt = async (name, f) => { try { out[name] = await f(); } catch (e) { out[name] = "refused"; } };
  const body = JSON.stringify({name: "python3"}), tool = easel + "/api/execute/session_create";
  const json = {"Content-Type": "application/json", "Authorization": "Bearer " + token};
  await attempt("json", async () => (await fetch(tool, {method: "POST", body, headers: json})).status);
  await attempt("read", async () => (await fetch(easel + "/api/resources/state", {headers: json})).text());
  await attempt("open page", async () => (await fetch(easel + "/api/health")).text());
  await attempt("mcp", async () => (await fetch(easel + "/mcp", {method: "POST", body: "{}", headers: json})).status);
  await attempt("blind text", async () => (await fetch(tool, {method: "POST", body, mode: "no-cors"})).type);
  await attempt("beacon", async () => navigator.sendBeacon(tool, body) ? "sent" : "not sent");
  await attempt("events", () => new Promise((done, no) => { const s = new EventSource(easel + "/api/events"); s.onopen = () => done("open"); s.onerror = no; }));
  await attempt("socket", () => new Promise((done, no) => { const s = new WebSocket(easel.replace("http", "ws") + "/mcp"); s.onopen = () => done("open"); s.onerror = no; }));
  await attempt("script", () => new Promise((done, no) => { const s = document.createElement("script"); s.src = easel + "/api/v1/openapi.json"; s.onload = () => done("loaded"); s.onerror = no; document.head.append(s); }));
  await attempt("frame", () => new Promise((done) => { const f = document.createElement("iframe"); f.src = easel + "/"; f.onload = () => { try { done(f.contentDocument ? "readable" : "closed"); } catch { done("closed"); } }; document.body.append(f); }));
  return out;
}"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><body>a nice page")

    def log_message(self, *args):
        pass


@pytest.fixture
def elsewhere():
    """Serves a page of another origin from this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


@pytest.fixture(scope="module")
async def browser():
    async with async_playwright() as playwright:
        rebound = "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
        started = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, rebound], timeout=PATIENCE)
        yield started
        await started.close()


@pytest.fixture
async def page(browser):
    page = await browser.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    await page.close()


def sessions(easel) -> list[str]:
    return [s["session_id"] for s in easel.request("GET", "/api/info/session_list")[2]["sessions"]]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "evil.example"])
async def test_a_foreign_page_does_nothing_even_with_the_token(easel, elsewhere, page, host):
    before = sessions(easel)
    port = urlsplit(easel.url).port
    await page.goto(f"http://{host}:{elsewhere}/")
    done = await page.evaluate(TRY, [f"http://{'localhost' if host == 'localhost' else '127.0.0.1'}:{port}", easel.token])
    # The browser sends a no-cors request and hides the answer from the page. Easel refuses it.
    blind = {"blind text": "opaque", "beacon": "sent", "frame": "closed"}
    assert done == dict.fromkeys(done, "refused") | {k: done[k] for k in blind}
    assert all(done[k] in (v, "refused") for k, v in blind.items()), done
    assert sessions(easel) == before


async def test_a_form_of_a_foreign_page_is_refused(easel, elsewhere, page):
    before = sessions(easel)
    await page.goto(f"http://127.0.0.1:{elsewhere}/")
    for encoding in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        async with page.expect_navigation() as navigation:
            await page.evaluate(
                """([action, encoding]) => { const f = document.createElement("form"); Object.assign(f, {method: "POST", action, enctype: encoding});
                const i = document.createElement("input"); i.name = '{"name": "python3", "x": "'; i.value = '"}'; f.append(i); document.body.append(f); f.submit(); }""",
                [easel.url + "/api/execute/session_create", encoding],
            )
        assert (await navigation.value).status == 403  # its Origin is not allowed
        await page.goto(f"http://127.0.0.1:{elsewhere}/")
    assert sessions(easel) == before


async def test_a_name_that_is_bound_to_this_machine_is_refused(easel, page):
    port = urlsplit(easel.url).port
    for path in ("/", "/api/health", "/api/v1/openapi.json", "/api/swagger/", "/tools"):
        answer = await page.goto(f"http://evil.example:{port}{path}")
        assert answer.status == 403 and easel.token not in await answer.text(), path
