"""The programs can read the files that Easel writes for them."""

import os
import subprocess

import pytest
from programs import ROOT, Npm
from roster import PROGRAMS

# The first program of each command, which is the quick one.
COMMANDS = {p.command: p for p in reversed(PROGRAMS) if isinstance(p, Npm)}


@pytest.mark.parametrize(
    "program", [pytest.param(p, id=name, marks=pytest.mark.quick if p.quick else ()) for name, p in COMMANDS.items()]
)
def test_it_reads_what_easel_writes(program):
    program.install()
    name = f"TestRealProgramsReadWhatEaselWrites/^{program.command}$"
    done = subprocess.run(
        ["go", "test", "-tags", "clients", "-count=1", "-v", "-run", name, "./ui/core/clients"],
        cwd=ROOT, env={**os.environ, "EASEL_TEST_CLIENTS": str(program.executable.parent)}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"--- PASS: TestRealProgramsReadWhatEaselWrites/{program.command} " in done.stdout, done.stdout
