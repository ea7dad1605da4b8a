"""Tests what sessions of Easel's own Python install: it is theirs alone, unless the user adds it for all."""

import os
import re
import subprocess
import zipfile

import pytest
from assistant import connect
from servers import BINARY, Easel, wait_until


@pytest.fixture(scope="module")
def easel(tmp_path_factory):
    app = Easel.start(tmp_path_factory.mktemp("easel"))
    wait_until("a session", lambda: app.execute("session_create")[2].get("session_id"), 300)
    yield app
    assert app.close() == 0
    assert not list((app.data / "jupyter/layers").iterdir())


DRAW = "import numpy, matplotlib.pyplot as plt; plt.plot(numpy.arange(9.0) ** 2); print(numpy.__version__)"


async def test_two_sessions_with_different_numpy(easel):
    """numpy has compiled extensions, which a process has only once."""
    async with connect(easel) as a:
        old = (await a.ok("session_create"))["session_id"]
        new = (await a.ok("session_create"))["session_id"]
        await a.run(old, "import numpy")
        said = (await a.run(old, '%pip install "numpy<2"')).data["stdout"]
        assert "Installed for this session only. To keep it for all, in a terminal: easel env add 'numpy<2'" in said
        assert "of Easel's own Python stays as it is; what you installed is used instead." in said
        assert re.search(r"numpy 2\.\S+ is imported\. Restart the session to use 1\.26", said), said
        removed = (await a.run(new, "%pip uninstall -y pandas")).data["stdout"]
        assert "belongs to Easel's own Python, which others use as well, so it stays." in removed, removed
        assert (await a.run(new, "import pandas; print(pandas.__version__)")).data["stdout"]
        await a.ok("session_restart", session_id=old)
        drawn = (await a.run(old, DRAW)).data
        assert drawn["stdout"].startswith("1.26.") and len(drawn["images"]) == 1
        other = (await a.run(new, DRAW)).data
        assert other["stdout"].startswith("2.") and len(other["images"]) == 1
        # What was compiled against numpy 2 says what is wrong, as in any environment; pip, too.
        failed = (await a.run(old, "import pandas")).data["error"]
        assert "upgrade numpy" in failed["traceback"]
        checked = (await a.run(old, "!pip check")).data["stdout"]
        assert "numpy 1.26" in checked
        assert "numpy" not in (await a.run(new, "!pip check")).data["stdout"]
        # A check draws the plot again with the packages of its session.
        check = {"status": "running"}
        while check["status"] == "running":
            check = await a.ok("check_reproducibility", resource_uri=drawn["images"][0]["resource_uri"])
        assert check["status"] == "reproduced" and check["exact"] and "findings" not in check, check


async def test_uv_sees_the_layer(easel):
    async with connect(easel) as a:
        one = (await a.ok("session_create"))["session_id"]
        if "not found" in (await a.run(one, "!uv --version")).data["stdout"]:
            pytest.skip("no uv")
        assert "easel env add rich" in (await a.run(one, "%uv pip install rich")).data["stdout"]
        assert "rich" in (await a.run(one, "!uv pip list")).data["stdout"]
        assert "rich" not in (await a.run((await a.ok("session_create"))["session_id"], "!uv pip list")).data["stdout"]


def wheel(folder):
    """Makes a package that does nothing."""
    info = "easel_kept-1.dist-info"
    with zipfile.ZipFile(folder / "easel_kept-1-py3-none-any.whl", "w") as z:
        z.writestr("easel_kept.py", "answer = 42\n")
        z.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: easel-kept\nVersion: 1\n")
        z.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr(f"{info}/RECORD", f"easel_kept.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


async def test_a_package_for_all_sessions(easel, tmp_path):
    wheel(tmp_path)

    def add(*names):
        env = os.environ | easel.env | {"PIP_FIND_LINKS": str(tmp_path)}
        return subprocess.run([BINARY, "env", "add", *names], env=env, capture_output=True, text=True)

    async with connect(easel) as a:
        running = (await a.ok("session_create"))["session_id"]
        done = add("easel-kept")
        assert done.returncode == 0 and "start from now on" in done.stdout, done.stdout
        for session in running, (await a.ok("session_create"))["session_id"]:
            assert (await a.run(session, "import easel_kept; easel_kept.answer")).data["result"] == "42"
    refused = add("numpy<2")
    assert refused.returncode == 1 and "uv init && uv add numpy<2" in refused.stdout, refused.stdout
    # pip reads a name that begins with a dash as a name.
    assert add("--", "--target=x").returncode != 0 and not (tmp_path / "x").exists()
