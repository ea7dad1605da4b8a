"""Tests that an assistant writes into a notebook where the user has it open in JupyterLab, with
JupyterLab's page in a real browser."""

import asyncio

import pytest
from lab import Notebook, open_browser
from playwright.async_api import expect
from servers import Easel, Jupyter, wait_until
from writers import CELLS, notebook, together, write


# Collects the texts that appear in a page.
NOTICE = """
window.seen = []
new MutationObserver(all => all.forEach(m => m.addedNodes.forEach(n => seen.push(n.textContent))))
    .observe(document.body, {childList: true, subtree: true})"""


@pytest.fixture(scope="module")
async def browser():
    async with open_browser() as b:
        yield b


def outcome(answer) -> dict:
    status, _, body = answer
    assert status == 200, body
    return body


async def test_an_assistant_writes_into_the_users_tab(easel, jupyter, browser):
    path = "open.ipynb"
    write(jupyter, path, notebook(["x = 1", "print(x)"]))

    def contents(path: str) -> list[dict]:
        return jupyter.request("GET", f"/api/contents/{path}")[2]["content"]["cells"]

    async def call(tool: str, **arguments):
        return await asyncio.to_thread(easel.execute, tool, path=path, **arguments)

    async def read(**arguments) -> dict:
        query = "&".join(f"{k}={v}" for k, v in {"path": path, **arguments}.items())
        return outcome(await asyncio.to_thread(easel.request, "GET", f"/api/info/notebook_read?{query}"))

    closed = await read()
    assert closed["via"] == "file"
    tab = await Notebook.open(browser, jupyter, path)
    await tab.page.evaluate(NOTICE)
    cells = tab.page.locator(CELLS)

    # The assistant sees what the user has not saved yet, and does not overwrite it.
    await cells.nth(0).locator(".cm-content").click()
    await tab.page.keyboard.press("End")
    await tab.page.keyboard.type("00")
    status, _, refused = await call("notebook_edit_cell", cell_id="cell-0", source="x = 2")
    assert (status, refused["code"]) == (409, "NOT_EXECUTABLE") and "x = 100" in refused["detail"], refused
    assert [c["source"] for c in (await read())["cells"]] == ["x = 100", "print(x)"]
    assert (await read())["via"] == "tab"

    # Code runs in the user's kernel, and the tab shows the outputs.
    edited = outcome(await call("notebook_edit_cell", cell_id="cell-0", source="x = 200", run=True))
    assert (edited["via"], edited["execution"]["status"], edited["outputs_saved"]) == ("tab", "ok", True)
    ran = outcome(await call("notebook_run_cell", cell_id="cell-1"))
    assert (ran["execution"]["stdout"], ran["execution"]["execution_count"]) == ("200\n", 2)
    await expect(cells.nth(1).locator(".jp-OutputArea-output")).to_have_text("200")
    await expect(cells.nth(1).locator(".jp-InputPrompt")).to_have_text("[2]:")
    assert await tab.page.evaluate("seen.some(text => text.includes('is working in open.ipynb'))")
    added = outcome(await call("notebook_add_cell", cell_type="code", source="x / 0", position=1, run=True))
    assert (added["via"], added["index"], added["execution"]["error"]["type"]) == ("tab", 1, "ZeroDivisionError")
    await expect(cells.nth(1).locator(".jp-OutputArea-output")).to_contain_text("ZeroDivisionError")
    gone = outcome(await call("notebook_delete_cell", cell_id=added["cell_id"]))
    assert (gone["via"], gone["removed"]["source"], gone["total"]) == ("tab", "x / 0", 2)
    await expect(cells).to_have_count(2)

    # The outputs are in the file, and the run is recorded as the assistant's.
    saved = jupyter.request("GET", f"/api/contents/{path}")[2]["content"]["cells"]
    assert [(c["source"], c["execution_count"]) for c in saved] == [("x = 200", 1), ("print(x)", 2)]
    mine = outcome(easel.request("GET", f"/api/info/get_execution?execution_id={ran['execution']['execution_id']}"))
    assert (mine["code"], "watched" in mine) == ("print(x)", False)

    # Two tabs of one notebook do not share changes.
    second = await Notebook.open(browser, jupyter, path)
    while (await read())["via"] == "tab":  # the page is there before it listens for commands
        await asyncio.sleep(0.1)
    status, _, refused = await call("notebook_add_cell", cell_type="code", source="2")
    assert status == 409 and "2 JupyterLab tabs" in refused["hint"], refused
    seen = await read()
    assert seen["via"] == "file" and "2 JupyterLab tabs" in seen["notes"][0], seen
    await second.close()
    while (await read())["via"] != "tab":
        await asyncio.sleep(0.1)

    # The page is open, but not with these: nobody has them open, and the page stays away from their kernels.
    write(jupyter, "left.ipynb", notebook(["y = 1"]))
    write(jupyter, "new.ipynb", notebook(["y = 1"]))
    session = {"path": "left.ipynb", "name": "", "type": "notebook", "kernel": {"name": "python3"}}
    left = jupyter.request("POST", "/api/sessions", session)[2]["kernel"]["id"]
    for other in ("left.ipynb", "new.ipynb", "left.ipynb", "new.ipynb"):
        ran = outcome(await asyncio.to_thread(easel.execute, "notebook_edit_cell", path=other, index=0, source="y = 2; y", run=True))
        assert (ran["via"], ran["execution"]["result"], ran["outputs_saved"]) == ("file", "2", True), ran
    assert jupyter.request("GET", f"/api/kernels/{left}")[2]["connections"] == 1  # Easel's

    # The user renames the notebook while a range of cells runs in the tab.
    go = jupyter.root / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.05)\nprint('gone on')"
    outcome(await call("notebook_edit_cell", cell_id="cell-0", source=wait))
    task = asyncio.create_task(call("notebook_run_cell", cell_id="cell-0", through=-1))
    await expect(cells.nth(0).locator(".jp-InputPrompt")).to_have_text("[*]:")
    await tab.rename("renamed-in-range.ipynb")
    await expect(tab.page.get_by_role("tab", name="renamed-in-range.ipynb")).to_be_visible()
    path = "renamed-in-range.ipynb"
    go.touch()
    ran = outcome(await task)
    assert (ran["via"], ran["execution"]["status"], ran.get("left"), ran["outputs_saved"]) == ("tab", "ok", None, True), ran
    assert "gone on" in str(contents(path)[0]["outputs"])
    assert await tab.page.locator(".jp-Dialog").count() == 0

    # The user closes the tab while a range of cells runs there. The kernel runs on, so the notebook is closed:
    # the rest of the range runs in that kernel, and all outputs are saved.
    go.unlink()
    task = asyncio.create_task(call("notebook_run_cell", cell_id="cell-0", through=-1))
    await expect(cells.nth(0).locator(".jp-InputPrompt")).to_have_text("[*]:")
    await tab.close()
    go.touch()
    ran = outcome(await task)
    assert ran["execution"]["status"] == "ok" and (ran.get("left", 0) > 0) == ("reason" in ran), (ran.get("left"), ran.get("reason"), ran.get("note"), ran.get("ran"))
    waited = contents(path)[0]
    assert "gone on" in str(waited["outputs"]) and "outputs_unsaved" not in ran["ran"][0], (waited, ran["ran"])
    ran = outcome(await call("notebook_edit_cell", cell_id="cell-1", source="print(x + 1)", run=True))
    assert (ran["via"], ran["execution"]["stdout"], ran["outputs_saved"]) == ("file", "201\n", True)
    assert "print(x + 1)" in [c["source"] for c in contents(path)]


