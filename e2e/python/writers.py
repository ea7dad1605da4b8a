"""A user who works in a notebook in JupyterLab, an assistant who edits the same notebook, and a
check that neither loses anything. notebook_storm.py lets them do it for long, with faults.

Each keystroke of the user and each edit of the assistant is a character of its own, a mark. At
the end each must be in the notebook exactly once: in the tab, in the file, and in what Easel
answers. The assistant's edits that Easel refused must not be there, and all three must agree.
"""

import asyncio
import collections
import contextlib
import dataclasses
import itertools
import json
import random
import time

from lab import Notebook
from playwright.async_api import Error as BrowserError
from servers import Easel

# First characters: Chinese for the user, Korean for the assistant. Those of a second user are
# beyond U+FFFF: JavaScript counts each as two, and pycrdt as four.
USERS, ASSISTANT = (0x4E00, 0x20000), 0xAC00
PATH = "shared.ipynb"
CELLS = ".jp-NotebookPanel .jp-CodeCell"
FEWEST, MOST = 3, 9  # cells
GAP = 5.0  # seconds: what happens within them happens at the same time; a page on a busy machine lags by seconds

BOOK = """window.book = [...jupyterapp.shell.widgets('main')].find(w => w.content && w.content.widgets).content"""
SHOWN = BOOK + """.widgets.map(c => ({id: c.model.id, source: c.editor ? c.editor.state.doc.toString() : c.model.sharedModel.getSource()}))"""
TYPING_IN = """() => {
    const at = document.activeElement
    if (!at.classList.contains('cm-content')) return null
    const cell = %s.widgets.find(c => c.node.contains(at))
    return cell ? cell.model.id : null
}""" % BOOK.removeprefix("window.book = ")  # fmt: skip
# Notes the text of each cell that this page deletes, at the moment when it does.
NOTE_DELETED = (
    BOOK
    + """; window.deleted = []
    const shared = book.model.sharedModel, whole = shared.deleteCellRange
    shared.deleteCellRange = function (from, to) {
        for (const cell of this.cells.slice(from, to)) deleted.push({id: cell.id, source: cell.getSource()})
        return whole.call(this, from, to)
    }
    null"""
)


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


@dataclasses.dataclass
class Mark:
    """A keystroke or an edit."""

    text: str
    cell: str
    when: float


@dataclasses.dataclass
class Upheaval:
    """A cell was deleted or moved. What others write into it at the same moment may be lost with
    it: a shared document moves a cell by deleting it and adding a copy."""

    by: object
    cell: str
    began: float
    ended: float

    def covers(self, mark: Mark) -> bool:
        return self.cell == mark.cell and self.began - GAP < mark.when < self.ended + GAP

    def meets(self, other: "Upheaval") -> bool:
        """Reports whether two moved the cell at the same moment: then a shared document has two copies."""
        at_once = self.began - GAP < other.ended and other.began - GAP < self.ended
        return self.by is not other.by and self.cell == other.cell and at_once


class Typist:
    """A user, with the notebook open in a tab."""

    def __init__(self, tab: Notebook, rng: random.Random, number: int = 0):
        self.tab, self.rng, self.number = tab, rng, number
        self.typed: list[Mark] = []
        self.deleted, self.upheavals, self.dialogs = [], [], []
        self.did = collections.Counter()
        self.fresh = (chr(c) for c in itertools.count(USERS[number]))

    async def step(self, more: bool = False):
        """Types into a cell. With more, it sometimes does something else."""
        with contextlib.suppress(BrowserError):  # the cell may have just been removed
            await self.dismiss()
            cells = self.tab.page.locator(CELLS)
            count = await cells.count()
            act = self.rng.choices(["type", "run", "move", "add", "delete"], [80, 6, 5, 5, 4])[0] if more else "type"
            if act in ("add", "delete") and not (count < MOST if act == "add" else count > FEWEST):
                act = "type"
            cell = cells.nth(self.rng.randrange(count))
            await cell.locator(".cm-content").click(timeout=2000)
            self.did[act] += 1
            await getattr(self, act)()

    async def type(self):
        page = self.tab.page
        await page.keyboard.press(self.rng.choice(["Home", "End", "Control+End"]))
        for _ in range(self.rng.randrange(1, 6)):
            # A key that JupyterLab does not take as text is a command.
            if cell := await page.evaluate(TYPING_IN):
                self.typed.append(Mark(next(self.fresh), cell, time.monotonic()))
                await page.keyboard.insert_text(self.typed[-1].text)

    async def run(self):
        await self.tab.page.keyboard.press("Control+Enter")

    async def move(self):
        cell, began = await self.tab.page.evaluate(TYPING_IN), time.monotonic()
        await self.tab.page.keyboard.press("Escape")
        await self.tab.page.keyboard.press("Control+Shift+" + self.rng.choice(["ArrowUp", "ArrowDown"]))
        self.upheavals.append(Upheaval(self, cell, began, time.monotonic()))

    async def add(self):
        await self.tab.page.keyboard.press("Escape")
        await self.tab.page.keyboard.press("b")

    async def delete(self):
        began = time.monotonic()
        await self.tab.page.keyboard.press("Escape")
        await self.tab.page.keyboard.press("d")
        await self.tab.page.keyboard.press("d")
        await self.collect(began)

    async def collect(self, began: float):
        """Takes over what the page has noted about deleted cells."""
        for cell in await self.tab.page.evaluate("deleted.splice(0)"):
            self.deleted.append(cell["source"])
            self.upheavals.append(Upheaval(self, cell["id"], began, time.monotonic()))

    async def dismiss(self):
        """Closes a dialog, as a user would who wants to keep what is in the page."""
        dialog = self.tab.page.locator(".jp-Dialog").last
        if await dialog.count():
            self.dialogs.append(await dialog.inner_text(timeout=2000))
            await dialog.locator("button").last.click(timeout=2000)

    async def save(self):
        await self.tab.page.keyboard.press("Control+s")

    async def shown(self) -> list[dict]:
        return await self.tab.page.evaluate(SHOWN)


