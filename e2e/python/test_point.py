"""A user who points at a part of a plot with the mouse, and asks about it."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess

import pytest
from assistant import connect
from PIL import Image
from servers import Easel, wait_until

DISPLAY = pathlib.Path(__file__).resolve().parents[2] / "scripts/display"
KEPT = "'easel_figures' in __import__('sys').modules"
# Axes that fill the picture: a fraction of it is a fraction of the limits.
PLOT = """
%config InlineBackend.print_figure_kwargs = {'bbox_inches': None}
import matplotlib.pyplot as plt
fig = plt.figure()
ax = fig.add_axes((0, 0, 1, 1), xlim=(0, 10), ylim=(-1, 1), title='Damped')
ax.plot([0, 10], [1, -1])
plt.show()
"""
WORDS = "Why does it fall here"

pytestmark = pytest.mark.skipif(not shutil.which("xdotool") or not shutil.which("Xvfb"), reason="needs xdotool and Xvfb")


@contextlib.contextmanager
def display(base: pathlib.Path):
    """Yields the environment of a display of its own."""
    told, stay = base / "environment", base / "stay"
    os.mkfifo(stay)
    command = 'printf "%s\\n%s\\n" "$DISPLAY" "$DBUS_SESSION_BUS_ADDRESS" >"$1.new" && mv "$1.new" "$1" && read -r _ <"$2"'
    process = subprocess.Popen([str(DISPLAY), "bash", "-c", command, "bash", str(told), str(stay)])
    try:
        wait_until("the display", told.exists)
        number, bus = told.read_text().splitlines()
        yield {"DISPLAY": number, "DBUS_SESSION_BUS_ADDRESS": bus, "LIBGL_ALWAYS_SOFTWARE": "1", "EASEL_HEADLESS": ""}
    finally:
        stay.write_text("\n")
        process.wait(60)


class Desk:
    """A user in front of Easel's window."""

    def __init__(self, easel: Easel, inspect: pathlib.Path):
        self.easel, self.inspect = easel, inspect

    def claim(self) -> dict:
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(str(self.inspect))
            return json.loads(s.makefile().read())

    def large(self) -> list[float] | None:
        """Returns where the viewer shows its picture, once nothing moves any more."""
        with contextlib.suppress(OSError, ValueError):
            claim = self.claim()
            if claim["settled"] and not claim["covered"]:
                return next((p["rect"] for p in claim["pictures"] if p["place"] == "viewer"), None)
        return None

    def do(self, *command: str) -> str:
        env = self.easel.env | {"PATH": os.environ["PATH"]}
        return subprocess.run(["xdotool", *command], env=env, check=True, stdout=subprocess.PIPE, text=True).stdout

    def click(self, x: int, y: int):
        """Clicks at a place of the window, in pixels."""
        window = self.do("search", "--onlyvisible", "--name", "^Easel").split()[-1]
        self.do("mousemove", "--window", window, str(x), str(y), "click", "1")

    def drag(self, x0: float, y0: float, x1: float, y1: float, key: str):
        """Drags over the picture while a key is held down. Positions are fractions of the picture."""
        x, y, w, h = wait_until("the picture in the viewer", self.large)
        window = self.do("search", "--onlyvisible", "--name", "^Easel").split()[-1]
        at = lambda fx, fy: ("--window", window, str(round(x + fx * w)), str(round(y + fy * h)))
        self.do("mousemove", *at(x0, y0), "keydown", key, "mousedown", "1")
        for i in range(1, 11):
            self.do("mousemove", *at(x0 + (x1 - x0) * i / 10, y0 + (y1 - y0) * i / 10))
        self.do("mouseup", "1", "keyup", key)

    def shot(self, name: str):
        """Keeps the screen for a developer."""
        if folder := os.environ.get("EASEL_TEST_SHOTS"):
            subprocess.run(["import", "-window", "root", f"{folder}/{name}.png"], env=self.easel.env | {"PATH": os.environ["PATH"]}, check=True)


@pytest.fixture
def desk(tmp_path, jupyter, request):
    with display(tmp_path) as env:
        inspect = tmp_path / "inspect"
        easel = Easel.prepare(tmp_path / "easel", jupyter, EASEL_INSPECT=str(inspect), **env)
        easel.data.mkdir(parents=True)
        easel.data.joinpath("settings.json").write_text(json.dumps({"keep_their_figures": True} | getattr(request, "param", {})))
        easel.spawn()
        try:
            wait_until("Easel's start", easel.ready)
            wait_until("the window", lambda: easel.request("GET", "/api/health")[2]["window"] == "shown")
            yield Desk(easel, inspect)
        finally:
            assert easel.close() == 0


# The frame's own order is not that of its prices.
FRAME = """
import pandas as pd
sales = pd.DataFrame({'price': [3.5, -1.25, 2.0, 7.0], 'region': ['north', 'south', 'east', 'west']}, index=['a', 'b', 'c', 'd'])
"""


