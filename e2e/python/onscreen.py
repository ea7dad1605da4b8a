"""Measures the time of a plot from the library to the screen. Easel's window is on its own
display, whose pixels are read from the X server's memory.

Each plot has a new colour. The time starts when the plot's file is created in the library,
according to the file system (with a resolution of 4 ms; the record in the database follows),
and ends when the colour appears in the gallery.
"""

import colorsys
import mmap
import os
import pathlib
import struct
import threading
import time

import numpy as np
from servers import Easel, wait_until

# The environment variables of the display.
DISPLAY = {k: os.environ[k] for k in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "LIBGL_ALWAYS_SOFTWARE") if k in os.environ}
if DISPLAY:
    DISPLAY["EASEL_HEADLESS"] = ""
PLOT = "fig = plt.figure(facecolor='{0}'); fig.add_subplot(facecolor='{0}').plot([1, 3, 2]); plt.show()"


class Screen:
    """The pixels of an Xvfb with -fbdir, which is a file in the format of xwd."""

    def __init__(self, path: str):
        with open(path, "rb") as f:
            memory = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
        head = struct.unpack(">25I", memory[:100])
        size, width, height, line, colours = head[0], head[4], head[5], head[12], head[19]
        pixels = np.frombuffer(memory, np.uint8, line * height, size + 12 * colours)
        self.pixels = pixels.reshape(height, line // 4, 4)[:, :width]

    def shows(self, colour: tuple[int, int, int]) -> bool:
        """Reports whether a large part of the gallery has this colour, which scaling may change
        slightly. Reads only a few pixels, to take little time from the programs that draw."""
        some = self.pixels[120:700:30, 200:960:30, :3].astype(int)
        near = np.all(abs(some - np.array(colour[::-1])) < 5, axis=2)
        return np.count_nonzero(near) > 6


def colours(n: int):
    """Yields n colours, each very different from the one before."""
    for i in range(n):
        yield tuple(int(255 * c) for c in colorsys.hsv_to_rgb(i * 0.37 % 1, 0.9, 0.8 - i % 5 * 0.05))


def on_screen(base: pathlib.Path, server: dict, rounds: int) -> list[float]:
    """Returns the times of plots in ms."""
    screen = Screen(os.environ["EASEL_FRAMEBUFFER"])
    easel = Easel.prepare(base, EASEL_JUPYTER_URL=server["url"], EASEL_JUPYTER_TOKEN=server["token"], **DISPLAY)
    easel.spawn()
    try:
        wait_until("Easel's start", easel.ready, 60)
        session = easel.execute("session_create")[2]["session_id"]

        def run(code: str):
            answer = easel.execute("execute_code", session_id=session, code=code)[2]
            assert answer["status"] == "ok", answer

        run("import matplotlib.pyplot as plt\nplt.plot([1]); plt.show()")
        plots = lambda: {p for p in easel.data.rglob("*.png") if "thumbs" not in p.parts}
        known, times = plots(), []
        for colour in colours(rounds + 2):
            time.sleep(0.6)  # until the window is idle
            call = threading.Thread(target=run, args=[PLOT.format("#%02x%02x%02x" % colour)])
            call.start()
            wait_until("the plot on the screen", lambda c=colour: screen.shows(c), 30, 0.002)
            seen = time.time()
            call.join()
            (new,) = plots() - known
            known.add(new)
            kept = new.stat().st_ctime
            times.append((seen - kept) * 1000)
        return times[2:]  # without the first ones, which fill caches
    finally:
        easel.close()