async def open_tab(browser, jupyter) -> Notebook:
    tab = await Notebook.open(browser, jupyter, PATH)
    await tab.page.evaluate(NOTE_DELETED)
    return tab


class Assistant:
    def __init__(self, easel: Easel, rng: random.Random):
        self.easel, self.rng, self.cells = easel, rng, []
        self.done, self.refused, self.unknown, self.via = [], [], [], collections.Counter()
        self.deleted, self.upheavals, self.wrong, self.hints = [], [], [], collections.Counter()
        self.did = collections.Counter()
        self.fresh = (chr(c) for c in itertools.count(ASSISTANT))
        self.seen: dict[str, tuple[float, float]] = {}  # when it first and last read each character

    def step(self, more: bool = False) -> bool:
        """Edits a cell or adds one. With more, it sometimes does something else, or relies on
        what it read before. Returns False if Easel or Jupyter has been killed."""
        try:
            if not self.cells or not more or self.rng.random() < 0.7:
                self.cells = self.read()["cells"]
        except (OSError, KeyError):
            time.sleep(0.2)
            return False
        cell, count = self.rng.choice(self.cells), len(self.cells)
        acts, weights = ["edit", "add", "run", "move", "delete"], [60, 14, 10, 8, 8] if more else [80, 20, 0, 0, 0]
        act = self.rng.choices(acts, weights)[0]
        if more and (act == "add" and count >= MOST or act == "delete" and count <= FEWEST):
            act = "edit"
        getattr(self, act)(cell, more)
        return True

    def edit(self, cell: dict, more: bool):
        mark, at = next(self.fresh), self.rng.randrange(len(cell["source"]) + 1)
        source = cell["source"][:at] + mark + cell["source"][at:]
        run = {"run": True} if more and self.rng.random() < 0.2 else {}
        if self.call("notebook_edit_cell", mark, cell, cell_id=cell["cell_id"], source=source, **run):
            cell["source"] = source

    def add(self, cell: dict, more: bool):
        mark = next(self.fresh)
        self.call("notebook_add_cell", mark, cell, cell_type="code", source=mark, position=cell["index"])
        self.cells = []

    def run(self, cell: dict, more: bool):
        self.call("notebook_run_cell", "", cell, cell_id=cell["cell_id"], timeout=20)

    def move(self, cell: dict, more: bool):
        began = time.monotonic()
        if self.call("notebook_move_cell", "", cell, cell_id=cell["cell_id"], to=self.rng.randrange(len(self.cells))) is not False:
            self.upheavals.append(Upheaval(self, cell["cell_id"], began, time.monotonic()))
        self.cells = []

    def delete(self, cell: dict, more: bool):
        began = time.monotonic()
        answer = self.call("notebook_delete_cell", "", cell, cell_id=cell["cell_id"])
        if answer and answer["removed"]["source"] != cell["source"]:
            self.wrong.append(f"a cell was deleted with the text {answer['removed']['source']!r}; the assistant knew {cell['source']!r}")
        if answer is not False:
            self.deleted.append(cell["source"])
            self.upheavals.append(Upheaval(self, cell["cell_id"], began, time.monotonic()))
        self.cells = []

    def call(self, tool: str, mark: str, cell: dict, **arguments):
        """Calls a tool. Returns its answer, False if it was refused, and None if it is not known
        whether it was done."""
        try:
            status, _, body = self.easel.execute(tool, path=PATH, **arguments)
        except (OSError, KeyError):
            status, body = 0, {}
        if status == 200:
            self.did[tool.removeprefix("notebook_").removesuffix("_cell") + " and run" * bool(arguments.get("run"))] += 1
            self.via[body["via"]] += 1
            self.note(self.done, mark, body["cell_id"])
            return body
        self.cells = []
        if status in (404, 409) and "not confirmed" not in body["detail"]:
            self.hints[body["detail"].split("\n")[0][-60:] + " " + body.get("hint", "")[-60:]] += 1
            self.note(self.refused, mark, cell["cell_id"])
            return False
        self.hints[f"unknown: {status} {json.dumps(body)[-300:]}"] += 1
        self.note(self.unknown, mark, cell["cell_id"])
        return None

    def note(self, where: list, mark: str, cell: str):
        if mark:
            where.append(Mark(mark, cell, time.monotonic()))

    def read(self) -> dict:
        status, _, body = self.easel.request("GET", f"/api/info/notebook_read?path={PATH}&limit=1000&outputs=none")
        if status != 200:
            raise KeyError(body)
        now = time.monotonic()
        for mark in {m for c in body["cells"] for m in c["source"]}:
            self.seen[mark] = self.seen.get(mark, (now,))[0], now
        return body


