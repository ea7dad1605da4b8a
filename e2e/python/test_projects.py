"""Tests sessions in the user's project: its folder, its Python and its files."""

import asyncio
import contextlib
import hashlib
import importlib.util
import io
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import dotenv
import mcp
import mcp_types
import pytest
from assistant import Assistant, connect
from mcp.client.stdio import StdioServerParameters, stdio_client
from servers import BINARY, Easel, wait_until


def make_project(folder: pathlib.Path, *packages: str) -> pathlib.Path:
    """Makes a project with a package and a file of its own. Its Python is a new environment
    without ipykernel."""
    (folder / "mypkg").mkdir(parents=True)
    (folder / "mypkg" / "__init__.py").write_text("answer = 42\n")
    (folder / "data").mkdir()
    (folder / "data" / "sales.csv").write_text("month,sales\n1,10\n2,20\n")
    (folder / "pyproject.toml").write_text("[project]\nname = 'mypkg'\nversion = '1'\n")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    if packages:
        install(folder, *packages)
    return folder


def install(folder: pathlib.Path, *packages: str):
    """Installs packages in a project's environment. uv takes a fraction of pip's processor time."""
    uv = pathlib.Path(sys.executable).with_name("uv")
    subprocess.run([uv, "pip", "install", "-q", "--python", folder / ".venv/bin/python", *packages], check=True)


def contents(folder: pathlib.Path) -> set[str]:
    """Returns what is in a project but its environment and Python's cache."""
    found = {str(p.relative_to(folder)) for p in folder.rglob("*")}
    return {p for p in found if not p.startswith(".venv/") and "__pycache__" not in p}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    base = tmp_path_factory.mktemp("projects")
    return {"ours": make_project(base / "売上 2026", "numpy<2.3"), "other": make_project(base / "other"), "broken": make_project(base / "broken")}


def allowed(places) -> list[str]:
    return ["--project", str(places["ours"]), "--project", str(places["broken"])]


@pytest.fixture(scope="module")
def easel(tmp_path_factory, places):
    """An Easel with its managed Jupyter whose user has allowed one of the projects."""
    app = Easel.start_with_python(tmp_path_factory.mktemp("easel"), *allowed(places))
    wait_until("a session", lambda: app.execute("session_create")[2].get("session_id"), 300)
    yield app
    assert app.close() == 0


@contextlib.asynccontextmanager
async def bridge(easel, cwd: pathlib.Path, log: pathlib.Path, roots=None, **env: str):
    """Starts the bridge in a directory, as clients do. A client with roots, a function, has them
    since an older protocol than the current one, in which servers cannot ask."""
    parameters = StdioServerParameters(command=BINARY, args=["mcp"], env=easel.env | env, cwd=cwd)
    with open(log, "a") as errors:
        info = mcp_types.Implementation(name="bridged-client", version="9")
        mode = "legacy" if roots else "auto"
        async with mcp.Client(stdio_client(parameters, errlog=errors), mode=mode, client_info=info, list_roots_callback=roots) as c:
            yield Assistant(c, easel)


NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []})
WHERE = "import os, sys; print(os.getcwd(), sys.prefix, os.environ.get('VIRTUAL_ENV'), sep='\\n')"


