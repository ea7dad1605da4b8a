"""Draws a plot with a program of Easel's, as a client of it would, and checks the picture:

    uv run --no-project --with mcp==2.3.0 --with pillow==13.0.0 e2e/dist/first_plot.py COMMAND [ARGUMENT...]

The command serves MCP over its standard input and output: `easel mcp`, or `uvx easel-mcp`. The workflows run this on systems that
have none of the tests' tools. Easel gets a directory of its own, and ends at the end.
"""

import asyncio
import base64
import io
import json
import os
import pathlib
import signal
import sys
import tempfile
import time

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client
from PIL import Image

CODE = "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9]); plt.title('the first plot'); plt.show()"
TIMEOUT = 900  # seconds: the first start downloads Python's packages


async def draw(command: list[str], data: pathlib.Path):
    environment = os.environ | {"EASEL_DATA_DIR": str(data / "easel"), "EASEL_ROOT_DIR": str(data), "EASEL_PORT": "5249"}
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment)
    end = time.monotonic() + TIMEOUT
    async with mcp.Client(stdio_client(parameters)) as client:
        while True:
            made = await client.call_tool("session_create", {})
            if not made.is_error:
                break
            assert time.monotonic() < end and "JUPYTER_STARTING" in made.content[0].text, made.content[0].text
            await asyncio.sleep(1)
        session = json.loads(made.content[0].text)["session_id"]
        answer = await client.call_tool("execute_code", {"session_id": session, "code": CODE})
        pictures = [base64.b64decode(c.data) for c in answer.content if c.type == "image"]
        assert pictures, [c.text for c in answer.content if c.type == "text"]
        picture = Image.open(io.BytesIO(pictures[0])).convert("RGB")
        assert len(picture.getcolors(1 << 24)) > 10, "the plot is empty"
        print(f"{picture.width} x {picture.height} pixels from {client.server_info.name} {client.server_info.version}")


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        data = pathlib.Path(directory).resolve()
        try:
            asyncio.run(draw(sys.argv[1:], data))
        finally:
            runtime = data / "easel" / "easel.json"
            if runtime.exists():
                os.kill(json.loads(runtime.read_text())["pid"], signal.SIGTERM)  # on Windows, this ends it at once
            end = time.monotonic() + 60
            while os.name != "nt" and runtime.exists() and time.monotonic() < end:
                time.sleep(0.1)


if __name__ == "__main__":
    main()
