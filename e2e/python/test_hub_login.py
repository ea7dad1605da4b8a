"""Tests an expired login: the user's token at a real JupyterHub is revoked during a session,
and replaced by a new one."""

import contextlib
import json
import urllib.parse

import pytest
from assistant import ENDED, connect
from relay import Relay
from servers import Easel

# Prints each word once a file with that name exists.
WORDS = """
import os, time
print('begun', flush=True)
for word in ('one', 'two'):
    while not os.path.exists(word): time.sleep(0.01)
    print(word, flush=True)
x + 1
"""


@pytest.fixture
def relay(hub):
    """A relay to the hub that can break connections."""
    r = Relay(urllib.parse.urlsplit(hub.url).port)
    r.url = hub.server.replace(hub.url, f"http://127.0.0.1:{r.port}")
    yield r
    r.close()


@contextlib.contextmanager
def running(easel: Easel):
    easel.launch()
    try:
        yield
    finally:
        assert easel.close() == 0


def refused(answer, server: str):
    error = answer.error
    assert error["code"] == "JUPYTER_AUTH_FAILED", error
    assert f'"{server}"' in error["message"] and "expired" in error["message"], error
    assert "Settings" in error["hint"] and "token" in error["hint"], error


async def follow(a, execution: dict, enough):
    """Waits until an execution fulfils a condition."""
    while not enough(execution):
        assert execution["status"] not in ENDED, execution
        execution = (await a.call("get_execution", execution_id=execution["execution_id"], wait=0.2)).data
    return execution


async def status_of(a, session: str) -> tuple[str, int]:
    [s] = [s for s in a.rest("session_list")["sessions"] if s["session_id"] == session]
    return s["status"], s["generation"]


async def test_a_token_is_revoked_while_code_runs(hub, relay, tmp_path):
    token = hub.new_token()
    easel = Easel.prepare(tmp_path, EASEL_JUPYTER_URL=hub.server, EASEL_JUPYTER_TOKEN=hub.new_token())
    kept = easel.data / "servers.json"

    def keep(token):
        kept.write_text(json.dumps([{"name": "work", "url": relay.url, "token": token}]))

    easel.data.mkdir()
    keep(token)
    with running(easel):
        async with connect(easel) as a:
            session = await a.session(server="work")
            await a.run(session, "x = 41")
            e = (await a.run(session, WORDS, wait=0)).data
            e = await follow(a, e, lambda e: e["stdout"] == "begun\n")
            hub.revoke(token)

            # The open connection remains usable: the kernel's output still arrives.
            (hub.base / "ann" / "one").touch()
            e = await follow(a, e, lambda e: e["stdout"] == "begun\none\n")
            # Calls that need the login fail, and say what to do.
            refused(await a.call("session_create", server="work"), "work")
            refused(await a.call("session_interrupt", session_id=session), "work")
            refused(await a.call("session_restart", session_id=session), "work")
            assert await status_of(a, session) == ("busy", 1)

            # After the connection breaks, Easel cannot reconnect without a login.
            relay.cut()
            while (await status_of(a, session))[0] != "disconnected":
                pass
            while not (answer := await a.run(session, "x", wait=0)).failed:
                await a.call("get_execution", execution_id=answer.data["execution_id"], wait=0.2)
            refused(answer, "work")
            (hub.base / "ann" / "two").touch()
            health = {s["name"]: s for s in easel.request("GET", "/api/health")[2]["servers"]}
            assert (health["work"]["state"], health["jupyter"]["state"]) == ("unauthorized", "ready")

            keep(hub.new_token())  # as a user without a window does
            e = await a.to_end(e)
            assert (e["status"], e["stdout"], e["result"]) == ("ok", "begun\none\ntwo\n", "42")
            [t] = e["truncated"]  # nothing is missing here, but Easel cannot know that and says so
            assert "connection" in t["reason"]
            assert (await a.run(session, "x")).data["result"] == "41"
            assert await status_of(a, session) == ("idle", 1)
            await a.ok("session_delete", session_id=session)


@pytest.mark.nightly
async def test_easel_is_started_again_with_a_new_token(hub, tmp_path):
    token = hub.new_token()
    easel = Easel.prepare(tmp_path, EASEL_JUPYTER_URL=hub.server, EASEL_JUPYTER_TOKEN=token)
    with running(easel):
        async with connect(easel) as a:
            session = await a.session()
            await a.run(session, "x = 41")
            hub.revoke(token)
            refused(await a.call("session_create"), "jupyter")
    easel.env["EASEL_JUPYTER_TOKEN"] = hub.new_token()
    with running(easel):
        async with connect(easel) as a:
            assert (await a.run(session, "x + 1")).data["result"] == "42"
            assert await status_of(a, session) == ("idle", 1)
            await a.ok("session_delete", session_id=session)
