"""The programs for Windows: host, bridge, library and window, with a stock Jupyter."""

import contextlib
import os
import socket
import subprocess

import pytest
from onscreen import Screen
from servers import wait_until
from wine import HEADLESS, PROFILE, WINDOW, WINE, Easel, environment, run, windows

PLOT = "import matplotlib.pyplot as plt\nfig = plt.figure(facecolor='{0}'); fig.add_subplot(facecolor='{0}').plot([1, 3, 2]); plt.show()"


@pytest.fixture(scope="module")
def easel(jupyter):
    """The program with a window."""
    app = Easel(WINDOW, "window", EASEL_JUPYTER_URL=jupyter.url, EASEL_JUPYTER_TOKEN=jupyter.token).start()
    yield app
    app.kill()


@pytest.fixture(scope="module")
def plotted(easel):
    """The session and the URI of a plot, drawn by an assistant over REST."""
    session = easel.session()
    answer = easel.run(session, PLOT.format("#10a040"))
    assert answer["status"] == "ok", answer
    return session, answer["images"][0]["resource_uri"]


@pytest.mark.parametrize("program", [WINDOW, HEADLESS])
def test_output_reaches_a_pipe(program):
    done = run(program, "version")
    assert done.returncode == 0 and done.stdout.startswith("easel "), done
    bad = run(program, "--no-such-flag")
    assert bad.returncode == 2 and "no-such-flag" in bad.stderr, bad


def test_output_reaches_a_terminal(tmp_path):
    """From cmd.exe, a program with a window gets no streams."""
    batch = tmp_path / "batch.bat"
    batch.write_text(f"@echo off\r\nstart /wait {windows(WINDOW)} version\r\nstart /wait {windows(WINDOW)} --no-such-flag\r\n")
    typescript = tmp_path / "typescript"
    command = f"{WINE} run cmd.exe /c '{windows(batch)}'"
    subprocess.run(["script", "-qec", command, str(typescript)], env=environment(), check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    shown = typescript.read_text(errors="replace")
    assert "\neasel " in shown or "leasel " in shown, shown  # perhaps after a sequence that shows the cursor
    assert "unknown flag --no-such-flag" in shown, shown


@pytest.mark.parametrize("program", [WINDOW, HEADLESS])
def test_the_program_has_icon_version_and_manifest(program):
    raw = open(program, "rb").read()
    assert b"<activeCodePage" in raw and b"PerMonitorV2" in raw
    assert "FileDescription".encode("utf-16-le") in raw and "GLFW_ICON".encode("utf-16-le") in raw


def test_a_plot_appears_in_the_window(easel, plotted):
    screen = Screen(os.environ["EASEL_FRAMEBUFFER"])
    try:
        wait_until("the plot in the gallery", lambda: screen.shows((0x10, 0xA0, 0x40)), 120)
    finally:
        if target := os.environ.get("EASEL_TEST_SCREENSHOT"):
            subprocess.run(["import", "-window", "root", target], check=False)


async def test_the_bridge_reaches_it(easel, plotted):
    async with easel.bridge(WINDOW) as a:
        made = await a.ok("session_create")
        answer = await a.run(made["session_id"], PLOT.format("#a04010") + "\nprint('≥ 図')", images="inline")
        assert len(answer.pictures) == 1 and "≥ 図" in str(answer.data)
    assert easel.process.poll() is None


async def test_the_bridge_starts_easel_when_none_runs(jupyter):
    """As Claude Desktop does, which ends the bridge at its own end. Easel continues."""
    other = Easel(HEADLESS, "started", EASEL_JUPYTER_URL=jupyter.url, EASEL_JUPYTER_TOKEN=jupyter.token)
    other.folder.mkdir()
    async with other.bridge(HEADLESS) as a:
        made = await a.ok("session_create")
    assert other.execute("execute_code", session_id=made["session_id"], code="6*7")[2]["result"] == "42"
    done = run("taskkill", "/f", "/pid", str(other.runtime["pid"]))
    assert done.returncode == 0, done
    wait_until("the end of the file with its output", lambda: not list((PROFILE / "AppData/Local/Temp").glob("easel-*")), 60)


def test_files_are_in_the_users_own_directory(easel, plotted):
    assert (easel.data / "token").read_text().strip() == easel.runtime["token"]
    assert easel.data.stat().st_mode & 0o007 == 0, "others may read it"
    assert list((easel.data / "library/images").rglob("*.png"))
    assert f"runs at {easel.url}" in run(HEADLESS, "doctor", EASEL_DATA_DIR=easel.windows).stdout  # it reads the file there


def test_closing_the_window_leaves_the_tray_and_a_second_start_shows_it(easel):
    shown = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "^Easel$"], capture_output=True, text=True, timeout=60).stdout.split()
    subprocess.run(["xdotool", "windowactivate", "--sync", shown[0], "key", "alt+F4"], check=True, timeout=60)
    wait_until("the window's end", lambda: easel.health()["window"] == "hidden", 60)
    log = (easel.data / "logs/easel.log").read_text()
    assert "cannot show a notification" not in log, log
    done = run(WINDOW, EASEL_DATA_DIR=easel.windows)
    # go-winio makes a first instance of a pipe, which Windows keeps disconnected. Wine connects the first client to it.
    if "i/o timeout" in done.stderr:
        done = run(WINDOW, EASEL_DATA_DIR=easel.windows)
    assert done.returncode == 0 and "already runs" in done.stderr, done
    wait_until("the window", lambda: easel.health()["window"] == "shown", 60)


def test_a_taken_port(jupyter):
    with socket.socket() as s:
        with contextlib.suppress(OSError):  # somebody else may have it
            s.bind(("127.0.0.1", 5149))
            s.listen()
        other = Easel(HEADLESS, "port", EASEL_JUPYTER_URL=jupyter.url, EASEL_JUPYTER_TOKEN=jupyter.token)
        del other.env["EASEL_PORT"]
        try:
            other.start()
            assert other.runtime["port"] != 5149
        finally:
            other.kill()
        done = run(HEADLESS, "--port", "5149", EASEL_DATA_DIR=other.windows + "2", EASEL_JUPYTER_URL=jupyter.url)
        assert done.returncode == 1 and "--port" in done.stderr, done


def test_nothing_is_lost_when_it_is_killed(easel, plotted):
    session, uri = plotted
    easel.kill()
    easel.start()
    status, _, body = easel.request("GET", "/api/resources")
    assert status == 200 and uri in str(body), body
    wait_until("the session", lambda: easel.run(session, "plt.__name__")["status"] == "ok", 120)
