"""Tests a server of a real JupyterHub."""

import json
import pathlib

import pytest
from assistant import ENDED, connect
from servers import Easel, wait_until


@pytest.fixture(scope="module")
def easel(tmp_path_factory, hub):
    """An Easel whose default server is the user's at the hub. Two more servers have an invalid token."""
    expired = hub.new_token(expires_in=1)
    wait_until("the end of a token", lambda: not hub.knows(expired))
    base = tmp_path_factory.mktemp("easel")
    (base / "data").mkdir()
    servers = [{"name": name, "url": hub.server, "token": token} for name, token in [("expired", expired), ("mistyped", "no-token")]]
    (base / "data" / "servers.json").write_text(json.dumps(servers))
    app = Easel.start(base, EASEL_JUPYTER_URL=hub.server, EASEL_JUPYTER_TOKEN=hub.new_token(note="Easel"))
    yield app
    assert app.close() == 0


async def test_a_session_below_the_hub(easel, hub):
    async with connect(easel) as a:
        session = await a.session(notebook_path="hub.ipynb")
        answer = await a.run(session, "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]); plt.show()\nimport os; os.environ['JUPYTERHUB_USER']", images="inline")
        assert (answer.data["status"], answer.data["result"], len(answer.pictures)) == ("ok", "'ann'", 1)
        assert (hub.base / "ann" / "hub.ipynb").exists()
        [s] = (await a.ok("session_list"))["sessions"]
        assert (s["session_id"], s["owner"], s["notebook_path"]) == (session, "easel", "hub.ipynb")
        assert (await a.ok("session_connect", notebook_path="hub.ipynb"))["session_id"] == session
        await a.ok("session_delete", session_id=session)


@pytest.mark.parametrize("server", ["expired", "mistyped"])
async def test_a_token_that_the_hub_refuses(easel, hub, server):
    async with connect(easel) as a:
        for call in (a.call("session_create", server=server), a.call("session_connect", server=server, notebook_path="hub.ipynb")):
            error = (await call).error
            assert error["code"] == "JUPYTER_AUTH_FAILED"
            assert server in error["message"] and "token" in error["message"] and hub.server.rstrip("/") in error["message"]
            assert "token" in error["hint"]


async def test_the_users_server_is_stopped_and_started_again(easel, hub):
    async with connect(easel) as a:
        session = await a.session()
        running = (await a.run(session, "import time\nprint('begun', flush=True)\ntime.sleep(3600)", wait=0)).data
        while running["stdout"] != "begun\n":
            assert running["status"] not in ENDED, running
            running = (await a.call("get_execution", execution_id=running["execution_id"], wait=0.2)).data
        hub.stop_server()

        for call in (a.call("session_create"), a.call("session_connect", notebook_path="hub.ipynb")):
            error = (await call).error
            assert error["code"] == "JUPYTER_UNREACHABLE"
            assert "is not running" in error["message"] and "start it there" in error["message"], error

        hub.start_server()
        # Immediately, without waiting for the next attempt to connect.
        fresh = await a.session()
        assert (await a.run(fresh, "6 * 7")).data["result"] == "42"
        # The hub has ended the kernel. The execution says so, and has its output.
        e = await a.to_end(running)
        assert (e["status"], e["stdout"]) == ("kernel_died", "begun\n")
        assert [s["session_id"] for s in (await a.ok("session_list"))["sessions"]] == [fresh]


async def test_no_token_is_told_or_logged(easel, hub):
    assert hub.server.rstrip("/") == easel.request("GET", "/api/health")[2]["servers"][0]["url"]
    log = "".join(p.read_text() for p in pathlib.Path(easel.data).rglob("*.log*"))
    assert log and easel.env["EASEL_JUPYTER_TOKEN"] not in log and "no-token" not in log
