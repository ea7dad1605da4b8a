"""The settings that an agent gets from programs.py, and its start."""

import asyncio
import json
import os
import signal
import sys

MCP = os.environ["EASEL_MCP"]
HEADERS = {"Authorization": f"Bearer {os.environ['EASEL_MCP_TOKEN']}"}
MODEL = os.environ.get("FAKE_MODEL", "http://127.0.0.1:9")
PROMPT = os.environ.get("FAKE_PROMPT", "")


def accepted(tools, convert) -> None:
    """Prints how many tools a converter accepts, and why it refuses the others."""
    refused = {}
    for tool in tools:
        try:
            convert(tool)
        except Exception as e:
            refused[tool.name] = f"{type(e).__name__}: {e}"
    print(json.dumps({"accepted": len(tools) - len(refused), "refused": refused}))


async def cancellable(work) -> None:
    """Awaits work. Ctrl-C cancels only the work, as in an application whose user cancels one
    answer."""
    task = asyncio.ensure_future(work)
    cancel = getattr(work, "cancel_run", None)  # of LlamaIndex
    cancelled = asyncio.Event()

    def interrupt():
        cancelled.set()
        return asyncio.ensure_future(cancel()) if cancel else task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupt)
    await asyncio.wait([task])
    if cancelled.is_set():
        await asyncio.Event().wait()  # until the parent ends this process
    task.result()


def main(agent, convert) -> None:
    """Runs the agent or, with the argument convert, only converts the tools."""
    asyncio.run((convert if sys.argv[1:] == ["convert"] else agent)())
