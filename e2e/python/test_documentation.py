"""The examples of the documentation, run as they are printed."""

import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def test_the_program_without_mcp(easel, tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "connect.md").read_text(), re.DOTALL)
    printed = "~/.local/share/easel/easel.json"
    assert printed in code
    code = code.replace(printed, str(easel.data / "easel.json"))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("ok\n", "")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
