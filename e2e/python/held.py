"""Measures the memory of Easel with its window: idle, after 1,000 plots, and hidden."""

import os
import pathlib
import subprocess
import time

from onscreen import DISPLAY
from servers import Easel, wait_until
from tray import Tray

REST = 80  # idle seconds until unused memory has been released
# Plots of 640×480 with different pixels, so that each is stored separately.
SETUP = """
import io
import matplotlib.pyplot as plt, numpy as np
from IPython.display import Image, display
from PIL import Image as Picture
chance = np.random.default_rng(1)
figure = plt.figure(figsize=(6.4, 4.8), dpi=100)
plt.plot(chance.random(300))
raw = io.BytesIO()
figure.savefig(raw)
plt.close()
page = np.array(Picture.open(raw).convert("RGB"))
def draw(n):
    for _ in range(n):
        plot, png = page.copy(), io.BytesIO()
        plot[60:400, 80:560] += chance.integers(0, 90, (1, 480, 3), dtype=np.uint8)
        Picture.fromarray(plot).save(png, "png", compress_level=1)
        display(Image(png.getvalue()))
"""


def resident(pid: int) -> float:
    """Returns the resident memory of a process, including libraries, in MiB (VmRSS)."""
    line = next(x for x in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def window_memory(base: pathlib.Path, server: dict) -> dict[str, float]:
    """Returns the memory in MiB: idle, with plots, and hidden with plots."""
    tray = Tray()  # without a tray, closing the window does not hide it
    easel = Easel.prepare(base, EASEL_JUPYTER_URL=server["url"], EASEL_JUPYTER_TOKEN=server["token"], **DISPLAY)
    easel.spawn()
    pid, held = easel.process.pid, {}
    try:
        wait_until("Easel's start", easel.ready, 60)
        session = easel.execute("session_create")[2]["session_id"]

        def run(code: str):
            answer = easel.execute("execute_code", session_id=session, code=code, images="none")[2]
            assert answer["status"] == "ok", answer

        def after_a_rest(what: str):
            time.sleep(REST)
            held[what] = resident(pid)

        run(SETUP)
        after_a_rest("idle")
        for _ in range(40):
            run("draw(25)")
        after_a_rest("plots")
        hide(pid)
        wait_until("the hidden window", lambda: easel.request("GET", "/api/health")[2]["window"] == "hidden", 30)
        after_a_rest("hidden")
        return held
    finally:
        easel.close()
        tray.close()


def hide(pid: int):
    """Closes the window with its keyboard shortcut."""
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(pid)], capture_output=True, text=True, check=True, env=os.environ | DISPLAY)
    subprocess.run(["xdotool", "windowfocus", "--sync", found.stdout.split()[-1], "key", "alt+F4"], check=True, env=os.environ | DISPLAY)
