"""Tests three real Jupyter servers at once: the default one, one that the user has added, and
one that Easel has found. One crashes and restarts, and one is stopped."""

import json

import anyio
import pytest
from assistant import ENDED, connect
from servers import Easel, Jupyter, stop, wait_until

BUSY = "print('begun', flush=True)\nimport time\ntime.sleep(3600)"


@pytest.fixture(scope="module")
def jupyters(tmp_path_factory):
    three = {name: Jupyter(tmp_path_factory.mktemp(name)) for name in ("jupyter", "mine", "found")}
    yield three
    for j in three.values():
        j.close()


@pytest.fixture(scope="module")
def easel(tmp_path_factory, jupyters):
    app = Easel.prepare(tmp_path_factory.mktemp("easel"), jupyters["jupyter"], JUPYTER_RUNTIME_DIR=jupyters["found"].env["JUPYTER_RUNTIME_DIR"])
    app.data.mkdir()
    mine = jupyters["mine"]
    (app.data / "servers.json").write_text(json.dumps([{"name": "mine", "url": mine.url, "token": mine.token}]))
    app.launch()
    yield app
    assert app.close() == 0


def states(easel) -> dict:
    """Returns the state of each server by name."""
    return {s["name"]: s["state"] for s in easel.request("GET", "/api/health")[2]["servers"]}


def become(easel, **wanted):
    """Waits until there are exactly these servers, in these states."""
    wanted = {k.replace("_", "-"): v for k, v in wanted.items()}
    wait_until(f"{wanted}", lambda: states(easel) == wanted)


async def listed(a, easel) -> dict:
    """Returns the sessions by id, and checks that they are the same over MCP and REST."""
    by_mcp = {s["session_id"]: s for s in (await a.ok("session_list"))["sessions"]}
    several = len({s["server"] for s in by_mcp.values() if "server" in s}) > 1
    status, _, body = easel.request("GET", "/api/info/session_list")
    assert status == 200
    by_rest = {s["session_id"]: s for s in body["sessions"]}
    assert by_mcp.keys() == by_rest.keys()
    if several:
        assert {i: s["server"] for i, s in by_mcp.items()} == {i: s["server"] for i, s in by_rest.items()}
    return by_rest


async def begun(a, session: str) -> dict:
    e = (await a.run(session, BUSY, wait=0)).data
    while e["stdout"] != "begun\n":
        assert e["status"] not in ENDED, e
        e = (await a.call("get_execution", execution_id=e["execution_id"], wait=0.2)).data
    return e


async def becomes(a, session: str, status: str | None):
    """Waits until a session has this status, or, if it is None, is not listed."""
    with anyio.fail_after(180):
        while True:
            s = (await a.ok("session_list"))["sessions"]
            if next((x["status"] for x in s if x["session_id"] == session), None) == status:
                return
            await anyio.sleep(0.05)


async def test_three_servers(easel, jupyters):
    found = f"local-{jupyters['found'].port}"
    key = found.replace("-", "_")
    become(easel, jupyter="ready", mine="ready", **{key: "ready"})
    async with connect(easel) as a:
        servers = {"jupyter": "jupyter", "mine": "mine", found: "found"}
        sessions = {name: await a.session(server=name) for name in servers}
        for name, session in sessions.items():
            # Each session is on its server: it has that server's files.
            e = (await a.run(session, "import os; os.getcwd()")).data
            assert e["result"] == repr(str(jupyters[servers[name]].root)), name
        assert {i: s["server"] for i, s in (await listed(a, easel)).items()} == {i: name for name, i in sessions.items()}
        busy = {name: await begun(a, session) for name, session in sessions.items()}

        # One crashes. The others are not affected, and its state says so.
        jupyters["mine"].kill()
        become(easel, jupyter="ready", mine="unreachable", **{key: "ready"})
        await becomes(a, sessions["mine"], "disconnected")
        now = await listed(a, easel)
        assert [now[sessions[name]]["status"] for name in ("jupyter", found)] == ["busy", "busy"]
        error = (await a.call("session_create", server="mine")).error
        assert error["code"] == "JUPYTER_UNREACHABLE" and '"mine"' in error["message"], error

        # It restarts without its kernels. What ran there has ended, with its output.
        assert jupyters["mine"].launch(jupyters["mine"].port)
        fresh = await a.session(server="mine")  # immediately
        e = await a.to_end(busy["mine"])
        assert (e["status"], e["stdout"], e["error"]["code"]) == ("kernel_died", "begun\n", "KERNEL_DIED")
        await becomes(a, sessions["mine"], None)
        assert (await listed(a, easel))[fresh]["server"] == "mine"
        become(easel, jupyter="ready", mine="ready", **{key: "ready"})

        # The user stops one. It is no longer listed.
        assert stop(jupyters["found"].process, 180) == 0
        become(easel, jupyter="ready", mine="ready")
        e = await a.to_end(busy[found])
        # Its last status, or lost if that did not arrive before the server was removed.
        assert e["status"] in ("kernel_died", "interrupted", "lost") and e["stdout"] == "begun\n", e
        await becomes(a, sessions[found], None)
        assert (await a.call("session_create", server=found)).error["code"] == "SERVER_NOT_FOUND"

        # What runs on the first one was never affected.
        e = (await a.call("get_execution", execution_id=busy["jupyter"]["execution_id"])).data
        assert (e["status"], e["stdout"]) == ("running", "begun\n")
        await a.ok("session_interrupt", session_id=sessions["jupyter"])
        assert (await a.to_end(e))["status"] == "interrupted"
        assert (await a.run(sessions["jupyter"], "6 * 7")).data["result"] == "42"

    log = "".join(p.read_text() for p in easel.data.rglob("*.log*"))
    assert log and jupyters["mine"].token not in log