async def test_a_session_works_where_the_client_was_started(easel, places, tmp_path):
    folder = places["ours"]
    before = contents(folder)
    async with bridge(easel, folder / "data", tmp_path / "log") as a:
        made = await a.ok("session_create")
        assert made["directory"] == str(folder / "data")
        for directory in (".", "../data", (folder / "data").as_uri()):
            assert (await a.ok("session_create", directory=directory))["directory"] == str(folder / "data")
        assert made["environment"].startswith("売上 2026/.venv, Python 3.") and made["environment"].count("venv") == 1
        ran = (await a.run(made["session_id"], WHERE)).data
        assert ran["stdout"].splitlines() == [str(folder / "data"), str(folder / ".venv"), str(folder / ".venv")]
        ran = (await a.run(made["session_id"], "import sys; sys.path.insert(0, '..'); import mypkg, numpy; print(mypkg.answer, numpy.__file__)")).data
        assert ran["stdout"].startswith(f"42 {folder}/.venv/lib")
        # Nothing of Easel is in the environment, and programs that the code starts see only that.
        ran = (await a.run(made["session_id"], "import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'import ipykernel'], capture_output=True, text=True).stderr[-40:])")).data
        assert "No module named 'ipykernel'" in ran["stdout"]
        said = await a.ok("session_list")
        listed = [s for s in said["sessions"] if s["session_id"] == made["session_id"]][0]
        assert (listed["directory"], listed["environment"]) == (made["directory"], made["environment"])
        # Other kernels can be chosen by what the list says of them.
        point = next(p for p in said["servers"] if p.get("directory") == str(folder))
        kernels = {k["name"]: (k["language"], k["program"]) for k in point["kernels"]}
        assert kernels["python3"] == ("python", str(folder / ".venv/bin/python")) and point["server"] == made["server"]
        other = await a.ok("session_create", server=point["server"], name="easel")
        ran = (await a.run(other["session_id"], "import os; print(os.getcwd())")).data
        assert (ran["stdout"], kernels["easel"][0]) == (f"{folder}\n", "python")
    assert contents(folder) == before


async def test_a_client_says_its_roots(easel, places, tmp_path):
    """It starts its servers in a folder of its own."""
    folder = places["ours"]
    said = [folder / "nowhere", folder]

    async def roots(_):
        return mcp_types.ListRootsResult(roots=[mcp_types.Root(uri=p.as_uri()) for p in said])

    async with bridge(easel, tmp_path, tmp_path / "log", roots) as a:
        while "mypkg" not in {f["name"] for f in (await a.ok("file_list"))["contents"]}:  # on a busy machine, the answer may come after the first call
            await asyncio.sleep(0.2)
        made = await a.ok("session_create")
        assert (made["directory"], made["environment"].split(",")[0]) == (str(folder), "売上 2026/.venv")
    # A variable counts more.
    async with bridge(easel, tmp_path, tmp_path / "log", roots, CLAUDE_PROJECT_DIR=str(folder / "data")) as a:
        assert (await a.ok("session_create"))["directory"] == str(folder / "data")


async def test_files_and_notebooks_of_the_project(easel, places, tmp_path):
    folder = places["ours"]
    async with bridge(easel, folder, tmp_path / "log") as a:
        for path in ("data/sales.csv", str(folder / "data/sales.csv")):
            assert (await a.ok("file_read", path=path))["rows"] == [[1, 10], [2, 20]]
        assert "pyproject.toml" in {f["name"] for f in (await a.ok("file_list"))["contents"]}
        # A new notebook is made in the project, once, by whatever name it is called.
        made = await a.ok("notebook_create", path="new.ipynb", cells=[{"cell_type": "code", "source": "import mypkg; mypkg.answer"}])
        ran = await a.ok("notebook_run_cell", path=str(folder / "new.ipynb"), index=0)
        assert ran["execution"]["result"] == "42"
        session = await a.ok("session_create", notebook_path=str(folder / "new.ipynb"))
        assert (session["notebook_path"], session["directory"], made["path"]) == ("new.ipynb", str(folder), "new.ipynb")
        assert (await a.run(session["session_id"], "mypkg.answer")).data["result"] == "42"
        assert session["environment"].startswith("売上 2026/.venv")
        assert (await a.ok("file_read", path="new.ipynb"))["kind"] == "text"
        # A name that a notebook elsewhere in the project has is probably a mistake.
        (folder / "deep").mkdir()
        (folder / "deep" / "sums.ipynb").write_text(NOTEBOOK)
        lost = await a.ok("session_create", notebook_path="sums.ipynb")
        assert lost["notebook_created"] and '"deep/sums.ipynb"' in lost["hint"], lost
        (folder / "sums.ipynb").unlink()
        # Who works in no project reaches none of its files by a relative path.
        nowhere = tmp_path / "nowhere"
        nowhere.mkdir()
        await a.ok("session_create", notebook_path="new.ipynb")
        async with bridge(easel, nowhere, tmp_path / "log3") as b:
            assert (await b.call("session_connect", notebook_path="new.ipynb")).error["code"] == "SESSION_NOT_FOUND"
            for tool, path in (("file_read", "data/sales.csv"), ("notebook_read", "new.ipynb")):
                assert (await b.call(tool, path=path)).error["code"] in ("FILE_NOT_FOUND", "NOTEBOOK_NOT_FOUND"), (tool, path)
            assert (await b.ok("file_read", path=str(folder / "data/sales.csv")))["rows"] == [[1, 10], [2, 20]]
    # Nor does a client that was started nowhere get a second one by the name in a result.
    by_path = easel.execute("session_create", notebook_path=str(folder / "new.ipynb"))[2]
    assert easel.execute("session_create", notebook_path=by_path["notebook_path"])[2]["session_id"] == by_path["session_id"]
    assert list(pathlib.Path(easel.env["EASEL_ROOT_DIR"]).rglob("new.ipynb")) == []


