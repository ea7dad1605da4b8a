"""Easel's own Jupyter under Windows, from the first start."""

import os

import pytest
from servers import http, wait_until
from wine import HEADLESS, Easel

PYTHON = os.environ["EASEL_TEST_WINDOWS_PYTHON"]


@pytest.fixture(scope="module")
def easel(tmp_path_factory):
    # A numpy that needs no function of the C library that Wine has not, and a pandas for it.
    overrides = tmp_path_factory.mktemp("uv") / "overrides.txt"
    overrides.write_text("numpy==1.26.4\npandas==2.3.3\n")
    app = Easel(HEADLESS, "managed", EASEL_PYTHON=windows(PYTHON) + "\\python.exe", UV_OVERRIDE=windows(overrides))
    app.start()
    yield app
    app.kill()


def windows(path) -> str:
    return "Z:" + str(path).replace("/", "\\")


def managed(easel) -> dict:
    server = easel.health()["servers"][0]
    assert server["state"] != "failed", server
    return server


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
    status, _, body = easel.execute("session_delete", session_id=session, force=True)
    assert status == 200, body
