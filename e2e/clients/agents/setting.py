"""What an agent is told by who starts it (programs.py), and how it begins."""

import asyncio
import json
import os
import sys

MCP = os.environ["EASEL_MCP"]
HEADERS = {"Authorization": f"Bearer {os.environ['EASEL_MCP_TOKEN']}"}
MODEL = os.environ.get("FAKE_MODEL", "http://127.0.0.1:9")
PROMPT = os.environ.get("FAKE_PROMPT", "")


def accepted(tools, convert) -> None:
    """Prints which tools a converter takes, and why it refuses the others."""
    refused = {}
    for tool in tools:
        try:
            convert(tool)
        except Exception as e:
            refused[tool.name] = f"{type(e).__name__}: {e}"
    print(json.dumps({"accepted": len(tools) - len(refused), "refused": refused}))


def main(agent, convert) -> None:
    """Runs the agent, or with the argument convert only takes in the tools."""
    asyncio.run((convert if sys.argv[1:] == ["convert"] else agent)())
