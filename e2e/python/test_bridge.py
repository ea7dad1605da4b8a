"""Tests `easel mcp`: MCP over stdio, for clients without HTTP."""

import contextlib
import json
import os
import pathlib
import signal

import mcp
import mcp_types
import pytest
from assistant import Assistant
from mcp.client.extension import advertise
from mcp.client.stdio import StdioServerParameters, stdio_client
from servers import BINARY, clean_environment, free_port, wait_until


@contextlib.asynccontextmanager
async def bridge(env: dict, log: pathlib.Path, *args: str, mode: str = "auto", **client):
    parameters = StdioServerParameters(command=BINARY, args=["mcp", *args], env=env)
    with open(log, "a") as errors:
        info = mcp_types.Implementation(name="bridged-client", version="9")
        async with mcp.Client(stdio_client(parameters, errlog=errors), mode=mode, client_info=info, **client) as c:
            yield Assistant(c)


async def test_the_bridge_reaches_the_running_easel(easel, era, tmp_path):
    async with bridge(easel.env, tmp_path / "log", mode=era) as a:
        made = await a.ok("session_create")
        answer = await a.run(made["session_id"], "import matplotlib.pyplot as plt\nplt.plot([1]); plt.show()\nkept = 'kept'", images="inline")
        assert len(answer.pictures) == 1
        uri = answer.data["images"][0]["resource_uri"]
        assert (await a.client.read_resource(uri)).contents[0].mime_type == "image/png"
        # Errors look the same through the bridge.
        assert (await a.call("execute_code", session_id=made["session_id"])).error["code"] == "VALIDATION_ERROR"

    # The bridge owns no kernel, so closing it loses nothing.
    status, _, e = easel.execute("execute_code", session_id=made["session_id"], code="kept")
    assert (status, e["result"]) == (200, "'kept'")
    # It forwards the client's name.
    assert "bridged-client" in json.dumps(easel.request("GET", "/api/resources/history")[2])
    easel.execute("session_delete", session_id=made["session_id"])


async def test_the_tools_are_the_same_through_it(easel, modern, tmp_path):
    async with bridge(easel.env, tmp_path / "log") as a:
        through = {t.name: t.model_dump() for t in (await a.client.list_tools()).tools}
    direct = {t.name: t.model_dump() for t in (await modern.client.list_tools()).tools}
    assert through == direct


async def test_it_tells_easel_that_its_client_renders_pages(easel, each_era, tmp_path):
    renders = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
    async with bridge(easel.env, tmp_path / "log", mode=each_era, extensions=[renders]) as a:
        [run] = [t for t in (await a.client.list_tools()).tools if t.name == "execute_code"]
        assert "<!doctype html>" in (await a.client.read_resource(run.meta["ui"]["resourceUri"])).contents[0].text


async def test_toolsets_narrow_the_list(easel, tmp_path):
    async with bridge(easel.env, tmp_path / "log", "--toolsets", "jupyter") as a:
        names = {t.name for t in (await a.client.list_tools()).tools}
    assert "execute_code" in names
    assert not names & {"open_folder", "notebook_create"}


async def test_it_starts_easel_when_none_runs(tmp_path, jupyter):
    env = clean_environment(tmp_path) | {
        "EASEL_DATA_DIR": str(tmp_path / "data"), "EASEL_ROOT_DIR": str(tmp_path / "root"), "EASEL_PORT": str(free_port()),
        "EASEL_JUPYTER_URL": jupyter.url, "EASEL_JUPYTER_TOKEN": jupyter.token,
    }  # fmt: skip
    runtime = tmp_path / "data" / "easel.json"
    try:
        async with bridge(env, tmp_path / "log") as a:
            session = await a.session()
            assert (await a.run(session, "6 * 7")).data["result"] == "42"
        # It keeps running without its bridge, like an app that the user has opened.
        pid = json.loads(runtime.read_text())["pid"]
        os.kill(pid, 0)
        async with bridge(env, tmp_path / "log") as a:
            assert (await a.run(session, "7 * 7")).data["result"] == "49"
            await a.ok("session_delete", session_id=session)
        assert json.loads(runtime.read_text())["pid"] == pid
    finally:
        if runtime.exists():
            os.kill(json.loads(runtime.read_text())["pid"], signal.SIGTERM)
            wait_until("Easel's end", lambda: not runtime.exists())


async def test_an_easel_that_cannot_start_is_an_error_and_no_hang(tmp_path):
    blocked = tmp_path / "data"
    blocked.write_text("a file where the data directory should be")
    env = clean_environment(tmp_path) | {"EASEL_DATA_DIR": str(blocked)}
    with pytest.raises((mcp.MCPError, ExceptionGroup, OSError)):
        async with bridge(env, tmp_path / "log") as a:
            await a.call("session_list")
    assert (tmp_path / "log").read_text().strip()