async def test_neither_writer_loses_anything_in_a_tab(easel, jupyter, browser):
    wrong, user, assistant = await together(easel, jupyter, browser, 7, 6, kill=False)
    assert wrong == []
    assert user.typed and assistant.done and set(assistant.via) == {"tab"}, assistant.hints


@pytest.mark.nightly
async def test_neither_writer_loses_anything_in_a_shared_document(tmp_path, browser):
    jupyter = Jupyter(tmp_path / "jupyter", collaboration=True)
    easel = Easel.prepare(tmp_path / "easel", jupyter)
    easel.give_python()
    easel.launch()
    try:
        wrong, user, assistant = await together(easel, jupyter, browser, 7, 6, kill=True)
        assert wrong == []
        assert user.typed and assistant.done and set(assistant.via) == {"collaboration"}, assistant.hints

        path = "run.ipynb"
        write(jupyter, path, notebook(["print('in the shared document')", "last"]))
        tab = await Notebook.open(browser, jupyter, path)
        cells = tab.page.locator(CELLS)
        ran = outcome(await asyncio.to_thread(easel.execute, "notebook_run_cell", path=path, index=0))
        assert (ran["via"], ran["execution"]["status"], ran["outputs_saved"]) == ("collaboration", "ok", True)
        await expect(cells.nth(0).locator(".jp-OutputArea-output")).to_have_text("in the shared document")
        await expect(cells.nth(0).locator(".jp-InputPrompt")).to_have_text("[1]:")
        moved = outcome(await asyncio.to_thread(easel.execute, "notebook_move_cell", path=path, index=1, to=0))
        assert (moved["via"], moved["index"]) == ("collaboration", 0)
        await expect(cells.nth(0).locator(".cm-content")).to_have_text("last")
        await tab.close()
    finally:
        assert easel.close() == 0
        jupyter.close()


