"""The most widely used other MCP server for Jupyter, for comparison with Easel:
jupyter-mcp-server by Datalayer, with its defaults, over the same transport and with the same
official client."""

import contextlib
import os
import pathlib
import socket
import subprocess

import httpx2
import mcp
from mcp.client.streamable_http import streamable_http_client
from servers import clean_environment, free_port, stop, wait_until

# The interpreter of its environment (scripts/gateway-env peer).
PYTHON = os.environ.get("EASEL_BENCH_PEER", "")


class Peer:
    def __init__(self, client: mcp.Client, process: subprocess.Popen):
        self.client, self.process = client, process

    async def open(self):
        """Opens its own notebook. With the id of a kernel, it would reconnect for each call, which takes 10 s."""
        await self.call("use_notebook", notebook_name="bench", notebook_path="peer.ipynb", mode="create")
        return self

    async def run(self, code: str):
        """Runs code in the notebook's kernel and returns the result."""
        return await self.call("execute_code", code=code)

    async def call(self, tool: str, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result

    def memory(self) -> float:
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
        return 0

    async def listing(self) -> int:
        """Returns the number of characters of its tools in a model's context."""
        return len((await self.client.list_tools()).model_dump_json(by_alias=True, exclude_none=True))


@contextlib.asynccontextmanager
async def open_peer(base: pathlib.Path, url: str, token: str):
    """Yields the peer with a Jupyter server, or None if it is not installed."""
    if not PYTHON:
        yield None
        return
    base.mkdir(parents=True, exist_ok=True)
    port, own = free_port(), "peer-token"
    url = url.rstrip("/")  # the peer adds a slash
    command = [
        pathlib.Path(PYTHON).parent / "jupyter-mcp-server", "start", "--transport=streamable-http", f"--port={port}", f"--mcp-token={own}",
        f"--code-sandbox-url={url}", f"--code-sandbox-token={token}", f"--document-url={url}", f"--document-token={token}",
    ]  # fmt: skip
    with open(base / "peer.log", "wb") as log:
        process = subprocess.Popen(command, env=clean_environment(base), cwd=base, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        wait_until("the peer's start", lambda: listens(port, process), 180)
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {own}"}, timeout=httpx2.Timeout(30, read=300)) as http:
            async with mcp.Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), mode="legacy") as client:
                yield await Peer(client, process).open()
    finally:
        stop(process)


def listens(port: int, process: subprocess.Popen) -> bool:
    assert process.poll() is None, "the peer ended"
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False
