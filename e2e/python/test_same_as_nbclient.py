"""Runs the same notebooks through Easel and through nbclient, Jupyter's own runner. Every output of every
cell must be the same in the saved notebook, a model must read every text in it, in its order, and a
program must get every output as it is.

The scripts in gallery/ are our own, in the style of the galleries of matplotlib, pandas, seaborn and numpy;
those in notebooks/ each have one kind of output. All of a language run in one kernel, one after the other.
Easel runs those in notebooks/ as cells of a notebook: every second one cell by cell, the others as a range. At
night, it also runs all of them as code in a notebook's session; by day, only a few."""

import asyncio
import collections
import dataclasses
import json
import pathlib
import re

import nbformat
import oracle
import pytest
from assistant import ENDED, connect

LANGUAGES = {
    "python3": [*sorted((oracle.HERE / "notebooks").glob("*.py")), *sorted((oracle.HERE / "gallery").glob("*.py"))],
    "ir": sorted((oracle.HERE / "notebooks").glob("*.R")),
}
NOTEBOOKS = [script for scripts in LANGUAGES.values() for script in scripts if script.parent.name == "notebooks"]
BY_DAY = [s for s in NOTEBOOKS if s.name in ("clearing.py", "shown.py", "updates.py", "r.R")]  # as code
RUNS = [
    *((script, "notebook") for script in NOTEBOOKS),
    *((s, "code") if s in BY_DAY else pytest.param((s, "code"), marks=pytest.mark.nightly) for scripts in LANGUAGES.values() for s in scripts),
]


@dataclasses.dataclass
class Cell:
    """A cell, as nbclient and as Easel ran it."""

    script: str
    source: str
    wanted: oracle.Wanted
    read: dict | None = None  # the execution, as a model reads it
    whole: dict | None = None  # and as a program gets it
    saved: list | None = None  # the outputs in the notebook


@pytest.fixture(scope="module")
def ran(request, easel, jupyter) -> dict[tuple[str, str], list[Cell]]:
    """All cells of the scripts that tests need, by the name of the script and how Easel ran them."""
    params = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    chosen = {p["cells"] for p in params if "cells" in p}
    chosen |= {(p[name], way) for p in params for name, way in (("of_notebook", "notebook"), ("of_code", "code")) if name in p}
    return asyncio.run(run_all(easel, jupyter, chosen))


async def run_all(easel, jupyter, chosen: set[tuple[pathlib.Path, str]]) -> dict[tuple[str, str], list[Cell]]:
    found = collections.defaultdict(list)

    async def language(kernel: str, scripts: list[pathlib.Path]):
        ways = {way: [s for s in scripts if (s, way) in chosen] for way in ("notebook", "code")}
        either = [s for s in scripts if s in ways["notebook"] or s in ways["code"]]
        if not either:
            return
        sources = {s: oracle.cells(s) for s in either}
        by_nbclient = jupyter.root / f"{kernel}_nbclient"  # they run at the same time, and write files
        by_nbclient.mkdir()
        wanted, *outcomes = await asyncio.gather(
            oracle.run([c for s in either for c in sources[s]], kernel, by_nbclient, jupyter.env),
            *(
                by_easel(easel, jupyter.root / f"{kernel}_{way}", kernel, [(s.name, c) for s in ways[way] for c in sources[s]], runner)
                for way, runner in (("notebook", as_cells), ("code", as_code))
            ),
        )
        wanted_of = {s.name: [wanted.pop(0) for _ in sources[s]] for s in either}
        for way, cells in zip(ways, outcomes, strict=True):
            for cell in cells:
                those = found[cell.script, way]
                cell.wanted = wanted_of[cell.script][len(those)]
                those.append(cell)

    await asyncio.gather(*(language(kernel, scripts) for kernel, scripts in LANGUAGES.items()))
    return found


async def by_easel(easel, directory: pathlib.Path, kernel: str, sources: list[tuple[str, str]], runner) -> list[Cell]:
    cells = [Cell(script, source, oracle.Wanted()) for script, source in sources]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c.source) for c in cells])
    notebook.metadata.kernelspec = {"name": kernel, "display_name": kernel, "language": "R" if kernel == "ir" else "python"}
    directory.mkdir()
    nbformat.write(notebook, directory / "all.ipynb")
    async with connect(easel) as a:
        path = f"{directory.name}/all.ipynb"
        session = await a.session(notebook_path=path, name=kernel)
        await runner(a, path, session, cells)
        await a.ok("session_delete", session_id=session, force=True)
    saved = nbformat.read(directory / "all.ipynb", as_version=4)
    nbformat.validate(saved)
    for cell, got in zip(cells, saved.cells, strict=True):
        cell.saved = got.outputs
    return cells


