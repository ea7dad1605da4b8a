"""What nbclient, Jupyter's own runner, makes of notebooks, and what of it Easel's clients have to get."""

import asyncio
import base64
import contextlib
import copy
import dataclasses
import hashlib
import html
import json
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import time

import nbclient
import nbformat
from jupyter_client.channels import AsyncZMQSocketChannel
from nbclient.output_widget import OutputWidget
from traitlets.config import Config

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "jupyter/managed/python"))
import easel_ports  # noqa: E402

HERE = pathlib.Path(__file__).parent


def cells(script: pathlib.Path) -> list[str]:
    """Returns the cells of a script. One begins with "# %%"."""
    return [c.strip() for c in re.split(r"^# %%(?: .*)?\n", script.read_text(), flags=re.M) if c.strip()]


@contextlib.contextmanager
def sockets():
    """Yields the configuration of kernels that listen on sockets in the file system, not on ports, of which
    another process may take one before the kernel does."""
    with tempfile.TemporaryDirectory(prefix="ipc", dir="/tmp") as base:  # a socket's path has at most 107 characters
        yield Config({"KernelManager": {"transport": "ipc", "ip": f"{base}/k"}})


@dataclasses.dataclass
class Wanted:
    """What a cell displays."""

    then: list = dataclasses.field(default_factory=list)  # its outputs when it had ended
    last: list = dataclasses.field(default_factory=list)  # those when the notebook had ended: others may update displays
    elsewhere: list = dataclasses.field(default_factory=list)  # what it added to Output widgets, and what a pager shows


