"""Tests that plots keep what they were drawn with, and that checks compare it."""

import contextlib
import json
import subprocess

import pytest
from servers import Easel, wait_until
from test_projects import bridge, install, make_project

# A plot without matplotlib, whose installation takes long.
DRAW = """import pandas
from IPython.display import Image, display
display(Image(data=__import__("base64").b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")))
"""


def git(folder, *args):
    subprocess.run(["git", "-C", folder, "-c", "user.name=ann", "-c", "user.email=ann@example.com", *args], check=True, capture_output=True)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Two projects with different pandas. One is a repository with a lock file."""
    base = tmp_path_factory.mktemp("environments")
    one, two = make_project(base / "one", "pip", "pandas==2.1.4", "numpy<2"), make_project(base / "two", "pandas==2.2.3", "numpy<2")
    (one / "uv.lock").write_text("version = 1\n")
    (one / ".gitignore").write_text(".venv\n")
    git(one, "init", "-q")
    git(one, "add", ".")
    git(one, "commit", "-qm", "first")
    return {"one": one, "two": two}


@pytest.fixture(scope="module")
def easel(tmp_path_factory, places):
    app = Easel.start_with_python(tmp_path_factory.mktemp("easel"), *[a for p in places.values() for a in ("--project", str(p))])
    wait_until("a session", lambda: app.execute("session_create")[2].get("session_id"), 300)
    yield app
    with contextlib.suppress(AssertionError):
        app.close()


async def drawn(a, session: str, code: str = DRAW) -> tuple[str, dict]:
    """Draws a plot. Returns its id and, as soon as it is known, its environment."""
    ran = (await a.run(session, code)).data
    assert ran["status"] == "ok", ran
    image = ran["images"][0]["resource_uri"]
    return image, wait_until("the environment", lambda: a.rest("get_prompt_info", path=image).get("environment"), 60)


def versions(environment: dict) -> dict:
    return {p["name"]: p["version"] for p in environment["packages"]}


async def test_a_check_runs_where_the_session_does(easel, places, tmp_path):
    """The client was started in a folder of the project."""
    async with bridge(easel, places["two"] / "data", tmp_path / "log") as a:
        image, environment = await drawn(a, await a.session(), DRAW + "len(pandas.read_csv('sales.csv'))")
        assert environment["directory"] == str(places["two"] / "data")
        assert (await checked(a, image))["status"] == "reproduced"


async def test_a_saved_notebook_is_no_change(easel, places, tmp_path):
    """Easel writes the outputs of each cell into the session's notebook, which git may know."""
    one = places["one"]
    (one / "draw.ipynb").write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}))
    git(one, "add", ".")
    git(one, "commit", "-qm", "a notebook")
    async with bridge(easel, one, tmp_path / "log") as a:
        for n in range(2):
            ran = await a.ok("notebook_add_cell", path="draw.ipynb", cell_type="code", source=DRAW + f"{n}\n", run=True)
            image = ran["execution"]["images"][0]["resource_uri"]
            environment = a.rest("get_prompt_info", path=image)["environment"]
            assert "draw.ipynb" in subprocess.check_output(["git", "-C", one, "status", "--porcelain"], text=True)
            assert environment["dirty"] is False and "dirty_hash" not in environment
        check = await checked(a, image)
        assert check["status"] == "reproduced" and "environment_changes" not in check, check
        await a.ok("session_delete", session_id=(await a.ok("session_connect", notebook_path="draw.ipynb"))["session_id"])
    git(one, "reset", "-q", "--hard", "HEAD~")


async def checked(a, image: str) -> dict:
    while (check := await a.ok("check_reproducibility", resource_uri=image))["status"] == "running":
        pass
    return check


async def test_what_plots_were_drawn_with(easel, places, tmp_path):
    one, two = places["one"], places["two"]
    async with bridge(easel, one, tmp_path / "log") as a, bridge(easel, two, tmp_path / "log") as b:
        first = await a.session()
        await a.run(first, "%pip install --dry-run six")
        image, clean = await drawn(a, first)
        assert versions(clean)["pandas"] == "2.1.4" and versions(clean)["python-dateutil"]
        assert not {"ipykernel", "ipython", "tornado", "pyzmq", "traitlets", "comm", "jupyter-client", "cloudpickle"}.intersection(versions(clean))
        assert clean["name"] == "one/.venv" and clean["executable"] == str(one / ".venv/bin/python") and clean["directory"] == str(one)
        assert clean["lock_file"] == str(one / "uv.lock") and len(clean["lock_hash"]) == 64
        assert len(clean["commit"]) == 40 and clean["dirty"] is False
        brief = (await a.ok("get_prompt_info", path=image))["environment"]
        assert brief == f"one/.venv, Python {clean['version']}, pandas 2.1.4, commit {clean['commit'][:7]}"

        _, other = await drawn(b, await b.session())
        assert versions(other)["pandas"] == "2.2.3" and other["name"] == "two/.venv" and "commit" not in other and "dirty" not in other

        (one / "pyproject.toml").write_text("[project]\nname = 'mypkg'\nversion = '2'\n")
        _, dirty = await drawn(a, first, DRAW + "1\n")
        assert dirty["commit"] == clean["commit"] and dirty["dirty"] is True

        # What the kernel has imported counts, not what is installed since.
        install(one, "pandas==2.2.3")
        _, later = await drawn(a, first, DRAW + "2\n")
        assert versions(later)["pandas"] == "2.1.4"

        check = await checked(a, image)
        assert check["status"] == "reproduced" and check["exact"]
        changes = {c["what"]: (c.get("was"), c.get("now")) for c in check["environment_changes"]}
        assert changes == {"pandas": ("2.1.4", "2.2.3"), "commit": (clean["commit"][:7], clean["commit"][:7] + " (dirty)")}
        assert "pandas 2.1.4 → 2.2.3" in check["hint"]
        assert [f["what"] for f in check["findings"] if f["kind"] == "install"] == ["%pip install --dry-run six"]

    easel.process.kill()
    easel.process.wait()
    easel.launch()
    assert easel.request("POST", "/tools/get_prompt_info/execute", {"path": image})[2]["environment"] == clean
