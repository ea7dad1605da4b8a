"""Easel's own Jupyter under Windows, from the first start."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess

import pytest
from servers import wait_until
from wine import HEADLESS, WINE, Easel, environment, run, windows

PYTHON, CACHE = os.environ["EASEL_TEST_WINDOWS_PYTHON"], os.environ["EASEL_TEST_WINDOWS_CACHE"]
MODULES = pathlib.Path(__file__).resolve().parents[2] / "jupyter/managed/python"


@pytest.fixture(scope="module")
def easel(tmp_path_factory):
    # A numpy that needs no function of the C library that Wine has not, and a pandas for it.
    overrides = tmp_path_factory.mktemp("uv") / "overrides.txt"
    overrides.write_text("numpy==1.26.4\npandas==2.3.3\n")
    app = Easel(HEADLESS, "managed", EASEL_PYTHON=windows(PYTHON) + "\\python.exe", UV_OVERRIDE=windows(overrides), UV_CACHE_DIR=windows(CACHE))
    app.start()
    yield app
    app.kill()
    for log in sorted((app.data / "logs").glob("*.log")):  # pytest shows this with a failure
        print(log.name, log.read_text(errors="replace")[-4000:], sep="\n")


def managed(easel) -> dict:
    server = easel.health()["servers"][0]
    assert server["state"] != "failed", server
    return server


CHILD = """
import subprocess, sys, time
sys.path.insert(0, sys.argv[1])
import easel_job
job = easel_job.Job()
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[2]])
if sys.argv[3] == 'release':
    job.release()
print('ready', flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", ["keep", "release"])
def test_a_job_ends_with_the_process_that_made_it(how):
    program, marker = windows(PYTHON) + "\\python.exe", f"marker-{how}"
    parent = subprocess.Popen(
        [WINE, "run", program, "-c", CHILD, windows(MODULES), marker, how], env=environment(), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert "ready" in parent.stdout.readline()
    (child,) = processes("time.sleep(600)", marker) - processes("easel_job")
    parent.kill()
    parent.wait()
    if how == "keep":
        wait_until("the child's end", lambda: child not in processes(marker), 60)
    else:
        assert child in processes(marker)
        os.kill(int(child), signal.SIGKILL)


def test_the_first_start_and_all_after_it(easel):
    """One test, because the environment takes minutes."""
    wait_until("Jupyter", lambda: managed(easel)["state"] == "ready", 1200, pause=1)
    session = easel.session()
    answer = easel.run(session, "import sys, matplotlib.pyplot as plt\nplt.plot([1, 3, 2]); plt.show()\nkept = 42\nprint(sys.platform)")
    assert answer["status"] == "ok" and "win32" in answer["stdout"] and len(answer["images"]) == 1, answer

    # An interrupt, which is an event instead of a signal.
    started = easel.run(session, "import time\nwhile True: time.sleep(0.1)", wait=0)
    easel.execute("session_interrupt", session_id=session)
    ended = lambda: easel.request("GET", f"/api/info/execution?execution_id={started['execution_id']}")[2]["status"]  # noqa: E731
    wait_until("the interrupt", lambda: ended() == "interrupted", 60)

    # The next Easel takes over the server and its kernels.
    server = managed(easel)["url"]
    easel.kill()
    easel.start()
    wait_until("Jupyter", lambda: managed(easel)["state"] == "ready", 300, pause=1)
    assert managed(easel)["url"] == server
    assert easel.run(session, "kept")["result"] == "42"

    # Windows ends the kernels of a server that is killed, because they are in its job.
    assert kernels(), "the test would see no kernel"
    before = kernels()
    pid = json.loads((easel.data / "jupyter/server.json").read_text())["pid"]
    done = run("taskkill", "/f", "/pid", str(pid))
    assert done.returncode == 0, done
    wait_until("the end of the kernels", lambda: not before & kernels(), 60)
    wait_until("another server", lambda: managed(easel)["state"] == "ready" and easel.execute("session_create")[0] == 200, 300, pause=1)

    # Ctrl+C ends Easel. It asks the server to end, which ends its kernels cleanly.
    easel.process.send_signal(signal.SIGINT)
    assert easel.process.wait(120) == 0, easel.output
    assert not kernels()
    log = (easel.data / "logs/jupyter.log").read_text(errors="replace")
    assert "Shutting down" in log.splitlines()[-8:].__str__(), log[-2000:]


def kernels() -> set[str]:
    return processes("ipykernel_launcher", ":\\")  # under Wine


def processes(*words: str) -> set[str]:
    """Returns the processes of this room that have all words in their command lines."""
    found = set()
    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if all(w.encode() in line.read_bytes() for w in words):
                found.add(line.parent.name)
    return found