async def run(sources: list[str], kernel: str, directory: pathlib.Path, env: dict) -> list[Wanted]:
    """Runs cells with nbclient in a new kernel, and in a process of its own: two nbclients disturb each other."""
    with tempfile.NamedTemporaryFile(dir="/tmp") as result:  # the kernel repeats on stdout what its own children print
        process = await asyncio.create_subprocess_exec(sys.executable, __file__, result.name, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        await process.communicate(json.dumps([sources, kernel, str(directory), env]).encode())
        assert process.returncode == 0
        return [Wanted(**w) for w in json.load(result)]


get_msg = AsyncZMQSocketChannel.get_msg


async def looks_again(channel, timeout=None):
    """Receives a message as get_msg does. nbclient sends to the socket of an Output widget's kernel while it waits for
    an answer there, after which ZeroMQ may not say that the answer has come."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        left = 1 if end is None else max(0, min(1, end - time.monotonic()))
        try:
            return await get_msg(channel, timeout=left)
        except queue.Empty:
            if end is not None and time.monotonic() >= end:
                raise


def run_here(sources: list[str], kernel: str, directory: str, env: dict) -> list[Wanted]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in sources])
    wanted = [Wanted() for _ in sources]
    boxes: dict[str, list] = {}

    def executed(cell, cell_index, execute_reply):
        w = wanted[cell_index]
        w.then = copy.deepcopy(cell.outputs)
        for name, widget in client.comm_objects.items():
            if isinstance(widget, OutputWidget):
                w.elsewhere += added(boxes.get(name, []), widget.outputs)
                boxes[name] = copy.deepcopy(widget.outputs)
        pages = [p["data"] for p in execute_reply["content"].get("payload", []) if p["source"] == "page"]
        w.elsewhere += [nbformat.v4.new_output("display_data", data) for data in pages]

    with contextlib.ExitStack() as stack:
        if kernel == "ir":  # R's kernel knows only ports
            easel_ports.install()
            config = Config()
        else:
            config = stack.enter_context(sockets())
        # Other tests' Easels must not list the kernel.
        config.KernelManager.connection_file = str(pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp"))) / "kernel.json")
        client = nbclient.NotebookClient(
            notebook, timeout=600, kernel_name=kernel, allow_errors=True, config=config, on_cell_executed=executed, resources={"metadata": {"path": directory}}
        )
        client.execute(env=env)
    for w, cell in zip(wanted, notebook.cells, strict=True):
        w.last = cell.outputs
    return wanted


def added(before: list, now: list) -> list:
    """Returns the outputs that are not in before."""
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    new = copy.deepcopy(now[same:])
    if same < len(before) and new and new[0].output_type == before[same].output_type == "stream" and new[0].text.startswith(before[same].text):
        new[0].text = new[0].text.removeprefix(before[same].text)
    return new


CHANGING = [  # what differs from run to run
    (r"0x[0-9a-fA-F]{6,}", "0x…"),
    (r"ipykernel_\d+/\d+\.py", "ipykernel/cell.py"),
    (r"\bat (?:0x)?[0-9a-f]{8,}\b", "at …"),
    (r"\b[0-9a-f]{32}\b", "id"),
    (r"#T_[0-9a-f]{5}|T_[0-9a-f]{5}", "T_id"),
    (r"<environment: 0x…>", "<environment>"),
    (r"\d+\.\d+ seconds", "n seconds"),
    (r"(\d+)(?: +\d+\.\d{3}){4} (?=\{|\S+:\d+\()", r"\1 times "),  # of a profile
    (r"(?m)^(CPU times|Wall time):? .*$", r"\1"),
    (r"kernel_id=\S+", "kernel_id"),
    (r"<dc:date>[^<]*", "<dc:date>"),  # of an SVG, and its ids
    (r"\b[pmC](?:[0-9a-f]{10}|_\d+_[0-9a-f]{10})\b", "id"),
    (r"/tmp/\S*", "/tmp/…"),
]


def fixed(value):
    """Replaces what differs from run to run in everything that a JSON value contains."""
    if isinstance(value, str):
        for pattern, by in CHANGING:
            value = re.sub(pattern, by, value)
        return value
    if isinstance(value, list):
        return [fixed(v) for v in value]
    if isinstance(value, dict):
        return {k: fixed(v) for k, v in value.items()}
    return value


def text(value) -> str:
    return "".join(value) if isinstance(value, list) else value


def streams_joined(items: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Joins the text of each stream between other outputs: where one message of a stream ends depends on the
    time, and the order of two streams on which was flushed first. stderr is then before stdout."""
    joined: list[tuple[str, str]] = []
    streams: dict[str, str] = {}
    for kind, value in [*items, ("end", "")]:
        if kind in ("stderr", "stdout"):
            streams[kind] = streams.get(kind, "") + value
            continue
        joined += [*sorted(streams.items()), (kind, value)]
        streams = {}
    return joined[:-1]


def saved(outputs) -> list:
    """Returns outputs as they have to be saved."""
    items = []
    for o in outputs:
        kind = o["output_type"]
        if kind == "stream":
            items.append((o["name"], fixed(text(o["text"]))))
        elif kind == "error":
            items.append((kind, fixed([o["ename"], o["evalue"], list(o["traceback"])])))
        else:
            data = {m: v if m.endswith("json") else text(v) for m, v in dict(o["data"]).items()}
            if "application/vnd.jupyter.widget-view+json" in data:
                data["text/plain"] = "a widget"  # nbclient also tells the kernel what Output widgets show
            if "image/png" in data:
                data["image/png"] = sha(base64.b64decode(data["image/png"]))
            items.append((kind, fixed([data, dict(o.get("metadata", {})), o.get("execution_count")])))
    return streams_joined(items)


def sha(picture: bytes) -> str:
    """Returns a name of a picture, which is shorter to read in a failure."""
    return "⟦" + hashlib.sha256(picture).hexdigest()[:24] + "⟧"


ESCAPES = re.compile(r"\x1b(?:\[([0-9;?]*)([A-Za-z])|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)", re.S)


def terminal(raw: str) -> str:
    """Returns what a terminal shows after a text."""
    lines: list[list[str]] = [[]]
    row = column = at = 0
    while at < len(raw):
        c = raw[at]
        found = ESCAPES.match(raw, at) if c == "\x1b" else None
        at = found.end() if found else at + 1
        if found:
            first = int(n) if (n := (found[1] or "").split(";")[0].strip("?")).isdigit() else None
            match found[2]:
                case "A":
                    row = max(row - (first or 1), 0)
                case "F":
                    row, column = max(row - (first or 1), 0), 0
                case "B":
                    row += first or 1
                case "C":
                    column += first or 1
                case "D":
                    column = max(column - (first or 1), 0)
                case "G":
                    column = max((first or 1) - 1, 0)
                case "K":
                    line = lines[row] if row < len(lines) else []
                    line[:] = {0: line[:column], 1: [" "] * min(column + 1, len(line)) + line[column + 1 :], 2: []}[first or 0]
        elif c in "\n\v\f":
            row, column = row + 1, 0
        elif c == "\r":
            column = 0
        elif c == "\b":
            column = max(column - 1, 0)
        elif c == "\t" or c >= " ":
            while len(lines) <= row:
                lines.append([])
            line = lines[row]
            line.extend(" " * (column - len(line)))
            line[column : column + 1] = [c]
            column += 1
    return "\n".join("".join(line).rstrip() for line in lines)


NAMES = re.compile(r"<[^>\n]*>|[\w.]+ object at 0x…")  # of an object, which says nothing


def shown(data: dict) -> tuple[str, str | list[str]]:
    """Returns the kind of a display, and what has to be shown of it: the name of a picture; the exact text; or
    words, in some order. A widget shows nothing, and neither does a bar of progress. Of a page, Easel may also
    draw a picture."""
    plain = text(data.get("text/plain", ""))
    if any(m.startswith("application/vnd.jupyter.widget") for m in data):
        return "widget", []
    if "image/png" in data:
        return "image", sha(base64.b64decode(data["image/png"]))
    if any(m.startswith("image/") for m in data):
        return "image", "⟦"  # drawn by Easel
    if plain.strip() and not NAMES.fullmatch(fixed(plain).strip()):
        return "text", plain
    for mime in ("text/markdown", "text/latex"):
        if mime in data:
            return "text", re.sub(r"data:[^)]*", "data:…", text(data[mime])).splitlines()
    if "application/json" in data:
        return "text", json.dumps(data["application/json"], ensure_ascii=False, separators=(",", ":"))
    if "text/html" in data:
        page = re.sub(r"(?s)<(style|script|audio|video)\b.*?</\1>", "", text(data["text/html"]))
        words = [html.unescape(w) for w in re.findall(r">\s*([^<>]*[^<>\s])\s*<", page)]
        player = not words and re.search(r"<(audio|video)\b", text(data["text/html"]))
        return ("text", plain) if player else ("page", words)
    return ("nothing", []) if "application/javascript" in data else ("text", plain)


OLD = re.compile("'old ")  # nbclient does not update displays in widgets; those in the scripts begin with this word


def squeezed(line: str) -> str:
    """Removes what may be laid out otherwise: runs of spaces, and the lines of boxes."""
    return " ".join(re.sub(r"[─━│┃┏┓┗┛┡┩┳┻┌┐└┘├┤┬┴┼╇╭╮╰╯|]+", " ", fixed(line)).split())


def lines_of(value: str | list[str]) -> list[str]:
    """Returns the lines that a model reads of a text, or of words."""
    lines = terminal(value).splitlines() if isinstance(value, str) else value
    return [s for s in map(squeezed, lines) if s and not OLD.match(s)]


@dataclasses.dataclass
class Lines:
    """The lines that a model has to read of outputs."""

    stdout: list[str]
    stderr: list[str]
    displays: list[str]  # and values
    error: list[str]
    ordered: list[tuple[str, list[str]]]  # all but the error in their order, with their kinds; and pictures


def lines(outputs) -> Lines:
    items: list[tuple[str, str | list[str]]] = []
    whole = {"stdout": "", "stderr": ""}
    found = Lines([], [], [], [], [])
    for o in outputs:
        kind = o["output_type"]
        if kind == "stream":
            whole[o["name"]] += text(o["text"])
            items.append((o["name"], text(o["text"])))
        elif kind == "error":
            if o["ename"] == "StdinNotImplementedError":
                found.error += ["input() is not available here"]  # says what to do instead
                continue
            if o["ename"] != "SystemExit" or o["evalue"]:
                found.error += [o["ename"], *lines_of(o["evalue"])]
            found.error += notes(o["traceback"])
        else:
            items.append(shown(o["data"]))
    found.stdout, found.stderr = lines_of(whole["stdout"]), lines_of(whole["stderr"])
    left = {"stdout": set(found.stdout), "stderr": set(found.stderr)}
    for kind, value in streams_joined(items):
        if kind == "image":
            if (kind, [value]) not in found.ordered or value == "⟦":  # identical pictures are one
                found.ordered.append((kind, [value]))
            continue
        these = lines_of(value)
        if kind in ("text", "page"):
            found.displays += these
        if isinstance(value, list):
            found.ordered.append((kind, these))
        else:  # a later part of the stream may have overwritten a line
            found.ordered += [(kind, [s]) for s in these if kind not in left or s in left[kind]]
    return found


def notes(traceback) -> list[str]:
    """Returns the notes, causes and parts that a traceback names, which the message of the exception does not
    have: lines that are neither code nor places."""
    plain = terminal("\n".join(traceback))
    found = []
    for line in plain.splitlines():
        if m := re.fullmatch(r"[\s|+-]*((?:[A-Za-z]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Group)): (.+)", line):
            found.append(squeezed(m[2]))
        elif re.search(r"\bnote\b|^in row|^while reading|of the group", line.strip("| ")) and "add_note" not in line:
            found.append(squeezed(line.strip("| ")))
    return found


if __name__ == "__main__":
    AsyncZMQSocketChannel.get_msg = looks_again
    pathlib.Path(sys.argv[1]).write_text(json.dumps([dataclasses.asdict(w) for w in run_here(*json.load(sys.stdin))]))
