"""Lets a client on the same machine speak with a kernel past the server.

The server passes each message of a kernel on, from ZeroMQ to a websocket, in one
thread for all kernels. A client that can read the kernel's connection file has no
need of that. What it cannot see for itself is what becomes of the kernel: that it
died, and was started again. So it opens the websocket as ever, by the subprotocol
SUBPROTOCOL, and gets over it only what the server itself has to say.

What the kernel says after such a websocket was closed is kept (easel_kept.py). Who
comes back with the same session id, by the subprotocol RETURNING, can ask for it:

    kept_request  {"until": msg_id}  a request that it has sent to the kernel itself
    kept_reply    {"whole": bool}    behind all that was said before the kernel spoke
                                     of that request, or not, if something is missing

Only kernels of this environment are left to it so: they keep what is not read yet
(easel_iopub.py), as the server does for its websockets. Others drop it.
"""

import asyncio
import json
import os
import sys
import uuid

from easel_kept import Kept
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado.websocket import WebSocketClosedError

SUBPROTOCOL = "life.kernel.websocket.easel"
RETURNING = "returning.life.kernel.websocket.easel"
PATIENCE = 5.0  # seconds for the kernel to speak of a request that it has been sent


class LifeConnection(ZMQChannelsWebsocketConnection):
    """A kernel's websocket; by SUBPROTOCOL or RETURNING without the kernel's messages."""

    of_life = False
    giving = None  # the task that gives what was kept

    async def prepare(self):
        offered = self.websocket_handler.request.headers.get("Sec-WebSocket-Protocol", "")
        names = [name.strip() for name in offered.split(",")]
        self.of_life = SUBPROTOCOL in names and self.of_this_environment()
        if self.of_life:
            self.kernel_ws_protocol = RETURNING if RETURNING in names else SUBPROTOCOL
        await super().prepare()

    def of_this_environment(self):
        where = os.path.realpath(self.kernel_manager.kernel_spec.resource_dir or os.sep)
        return where.startswith(os.path.realpath(sys.prefix) + os.sep)

    def connect(self):
        if not self.of_life:
            return super().connect()
        # As the server's own does it, without sockets: who has none passes nothing on.
        kernels = self.multi_kernel_manager
        kernels.notify_connect(self.kernel_id)
        kernels.add_restart_callback(self.kernel_id, self.on_kernel_restarted)
        kernels.add_restart_callback(self.kernel_id, self.on_restart_failed, "dead")
        ZMQChannelsWebsocketConnection._open_sockets.add(self)
        self.listeners().add(self)
        if self.kept() is None or self.kernel_ws_protocol != RETURNING:
            self.kernel_manager.easel_kept = None  # who comes has heard it, or is somebody else
        return asyncio.sleep(0)

    def disconnect(self):
        listeners = self.listeners()
        if self in listeners:
            listeners.remove(self)
            if not listeners and self.kept() is None:
                self.kernel_manager.easel_kept = Kept(self.session_key)
        super().disconnect()

    def listeners(self):
        """The connections by which this kernel is heard past the server."""
        kernel = self.kernel_manager
        if not hasattr(kernel, "easel_listeners"):
            kernel.easel_listeners = set()
        return kernel.easel_listeners

    def kept(self):
        """What is kept for this session, if anything is."""
        kept = getattr(self.kernel_manager, "easel_kept", None)
        return kept if kept is not None and kept.session_key == self.session_key else None

    def handle_incoming_message(self, incoming_msg):
        if not self.of_life:
            return super().handle_incoming_message(incoming_msg)
        request = json.loads(incoming_msg)
        if request["header"]["msg_type"] == "kept_request":
            self.giving = asyncio.ensure_future(self.give(request))

    async def give(self, request):
        """Answers a kept_request."""
        kept, whole = self.kept(), False
        try:
            if kept is not None:
                whole = await self.pass_on(kept, request["content"]["until"])
                self.kernel_manager.easel_kept = None
            reply = {
                "header": {"msg_id": uuid.uuid4().hex, "msg_type": "kept_reply", "username": "", "session": "", "version": "5.3"},
                "parent_header": request["header"],
                "metadata": {},
                "content": {"whole": whole},
                "channel": "life",
            }
            await self.write_message(json.dumps(reply))
        except WebSocketClosedError:
            pass  # what is left is kept for the next

    async def pass_on(self, kept, until):
        """Sends what was said before the kernel spoke of a request: False if it has not, or something is missing."""
        while True:
            while kept.messages:
                try:
                    _, parts = self.session.feed_identities(kept.messages[0])
                    message = self.session.deserialize(parts)
                    if message["parent_header"].get("msg_id") == until:
                        return True
                    frame = self._reserialize_reply(message, channel="iopub")
                except Exception as e:
                    self.log.error("A kept message cannot be read: %r", e)
                else:
                    await self.write_message(frame, binary=isinstance(frame, bytes))
                kept.drop()
            if not kept.whole or not await kept.wait(PATIENCE):
                return False
