"""Easel's viewer in the conversation (MCP Apps): who is offered it, and what it shows and does in a real browser, in
the official library's host, with results of a real Easel."""

import base64
import contextlib
import io
import json
import os
import re
import signal
import subprocess

import pytest
from assistant import connect
from chathost import EXTENSION, MIME, NODE, POLICY, Chat, bundle
from lab import PATIENCE, open_browser
from mcp.client.extension import advertise
from PIL import Image
from playwright.async_api import expect
from servers import clean_environment, free_port, wait_until

VIEWER = "ui://easel/plots"
HOSTILE = "<img src=x onerror=alert(1)><b>Sales</b> & '\"</script><script>alert(2)</script>"
CODE = f"""# </pre><script>alert(3)</script>
import matplotlib.pyplot as plt
fig, ax = plt.subplots(num='viewer', clear=True)
ax.plot([1, 2, 3, 50], [1, 2, 3, 400], 'o', label='Sales')
ax.set(xlim=(0, 10), ylim=(0, 10))
ax.set_title({HOSTILE!r})
shown = display(fig, display_id=True)
plt.close(fig)
"""
NEXT = "ax.set_title('Version {0}'); shown.update(fig)"


def renderer(easel, era="auto", name="Visual Studio Code", path="/mcp"):
    return connect(easel, era, name=name, path=path, extensions=[advertise(EXTENSION, {"mimeTypes": [MIME]})])


async def links(a) -> set[str]:
    """Returns the tools that link to the viewer."""
    found = {t.name: (t.meta or {}).get("ui", {}).get("resourceUri") for t in (await a.client.list_tools()).tools}
    assert set(found.values()) <= {None, VIEWER}
    return {name for name, uri in found.items() if uri}


async def test_who_is_offered_it(easel, each_era):
    async with renderer(easel, each_era) as a:
        assert {"execute_code", "get_execution", "get_image_resource", "get_selected_files", "notebook_run_cell"} < await links(a)
        [content] = (await a.client.read_resource(VIEWER)).contents
        assert content.mime_type == MIME and content.meta == {"ui": {"csp": {}, "prefersBorder": False}}
    for name in ("claude-ai", "local-agent-mode-easel"):  # both are Claude Desktop
        async with renderer(easel, each_era, name) as a:
            assert await links(a) == set()
    async with connect(easel, each_era) as a:
        assert await links(a) == set()


@pytest.fixture(scope="module")
async def browser():
    async with open_browser() as started:
        yield started


@pytest.fixture(scope="module")
async def session(keeping):
    async with connect(keeping) as a:
        created = await a.keeping_session()
    yield created
    keeping.execute("session_delete", session_id=created, force=True)


@pytest.fixture(scope="module")
def script():
    return bundle()


@contextlib.asynccontextmanager
async def opened(keeping, browser, script, policy=POLICY):
    async with renderer(keeping) as a:
        [content] = (await a.client.read_resource(VIEWER)).contents
        page = await browser.new_page(viewport={"width": 900, "height": 900})
        yield await Chat.open(page, script, content.text, a, policy)
        await page.close()


@pytest.fixture
async def chat(keeping, browser, script):
    async with opened(keeping, browser, script) as chat:
        yield chat
        assert chat.strange == [] and (await chat.seen())["errors"] == []


async def drawn(view, expected: int = 1):
    """Waits until the pictures are decoded, and returns their sizes."""
    pictures = view.locator("img")
    await expect(pictures).to_have_count(expected)
    sizes = await pictures.evaluate_all("all => Promise.all(all.map(async (i) => { await i.decode(); return [i.naturalWidth, i.naturalHeight]; }))")
    assert all(w > 100 and h > 100 for w, h in sizes), sizes
    return sizes


