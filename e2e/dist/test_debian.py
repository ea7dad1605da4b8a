"""Installs, uses, upgrades and removes the Debian package in clean systems."""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.request

import anyio
import mcp
import mcp_types
import yaml
from assistant import Assistant
from debian import USER, until
from mcp.client.stdio import StdioServerParameters, stdio_client
from PIL import Image

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9]); plt.title('{}'); plt.show()"


@contextlib.contextmanager
def timed(what: str):
    began = time.monotonic()
    yield
    print(f"  {time.monotonic() - began:6.1f} s  {what}")


@contextlib.asynccontextmanager
async def client(command: list[str], log: pathlib.Path):
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    info = mcp_types.Implementation(name="dist-test", version="1")
    with open(log, "a") as errors:
        async with mcp.Client(stdio_client(parameters, errlog=errors), client_info=info) as c:
            yield Assistant(c)


async def first_plot(a: Assistant, title: str) -> str:
    """Draws a plot, checks that the model gets its picture, and returns its URI. The first
    start may take longer than a call waits."""
    end = time.monotonic() + 600
    while True:
        made = await a.call("session_create")
        if not made.failed:
            break
        assert time.monotonic() < end and made.error["code"] == "JUPYTER_STARTING", made.texts
        await anyio.sleep(1)
    answer = await a.run(made.read["session_id"], PLOT.format(title))
    assert answer.data["status"] == "ok", answer.texts
    picture = Image.open(io.BytesIO(answer.pictures[0]))
    assert len(picture.convert("RGB").getcolors(1 << 24)) > 10, "the plot is empty"
    return answer.data["images"][0]["resource_uri"]


def runtime(debian) -> dict:
    return json.loads((debian.home() / ".local/share/easel/easel.json").read_text())


def request(debian, path: str) -> bytes:
    r = runtime(debian)
    asked = urllib.request.Request(r["url"] + path, headers={"Authorization": "Bearer " + r["token"]})
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return answer.read()


def quit_easel(debian):
    path = debian.home() / ".local/share/easel/easel.json"
    os.kill(runtime(debian)["pid"], signal.SIGTERM)
    until("Easel's end", lambda: not path.exists())
    until("the end of its processes", lambda: not debian.processes())


def sonames() -> list[str]:
    """Returns the libraries that the packages require, from the configuration for rpm."""
    config = yaml.safe_load(pathlib.Path("packaging/linux/nfpm.yaml").read_text())
    return [d.partition("(")[0] for d in config["overrides"]["rpm"]["depends"]]


async def test_install_use_upgrade_remove(debian, packages, tmp_path):
    now, before = packages
    clean = debian.files()
    debian.run("apt-get", "update", "-q")
    with timed("install the previous version"):
        debian.install(next(before.glob("*.deb")))
    assert debian.run("easel", "version").startswith("easel 0.0.9 ")
    libraries = debian.run("ldconfig", "-p")
    for name in sonames():
        assert name in libraries, f"{name} is missing: it is opened when the window is created"
    assert "not found" not in debian.run("ldd", "/usr/bin/easel")
    installed = debian.files()

    # The main job, through a client that starts Easel without a display.
    with timed("first plot, with the download of Python's packages"):
        async with client(debian.command("easel", "mcp", user=True), tmp_path / "mcp.log") as a:
            uri = await first_plot(a, "before the upgrade")

    # An upgrade does not disturb the running program.
    pid = runtime(debian)["pid"]
    with timed("upgrade"):
        debian.install(next(now.glob("*.deb")))
    assert runtime(debian)["pid"] == pid and request(debian, "/tools")
    quit_easel(debian)

    # The new version, with a window.
    with timed("second plot, with a window"):
        async with client(debian.command("easel", "mcp", user=True, DISPLAY=os.environ["DISPLAY"], LIBGL_ALWAYS_SOFTWARE="1"), tmp_path / "mcp.log") as a:
            await first_plot(a, "after the upgrade")
            assert (await a.client.read_resource(uri)).contents[0].mime_type == "image/png", "the library was lost"
    health = json.loads(request(debian, "/api/health"))
    assert health["version"] == debian.run("easel", "version").split()[1] != "0.0.9"
    assert health["window"] == "shown", health
    shot = now / f"window-{debian.suite}.png"
    until("the plots in the window", lambda: colours(shot) > 200)
    debian.run("easel", "doctor", user=True, DISPLAY=os.environ["DISPLAY"])

    # Removal: first the user's files, then the package.
    with timed("uninstall"):
        said = debian.run("easel", "uninstall", "--yes", user=True)
    print(said)
    assert not debian.processes()
    data = debian.home() / ".local/share/easel"
    assert {"library", "token"} <= {p.name for p in data.iterdir()} <= {"assistants.json", "figures.key", "library", "settings.json", "token"}
    debian.run("easel", "uninstall", "--yes", "--all", user=True)
    with timed("purge"):
        debian.run("apt-get", "purge", "-q", "-y", "easel")
    left = {f for f in debian.files() - installed if f.startswith(f"/home/{USER}")}
    print("  left in the home directory:", sorted(f for f in left if f.count("/") <= 4))
    assert not any("easel" in f.lower() for f in left if not f.startswith(f"/home/{USER}/Easel")), left
    assert not any("easel" in f.lower() for f in debian.files() - clean - left), [f for f in debian.files() - clean - left if "easel" in f.lower()]


def colours(path: pathlib.Path) -> int:
    """Takes a screenshot and returns its number of colours."""
    subprocess.run(["import", "-window", "root", str(path)], check=True)
    return len(Image.open(path).convert("RGB").getcolors(1 << 24))
