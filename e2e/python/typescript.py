"""The client of the official TypeScript SDK, in a Node.js process (scripts/node-env)."""

import asyncio
import contextlib
import json
import os
import pathlib

NODE = os.environ.get("EASEL_TEST_NODE", "")
SCRIPT = pathlib.Path(__file__).parent.parent / "node" / "client.mjs"


class TypeScript:
    def __init__(self, process: asyncio.subprocess.Process):
        self.process = process

    async def call(self, name: str, **arguments) -> float:
        """Calls a tool and returns its duration in ms, measured by the client."""
        self.process.stdin.write(json.dumps({"name": name, "arguments": arguments}).encode() + b"\n")
        answer = json.loads(await self.process.stdout.readline())
        assert "error" not in answer, answer
        return answer["took"]


@contextlib.asynccontextmanager
async def open_typescript(url: str, token: str):
    """Yields a connected client, or None if there is no Node.js."""
    if not NODE:
        yield None
        return
    process = await asyncio.create_subprocess_exec(  # in this directory, where it finds the SDK
        f"{NODE}/bin/node", "--input-type=module", "--eval", SCRIPT.read_text(), url, token,
        cwd=NODE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)  # fmt: skip
    try:
        assert await process.stdout.readline() == b"{}\n"
        yield TypeScript(process)
    finally:
        process.stdin.close()
        await process.wait()
