"""The floor of the bench: a minimal client of a Jupyter server."""

import asyncio
import json
import uuid

from servers import http
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect


NO_PAUSE = {"easel": {"pause": False}}  # the metadata that Easel sends to kernels of the managed Jupyter


class Raw:
    """A client with one websocket and one request at a time."""

    def __init__(self, server: dict):
        self.server, self.base = server, server["url"].rstrip("/")

    async def open(self, kernel: str):
        self.kernel = kernel
        url = self.base.replace("http", "ws", 1) + f"/api/kernels/{kernel}/channels?session_id={uuid.uuid4()}"
        self.ws = await websocket_connect(
            HTTPRequest(url, headers={"Authorization": f"token {self.server['token']}"}), max_message_size=1 << 30)
        # Otherwise a pong waits until the server has acknowledged the one before.
        self.ws.protocol.stream.set_nodelay(True)
        return self

    async def send(self, code: str, metadata: dict) -> str:
        request = uuid.uuid4().hex
        header = {"msg_id": request, "msg_type": "execute_request", "username": "", "session": "bench", "version": "5.3", "date": ""}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": False}
        await self.ws.write_message(json.dumps(
            {"channel": "shell", "header": header, "parent_header": {}, "metadata": metadata, "content": content}))
        return request

    async def run(self, code: str, metadata: dict | None = None) -> int:
        """Runs code, waits for its reply and the idle status, and returns the number of characters that it printed."""
        request, reply, idle, size = await self.send(code, metadata or {}), False, False, 0
        while not (reply and idle):
            kind, content = await self.next(request)
            reply |= kind == "execute_reply"
            idle |= kind == "status" and content["execution_state"] == "idle"
            size += len(content["text"]) if kind == "stream" else 0
        return size

    async def begin(self, code: str):
        """Sends code and waits for its output, because an earlier interrupt would be lost."""
        request = await self.send(code, {})
        while (await self.next(request))[0] != "stream":
            pass

    async def next(self, request: str) -> tuple[str, dict]:
        """Returns the type and content of the next message that the request causes."""
        while True:
            message = json.loads(await self.ws.read_message())
            self.ws.protocol._write_frame(True, 0xA, b"")  # the pong
            if message["parent_header"].get("msg_id") == request:
                return message["msg_type"], message["content"]

    async def interrupt(self):
        await asyncio.to_thread(http, "POST", f"{self.base}/api/kernels/{self.kernel}/interrupt", self.server["token"])