async def test_a_plot_is_shown_rated_and_paged(chat, session):
    a = chat.assistant
    first = await a.run(session, CODE)
    await a.run(session, NEXT.format(2))
    answer = await a.run(session, NEXT.format(3))
    [image] = answer.read["images"]
    assert image["versions"] == 3 and len(answer.pictures) == 1, "the picture stays in the result"
    assert not {"seen", "viewer", "user has"} & set(answer.texts[0].lower().split())

    view = await chat.show(answer, {"code": NEXT.format(3)})
    await drawn(view)
    await expect(view.locator("pre")).to_have_text(NEXT.format(3))
    await expect(view.locator("pre")).to_be_hidden()
    await expect(view.get_by_text("Version 3 of 3")).to_be_visible()
    assert image["facts"].startswith("OFF-AXIS")
    await expect(view.locator("p", has_text="OFF-AXIS")).to_have_text("Findings and values: " + image["facts"])
    assert chat.calls == [], "nothing is called before the user acts"

    await view.get_by_role("button", name="4 stars").click()
    await expect(view.get_by_role("status")).to_have_text("Saved. Easel records the rating as a change by this program.")
    await expect(view.locator("button.on")).to_have_count(4)
    rated = a.rest("get_prompt_info", path=image["resource_uri"])["file"]
    assert rated["rating"] == 4 and chat.calls == [("set_rating", {"rating": 4, "path": image["resource_uri"]})]
    await view.get_by_role("button", name="Remove the rating").click()
    await expect(view.locator("button.on")).to_have_count(0)
    assert a.rest("get_prompt_info", path=image["resource_uri"])["file"]["rating"] == 0

    for n in (2, 1):
        await view.get_by_role("button", name="Older version").click()
        await expect(view.get_by_text(f"Version {n} of 3")).to_be_visible()
        await drawn(view)
    await expect(view.locator("h2")).to_have_text(HOSTILE)
    oldest = first.read["images"][0]["resource_uri"]
    assert chat.calls[-1] == ("get_image_resource", {"resource_uri": oldest})
    await expect(view.get_by_role("button", name="Older version")).to_be_disabled()
    calls = len(chat.calls)
    for n in (2, 3):
        await view.get_by_role("button", name="Newer version").click()
        await expect(view.get_by_text(f"Version {n} of 3")).to_be_visible()
    await expect(view.get_by_role("button", name="Newer version")).to_be_disabled()
    assert len(chat.calls) == calls, "versions are read once"

    # the oldest version, in an earlier result of the conversation
    view = await chat.show(await a.call("get_image_resource", resource_uri=oldest), {"resource_uri": oldest})
    await drawn(view)
    await view.get_by_role("button", name="Show the newest").click()
    await expect(view.get_by_text("Version 3 of 3")).to_be_visible()


async def test_what_comes_from_a_result_stays_text(chat, session):
    a = chat.assistant
    answer = await a.run(session, CODE)
    view = await chat.show(answer, {"code": CODE})
    await drawn(view)  # one picture: the title made none
    await expect(view.locator("h2")).to_have_text(HOSTILE)
    assert await view.locator("img").get_attribute("alt") == HOSTILE
    await view.get_by_text("Code of this result").click()
    await expect(view.locator("pre")).to_have_text(CODE)
    assert await view.locator("h2 *, pre *, p *:not(span)").count() == 0 and await view.locator("script").count() == 1


async def test_a_host_that_forbids_images_shows_the_plot(keeping, browser, script, session):
    """As the Inspector does, although the specification allows images in the page's own data."""
    async with opened(keeping, browser, script, POLICY.replace("img-src 'self' data:", "img-src 'none'")) as chat:
        a = chat.assistant
        answer = await a.run(session, CODE)
        view = await chat.show(answer, {"code": CODE}, width=400)
        await expect(view.get_by_role("img", name=HOSTILE)).to_be_visible()
        colours, width, shown = await view.locator("canvas").evaluate(
            """c => { const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer;
                     return [new Set(new Uint32Array(data)).size, c.width, c.clientWidth]; }""")  # fmt: skip
        assert colours > 20 and width == Image.open(io.BytesIO(answer.pictures[0])).width > 400 > shown
        assert all("image" in s for s in chat.strange) and chat.strange


