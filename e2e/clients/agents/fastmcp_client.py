"""A client with FastMCP, over HTTP or through a stdio program. Each line of standard input is a
call, {"tool", "arguments"}, or {"cancel"}, which cancels the previous call."""

import asyncio
import json
import os
import sys

import setting
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


def transport():
    if command := json.loads(os.environ.get("EASEL_MCP_COMMAND", "[]")):
        return StdioTransport(command[0], command[1:], env=dict(os.environ))
    return StreamableHttpTransport(setting.MCP, headers=setting.HEADERS)


def told(result) -> dict:
    texts = [c.text for c in result.content if c.type == "text"]
    return {"text": "\n".join(texts), "pictures": [c.data for c in result.content if c.type == "image"]}


async def lines():
    """Yields the lines of standard input, without a thread that would outlive the loop."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield json.loads(line)


async def agent():
    async with Client(transport()) as client:
        tools = [t.name for t in await client.list_tools()]
        print(json.dumps({"tools": tools, "instructions": client.instructions or ""}), flush=True)
        call = None

        async def answer(order):
            try:
                said = told(await client.call_tool(order["tool"], order["arguments"], raise_on_error=False))
            except asyncio.CancelledError:
                said = {"text": "cancelled", "pictures": []}
            print(json.dumps(said), flush=True)

        async for order in lines():
            if "cancel" in order:
                call.cancel()
            else:
                call = asyncio.create_task(answer(order))


setting.main(agent, None)