async def rest(a, tool: str, **arguments) -> dict:
    return await asyncio.to_thread(a.rest, tool, **arguments)


async def as_cells(a, path: str, session: str, cells: list[Cell]):
    scripts = list(dict.fromkeys(cell.script for cell in cells))
    at = 0
    while at < len(cells):
        script = cells[at].script
        if scripts.index(script) % 2:
            answer = await a.call("notebook_run_cell", path=path, index=at, wait=50)
            await ended(a, cells[at], json.loads(answer.texts[0])["execution"])
            at += 1
            continue
        # What is left of the script is a range, which ends at the first error. Results say how to follow it.
        through = max(i for i, cell in enumerate(cells) if cell.script == script)
        answer = await a.call("notebook_run_cell", path=path, index=at, through=through, wait=0)
        execution = json.loads(answer.texts[0])["execution"]["execution_id"]
        while execution:
            read = json.loads((await a.call("get_execution", execution_id=execution, wait=50)).texts[0])
            hint = read.get("hint", "")
            if read["status"] not in ENDED or "not in the notebook yet" in hint or "not saved yet" in hint:
                continue
            await ended(a, cells[at], read)
            at += 1
            follows = re.search(r"execution_id (\S+) follows .*, at index (\d+)", hint)
            assert not follows or int(follows[2]) == at
            execution = follows and follows[1]


async def as_code(a, path: str, session: str, cells: list[Cell]):
    for cell in cells:
        answer = await a.run(session, cell.source, wait=50)
        await ended(a, cell, json.loads(answer.texts[0]))


async def ended(a, cell: Cell, read: dict):
    """Keeps what a model and a program get of an execution at its end."""
    while read["status"] not in ENDED:
        read = json.loads((await a.call("get_execution", execution_id=read["execution_id"], wait=50)).texts[0])
    cell.read = read
    cell.whole = await rest(a, "get_execution", execution_id=read["execution_id"])


@pytest.fixture(params=RUNS, ids=lambda r: f"{r[0].name}-{r[1]}")
def cells(request, ran) -> list[Cell]:
    script, way = request.param
    return ran[script.name, way]


@pytest.mark.parametrize("of_notebook", NOTEBOOKS, ids=lambda s: s.name)
def test_nbclient_saves_the_same(ran, of_notebook):
    cells = ran[of_notebook.name, "notebook"]
    assert len(cells) >= 2
    for cell in cells:
        assert oracle.saved(cell.saved) == oracle.saved(cell.wanted.last), cell.source


def test_a_model_reads_every_text(cells):
    """A result says which stream it cut. Then the beginning and the end of it are there."""
    for cell in cells:
        # The next cells of a range may have updated displays before its execution is read.
        problems = [missing(cell, outputs) for outputs in (cell.wanted.then, cell.wanted.last)]
        assert "" in problems, f"{cell.source}\n{problems[0]}\nread: {cell.read}"


def missing(cell: Cell, outputs: list) -> str:
    """Says what of outputs a model does not read, or reads in another order."""
    want = oracle.lines(outputs)
    cut = {{"result": "displays", "error.message": "error", "traceback": "error"}.get(t["stream"], t["stream"]) for t in cell.read.get("truncated", [])}
    read = oracle.squeezed(strings(cell.read))
    lost = []
    for kind, lines in (("stdout", want.stdout), ("stderr", want.stderr), ("displays", want.displays), ("error", want.error)):
        if kind in cut and len(lines) > 1:
            lines = [lines[0], lines[-1]] if len(lines[0]) < 1000 else lines[-1:]
        lost += [line for line in lines if line not in read]
    elsewhere = oracle.lines(cell.wanted.elsewhere)
    lost += [line for line in (*elsewhere.stdout, *elsewhere.stderr, *elsewhere.displays, *elsewhere.error) if line not in read and "displays" not in cut]
    if lost:
        return f"lost: {lost}"
    if cut:
        return ""
    for other in ("stderr", "stdout"):
        text, at = in_order(cell, other), 0
        for kind, together in want.ordered:
            if kind == other:
                continue
            ends = [(text.find(line, at), len(line)) for line in together]
            if any(found < 0 for found, _ in ends):
                return f"not in its place without {other}: {together}\nwant: {want.ordered}\ngot: {text}"
            at = max([at, *(found + length for found, length in ends)])
    return ""


def strings(value) -> str:
    """Returns all strings in a JSON value."""
    if isinstance(value, dict):
        return "\n".join(f"{k}\n{strings(v)}" for k, v in value.items())
    return "\n".join(map(strings, value)) if isinstance(value, list) else str(value)


