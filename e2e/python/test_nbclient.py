"""Runs the same scripts through Easel and through nbclient, Jupyter's own runner. The bytes of
the pictures, the text and the errors must be identical.

The scripts in gallery/ are our own, in the style of the galleries of matplotlib, pandas,
seaborn and numpy. A cell begins with "# %%".
"""

import base64
import hashlib
import pathlib
import re
import tempfile

import nbclient
import nbformat
import pytest
from assistant import connect
from servers import clean_environment, fonts
from traitlets.config import Config

SCRIPTS = sorted((pathlib.Path(__file__).parent / "gallery").glob("*.py"))


def cells(script: pathlib.Path) -> list[str]:
    return [c.strip() for c in re.split(r"^# %%.*\n", script.read_text(), flags=re.M) if c.strip()]


def plain(text: str) -> str:
    """Removes colour codes, memory addresses, and process ids in file names."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", text)
    return re.sub(r"ipykernel_\d+/\d+\.py", "ipykernel/cell.py", text)


def by_nbclient(script: pathlib.Path, home: pathlib.Path) -> list[dict]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells(script)])
    # The kernel listens on sockets in the file system, because another process may take a port before it does.
    with tempfile.TemporaryDirectory(prefix="ipc", dir="/tmp") as sockets:  # a socket's path has at most 107 characters
        # Other tests' Easels must not list the kernel, so its connection file is there, too.
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/k", "connection_file": f"{sockets}/kernel.json"}})
        client = nbclient.NotebookClient(
            notebook, timeout=600, kernel_name="python3", allow_errors=True, config=config, resources={"metadata": {"path": str(home)}}
        )
        client.execute(env=clean_environment(home) | {"MPLCONFIGDIR": fonts()})
    return [from_notebook(c.outputs) for c in notebook.cells]


def from_notebook(outputs) -> dict:
    got = {"stdout": "", "stderr": "", "result": "", "pictures": [], "error": None}
    for o in outputs:
        if o.output_type == "stream":
            got[o.name] += plain(o.text)
        elif o.output_type == "error":
            got["error"] = (o.ename, plain(o.evalue))
        else:
            if o.output_type == "execute_result":
                got["result"] = plain(o.data.get("text/plain", ""))
            if "image/png" in o.data:
                got["pictures"].append(hashlib.sha256(base64.b64decode(o.data["image/png"])).hexdigest())
    got["pictures"] = list(dict.fromkeys(got["pictures"]))  # identical pictures of one execution are one image
    return got


def from_easel(e: dict) -> dict:
    assert "truncated" not in e or not e["truncated"], e["truncated"]
    return {
        "stdout": plain(e["stdout"]),
        "stderr": plain(e["stderr"]),
        "result": plain(e.get("result", "")),
        "pictures": [hashlib.sha256(pathlib.Path(i["path"]).read_bytes()).hexdigest() for i in e["images"]],
        "error": (e["error"]["type"], plain(e["error"]["message"])) if "error" in e else None,
    }


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
async def test_as_nbclient_runs_it(easel, script, tmp_path):
    want = by_nbclient(script, tmp_path)
    async with connect(easel) as a:
        session = await a.session()
        got = []
        for code in cells(script):
            ran = await a.to_end((await a.run(session, code, images="none")).data)
            got.append(from_easel(a.rest("get_execution", execution_id=ran["execution_id"])))
        await a.ok("session_delete", session_id=session)
    assert len(got) == len(want) >= 2
    for code, g, w in zip(cells(script), got, want):
        assert g == w, code