async def test_relative_paths_mean_one_file(easel, places, tmp_path):
    """Whatever tool names it, and wherever in the project the client was started. Another process
    of the same client works in its own project."""
    folder = places["ours"]
    before = contents(folder) | contents(places["broken"])
    async with bridge(easel, folder / "data", tmp_path / "log") as a, bridge(easel, places["broken"], tmp_path / "log2") as b:
        made = await a.ok("notebook_create", path="once.ipynb", cells=[{"cell_type": "code", "source": "'ours'"}])
        assert made["path"] == "data/once.ipynb"
        for path in ("once.ipynb", made["path"]):
            assert (await a.ok("session_create", notebook_path=path))["notebook_path"] == made["path"]
            assert (await a.ok("session_connect", notebook_path=path))["notebook_path"] == made["path"]
            assert (await a.ok("notebook_read", path=path))["total"] == 1
        assert (await a.ok("file_read", path="sales.csv"))["rows"] == [[1, 10], [2, 20]]
        assert {"data", "pyproject.toml"} <= {f["name"] for f in (await a.ok("file_list"))["contents"]}
        for path in ("once.ipynb", "data/once.ipynb"):
            assert (await b.ok("session_create", directory=str(folder / "data"), notebook_path=path))["notebook_path"] == made["path"]
        assert (await b.ok("session_create", directory=str(places["broken"])))["directory"] == str(places["broken"])
        other = await b.ok("notebook_create", path="once.ipynb", cells=[])
        assert (other["path"], (await b.ok("notebook_read", path="once.ipynb"))["total"]) == ("once.ipynb", 0)
        assert (await b.call("session_connect", notebook_path="once.ipynb")).error["code"] == "SESSION_NOT_FOUND"
    assert contents(folder) | contents(places["broken"]) == before | {"data/once.ipynb", "once.ipynb"}


async def test_a_client_stays_in_its_own_project(easel, places, tmp_path):
    """A session in another project changes nothing for relative paths, unless the file is only there. A plot
    that is drawn again is where the client works."""
    folder, other = places["ours"], places["broken"]
    (other / "only.csv").write_text("x\n3\n")
    (other / "data").mkdir(exist_ok=True)
    (other / "data/sales.csv").write_text("x\n4\n")
    async with bridge(easel, folder, tmp_path / "log") as a:
        await a.ok("session_create", directory=str(other))
        assert (await a.ok("file_read", path="data/sales.csv"))["rows"] == [[1, 10], [2, 20]]
        assert (await a.ok("file_read", path="only.csv"))["rows"] == [[3]]
        session = (await a.ok("session_create"))["session_id"]
        [image] = (await a.run(session, "from IPython.display import SVG, display\ndisplay(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>'))")).data["images"]
        drawn = await a.ok("render_image", resource_uri=image["resource_uri"])
        assert pathlib.Path(drawn["path"]).parent == folder and pathlib.Path(drawn["path"]).exists()
        pathlib.Path(drawn["path"]).unlink()