def in_order(cell: Cell, without: str) -> str:
    """Returns what a model reads of the outputs in their order, without one stream, and with names of pictures."""
    names = [picture(i) for i in cell.whole["images"]]
    found = []
    for members in cell.read.get("outputs") or [{k: v} for k, v in cell.read.items()]:
        for kind, value in members.items():
            if kind == "images":
                found += [names[n - 1] for n in value] if isinstance(value[0], int) else names
            elif kind in ("stdout", "stderr", "display", "result") and kind != without:
                found.append(oracle.squeezed(value))
    return "\n".join(found)


def picture(image: dict) -> str:
    return oracle.sha(pathlib.Path(image["path"]).read_bytes())


def test_a_program_gets_every_output(cells):
    for cell in cells:
        cut = {t["stream"] for t in cell.whole.get("truncated", [])}
        got = oracle.streams_joined([rest_output(cell, o) for o in cell.whole["outputs"]])
        problems = [different(got, outputs, cut, bool(cell.wanted.elsewhere)) for outputs in (cell.wanted.then, cell.wanted.last)]
        assert "" in problems, f"{cell.source}\n{problems[0]}\ngot: {got}"
        for stream in ("stdout", "stderr"):
            want = "".join(oracle.text(o["text"]) for o in cell.wanted.then if o["output_type"] == "stream" and o["name"] == stream)
            assert stream in cut or oracle.fixed(cell.whole[stream]) == oracle.fixed(want), cell.source


def rest_output(cell: Cell, o: dict) -> tuple[str, str]:
    if o["type"] == "image":
        return "image", next(picture(i) for i in cell.whole["images"] if i["image_id"] == o["image_id"])
    return o["type"], o["text"]


def different(got: list[tuple[str, str]], outputs: list, cut: set[str], loose: bool) -> str:
    """Says in what the outputs that a program gets differ. If it is loose, there may be others between them, so that
    streams are divided otherwise."""
    items = []
    for o in outputs:
        kind = o["output_type"]
        if kind == "stream":
            items.append((o["name"], oracle.text(o["text"])))
        elif kind == "error":
            items.append((kind, [o["ename"]]))
        else:
            form, value = oracle.shown(o["data"])
            items.append(({"display_data": "display", "execute_result": "result"}[kind] if form in ("text", "page") else form, value))
    loose = loose or any(kind == "widget" for kind, _ in items)
    want = oracle.streams_joined([(kind, value) for kind, value in items if kind not in ("nothing", "widget") and value and kind not in cut])
    if loose:
        want, got = ([i for i in side if i[0] not in ("stdout", "stderr")] for side in (want, got))
    rest, pictures = list(got), set()
    for kind, value in want:
        if kind == "image" and value != "⟦" and value in pictures:
            continue  # identical pictures of one execution are one
        pictures.add(value if kind == "image" else "")
        while rest and loose and not same(kind, value, rest[0]):
            rest.pop(0)
        if not rest or not same(kind, value, rest[0]):
            return f"want {kind} {value!r}, got {rest[0] if rest else 'nothing more'}"
        rest.pop(0)
        if rest and rest[0][0] == "image" and isinstance(value, list) and kind in ("display", "result"):
            rest.pop(0)  # drawn of a page
    return "" if loose or cut or not rest else f"unexpected: {rest}"


def same(kind: str, want, got: tuple[str, str]) -> bool:
    if kind != got[0]:
        return False
    if kind == "image":
        return got[1].startswith(want)
    if isinstance(want, str):
        return oracle.fixed(want) == oracle.fixed(got[1])
    text = oracle.squeezed(got[1])
    return all(oracle.squeezed(word) in text for word in want)


@pytest.mark.parametrize("of_code", BY_DAY, ids=lambda s: s.name)
def test_it_is_noticed_if_an_output_is_lost_or_moved(ran, of_code):
    """Tests the tests: takes outputs away, and exchanges neighbours."""
    changes = 0
    for cell in ran[of_code.name, "code"]:
        if cell.wanted.elsewhere:
            continue  # of which nbclient does not know the place
        got = oracle.streams_joined([rest_output(cell, o) for o in cell.whole["outputs"]])
        for i, (kind, value) in enumerate(got):
            if kind == "image":
                continue  # may be one that Easel has drawn of a page
            assert different(got[:i] + got[i + 1 :], cell.wanted.then, set(), False), cell.source
            changes += 1
            if i + 1 < len(got) and got[i + 1] != (kind, value) and got[i + 1][0] != "image":
                assert different([*got[:i], got[i + 1], got[i], *got[i + 2 :]], cell.wanted.then, set(), False), cell.source
        displays = [line for line in oracle.lines(cell.wanted.then).displays if len(line) > 8]
        if displays and "truncated" not in cell.read:
            spoiled = json.loads(json.dumps(cell.read, ensure_ascii=False).replace(displays[-1], ""))
            assert spoiled == cell.read or missing(dataclasses.replace(cell, read=spoiled), cell.wanted.then), cell.source
    assert changes >= 5