@pytest.mark.parametrize("desk", [{"layout": {"dock": "shown", "dock_tab": 1}}], indirect=True)
async def test_a_question_about_a_cell(desk):
    """A user opens a frame, sorts it and asks about a cell. The question survives a restart."""
    easel = desk.easel

    def ask(seconds: float = 180):
        """Asks about the current cell, once there is one."""
        wait_until("the dialog", lambda: desk.do("key", "q") or desk.claim()["covered"], seconds, pause=0.5)
        desk.do("key", "ctrl+a")  # what q has typed meanwhile
        desk.do("type", "--delay", "20", WORDS)
        desk.shot("cell")
        desk.do("key", "ctrl+Return")
        wait_until("the question to be sent", lambda: not desk.claim()["covered"])

    async with connect(easel, name="worker") as a:
        session = await a.session()
        await a.run(session, FRAME)
        for _ in range(20):
            desk.click(285, 631)  # the only variable, as soon as it is listed
            with contextlib.suppress(TimeoutError):
                ask(10)
                break
        answer = await a.call("session_list")
        [question] = answer.read["questions_from_user"]
        assert question["question"] == WORDS and "variable sales" in question["region"]
        assert question["table"] == {
            "session_id": session, "variable": "sales", "type": "pandas.DataFrame", "shape": [4, 2], "column": "price", "column_number": 0,
            "dtype": "float64", "row": {"label": "a", "row_number": 0, "value": 3.5},
        }
        assert "questions_from_user" not in (await a.call("session_list")).read
        desk.click(110, 145)  # the head of the first column sorts by it
        for _ in range(20):  # until the kernel has sorted
            ask()
            [question] = (await a.call("session_list")).read["questions_from_user"]
            if question["table"]["row"]["label"] == "b":
                break
        assert question["table"]["row"] == {"label": "b", "row_number": 1, "value": -1.25}
        assert question["table"]["sort"] == [{"column": "price"}]
        ask()
    easel.process.send_signal(signal.SIGKILL)
    easel.process.wait()
    easel.spawn()
    wait_until("Easel's start", easel.ready)
    async with connect(easel, name="worker") as a:
        [question] = (await a.call("session_list")).read["questions_from_user"]
        assert question["table"]["row"] == {"label": "b", "row_number": 1, "value": -1.25}
        await a.call("session_delete", session_id=session, force=True)


async def test_a_question_about_a_part_of_a_plot(desk, tmp_path):
    easel = desk.easel
    async with connect(easel, name="worker") as a, connect(easel, name="other") as b:
        session = await a.session()
        while (await a.run(session, KEPT)).data["result"] != "True":
            pass
        [image] = (await a.run(session, PLOT)).data["images"]
        await a.ok("show_image_viewer", path=image["resource_uri"])
        # The selection is in the data's coordinates, and the crop has its pixels.
        selected = lambda: [f for f in b.rest("get_selected_files")["files"] if "region" in f]
        for seconds in (60, 180):  # Fyne joins the moves between two frames: of a drag within one, nothing is left
            desk.drag(0.3, 0.25, 0.42, 0.5, "shift")
            with contextlib.suppress(TimeoutError):
                [file] = wait_until("the region", selected, seconds)
                break
        else:
            pytest.fail("no region was selected")
        region = file["region"]
        [axes] = region["axes"]
        slack = 0.03
        assert axes["axes"] == 1 and axes["title"] == "Damped"
        assert axes["x"]["from"] == pytest.approx(3, abs=10 * slack) and axes["x"]["to"] == pytest.approx(4.2, abs=10 * slack)
        assert axes["y"]["from"] == pytest.approx(0, abs=2 * slack) and axes["y"]["to"] == pytest.approx(0.5, abs=2 * slack)
        assert region["fractions"] == pytest.approx([0.3, 0.25, 0.42, 0.5], abs=slack)
        assert f"x {axes['x']['from']}–{axes['x']['to']}" in region["text"]
        answer = await b.call("get_selected_files", include_images=True)
        whole, crop = (Image.open(io.BytesIO(p)) for p in answer.pictures)
        assert whole.size == (image["width"], image["height"]) and crop.size == (region["width"], region["height"])
        assert "questions_from_user" not in answer.read
        [crop] = (await b.call("get_image_resource", resource_uri=region["crop"])).pictures
        larger = Image.open(io.BytesIO(crop)).size  # the kernel draws it again
        assert larger[0] > 4 * region["width"] and larger[0] / larger[1] == pytest.approx(region["width"] / region["height"], rel=0.02)
        desk.shot("region")

        desk.do("key", "q")
        wait_until("the dialog", lambda: desk.claim()["covered"])
        desk.do("type", "--delay", "20", WORDS)
        desk.shot("question")
        desk.do("key", "ctrl+Return")
        wait_until("the question to be sent", lambda: not desk.claim()["covered"])

        # It is announced once, to the client that works in the session.
        assert "questions_from_user" not in (await b.call("session_list")).read
        assert "questions_from_user" not in a.rest("session_list")
        answer = await a.run(session, "1 + 1")
        [question] = answer.read["questions_from_user"]
        assert question == {
            "mark": 1, "question": WORDS, "plot": image["resource_uri"], "region": region["text"], "axes": region["axes"],
            "crop": region["crop"],
        }
        assert answer.read["result"] == "2"
        for client in a, b:
            assert "questions_from_user" not in (await client.call("session_list")).read
        desk.shot("announced")

        prompt = await a.client.get_prompt("ask_about_selection", {})
        text, *pictures = prompt.messages
        assert text.content.text.startswith(WORDS) and region["text"] in text.content.text and "ax.plot" in text.content.text
        assert [p.content.type for p in pictures] == ["image", "image"]

    easel.process.send_signal(signal.SIGKILL)
    easel.process.wait()
    easel.spawn()
    wait_until("Easel's start", easel.ready)
    async with connect(easel, name="worker") as a:
        assert "questions_from_user" not in (await a.call("session_list")).read
        await a.ok("select_file", path=image["resource_uri"])
        [file] = (await a.ok("get_selected_files"))["files"]
        assert [q["question"] for q in file["questions"]] == [WORDS]
        [kept] = a.rest("get_selected_files")["files"][0]["questions"]
        assert kept["announced_to"].startswith("worker") and kept["announced_at"]
        await a.call("session_delete", session_id=session, force=True)
