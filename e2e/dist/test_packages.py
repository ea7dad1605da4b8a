"""Looks into the packages that cannot be installed here, and runs what is in them."""

import json
import pathlib
import plistlib
import re
import shlex
import subprocess
import tarfile
import zipfile

import pytest
from test_debian import client, first_plot, sonames

CORE = {"session_create", "execute_code", "get_selected_files"}


def only(directory: pathlib.Path, pattern: str) -> pathlib.Path:
    found = list(directory.glob(pattern))
    assert len(found) == 1, (pattern, found)
    return found[0]


def test_rpm(packages, tmp_path):
    rpm = only(packages[0], "*.rpm")

    def query(*what: str) -> list[str]:
        return subprocess.run(["rpm", "-qp", *what, str(rpm)], check=True, capture_output=True, text=True).stdout.split("\n")

    assert {"/usr/bin/easel", "/usr/share/man/man1/easel.1.gz", "/usr/share/applications/io.github.easel.Easel.desktop"} <= set(query("-l"))
    assert set(sonames()) <= {r.partition("(")[0] for r in query("--requires")}
    subprocess.run(f"rpm2cpio {shlex.quote(str(rpm))} | cpio -id --quiet --no-absolute-filenames", shell=True, check=True, cwd=tmp_path)
    program = tmp_path / "usr/bin/easel"
    assert subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout.startswith("easel ")
    # Each library that GLFW opens is required.
    opened = set(re.findall(rb"lib(?:X[A-Za-z0-9-]+|wayland-[a-z]+|xkbcommon|EGL|GLESv2)\.so\.\d", program.read_bytes()))
    assert opened, "no library was found in the program"
    assert {o.decode() for o in opened} <= set(sonames())


def test_desktop_entry_and_metainfo(packages, tmp_path):
    with tarfile.open(only(packages[0], "easel-[0-9]*-linux-amd64.tar.gz")) as t:
        for member in t.getmembers():
            if member.name.endswith((".desktop", ".metainfo.xml")):
                (tmp_path / pathlib.Path(member.name).name).write_bytes(t.extractfile(member).read())
    subprocess.run(["desktop-file-validate", tmp_path / "io.github.easel.Easel.desktop"], check=True)
    subprocess.run(["appstreamcli", "validate", "--no-net", tmp_path / "io.github.easel.Easel.metainfo.xml"], check=True)


def test_tarball(packages, tmp_path):
    with tarfile.open(only(packages[0], "easel-[0-9]*-linux-amd64.tar.gz")) as t:
        names = t.getnames()
        assert all(m.uid == m.gid == 0 and not m.name.startswith("/") for m in t.getmembers())
        t.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # Python 3.11.2 has none
    top = tmp_path / names[0].split("/")[0]
    assert subprocess.run([top / "bin/easel", "version"], check=True, capture_output=True, text=True).stdout.startswith("easel ")
    assert (top / "share/icons/hicolor/256x256/apps/io.github.easel.Easel.png").exists()
    doc = top / "share/doc/easel"
    assert (doc / "LICENSE.txt").exists() and (doc / "licences.txt").stat().st_size > 100_000
    # People unpack it into ~/.local, and find all of it there by its name.
    assert all("easel" in n.split("/", 1)[1].lower() for n in names if not n.endswith("/") and (tmp_path / n).is_file())


def test_app_bundle(packages, tmp_path):
    """Easel.app, made of the program without a window, because only a Mac can build the other."""
    with tarfile.open(only(packages[0], "easel-headless-*-macos.tar.gz")) as t:
        member = next(m for m in t.getmembers() if m.name.endswith("/easel"))
        (tmp_path / "program").write_bytes(t.extractfile(member).read())
    subprocess.run(["scripts/macos", tmp_path, tmp_path / "program"], check=True)
    contents = tmp_path / "Easel.app/Contents"
    info = plistlib.loads((contents / "Info.plist").read_bytes())
    assert info["CFBundleIdentifier"] == "io.github.easel.Easel" and re.fullmatch(r"\d+\.\d+\.\d+", info["CFBundleShortVersionString"])
    program = contents / "MacOS" / info["CFBundleExecutable"]
    assert program.stat().st_mode & 0o111 and program.read_bytes()[:4] == b"\xca\xfe\xba\xbe"
    assert (contents / "Resources" / (info["CFBundleIconFile"] + ".icns")).read_bytes()[:4] == b"icns"