def tally(sources: list[str], users: list[Typist], assistant: Assistant) -> tuple[list[str], list[Mark]]:
    """Returns what is missing from the cells, or there too often; and separately which characters
    are because their cell was deleted or moved at the same moment."""
    there, gone = collections.Counter("".join(sources)), collections.Counter("".join(assistant.deleted))
    for u in users:
        gone.update("".join(u.deleted))
    upheavals = [up for w in (*users, assistant) for up in w.upheavals]
    doubled = {a.cell for a in upheavals for b in upheavals if a.meets(b)}
    lost, swept = [], []

    def check(what: str, mark: Mark):
        n = there[mark.text]
        if n == 1 or n == 0 and gone[mark.text]:
            return
        if any(up.covers(mark) for up in upheavals) or n > 1 and mark.cell in doubled:
            swept.append(mark)
        else:
            about = [f"{type(up.by).__name__} {up.began:.1f}–{up.ended:.1f}" for up in upheavals if up.cell == mark.cell]
            read = "read by the assistant {:.1f}–{:.1f}".format(*assistant.seen[mark.text]) if mark.text in assistant.seen else "never read by the assistant"
            lost.append(f"{n} of {what} (cell {mark.cell}, at {mark.when:.1f}, {read}; moved or deleted: {about})")

    for u in users:
        for i, m in enumerate(u.typed):
            check(f"user {u.number}'s keystroke {i}", m)
    for m in assistant.done:
        check(f"the assistant's edit {ord(m.text) - ASSISTANT}", m)
    lost += [f"{there[m.text]} of the refused edit {ord(m.text) - ASSISTANT}" for m in assistant.refused if there[m.text]]
    lost += [f"{there[m.text]} of the edit {ord(m.text) - ASSISTANT}, whose call failed" for m in assistant.unknown if there[m.text] > 1]
    return lost, swept


def saved(jupyter) -> list[str]:
    """Returns the cells in the file, or none while the server writes it. Asking the server for
    the file at that moment would fail, or even make it restore the file from before."""
    try:
        return ["".join(c["source"]) for c in json.loads((jupyter.root / PATH).read_text())["cells"]]
    except (OSError, json.JSONDecodeError):
        return []


async def settle(jupyter, users: list[Typist], assistant: Assistant) -> list[str]:
    """Waits until nothing is missing anywhere, and returns what still is when that takes too long."""
    for _ in range(80):
        for u in users:
            with contextlib.suppress(BrowserError):
                await u.dismiss()
                await u.collect(time.monotonic())
        try:
            easel = [c["source"] for c in assistant.read()["cells"]]
        except (OSError, KeyError):
            easel = []
        views = {"Easel": easel, "the file": saved(jupyter)}
        views |= {f"tab {u.number}": [c["source"] for c in await u.shown()] for u in users}
        wrong = assistant.wrong + [f"{name}: {f}" for name, sources in views.items() for f in tally(sources, users, assistant)[0]]
        wrong += [f"{name} and Easel differ" for name, sources in views.items() if sources != easel]
        if not wrong:
            break
        await asyncio.sleep(0.25)
    return wrong


async def together(easel: Easel, jupyter, browser, seed: int, edits: int, kill: bool) -> tuple[list[str], Typist, Assistant]:
    """Lets both write at the same time, and returns what went wrong."""
    write(jupyter, PATH, notebook(["first", "second", "third"]))
    user = Typist(await open_tab(browser, jupyter), random.Random(seed))
    assistant = Assistant(easel, random.Random(seed + 1))

    async def work():
        for i in range(20 * edits):
            # If the page lags behind a fast user, all of the first edits may be refused.
            if i >= edits and assistant.done:
                break
            if kill and i == edits // 3:
                easel.process.kill()
                easel.process.wait()
                await asyncio.to_thread(easel.launch)
            await asyncio.to_thread(assistant.step)

    working = asyncio.create_task(work())
    while not working.done():
        await user.step()
    await working
    await user.save()
    wrong = await settle(jupyter, [user], assistant)
    await user.tab.close()
    return wrong, user, assistant
