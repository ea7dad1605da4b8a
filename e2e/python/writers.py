"""A user who types into a notebook in JupyterLab while an assistant edits it, and a check that
neither loses anything.

Each keystroke of the user and each edit of the assistant is a character of its own, which
must be in the notebook exactly once at the end: in the tab, in the file, and in what Easel
answers. The assistant's edits that Easel refused must not be there.

    python writers.py SEED EDITS [collaboration] [restart]
"""

import asyncio
import collections
import contextlib
import itertools
import json
import pathlib
import random
import sys
import tempfile

from lab import Notebook, open_browser
from playwright.async_api import Error as BrowserError
from servers import Easel, Jupyter

USER, ASSISTANT = 0x4E00, 0xAC00  # first characters: Chinese for the user, Korean for the assistant
PATH = "shared.ipynb"
CELLS = ".jp-NotebookPanel .jp-CodeCell"


def notebook(sources: list[str]) -> dict:
    return {
        "cells": [
            {"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
            for i, s in enumerate(sources)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip


def write(jupyter, path: str, book: dict):
    status, _, body = jupyter.request("PUT", f"/api/contents/{path}", {"type": "notebook", "format": "json", "content": book})
    assert status in (200, 201), body


class Typist:
    """The user."""

    def __init__(self, tab: Notebook, rng: random.Random):
        self.tab, self.rng, self.typed = tab, rng, []
        self.fresh = (chr(c) for c in itertools.count(USER))

    async def step(self):
        cells = self.tab.page.locator(CELLS)
        cell = cells.nth(self.rng.randrange(await cells.count()))
        with contextlib.suppress(BrowserError):  # the cell may have just been removed
            await cell.locator(".cm-content").click(timeout=2000)
            await self.tab.page.keyboard.press(self.rng.choice(["Home", "End", "Control+End"]))
        for _ in range(self.rng.randrange(1, 6)):
            # A key that JupyterLab does not take as text is a command.
            if await self.tab.page.evaluate("document.activeElement.classList.contains('cm-content')"):
                self.typed.append(next(self.fresh))
                await self.tab.page.keyboard.insert_text(self.typed[-1])


class Assistant:
    def __init__(self, easel: Easel, rng: random.Random):
        self.easel, self.rng = easel, rng
        self.done, self.refused, self.unknown, self.via = [], [], [], collections.Counter()
        self.fresh = (chr(c) for c in itertools.count(ASSISTANT))

    def step(self):
        mark = next(self.fresh)
        try:
            cells = self.read()["cells"]
            cell = self.rng.choice(cells)
            if self.rng.random() < 0.2:
                status, _, body = self.easel.execute("notebook_add_cell", path=PATH, cell_type="code", source=mark, position=cell["index"])
            else:
                at = self.rng.randrange(len(cell["source"]) + 1)
                source = cell["source"][:at] + mark + cell["source"][at:]
                status, _, body = self.easel.execute("notebook_edit_cell", path=PATH, cell_id=cell["cell_id"], source=source)
        except (OSError, KeyError):  # Easel or Jupyter was killed
            self.unknown.append(mark)
            return
        if status == 200:
            self.via[body["via"]] += 1
            self.done.append(mark)
        elif status == 409 and "not confirmed" not in body["detail"]:
            self.refused.append(mark)
        else:
            self.unknown.append(mark)

    def read(self) -> dict:
        status, _, body = self.easel.request("GET", f"/api/info/notebook_read?path={PATH}&limit=1000&outputs=none")
        if status != 200:
            raise KeyError(body)
        return body


def faults(name: str, sources: list[str], user: Typist, assistant: Assistant) -> list[str]:
    """Returns what is missing from the cells, or there too often."""
    there = collections.Counter("".join(sources))
    found = [f"{name}: {there[c]} of the user's keystroke {i}" for i, c in enumerate(user.typed) if there[c] != 1]
    found += [f"{name}: {there[c]} of the assistant's edit {ord(c) - ASSISTANT}" for c in assistant.done if there[c] != 1]
    found += [f"{name}: {there[c]} of the refused edit {ord(c) - ASSISTANT}" for c in assistant.refused if there[c]]
    found += [f"{name}: {there[c]} of the edit {ord(c) - ASSISTANT}, whose call failed" for c in assistant.unknown if there[c] > 1]
    return found


async def together(easel: Easel, jupyter: Jupyter, browser, seed: int, edits: int, kill: bool, restart: bool = False) -> tuple[list[str], Typist, Assistant]:
    """Lets both work at the same time, and returns what went wrong."""
    write(jupyter, PATH, notebook(["first", "second", "third"]))
    tab = await Notebook.open(browser, jupyter, PATH)
    user, assistant = Typist(tab, random.Random(seed)), Assistant(easel, random.Random(seed + 1))
    finished = asyncio.Event()

    async def work():
        for i in range(edits):
            if kill and i == edits // 3:
                easel.process.kill()
                easel.process.wait()
                await asyncio.to_thread(easel.launch)
            if restart and i == 2 * edits // 3:
                await asyncio.to_thread(jupyter.kill)
                await asyncio.to_thread(jupyter.launch, jupyter.port)
            await asyncio.to_thread(assistant.step)
        finished.set()

    working = asyncio.create_task(work())
    while not finished.is_set():
        await user.step()
        if working.done():
            break
    await working
    await tab.page.keyboard.press("Control+s")
    wrong = await settle(tab, jupyter, user, assistant)
    await tab.close()
    return wrong, user, assistant


def saved(jupyter: Jupyter) -> list[str]:
    """Returns the cells in the file, or none while the server writes it. Asking the server for
    the file at that moment would fail, or even make it restore the file from before."""
    try:
        return ["".join(c["source"]) for c in json.loads((jupyter.root / PATH).read_text())["cells"]]
    except (OSError, json.JSONDecodeError):
        return []


async def settle(tab: Notebook, jupyter: Jupyter, user: Typist, assistant: Assistant) -> list[str]:
    """Waits until nothing is missing anywhere, and returns what still is when that takes too long."""
    for _ in range(60):
        shown = [c["source"] for c in assistant.read()["cells"]]
        stored = saved(jupyter)
        in_tab = [await c.inner_text() for c in await tab.page.locator(CELLS + " .cm-content").all()]
        wrong = faults("Easel", shown, user, assistant) + faults("the file", stored, user, assistant) + faults("the tab", in_tab, user, assistant)
        if not wrong:
            break
        await asyncio.sleep(0.25)
    return wrong


async def main(seed: int, edits: int, collaboration: bool):
    with tempfile.TemporaryDirectory() as base:
        easel = Easel.prepare(pathlib.Path(base) / "easel")
        easel.give_python()
        jupyter = Jupyter(pathlib.Path(base) / "jupyter", collaboration=collaboration, lab=True)
        easel.env |= {"EASEL_JUPYTER_URL": jupyter.url, "EASEL_JUPYTER_TOKEN": jupyter.token}
        try:
            easel.launch()
            async with open_browser() as browser:
                wrong, user, assistant = await together(easel, jupyter, browser, seed, edits, kill=True, restart="restart" in sys.argv)
        finally:
            if easel.process:
                easel.close()
            jupyter.close()
    print(f"seed {seed}: {len(user.typed)} keystrokes; edits: {len(assistant.done)} made ({dict(assistant.via)}), "
          f"{len(assistant.refused)} refused, {len(assistant.unknown)} unknown")  # fmt: skip
    print("\n".join(wrong) or "nothing is lost or duplicated")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), "collaboration" in sys.argv)))