@pytest.mark.parametrize("platform", ["linux", "windows", "darwin"])
def test_bundle(packages, platform):
    found = list(packages[0].glob(f"*-{platform}.mcpb"))
    if not found and platform == "windows":
        pytest.skip("make dist ARGS=mcpb was not run with the compiler for Windows")
    with zipfile.ZipFile(found[0]) as z:
        manifest = json.loads(z.read("manifest.json"))
        program = z.getinfo(manifest["server"]["entry_point"])
        assert program.external_attr >> 16 & 0o111, "the program cannot be executed"
        magic = {"linux": b"\x7fELF", "windows": b"MZ", "darwin": b"\xca\xfe\xba\xbe"}[platform]
        assert z.read(program)[: len(magic)] == magic
        assert {"icon.png", "LICENSE.txt", "licences.txt"} <= set(z.namelist())


async def test_bundle_in_a_clean_system(packages, bookworm, tmp_path):
    """The bundle's program needs no library. It answers before Python is there."""
    with zipfile.ZipFile(only(packages[0], "*-linux.mcpb")) as z:
        manifest = json.loads(z.read("manifest.json"))
        z.extractall(bookworm.root / "opt/bundle")
    (bookworm.root / "opt/bundle/server/easel").chmod(0o755)
    config = manifest["server"]["mcp_config"]
    command = [config["command"].replace("${__dirname}", "/opt/bundle"), *config["args"]]
    async with client(bookworm.command(*command, user=True), tmp_path / "log") as a:
        assert CORE <= {t.name for t in (await a.client.list_tools()).tools}
        refused = await a.call("session_create")
        assert refused.failed and "python" in refused.texts[0].lower(), refused.texts
    bookworm.run(command[0], "uninstall", "--yes", "--all", user=True)


async def test_containerfile(packages, trixie, tmp_path):
    """Executes the steps of the Containerfile's last stage in a clean system, because there is no engine. The first makes the program."""
    text = pathlib.Path("packaging/container/Containerfile").read_text()
    steps = [s.split(None, 1) for s in re.sub(r"\\\n", " ", text).splitlines() if s and not s.startswith("#")]
    assert [s for s in steps if s[0] == "RUN"][0][1] == "make -C /src headless"
    steps = steps[max(i for i, s in enumerate(steps) if s[0] == "FROM") :]
    assert steps[0] == ["FROM", "debian:trixie-slim"]
    variables, user, entry = {}, "root", []
    for name, rest in steps[1:]:
        match name:
            case "RUN":
                trixie.run("sh", "-ec", rest)
            case "COPY":
                with tarfile.open(only(packages[0], "easel-headless-*-linux-amd64.tar.gz")) as t:
                    member = next(m for m in t.getmembers() if m.name.endswith("/easel"))
                    assert rest.split()[:2] == ["--from=build", "/src/bin/easel-headless"]
                    target = trixie.root / rest.split()[2].lstrip("/")
                    target.write_bytes(t.extractfile(member).read())
                    target.chmod(0o755)
            case "ENV":
                variables |= dict(v.split("=") for v in rest.split())
            case "USER":
                user = rest
            case "ENTRYPOINT":
                entry = json.loads(rest)
            case "VOLUME" | "STOPSIGNAL" | "ARG" | "LABEL":
                pass
            case _:
                pytest.fail(f"unknown step {name}")
    command = trixie.command(*entry, "mcp", HOME=f"/home/{user}", **variables)
    command[1:1] = [f"--userspec={user}"]
    async with client(command, tmp_path / "log") as a:
        await first_plot(a, "in a container")
    trixie.run(*entry, "uninstall", "--yes", "--all", HOME=f"/home/{user}", **variables)
    assert not trixie.processes()


def test_sums_and_bill_of_materials(packages):
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], check=True, cwd=packages[0])
    if found := list(packages[0].glob("*.cdx.json")):
        bill = json.loads(found[0].read_text())
        assert bill["bomFormat"] == "CycloneDX" and len(bill["components"]) > 50
