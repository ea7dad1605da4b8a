"""An assistant: the client of the official MCP SDK, and its results."""

import base64
import contextlib
import dataclasses
import json

import httpx2
import mcp
import mcp_types
from mcp.client.streamable_http import streamable_http_client

ENDED = {"ok", "error", "interrupted", "cancelled", "timeout", "kernel_died", "lost"}


@dataclasses.dataclass
class Answer:
    """A tool's result."""

    result: mcp_types.CallToolResult
    easel: object = None

    @property
    def failed(self) -> bool:
        return bool(self.result.is_error)

    @property
    def read(self) -> dict:
        """Returns what a model reads: the JSON object in the first text. The results of tools
        that never return pictures also have it as structured content."""
        read = json.loads(self.texts[0])
        assert self.result.structured_content in (None, read)
        return read

    @property
    def data(self) -> dict:
        """Returns what a model reads. To an execution, adds the fields that it omits, from REST."""
        read = self.read
        if self.easel is None or "execution_id" not in read or "status" not in read or "outcome" in read:
            return read
        whole = self.whole
        # By URI without the extension, which changes when a figure is drawn after the answer.
        known = {i["resource_uri"].rpartition(".")[0]: i for i in whole["images"]}
        images = read.get("images", [])
        if any("resource_uri" not in i for i in images):  # a long list has only titles and paths, and its end elsewhere
            assert len(images) == len(whole["images"]) or "more are listed" in read["pictures"]
            known = dict(enumerate(whole["images"]))
        if "outputs" in read:  # what was printed is there, between the pictures
            read = {k: "".join(o.get(k, "") for o in read["outputs"]) for k in ("stdout", "stderr")} | read
        fixed = {k: whole[k] for k in ("session_id", "code", "created_at", "execution_count", "execution_time_ms") if k in whole}
        now = [known[i["resource_uri"].rpartition(".")[0] if "resource_uri" in i else n] for n, i in enumerate(images)]
        images = [k | i | {"resource_uri": k["resource_uri"]} for k, i in zip(now, images)]
        return fixed | {"stdout": "", "stderr": ""} | read | {"images": images}

    @property
    def whole(self) -> dict:
        """Returns the execution with all fields, from REST."""
        status, _, body = self.easel.request("GET", f"/api/info/execution?execution_id={self.read['execution_id']}")
        assert status == 200, body
        return body

    @property
    def error(self) -> dict:
        """Returns the error, which is JSON as text without structured content."""
        assert self.failed, f"no error: {self.texts}"
        assert self.result.structured_content is None
        body = json.loads(self.texts[0])
        assert body["success"] is False
        return body["error"]

    @property
    def texts(self) -> list[str]:
        return [c.text for c in self.result.content if c.type == "text"]

    @property
    def pictures(self) -> list[bytes]:
        return [base64.b64decode(c.data) for c in self.result.content if c.type == "image"]

    @property
    def links(self) -> list[str]:
        return [str(c.uri) for c in self.result.content if c.type == "resource_link"]


class Assistant:
    def __init__(self, client: mcp.Client, easel=None):
        self.client = client
        self.easel = easel

    async def call(self, tool: str, **arguments) -> Answer:
        return Answer(await self.client.call_tool(tool, arguments), self.easel)

    async def ok(self, tool: str, **arguments) -> dict:
        """Returns the result of a call that must not fail."""
        answer = await self.call(tool, **arguments)
        assert not answer.failed, answer.texts or answer.data
        assert answer.data["success"] is True
        return answer.data

    async def session(self, **arguments) -> str:
        return (await self.ok("session_create", **arguments))["session_id"]

    async def keeping_session(self) -> str:
        """Creates a session, and waits until its kernel keeps figures."""
        session = await self.session()
        while (await self.run(session, "'easel_figures' in __import__('sys').modules")).data["result"] != "True":
            pass
        return session

    def rest(self, tool: str, **arguments) -> dict:
        """Returns the result of a tool with all fields, from REST."""
        status, _, body = self.easel.request("POST", f"/tools/{tool}/execute", arguments)
        assert status == 200, body
        return body

    async def run(self, session: str, code: str, **arguments) -> Answer:
        return await self.call("execute_code", session_id=session, code=code, **arguments)

    async def to_end(self, execution: dict) -> dict:
        """Waits for the end of an execution."""
        while execution["status"] not in ENDED:
            execution = (await self.call("get_execution", execution_id=execution["execution_id"], wait=30)).data
        return execution


@contextlib.asynccontextmanager
async def connect(easel, mode: str = "auto", token: str | None = None, path: str = "/mcp", name: str = "e2e", **client):
    """Connects to Easel's /mcp. The mode is legacy (with initialize) or auto (2026-07-28)."""
    headers = {"Authorization": f"Bearer {token or easel.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(180, read=300)) as http:
        transport = streamable_http_client(easel.url + path, http_client=http)
        info = mcp_types.Implementation(name=name, version="1.2.3")
        async with mcp.Client(transport, mode=mode, client_info=info, **client) as c:
            yield Assistant(c, easel)