async def test_paths_that_lead_upwards(easel, places, tmp_path):
    """They are relative to the client's own directory."""
    folder = places["ours"]
    async with bridge(easel, folder / "data", tmp_path / "log") as a:
        assert (await a.ok("file_read", path="../data/sales.csv"))["rows"] == [[1, 10], [2, 20]]
        assert "pyproject.toml" in {f["name"] for f in (await a.ok("file_list", path=".."))["contents"]}
        made = await a.ok("session_create", notebook_path="../up.ipynb")
        assert made["notebook_path"] == "up.ipynb" and (folder / "up.ipynb").exists()
        assert (await a.ok("session_connect", notebook_path="../up.ipynb"))["session_id"] == made["session_id"]
        await a.ok("notebook_add_cell", path="../up.ipynb", cell_type="code", source="1 + 1")
        assert (await a.ok("notebook_run_cell", path="up.ipynb", index=0))["execution"]["result"] == "2"
        made = await a.ok("session_create", directory=str(folder / "mypkg"), notebook_path="../beside.ipynb")
        assert made["notebook_path"] == "beside.ipynb" and (folder / "beside.ipynb").exists()
        outside = folder.parent / "other" / "a.ipynb"
        for path in ("../../other/a.ipynb", "../../../../../../../../../../etc/a.ipynb", str(outside), "/etc/a.ipynb"):
            for name, arguments in (("notebook_read", {}), ("notebook_run_cell", {"index": 0}), ("notebook_create", {"cells": []}), ("file_read", {})):
                refused = (await a.call(name, path=path, **arguments)).error
                assert refused["code"] == "VALIDATION_ERROR" and f"must lead into the project {folder} or Easel's folder" in refused["message"] and path in refused["message"] and str(outside.parent) not in refused["message"].replace(path, ""), (name, refused)
        refused = (await a.call("session_create", notebook_path="../../nowhere/a.ipynb")).error
        assert refused["code"] == "VALIDATION_ERROR" and str(folder) in refused["message"], refused
        assert not list(pathlib.Path(easel.env["EASEL_ROOT_DIR"]).rglob("a.ipynb")) and not outside.exists()


