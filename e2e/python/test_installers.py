"""Tests what kernels say of packages that the code installs."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def module():
    source = pathlib.Path(__file__).parents[2] / "jupyter/kernelside/python/easel_packages.py"
    spec = importlib.util.spec_from_file_location("easel_packages", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("lock", "inside", "layered", "said"), [
    ("uv.lock", True, False, "uv.lock"), ("uv.lock", False, False, None), ("uv.lock", False, True, "uv.lock"),
    ("poetry.lock", False, False, "poetry.lock"), ("pdm.lock", False, False, None),
])
def test_what_records_a_package_installs_it_in_the_kernel(module, tmp_path, monkeypatch, lock, inside, layered, said):
    """uv add would install it in the project's .venv, not in the active environment of another place."""
    project, other = tmp_path / "proj", tmp_path / "tools"
    for folder in (project / ".git", other / ".git"):
        folder.mkdir(parents=True)
    (project / lock).touch()
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "prefix", str((project if inside else other) / ".venv"))
    assert module.lock(layered) == (said and str(project / said))


@pytest.mark.parametrize("network", [True, False])
def test_an_installer_that_fails_is_a_failure(module, monkeypatch, capfd, network):
    """Without a network, pip and uv said so in 2 kB of warnings, and the code had succeeded."""
    monkeypatch.delenv("PIP_RETRIES", raising=False)
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    monkeypatch.setenv("PATH", str(pathlib.Path(sys.executable).parent), prepend=os.pathsep)  # uv is there
    shell = InteractiveShell()
    module.register(shell)
    if network:
        assert shell.run_cell("%pip list").success and shell.run_cell("%pip show no-such-package").success
        return
    for line in ("pip install --index-url http://127.0.0.1:1/simple no-such-package", "uv pip install --dry-run --offline no-such-package"):
        result = shell.run_cell("%" + line)
        said = "".join(capfd.readouterr())
        assert isinstance(result.error_in_exec, module.InstallError), said
        assert f"InstallError: {line.split()[0]} install has failed (exit code 1)." in said
        assert "Traceback" not in said and len(said) < 1200, said


def wheel(folder, version):
    """Makes a package."""
    info = f"easel_used-{version}.dist-info"
    path = folder / f"easel_used-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("used_by_easel.py", f"version = {version!r}\n")
        z.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: easel-used\nVersion: {version}\n")
        z.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr(f"{info}/RECORD", f"used_by_easel.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return path


CELLS = """
import sys
from IPython.core.interactiveshell import InteractiveShell
import easel_packages
shell = InteractiveShell()
easel_packages.register(shell)
for cell in sys.argv[1:]:
    print(">>", cell, flush=True)
    assert shell.run_cell(cell).success
"""


@pytest.fixture
def cells(tmp_path):
    """Runs cells in the kernel of a project without pip. Returns what each has printed."""
    uv = pathlib.Path(sys.executable).with_name("uv")
    project, tools = tmp_path / "proj", tmp_path / "tools"
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, project / ".venv"], check=True)
    tools.mkdir()
    (tools / "pip").write_text("#!/bin/sh\necho done\n")
    (tools / "pip").chmod(0o755)
    (tools / "uv").symlink_to(uv)
    (tmp_path / "easel_packages.py").symlink_to(pathlib.Path(__file__).parents[2] / "jupyter/kernelside/python/easel_packages.py")
    site = tmp_path / "overlay"
    site.mkdir()
    for package in pathlib.Path(importlib.util.find_spec("IPython").origin).parents[1].iterdir():
        if not package.name.startswith(("pip", "uv")):
            (site / package.name).symlink_to(package)
    env = os.environ | {"PATH": os.pathsep.join([str(project / ".venv/bin"), str(tools), os.environ["PATH"]]), "VIRTUAL_ENV": str(project / ".venv"), "UV_OFFLINE": "1"}
    code = f"import sys; sys.path += [{str(tmp_path)!r}, {str(site)!r}]\n" + CELLS

    def run(*code_of_cells, **variables):
        done = subprocess.run([project / ".venv/bin/python", "-c", code, *code_of_cells], cwd=project, env=env | variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return [part.partition("\n")[2] for part in done.stdout.split(">> ")[1:]]

    run.project, run.tools = project, tools
    return run


def test_what_was_imported_needs_a_restart(cells, tmp_path):
    (cells.project / "uv.lock").write_text('[[package]]\nname = "easel-used"\nversion = "2"\nsource = {}\n')
    one, two = wheel(tmp_path, "1"), wheel(tmp_path, "2")
    said = cells(f"%pip install -q {one}", "import used_by_easel", f"%pip install -q {one}", f"%pip install -q --find-links {tmp_path} easel_used==2")
    assert "Restart" not in said[0] + said[1] + said[2]
    assert said[3] == "easel-used 1 is imported. Restart the session to use 2.\n"  # and it is in the lock file
    said = cells(f"%uv pip install -q --find-links {tmp_path} easel_used==1", f"%uv pip install -q {two}")
    assert "Not in uv.lock yet. To record it: uv add easel_used==1" in said[0] and "Restart" not in said[0] + said[1]


def test_an_installer_of_another_python_is_named(cells):
    said = cells("!pip install six", "!pip list", "!cd . && pip3 install six; true", "!python -m pip install six; true", "!uv pip install --dry-run six; true")
    assert said[0] == f"done\n{cells.tools}/pip does not install for this kernel's Python. %pip install six installs in its environment, {cells.project}/.venv.\n"
    assert said[1] == "done\n" and "does not install" not in said[4], said
    assert "%pip install six installs in its environment" in said[2] and "python -m pip does not install" in said[3], said
    [said] = cells("!uv pip install --dry-run six; true", VIRTUAL_ENV=str(cells.tools))
    assert "/uv pip" in said or "uv pip does not install" in said, said
