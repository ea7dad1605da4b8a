"""Measures the window with 50,000 plots, and with a folder of 118,000 pictures, as a person feels it: by the
pixels of the display, after keys and the mouse.

    PLENTY=PROGRAM EASEL_TEST_BINARY=EASEL scripts/display PYTHON e2e/python/plenty.py [PLOTS [PICTURES [ROUNDS]]]

PROGRAM is the built e2e/plenty, which makes what is shown. EASEL_TEST_BINARY may name several programs, separated
by commas: then they take turns, so that they can be compared. PLENTY_SERVER is the url and the token of a Jupyter
server as JSON; without it, no new plots are drawn.
"""

import ctypes
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import servers
from held import resident
from measured import Table
from onscreen import DISPLAY, PLOT, Screen, colours
from servers import Easel, wait_until

# The pictures of the gallery in a window of 1280×800, without what is at its right edge, and without the messages at its
# lower edge, which go by themselves.
GALLERY = (slice(200, 520, 5), slice(290, 940, 7))
GROUND = (272, 400)  # beside the plots
BAR = 956  # x of the scrollbar
BAR_TOP = 116
BANNER = 36  # height of the message that Jupyter does not answer
SEARCH = (1020, 44)
ALL, STARRED = (150, 125), (150, 158)
STILL = 0.5  # seconds without a change after which a screen is complete
ONE = 0.004  # changes within this time are one screen that is still being written
GOALS = {
    "start → first pixels": 500, "start → thumbnails": None, "End → thumbnails": 50, "Home → thumbnails": 50, "Page Down → thumbnails": 50,
    "search → thumbnails": 100, "a filter → thumbnails": 100, "no filter → thumbnails": 100, "a new plot → its thumbnail": 100,
    "folder → first page": 1000, "folder, End → last page": 200,
}  # fmt: skip


class Hand:
    """A keyboard and a mouse, by the X server's test extension."""

    def __init__(self):
        self.x, self.test = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XStringToKeysym.restype = ctypes.c_ulong
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(os.environ["DISPLAY"].encode()))

    def move(self, x: int, y: int):
        self.test.XTestFakeMotionEvent(self.display, -1, int(x), int(y), ctypes.c_ulong(0))
        self.x.XFlush(self.display)

    def button(self, n: int, down: bool):
        self.test.XTestFakeButtonEvent(self.display, n, int(down), ctypes.c_ulong(0))
        self.x.XFlush(self.display)

    def click(self, x: int, y: int, n: int = 1):
        self.move(x, y)
        self.button(n, True)
        self.button(n, False)

    def notch(self, n: int):
        self.button(n, True)
        self.button(n, False)

    def key(self, name: str):
        code = self.x.XKeysymToKeycode(self.display, ctypes.c_ulong(self.x.XStringToKeysym(name.encode())))
        for down in (1, 0):
            self.test.XTestFakeKeyEvent(self.display, code, down, ctypes.c_ulong(0))
        self.x.XFlush(self.display)

    def type(self, text: str):
        for c in text:
            self.key({" ": "space"}.get(c, c))

    def close(self):
        self.x.XCloseDisplay(self.display)


class Eye:
    """Sees when the gallery's pixels change."""

    def __init__(self):
        self.screen = Screen(os.environ["EASEL_FRAMEBUFFER"])
        self.last = self.look()

    def look(self) -> bytes:
        return self.screen.pixels[GALLERY][:, :, :3].tobytes()

    def changed(self) -> bool:
        now = self.look()
        differs, self.last = now != self.last, now
        return differs

    def until_still(self, act, most: float = 20) -> tuple[float, float]:
        """Acts, and returns the ms until the first change and until the last one."""
        self.changed()
        begin = time.perf_counter()
        act()
        first = last = None
        while True:
            time.sleep(0.002)
            now = time.perf_counter()
            if self.changed():
                first, last = first or now, now
            if last and now - last > STILL or now - begin > most:
                last = last or now
                return ((first or now) - begin) * 1000, (last - begin) * 1000

    def during(self, seconds: float, every: float, act) -> tuple[float, float]:
        """Acts again and again. Returns how many screens changed in a second, and the longest time between two of them, in ms."""
        self.changed()
        begin = time.perf_counter()
        seen, turn = [begin], 0
        while (now := time.perf_counter()) - begin < seconds:
            if now >= begin + turn * every:
                act(turn)
                turn += 1
            if self.changed() and now - seen[-1] > ONE:
                seen.append(now)
            time.sleep(0.001)
        stands = [b - a for a, b in zip(seen, [*seen[1:], now])]
        return (len(seen) - 1) / seconds, max(stands) * 1000