async def test_a_notebook_of_a_project_within_another(easel, places, tmp_path):
    """It has the Python of its own project, by whatever path it is called."""
    ours, part = places["ours"], places["ours"] / "packages" / "part"
    for file, text in ((part / "pyproject.toml", "[project]\nname = 'part'\nversion = '1'\n"), (part / "notebooks" / "eda.ipynb", NOTEBOOK), (ours / "notebooks" / "eda.ipynb", NOTEBOOK)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    async with bridge(easel, ours, tmp_path / "log") as a, bridge(easel, part, tmp_path / "log2") as b:
        whole = await a.ok("session_create", notebook_path=str(part / "notebooks/eda.ipynb"))
        mine = await b.ok("session_create", notebook_path="notebooks/eda.ipynb")
        relative = await a.ok("session_create", notebook_path="packages/part/notebooks/eda.ipynb")
        connected = await a.ok("session_connect", notebook_path="packages/part/notebooks/eda.ipynb")
        assert {s["session_id"] for s in (whole, mine, relative, connected)} == {whole["session_id"]}
        assert (relative["server"], relative["directory"]) == ("part", str(part / "notebooks"))
        assert (await a.ok("notebook_read", path="packages/part/notebooks/eda.ipynb"))["server"] == "part"
        assert (await a.ok("session_create", notebook_path="notebooks/eda.ipynb"))["directory"] == str(ours / "notebooks")
        await a.ok("session_delete", session_id=whole["session_id"])


def test_a_restart_in_another_environment_is_said(easel, places):
    """The one that the kernel had was removed. Without one, it would be an error."""
    folder = places["broken"]
    session = easel.execute("session_create", directory=str(folder))[2]
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (folder / ".venv").rename(folder / "put-aside")
    try:
        restarted = easel.execute("session_restart", session_id=session["session_id"])[2]
        assert "now runs in broken/venv" in restarted["hint"] and "it was broken/.venv" in restarted["hint"], restarted
    finally:
        (folder / "put-aside").rename(folder / ".venv")
        shutil.rmtree(folder / "venv")
    restarted = easel.execute("session_restart", session_id=session["session_id"])[2]
    assert "now runs in broken/.venv" in restarted["hint"], restarted
    assert "hint" not in easel.execute("session_restart", session_id=session["session_id"])[2]


async def test_without_a_project_it_is_easels_own(easel, tmp_path):
    async with bridge(easel, pathlib.Path("/"), tmp_path / "log") as a:
        made = await a.ok("session_create")
        assert made["directory"] == easel.env["EASEL_ROOT_DIR"] and made["environment"].startswith("Easel's own, Python 3.")
        assert "pass its folder as directory" in made["hint"] and "hint" not in await a.ok("session_create")


async def test_a_project_that_nobody_allowed(easel, places, tmp_path):
    """There is no window, so nobody can be asked."""
    other = places["other"]
    async with bridge(easel, other, tmp_path / "log") as a:
        made = await a.ok("session_create")
        assert made["directory"] == easel.env["EASEL_ROOT_DIR"] and str(other) in made["hint"]
        listed = await a.ok("file_list")
        assert str(other) in listed["hint"] and listed["folder"] == easel.env["EASEL_ROOT_DIR"] and "hint" not in await a.ok("file_list")
        for name, path in (("notebook_create", {"path": "mine.ipynb"}), ("session_create", {"notebook_path": "mine.ipynb"})):
            refused = (await a.call(name, **path)).error
            assert str(other) in refused["message"] and "--project" in refused["hint"] and f"{easel.env['EASEL_ROOT_DIR']}/mine.ipynb" in refused["hint"]
        assert (await a.ok("notebook_create", path=f"{easel.env['EASEL_ROOT_DIR']}/meant.ipynb"))["path"] == "meant.ipynb"
    async with connect(easel) as a:
        refused = (await a.call("session_create", directory=str(other))).error
        assert refused["code"] == "DENIED" and f'--project {shlex.quote(str(other))}' in refused["hint"]
        for path in (other / "a.ipynb", other / "data" / "a.ipynb"):
            assert (await a.call("session_create", notebook_path=str(path))).error["code"] == "DENIED"
            assert not path.exists()
        assert (await a.call("file_read", path=str(other / "data/sales.csv"))).error["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize("directory", ["relative", "/", "~", "/nowhere/at/all", "/usr/lib", "/etc/hostname"])
async def test_what_is_no_project(easel, directory):
    async with connect(easel) as a:
        refused = (await a.call("session_create", directory=directory)).error
        assert refused["code"] == "VALIDATION_ERROR" and refused["hint"], refused


async def test_easels_own_data_is_no_project(easel):
    async with connect(easel) as a:
        refused = (await a.call("session_create", directory=str(easel.data / "library"))).error
        assert refused["code"] == "DENIED" and "data directory" in refused["message"]


async def test_a_session_survives_a_crash_of_easel(easel, places):
    async with connect(easel) as a:
        made = await a.ok("session_create", directory=str(places["ours"]))
        await a.run(made["session_id"], "kept = 7")
    easel.process.kill()
    easel.process.wait()
    easel.launch(*allowed(places))
    async with connect(easel) as a:
        wait_until("the project's server", lambda: made["session_id"] in {s["session_id"] for s in easel.request("GET", "/api/info/session_list")[2]["sessions"]}, 60)
        assert (await a.run(made["session_id"], "kept")).data["result"] == "7"


async def test_a_permission_that_was_taken_back(easel, places, tmp_path):
    """The session lives on, but its code needs the permission again, by whatever way it comes."""
    async with connect(easel) as a:
        made = await a.ok("session_create", directory=str(places["ours"]))
        await a.ok("notebook_create", path=str(places["ours"] / "back.ipynb"), cells=[{"cell_type": "code", "source": "kept = 9"}])
        await a.ok("notebook_run_cell", path=str(places["ours"] / "back.ipynb"), index=0)
        ran = (await a.run(made["session_id"], "kept = 8; print(kept)")).data
    easel.process.kill()
    easel.process.wait()
    easel.launch()

    def sessions():
        return {s["session_id"] for s in easel.request("GET", "/api/info/session_list")[2]["sessions"]}

    wait_until("the project's server", lambda: made["session_id"] in sessions(), 60)
    way_out = f"--project {shlex.quote(str(places['ours']))}"
    async with connect(easel) as a:
        for refused in (
            await a.call("execute_code", session_id=made["session_id"], code="kept"),
            await a.call("notebook_run_cell", path=str(places["ours"] / "back.ipynb"), index=0),
            await a.call("notebook_run_cell", path="back.ipynb", index=0, server=made["server"]),
            await a.call("session_restart", session_id=made["session_id"]),
        ):
            assert (refused.error["code"], "project" in refused.error["message"]) == ("DENIED", True), refused.error
        for missing in (
            await a.call("notebook_read", path="back.ipynb"),
            await a.call("notebook_add_cell", path="back.ipynb", cell_type="code", source="kept = 7"),
        ):
            assert missing.failed and places["ours"].name not in missing.error["message"], missing
        assert "kept = 7" not in (places["ours"] / "back.ipynb").read_text()
        async with bridge(easel, places["ours"], tmp_path / "log") as b:  # a client that works there
            for call in (
                b.call("file_read", path="back.ipynb"),
                b.call("notebook_create", path="elsewhere.ipynb"),
                b.call("notebook_add_cell", path="back.ipynb", cell_type="code", source="kept = 7"),
            ):
                assert (refused := await call).failed and refused.error["code"] == "DENIED", refused
        refused = (await a.call("execute_code", session_id=made["session_id"], code="kept")).error
        assert way_out in refused["hint"]
        for read in (
            await a.call("get_variables", session_id=made["session_id"]),
            await a.call("get_dataframe_info", session_id=made["session_id"], variable_name="kept"),
            await a.call("get_execution", execution_id=ran["execution_id"]),
        ):
            assert read.error == refused
    status, _, said = easel.execute("execute_code", session_id=made["session_id"], code="kept")
    assert (status, said["code"]) == (403, "DENIED") and way_out in said["hint"], said
    easel.process.kill()
    easel.process.wait()
    easel.launch(*allowed(places))
    wait_until("the project's server", lambda: made["session_id"] in sessions(), 60)
    async with connect(easel) as a:
        assert (await a.run(made["session_id"], "kept")).data["result"] == "8"


async def test_a_broken_environment_is_said(easel, places):
    for folder, prefix in ((places["ours"] / "nested", str(places["ours"] / ".venv")), (places["broken"], os.fspath(easel.data))):
        if not folder.exists():
            make_project(folder)
        python = folder / ".venv/bin/python"
        python.unlink()
        python.symlink_to("/nowhere/python3")
        async with connect(easel) as a:
            made = await a.ok("session_create", directory=str(folder))
            assert f"{folder.name}/.venv cannot be used. Its Python no longer exists (/nowhere/python3). So this is" in made["hint"]
            assert "sk the" in made["hint"] or "ask them" in made["hint"], made
            ran = (await a.run(made["session_id"], WHERE)).data["stdout"].splitlines()
            assert ran[0] == str(folder) and ran[1].startswith(prefix)


@pytest.mark.skipif(not shutil.which("R"), reason="R is not installed")
async def test_a_project_of_r(tmp_path):
    """R reads the project's own .Rprofile, as renv and RStudio expect."""
    folder = tmp_path / "trees"
    (folder / "data").mkdir(parents=True)
    (folder / "renv.lock").write_text("{}")
    (folder / ".Rprofile").write_text("options(of_project = 'its own')\n")
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "bare.Rproj").write_text("Version: 1.0\n")
    hide = ".Library.site <- character(); assign('.lib.loc', character(), envir = environment(.libPaths))\n"
    (bare / ".Rprofile").write_text(hide)
    own = Easel.start_with_python(tmp_path / "easel", "--project", str(folder), "--project", str(bare))
    try:
        async with bridge(own, folder / "data", tmp_path / "log") as a:
            made = await a.ok("session_create")
            assert (made["kernel_name"], made["directory"]) == ("ir", str(folder))
            assert made["environment"].startswith("R ") and made["environment"].endswith(", no renv")
            assert [s["environment"] for s in (await a.ok("session_list"))["sessions"]] == [made["environment"]]
            ran = (await a.run(made["session_id"], "cat(getwd(), getOption('of_project'))")).data
            assert ran["stdout"] == f"{folder} its own"
        async with bridge(own, bare, tmp_path / "log") as a:
            refused = (await a.call("session_create")).error
            assert refused["code"] == "KERNEL_START_FAILED" and 'renv::install("IRkernel")' in refused["hint"]
    finally:
        assert own.close() == 0


ENV_FILES = [
    "A=1\nB = two words # c\nexport C='x # y'\nD=\"a\\nb\\\"c\"\n# E=1\nF=${A}/${NO:-dflt}\nG=\nH='multi\nline=1'\nI=a#b\n'J'=1\nK=\"${HOME}\"\n",
    "L='${A}'\nM=it's\nN=a=b==\nO=\"x\" # c\nP=$A\nA=3\nQ=日本\n", "\r\nA=1\r\nB=\"x\"\r\n", "A='it\\'s'\nB='a\\\\b'\nC=\"tab\\tx\\q\"\n",
    "export A=1\n  B=2\nC\nD=4", "X=\n\nY=2\n", "URL=postgres://u:p@h/db?x=1#frag\nPW=\"p#w\"\n", "",
]


@pytest.mark.parametrize("text", ENV_FILES)
def test_env_files_are_read_as_python_dotenv_does(text, monkeypatch):
    source = pathlib.Path(__file__).parents[2] / "jupyter/managed/python/easel_envfile.py"
    spec = importlib.util.spec_from_file_location("easel_envfile", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(os, "environ", {"HOME": "/home/ann"})
    want = {k: v for k, v in dotenv.dotenv_values(stream=io.StringIO(text.replace("\r\n", "\n"))).items() if v is not None}
    assert module.variables(text, os.environ) == want
    assert module.variables("MPLBACKEND=agg\nHOME=/x\n" + text, os.environ) == want


async def test_an_env_file_is_read_only_if_the_user_says_so(tmp_path):
    folder = tmp_path / "proj"
    folder.mkdir()
    (folder / ".git").mkdir()
    (folder / ".env").write_text("DB_URL='postgres://ann:s3cr3t-of-ann@db/x'\nPATH=/nowhere\nMPLBACKEND=agg\n")
    code = "import os, hashlib; [hashlib.sha256(os.environ['DB_URL'].encode()).hexdigest()[:8], os.environ.get('MPLBACKEND', ''), os.environ['PATH'] != '/nowhere']"
    own = Easel.start_with_python(tmp_path / "easel", "--project", str(folder))
    try:
        async with bridge(own, folder, tmp_path / "log") as a:
            made = await a.ok("session_create")
            failed = (await a.run(made["session_id"], code)).data
            assert failed["error"]["type"] == "KeyError" and ".env file names DB_URL" in failed["hint"], failed
            assert "hint" not in (await a.run(made["session_id"], code)).data  # once
    finally:
        assert own.close() == 0
    own = Easel.start_with_python(tmp_path / "other", "--project", str(folder), "--dotenv")
    try:
        async with bridge(own, folder, tmp_path / "log") as a:
            made = await a.ok("session_create")
            expected = repr([hashlib.sha256(b"postgres://ann:s3cr3t-of-ann@db/x").hexdigest()[:8], "module://matplotlib_inline.backend_inline", True])
            for _ in "start", "restart":
                assert (await a.run(made["session_id"], code)).data["result"] == expected
                await a.ok("session_restart", session_id=made["session_id"])
            drawn = (await a.run(made["session_id"], "import matplotlib.pyplot as plt; plt.plot([1])")).data
            assert len(drawn["images"]) == 1
    finally:
        assert own.close() == 0
    for base in tmp_path / "easel", tmp_path / "other":
        files = [p for p in base.rglob("*") if p.is_file()]
        assert not [p for p in files if b"s3cr3t-of-ann" in p.read_bytes()]
