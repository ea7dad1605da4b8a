"""The official TypeScript SDK's client, in a Node.js beside us (scripts/node-env)."""

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
        """Calls a tool; gives how long that took, in ms, by the client's own clock."""
        self.process.stdin.write(json.dumps({"name": name, "arguments": arguments}).encode() + b"\n")
        answer = json.loads(await self.process.stdout.readline())
        assert "error" not in answer, answer
        return answer["took"]


@contextlib.asynccontextmanager
async def open_typescript(url: str, token: str):
    """A client that is connected; None if there is no Node.js."""
    if not NODE:
        yield None
        return
    process = await asyncio.create_subprocess_exec(  # from there, or it does not find the SDK
        f"{NODE}/bin/node", "--input-type=module", "--eval", SCRIPT.read_text(), url, token,
        cwd=NODE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)  # fmt: skip
    try:
        assert await process.stdout.readline() == b"{}\n"
        yield TypeScript(process)
    finally:
        process.stdin.close()
        await process.wait()