async def test_a_call_that_fails_says_why(chat, session):
    a = chat.assistant
    answer = await a.run(session, CODE)
    view = await chat.show(answer)
    await view.get_by_role("button", name="Open in Easel").click()
    await expect(view.locator(".failed")).to_have_text("Easel did not do this: This Easel runs without a window, so there is nothing to show it in.")
    await expect(view.get_by_role("button", name="Open in Easel")).to_be_enabled()
    view = await chat.show(answer, capabilities={})  # a client that forwards no calls
    await drawn(view)
    await expect(view.get_by_role("button")).to_have_count(0)


async def test_a_result_without_pictures_is_one_line(chat, session):
    a = chat.assistant
    for answer, text in [
        (await a.run(session, "print(1)"), "No plot in this result."),
        (await a.run(session, "1/0"), "No plot in this result."),
        (await a.call("execute_code", session_id="nowhere", code="1"), "No plot in this result."),
        (endless := await a.run(session, "__import__('threading').Event().wait()", wait=0), "No plot yet: the code has not ended."),
    ]:
        view = await chat.show(answer)
        await expect(view.locator("main")).to_have_text(text)
        assert (await chat.seen())["heights"][-1] < 50, answer.texts
    view = await chat.show(None)
    await expect(view.locator("main")).to_have_text("Waiting for the result…")
    await a.ok("session_interrupt", session_id=session)
    await a.to_end(endless.read)


async def test_several_plots_and_those_that_the_result_only_names(chat, session):
    a = chat.assistant
    draw = "import matplotlib.pyplot as plt\nfor i in range({0}):\n    plt.figure(figsize=(4 + i, 3)); plt.plot([i]); plt.title(f'Plot {{i}}'); plt.show()"
    answer = await a.run(session, draw.format(2))
    view = await chat.show(answer)
    narrow, wide = await drawn(view, 2)
    assert narrow[0] / narrow[1] < wide[0] / wide[1] - 0.1, "the second entry has the second picture"
    assert await view.locator("article h2").all_text_contents() == ["Plot 1 of 2 in this run", "Plot 2 of 2 in this run"]
    await view.locator("article").nth(1).get_by_role("button", name="2 stars").click()
    await expect(view.locator("article").nth(1).locator("button.on")).to_have_count(2)
    await expect(view.locator("article").nth(0).locator("button.on")).to_have_count(0)
    assert chat.calls == [("set_rating", {"rating": 2, "path": answer.read["images"][1]["resource_uri"]})]

    view = await chat.show(await a.run(session, draw.format(6)))  # a result has four pictures
    await drawn(view, 4)
    await expect(view.locator("article")).to_have_count(6)
    await view.locator("article", has_text="Plot 6 of 6").get_by_role("button", name="Show").click()
    await drawn(view, 5)

    view = await chat.show(await a.run(session, draw.format(1), images="link"))
    await view.get_by_role("button", name="Show").click()
    await drawn(view)


async def test_pictures_on_disk_have_their_own_stars(chat, tmp_path):
    a = chat.assistant
    for i, name in enumerate(("a.png", "b.png")):
        Image.effect_noise((200 + 100 * i, 150), 50).save(tmp_path / name)
    await a.ok("open_folder", path=str(tmp_path))
    paths = [str(tmp_path / name) for name in ("a.png", "b.png")]
    await a.ok("select_file", paths=paths)
    view = await chat.show(await a.call("get_selected_files", include_images=True))
    assert await drawn(view, 2) == [[200, 150], [300, 150]]
    await expect(view.locator("article")).to_have_count(2)
    await view.locator("article").nth(1).get_by_role("button", name="5 stars").click()
    await expect(view.locator("article").nth(1).locator("button.on")).to_have_count(5)
    assert chat.calls == [("set_rating", {"rating": 5, "path": paths[1]})]