class Plenty:
    """An Easel with much to show."""

    def __init__(self, base: pathlib.Path, binary: str, hand: Hand, eye: Eye, server: dict | None):
        servers.BINARY = binary
        jupyter = {"EASEL_JUPYTER_URL": server["url"], "EASEL_JUPYTER_TOKEN": server["token"]} if server else {"EASEL_JUPYTER_URL": "http://127.0.0.1:9"}
        self.easel, self.hand, self.eye, self.server = Easel.prepare(base, **jupyter, **DISPLAY), hand, eye, server
        self.most, self.times = 0.0, {}

    def took(self, what: str, ms: float):
        self.times.setdefault(what, []).append(ms)
        self.most = max(self.most, resident(self.easel.process.pid))

    def start(self):
        (self.easel.data / "settings.json").write_text(json.dumps({"language": "en", "theme": "light", "told_of_risky": True}))
        self.eye.changed()
        first, still = self.eye.until_still(self.easel.spawn, 60)
        self.took("start → first pixels", first)
        self.took("start → thumbnails", still)
        wait_until("Easel's start", self.easel.ready, 60)

    def still(self, act) -> float:
        ms = self.eye.until_still(act)[1]
        time.sleep(0.3)
        return ms

    def keys(self):
        self.hand.click(*GROUND)
        time.sleep(0.5)
        for name in ("End", "Home", "End", "Home"):
            self.took(f"{name} → thumbnails", self.still(lambda n=name: self.hand.key(n)))
        for _ in range(3):
            self.took("Page Down → thumbnails", self.still(lambda: self.hand.key("Next")))
        self.still(lambda: self.hand.key("Home"))

    def scroll(self):
        self.hand.move(600, 400)
        for what, every in (("wheel, 30 notches a second", 1 / 30), ("wheel, 100 notches a second", 1 / 100)):
            rate, stand = self.eye.during(3, every, lambda _: self.hand.notch(5))
            self.took(what, rate)
            self.took(f"{what}: longest stand", stand)
            self.eye.until_still(lambda: self.hand.key("Home"))
        top = BAR_TOP if self.server else BAR_TOP + BANNER
        self.hand.move(BAR, top)
        time.sleep(0.3)
        self.hand.button(1, True)
        rate, stand = self.eye.during(3, 1 / 100, lambda n: self.hand.move(BAR, top + n))
        self.took("drag", rate)
        self.took("drag: longest stand", stand)
        self.took("end of the drag → thumbnails", self.still(lambda: self.hand.button(1, False)))
        self.hand.click(*GROUND)
        self.still(lambda: self.hand.key("Home"))

    def search(self):
        for text in ("residuals", "latency", "loss curve"):
            self.hand.click(*SEARCH)
            time.sleep(0.5)
            self.took("search → thumbnails", self.still(lambda t=text: self.hand.type(t)))
            for _ in text:
                self.hand.key("BackSpace")
                time.sleep(0.06)  # GLFW takes presses of a key in one millisecond for the same
            time.sleep(2)
        self.hand.key("Escape")
        time.sleep(1)

    def filter(self):
        self.took("a filter → thumbnails", self.still(lambda: self.hand.click(*STARRED)))
        self.took("no filter → thumbnails", self.still(lambda: self.hand.click(*ALL)))

    def plots(self):
        session = self.easel.execute("session_create")[2]["session_id"]

        def run(code: str):
            answer = self.easel.execute("execute_code", session_id=session, code=code)[2]
            assert answer["status"] == "ok", answer

        run("import matplotlib.pyplot as plt\nplt.plot([1]); plt.show()")
        for colour in random.sample(list(colours(500)), 4):  # others than those of the round before
            time.sleep(1)
            begin = time.time()
            call = threading.Thread(target=run, args=[PLOT.replace("[1, 3, 2]", f"[0, 1, {time.time()}]").format("#%02x%02x%02x" % colour)])
            call.start()
            wait_until("the plot on the screen", lambda c=colour: self.eye.screen.shows(c), 30, 0.002)
            seen = time.time()
            call.join()
            kept = [p.stat().st_ctime for p in (self.easel.data / "library/images").rglob("*.png")]
            self.took("a new plot → its thumbnail", (seen - min(t for t in kept if t > begin - 0.01)) * 1000)

    def folder(self, path: str):
        first, still = self.eye.until_still(lambda: self.easel.execute("open_folder", path=path))
        self.took("folder → first page", first)
        self.took("folder → all files listed", still)
        self.hand.click(*GROUND)
        time.sleep(2)
        self.took("folder, End → last page", self.still(lambda: self.hand.key("End")))
        self.easel.execute("open_folder", path="jupyter://sessions/")
        time.sleep(2)


