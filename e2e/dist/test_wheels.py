"""Checks the wheels with the tools of others, and installs, uses and removes the one for this machine."""

import os
import pathlib
import subprocess
import sys
import zipfile

import pytest
from debian import USER
from test_debian import client, first_plot, quit_easel, timed
from test_packages import only

# The tools are pinned. uv runs each in an environment of its own.
TOOLS = {"twine": "7.0.0", "check-wheel-contents": "0.6.3", "wheel": "0.48.0", "auditwheel": "6.8.2"}
WHEELS = {
    "manylinux_2_17_x86_64.manylinux2014_x86_64": b"\x7fELF",
    "manylinux_2_17_aarch64.manylinux2014_aarch64": b"\x7fELF",
    "macosx_12_0_universal2": b"\xca\xfe\xba\xbe",
    "win_amd64": b"MZ",
}
UV = pathlib.Path(sys.executable).parent / "uv"


def tool(name: str, *arguments) -> str:
    done = subprocess.run([UV, "tool", "run", "--quiet", "--from", f"{name}=={TOOLS[name]}", name, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{name} {arguments}:\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture
def linux(packages):
    return only(packages[0], "*-manylinux*_x86_64.whl")


@pytest.mark.parametrize("tag", WHEELS)
def test_wheel(packages, tmp_path, tag):
    found = only(packages[0], f"*-py3-none-{tag}.whl")
    tool("twine", "check", "--strict", found)
    tool("check-wheel-contents", found)
    tool("wheel", "unpack", "-d", tmp_path, found)  # compares the hashes
    (program,) = tmp_path.glob("*/*.data/scripts/*")
    assert program.name == ("easel.exe" if "win" in tag.split("_")[0] else "easel") and program.read_bytes()[:4].startswith(WHEELS[tag])


def test_the_tag_is_honest(linux):
    assert "requires no external shared libraries" in tool("auditwheel", "show", linux)


def test_uvx(linux, tmp_path):
    """What a client's snippet runs, with the wheel in the place of the name."""
    with zipfile.ZipFile(linux) as z:
        (metadata,) = (z.read(n).decode() for n in z.namelist() if n.endswith("/METADATA"))
    name = metadata.partition("\nName: ")[2].partition("\n")[0]
    environment = os.environ | {"HOME": str(tmp_path), "UV_CACHE_DIR": str(tmp_path / "cache"), "UV_TOOL_DIR": str(tmp_path / "tools")}

    def uvx(*arguments) -> str:
        return subprocess.run([UV, "tool", "run", *arguments], check=True, capture_output=True, text=True, env=environment).stdout

    assert uvx("--from", linux, "easel", "--version").startswith("easel ")
    assert uvx(linux, "--help").startswith("Usage: easel mcp") and uvx("--from", linux, name, "--help").startswith("Usage: easel mcp")


async def test_pip_pipx_uvx_in_a_clean_system(linux, trixie, tmp_path):
    trixie.run("apt-get", "update", "-q")
    trixie.run("apt-get", "install", "-q", "-y", "--no-install-recommends", "python3-venv", "pipx")
    wheel = trixie.copy(linux)

    # pip leaves nothing in its environment.
    trixie.run("python3", "-m", "venv", f"/home/{USER}/env", user=True)
    clean = trixie.files()
    pip, bin = f"/home/{USER}/env/bin/pip", f"/home/{USER}/env/bin"
    trixie.run(pip, "install", "--no-index", wheel, user=True)
    version = trixie.run(f"{bin}/easel", "--version", user=True)
    assert version.startswith("easel ") and trixie.run(f"{bin}/python", "-m", "easel_mcp", "--help", user=True).startswith("Usage: easel mcp")
    trixie.run(pip, "uninstall", "-y", "easel-mcp", user=True)
    assert not (left := trixie.files() - clean), left

    # pipx: the first plot, from a client that knows only the package's name.
    trixie.run("pipx", "install", wheel, user=True)
    commands = f"/home/{USER}/.local/bin"
    assert trixie.run(f"{commands}/easel", "version", user=True) == version
    with timed("first plot, with the download of Python's packages"):
        async with client(trixie.command(f"{commands}/easel-mcp", user=True), tmp_path / "mcp.log") as a:
            await first_plot(a, "from pipx")
    quit_easel(trixie)

    # uvx runs the same program.
    trixie.run(pip, "install", "-q", f"uv=={uv_version()}", user=True)
    with timed("second plot, by uvx"):
        async with client(trixie.command(f"{bin}/uvx", "--from", wheel, "easel", "mcp", user=True), tmp_path / "mcp.log") as a:
            await first_plot(a, "from uvx")
    quit_easel(trixie)

    trixie.run(f"{commands}/easel", "uninstall", "--yes", "--all", user=True)
    trixie.run("pipx", "uninstall", "easel-mcp", user=True)
    trixie.run(f"{bin}/uv", "cache", "clean", user=True)
    left = {f for f in trixie.files() - clean if "easel" in f.lower() and not f.startswith(f"/home/{USER}/Easel")}
    assert not left, left


def uv_version() -> str:
    return subprocess.run([UV, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