async def test_a_picture_that_belongs_to_no_entry_gets_no_stars(chat):
    """The user can send another plot again with a result, which may only name its own plots."""
    buffer = io.BytesIO()
    Image.effect_noise((200, 150), 50).save(buffer, "PNG")
    picture = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(buffer.getvalue()).decode()}
    read = {"success": True, "status": "ok", "images": [{"resource_uri": "jupyter://sessions/s/images/i.png", "title": "Its own", "path": "/i.png"}]}
    view = await chat.show({"content": [{"type": "text", "text": json.dumps(read)}, picture]})
    await drawn(view)
    own, other = view.locator("article").nth(0), view.locator("article").nth(1)
    await expect(own.locator("img")).to_have_count(0)
    await expect(own.get_by_role("button", name="Show")).to_be_visible()
    await expect(other.locator("img")).to_have_count(1)
    await expect(other.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("theme, locale, code", [("light", "en-US", "Code of this result"), ("dark", "ja-JP", "この結果のコード")])
async def test_it_follows_the_theme_and_the_language(chat, session, theme, locale, code):
    a = chat.assistant
    answer = await a.run(session, CODE)
    other = {"light": "dark", "dark": "light"}[theme]
    back = "getComputedStyle(document.body).backgroundColor"
    view = await chat.show(answer, {"code": CODE}, width=400, theme=theme, locale=locale)
    await expect(view.locator("summary")).to_have_text(code)
    await drawn(view)
    frame = chat.page.frames[1]
    was = await frame.evaluate(back)
    assert was == {"light": "rgb(255, 255, 255)", "dark": "rgb(30, 30, 30)"}[theme]
    assert await frame.evaluate("document.documentElement.scrollWidth") <= 400
    variables = {"--color-background-primary": "light-dark(#fffff0, #000010)"}
    await chat.page.evaluate("context => bridge.setHostContext(context)", {"theme": other, "styles": {"variables": variables}})
    await expect(view.locator("body")).to_have_css("background-color", {"light": "rgb(255, 255, 240)", "dark": "rgb(0, 0, 16)"}[other])
    assert (await chat.seen())["heights"][-1] == await frame.evaluate("Math.ceil(document.querySelector('main').getBoundingClientRect().height)")


@pytest.mark.nightly
async def test_it_works_in_the_inspector(keeping, browser, session, tmp_path):
    """The Inspector is a client of its own, with its own sandbox."""
    async with connect(keeping) as a:
        await a.run(session, CODE)
        ran = (await a.run(session, NEXT.format(2))).read
    [image] = ran["images"]
    command = [f"{NODE}/bin/node", f"{NODE}/node_modules/.bin/mcp-inspector", "--web", "--transport", "http",
               "--server-url", keeping.url + "/mcp", "--header", f"Authorization: Bearer {keeping.token}"]  # fmt: skip
    ports = {"CLIENT_PORT": str(free_port()), "SERVER_PORT": str(free_port()), "MCP_AUTO_OPEN_ENABLED": "false"}
    with open(tmp_path / "log", "w") as log:
        inspector = subprocess.Popen(command, env=clean_environment(tmp_path) | ports, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                     start_new_session=True)  # fmt: skip
    try:
        address = wait_until("the Inspector", lambda: re.search(r"http://\S+TOKEN=\S+", (tmp_path / "log").read_text()))
        page = await browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(PATIENCE)
        await page.goto(address.group())
        await page.get_by_role("switch").first.click(force=True)
        await page.get_by_text("Apps", exact=True).click()
        await page.get_by_role("button", name="Get an execution").click()
        await page.get_by_role("textbox", name="execution_id").fill(ran["execution_id"])
        await page.get_by_role("button", name="Open App").click()
        view = page.frame_locator("iframe").frame_locator("iframe")
        await expect(view.get_by_role("img", name=image["description"])).to_be_visible()
        await view.get_by_role("button", name="3 stars").click()
        await expect(view.locator("button.on")).to_have_count(3)
        await view.get_by_role("button", name="Older version").click()
        await expect(view.get_by_role("img", name=HOSTILE)).to_be_visible()
        await page.close()
    finally:
        os.killpg(inspector.pid, signal.SIGTERM)
        inspector.wait()
    assert keeping.request("POST", "/tools/get_prompt_info/execute", {"path": image["resource_uri"]})[2]["file"]["rating"] == 3