def measure(binaries: list[str], plots: int, pictures: int, rounds: int, server: dict | None, base: pathlib.Path) -> dict[str, dict]:
    """Returns the times of each program."""
    many, found = base / "pictures", {b: {} for b in binaries}
    if not many.exists():
        subprocess.run([os.environ["PLENTY"], "pictures", many, str(pictures)], check=True)
    hand, eye = Hand(), Eye()
    for n in range(rounds):
        for i, binary in enumerate(binaries):
            home = base / f"easel{i}"
            if not (home / "data").exists():
                home.mkdir(parents=True)
                if i:
                    shutil.copytree(base / "easel0/data/library", home / "data/library", copy_function=shutil.copy2)
                else:
                    subprocess.run([os.environ["PLENTY"], "library", home / "data/library", str(plots)], check=True)
            p = Plenty(home, binary, hand, eye, server)
            p.start()
            try:
                if n == 0:
                    indexed(p.easel)
                for part in (*([p.plots] if server else []), p.keys, p.scroll, p.search, p.filter, lambda: p.folder(str(many))):
                    part()
                p.took("resident memory", p.most)
            finally:
                p.easel.close()
                print(n, os.path.basename(binary), {k: [round(t) for t in v] for k, v in p.times.items()}, file=sys.stderr, flush=True)
            for what, times in p.times.items():
                found[binary].setdefault(what, []).extend(times)
    hand.close()
    return found


def indexed(easel: Easel):
    """Waits until Easel has nothing more to do: it indexes the code of the plots."""
    ticks = lambda: sum(map(int, pathlib.Path(f"/proc/{easel.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
    while True:
        before = ticks()
        time.sleep(3)
        if ticks() - before < 30:
            return


def rows(table: Table, found: dict[str, dict], name=lambda binary: "easel"):
    for what in next(iter(found.values())):
        medians = {name(b): statistics.median(times[what]) for b, times in found.items()}
        last = list(medians.values())[-1]
        goal, unit = None, "ms"
        if what == "resident memory":
            goal, unit = ("≤ 380", last <= 380), "MiB"
        elif what in ("drag", "wheel, 100 notches a second"):
            goal, unit = ("≥ 60", last >= 60), "/s"
        elif what.startswith("wheel") and "stand" not in what:
            unit = "/s"
        elif GOALS.get(what):
            goal = (f"≤ {GOALS[what]}", last <= GOALS[what])
        worst = max(list(found.values())[-1][what]) if unit != "/s" else min(list(found.values())[-1][what])
        table.row(what, medians, goal, unit, note=f"worst {worst:.0f}")


def main():
    numbers = [int(x) for x in sys.argv[1:]]
    plots, pictures, rounds = (numbers + [50_000, 118_000, 3][len(numbers) :])[:3]
    binaries = os.environ["EASEL_TEST_BINARY"].split(",")
    table = Table()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        base = pathlib.Path(os.environ.get("PLENTY_BASE", base))
        server = json.loads(os.environ.get("PLENTY_SERVER", "null"))
        rows(table, measure(binaries, plots, pictures, rounds, server, base), os.path.basename)
    table.summary()


if __name__ == "__main__":
    main()
