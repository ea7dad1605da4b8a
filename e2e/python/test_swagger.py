"""Tests Swagger UI as a user uses it: in a real browser, with Easel's real window. The browser
can reach only this machine."""

import json
import os
import pathlib
import re
import signal
import subprocess
from urllib.parse import urlsplit

import pytest
from lab import FLAGS, PATIENCE, SHELL
from playwright.async_api import Page, async_playwright, expect
from servers import BINARY, Easel, http, wait_until

DISPLAY = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "display"
PNG = bytes.fromhex(  # one red pixel
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


class Shown(Easel):
    """An Easel with its window on a virtual display."""

    def launch(self, *args: str):
        with open(self.data.parent / "easel.log", "ab") as log:
            self.process = subprocess.Popen([DISPLAY, BINARY, *args], env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until("Easel's window", self.ready)

    def ready(self) -> bool:
        assert self.process.poll() is None, (self.data.parent / "easel.log").read_text()
        try:
            return http("GET", self.url + "/api/health")[2]["window"] == "shown"
        except (OSError, ValueError, KeyError):
            return False

    def close(self) -> int:
        os.kill(self.runtime["pid"], signal.SIGTERM)  # before the display ends
        return self.process.wait(180)

    def screen(self, path: pathlib.Path) -> bytes:
        """Returns the current content of the display."""
        environment = pathlib.Path(f"/proc/{self.runtime['pid']}/environ").read_bytes().split(b"\0")
        display = next(e.removeprefix(b"DISPLAY=").decode() for e in environment if e.startswith(b"DISPLAY="))
        subprocess.run(["import", "-display", display, "-window", "root", path], check=True, stdin=subprocess.DEVNULL)
        return path.read_bytes()

    def state(self) -> dict:
        return self.request("GET", "/api/resources/state")[2]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    app = Shown.start(tmp_path_factory.mktemp("shown"), EASEL_JUPYTER_URL="http://127.0.0.1:9", EASEL_JUPYTER_TOKEN="none", EASEL_HEADLESS="")
    yield app
    assert app.close() == 0


@pytest.fixture(scope="module")
async def browser():
    """Chromium without a network. It resolves no names. Visit records requests to
    addresses."""
    async with async_playwright() as playwright:
        b = await playwright.chromium.launch(executable_path=SHELL, args=[*FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"], timeout=PATIENCE)
        yield b
        await b.close()


class Visit:
    """A page and all requests that it makes."""

    def __init__(self, page: Page):
        self.page, self.requests = page, []
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda r: self.requests.append(r))

    async def open(self, url: str):
        await self.page.goto(url)
        await expect(self.page.locator("#operations-gallery-open_folder")).to_be_visible(timeout=60_000)

    async def operation(self, name: str):
        """Opens the form of an operation."""
        block = self.page.locator(f"#operations-{name}")
        await block.locator(".opblock-summary").click()
        return block

    async def call(self, block) -> tuple[int, dict]:
        """Clicks Execute, and returns the status and the answer that Swagger UI shows."""
        async with self.page.expect_response(lambda r: r.request.method == "POST" or "/api/info/" in r.url) as answered:
            await block.get_by_role("button", name="Execute", exact=True).click()
        live = block.locator(".live-responses-table .response")
        status = (await answered.value).status
        # Until then, it shows the previous answer.
        await expect(live.locator(".response-col_status").first).to_have_text(re.compile(rf"^\s*{status}\b"))
        return status, json.loads(await live.locator(".highlight-code code").first.inner_text())

    async def only_this_machine(self, token: str):
        """Checks that no request left the machine, and that no address contains the token."""
        assert len(self.requests) > 4  # page, script, style, document
        for r in self.requests:
            assert urlsplit(r.url).scheme == "data" or urlsplit(r.url).hostname == "127.0.0.1", r.url
            assert token not in r.url
            assert token not in (await r.all_headers()).get("referer", "")


@pytest.fixture
async def visit(browser):
    context = await browser.new_context(viewport={"width": 1200, "height": 900})
    yield Visit(await context.new_page())
    await context.close()


def never_written(shown):
    """Checks that the token is not in any log or journal."""
    written = [shown.data.parent / "easel.log", *shown.data.rglob("*.log"), *shown.data.rglob("*.jsonl")]
    assert len(written) > 1
    for path in written:
        assert shown.token.encode() not in path.read_bytes(), path


def calls(shown) -> list[dict]:
    """Returns the calls in Easel's log."""
    lines = (line for path in shown.data.rglob("*.log") for line in path.read_text().splitlines())
    return [entry for entry in map(json.loads, lines) if entry["msg"] == "call"]


async def test_the_user_authorises_and_opens_a_folder(shown, visit, tmp_path):
    pictures = tmp_path / "Pictures of May"
    pictures.mkdir()
    for i in range(3):
        (pictures / f"red {i}.png").write_bytes(PNG)
    before = shown.screen(tmp_path / "before.png")

    await visit.open(shown.url + "/api/swagger")
    block = await visit.operation("gallery-open_folder")
    form = block.locator("textarea.body-param__text")
    await form.fill(json.dumps({"path": str(pictures)}))
    status, problem = await visit.call(block)  # not authorized yet
    assert (status, problem["code"]) == (401, "UNAUTHORIZED")

    await visit.page.locator(".auth-wrapper .btn.authorize").click()
    dialog = visit.page.locator(".dialog-ux .modal-ux")
    await dialog.locator("input").first.fill(shown.token)
    await dialog.locator(".auth-btn-wrapper .authorize").first.click()
    await expect(dialog.get_by_text("Logout").first).to_be_visible(timeout=60_000)
    await dialog.locator(".btn-done").first.click()

    status, answer = await visit.call(block)
    assert status == 200, answer
    assert answer["view"]["folder"] == str(pictures) and answer["view"]["kind"] == "directory"
    wait_until("the folder's pictures", lambda: shown.state()["total"] == 3)
    assert shown.state()["folder"] == {"kind": "directory", "id": str(pictures)}
    wait_until("a change of the window", lambda: shown.screen(tmp_path / "after.png") != before)
    await visit.only_this_machine(shown.token)
    never_written(shown)
    [call] = [c for c in calls(shown) if c["tool"] == "open_folder"]
    assert call["client"] == "Swagger UI"  # the client that the window shows


async def test_a_link_with_the_token_opens_it_authorised(shown, visit):
    await visit.open(f"{shown.url}/api/swagger#token={shown.token}")
    assert visit.page.url.removesuffix("/") == f"{shown.url}/api/swagger"  # the token is not in the address bar
    assert shown.token not in await visit.page.evaluate("JSON.stringify([history.state, {...localStorage}, {...sessionStorage}, document.cookie])")
    block = await visit.operation("gallery-get_current_folder")
    status, answer = await visit.call(block)
    assert status == 200 and answer["view"]["window"] == "shown", answer
    await visit.page.go_back()  # to the previous page, not to the address with the token
    assert shown.token not in visit.page.url
    await visit.only_this_machine(shown.token)
    never_written(shown)


async def test_a_wrong_link_shows_that_it_is_wrong(shown, visit):
    await visit.open(f"{shown.url}/api/swagger#token=wrong")
    status, problem = await visit.call(await visit.operation("gallery-get_current_folder"))
    assert (status, problem["code"]) == (401, "UNAUTHORIZED")