# Displays a picture of one pixel, of another colour for each number.
PLOT = """import base64, struct, zlib
def plot(n):
    chunk = lambda t, d: struct.pack('>I', len(d)) + t + d + struct.pack('>I', zlib.crc32(t + d))
    png = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 2, 0, 0, 0))
    png += chunk(b'IDAT', zlib.compress(bytes([0, n, 0, 0]))) + chunk(b'IEND', b'')
    display({'image/png': base64.b64encode(png).decode()}, raw=True)"""


async def test_plots_know_their_cells(easel, jupyter, browser):
    path = "cells.ipynb"
    book = notebook([PLOT, "# 測定", "plot(1)", "plot(2)", "plot(3)"])
    book["cells"][1] = {"cell_type": "markdown", "id": "cell-1", "metadata": {}, "source": "## 測定"}
    write(jupyter, path, book)
    tab = await Notebook.open(browser, jupyter, path)
    cells = tab.page.locator(".jp-NotebookPanel .jp-Cell")
    session = outcome(await asyncio.to_thread(easel.execute, "session_connect", notebook_path=path))["session_id"]

    async def call(tool: str, **arguments):
        return outcome(await asyncio.to_thread(easel.execute, tool, **arguments))

    def places() -> list:
        images = outcome(easel.request("GET", f"/api/info/list_session_images?session_id={session}"))["images"]
        return [(c.get("index"), c["execution_count"], c.get("stale")) if (c := i.get("cell")) else None for i in reversed(images)]

    async def become(want: list):
        await asyncio.to_thread(wait_until, f"the cells {want}", lambda: places() == want, pause=0.3)

    # The user runs the cells.
    await cells.nth(0).locator(".cm-content").click()
    for _ in range(5):
        await tab.page.keyboard.press("Shift+Enter")
    await become([(2, 2, None), (3, 3, None), (4, 4, None)])
    images = outcome(easel.request("GET", f"/api/info/list_session_images?session_id={session}"))["images"]
    assert {i["cell"]["heading"] for i in images} == {"測定"}

    # A cell that the user has changed, but not saved.
    await cells.nth(3).locator(".cm-content").click()
    await tab.page.keyboard.press("End")
    await tab.page.keyboard.type("  # 2")
    await become([(2, 2, None), (3, 3, "changed"), (4, 4, None)])
    await tab.page.keyboard.press("Shift+Enter")
    await become([(2, 2, None), (3, 3, "changed"), (4, 4, None), (3, 5, None)])

    # What the assistant runs belongs to a cell only if it runs a cell.
    await call("execute_code", session_id=session, code="plot(4)")
    await call("notebook_run_cell", path=path, index=2)
    await become([(2, 2, None), (3, 3, "changed"), (4, 4, None), (3, 5, None), None, (2, 7, None)])
    await call("notebook_delete_cell", path=path, index=4)
    await become([(2, 2, None), (3, 3, "changed"), (None, 4, "deleted"), (3, 5, None), None, (2, 7, None)])

    # The user renames the notebook.
    def session_path() -> str:
        sessions = outcome(easel.request("GET", "/api/info/session_list"))["sessions"]
        return next(s["notebook_path"] for s in sessions if s["session_id"] == session)

    now = [(2, 2, None), (3, 3, "changed"), (None, 4, "deleted"), (3, 5, None), None, (2, 7, None)]
    await tab.rename("renamed.ipynb")
    await asyncio.to_thread(wait_until, "the new name", lambda: session_path() == "renamed.ipynb", pause=0.3)
    await become(now)
    status, _, refused = await asyncio.to_thread(easel.execute, "notebook_edit_cell", path=path, index=0, source="1")
    assert (status, refused["code"]) == (404, "NOTEBOOK_NOT_FOUND") and 'renamed to "renamed.ipynb"' in refused["detail"], refused
    path = "renamed.ipynb"
    assert (await call("notebook_run_cell", path=path, index=3))["via"] == "tab"
    now.append((3, 8, None))
    await become(now)

    # Its file is deleted, and the user saves it again.
    assert jupyter.request("DELETE", f"/api/contents/{path}")[0] == 204
    status, _, refused = await asyncio.to_thread(easel.execute, "notebook_run_cell", path=path, index=3)
    assert (status, refused["code"]) == (404, "NOTEBOOK_NOT_FOUND") and "Save Notebook" in refused["hint"], refused
    await cells.nth(3).locator(".cm-content").click()
    await tab.page.keyboard.press("Control+s")
    await asyncio.to_thread(wait_until, "the file", (jupyter.root / path).exists, pause=0.3)
    await become(now)

    # Without the tab, the file says what the cells are.
    await tab.close()
    write(jupyter, path, book)
    await become([(2, 2, None), (3, 3, None), (4, 4, None), (3, 5, "changed"), None, (2, 7, None), (3, 8, "changed")])
