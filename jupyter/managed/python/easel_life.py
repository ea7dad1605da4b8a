"""Lets a client on the same machine communicate with a kernel without the server.

The server forwards each message of a kernel from ZeroMQ to a websocket, in one thread
for all kernels. A client that can read the kernel's connection file does not need that.
But it cannot see the life cycle of the kernel: that it died and was restarted. So it
opens the websocket as usual, with the subprotocol SUBPROTOCOL, and receives over it only
what the server itself reports.

The kernel's messages after such a websocket was closed are kept (easel_kept.py). A client
that returns with the same session id and the subprotocol RETURNING can request them:

    kept_request  {"until": msg_id}  a request that it has sent to the kernel itself
    kept_reply    {"whole": bool}    after all messages from before the kernel mentioned
                                     that request; false if something is missing. With
                                     {"quiet": true}, the kernel had said nothing right before the
                                     websocket was closed, so the client has lost nothing, either

This is only for kernels of this environment, and those whose kernelspec says that they have
Easel's modules, too. They keep what has not been read yet (easel_iopub.py), as the server does
for its websockets. Other kernels drop it.

An Easel on another machine receives the kernel's messages over the websocket. What the server has
written there arrives only if the connection still stands, which the server may learn minutes later.
So a client can count the messages that have arrived (easel_sent.py): it opens the websocket with
easel_seen=new, later with easel_seen=N, and gets the others again. The header Easel-Resume in the
answer says whether nothing is missing: "whole" or "part"; "complete" if this also holds for a client with
the session of a former one, which had got everything and then heard nothing for a while. In between, it sends

    seen  {"count": N}  what arrived until now: the server can forget it
"""

import asyncio
import json
import os
import sys
import uuid

from easel_kept import Kept
from easel_sent import CountedSocket
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado import web
from tornado.websocket import WebSocketClosedError

SUBPROTOCOL = "life.kernel.websocket.easel"
RETURNING = "returning.life.kernel.websocket.easel"
PATIENCE = 5.0  # seconds for the kernel to mention a request that was sent to it


class LifeConnection(CountedSocket, ZMQChannelsWebsocketConnection):
    """A kernel's websocket; with SUBPROTOCOL or RETURNING, without the kernel's messages."""

    of_life = False
    giving = None  # the task that sends what was kept

    async def prepare(self):
        offered = self.websocket_handler.request.headers.get("Sec-WebSocket-Protocol", "")
        names = [name.strip() for name in offered.split(",")]
        self.of_life = SUBPROTOCOL in names and self.kernel_keeps()
        if self.of_life:
            self.kernel_ws_protocol = RETURNING if RETURNING in names else SUBPROTOCOL
        await self.unless_it_ends(super().prepare())

    async def unless_it_ends(self, preparation):
        """Waits for a preparation, which waits for the kernel's first answer, unless the kernel
        ends before that (easel_early.py)."""
        prepared = asyncio.ensure_future(preparation)
        early = getattr(self.kernel_manager, "easel_early", None)
        if early is not None:
            await asyncio.wait([prepared, early], return_when=asyncio.FIRST_COMPLETED)
            if not prepared.done() and not early.exception() and early.result():
                prepared.cancel()
                raise web.HTTPError(500, early.result())
        await prepared

    def kernel_keeps(self):
        """Reports whether the kernel keeps what has not been read yet."""
        spec = self.kernel_manager.kernel_spec
        if spec.metadata.get("easel_keeps"):
            return True
        where = os.path.realpath(spec.resource_dir or os.sep)
        return where.startswith(os.path.realpath(sys.prefix) + os.sep)

    def connect(self):
        if not self.of_life:
            return super().connect()
        # Like the server's own connection, but without sockets, so that nothing is forwarded.
        kernels = self.multi_kernel_manager
        kernels.notify_connect(self.kernel_id)
        kernels.add_restart_callback(self.kernel_id, self.on_kernel_restarted)
        kernels.add_restart_callback(self.kernel_id, self.on_restart_failed, "dead")
        ZMQChannelsWebsocketConnection._open_sockets.add(self)
        self.listeners().add(self)
        if self.kept() is None or self.kernel_ws_protocol != RETURNING:
            self.kernel_manager.easel_kept = None  # the client has received it, or is another one
        return asyncio.sleep(0)

    def disconnect(self):
        listeners = self.listeners()
        if self in listeners:
            listeners.remove(self)
            if not listeners and self.kept() is None:
                self.kernel_manager.easel_kept = Kept(self.session_key, getattr(self.kernel_manager, "easel_heard", 0))
        super().disconnect()

    def _send_status_message(self, status):
        """Says that the kernel was restarted or is dead, and why it ended (easel_ending.py)."""
        end = getattr(self.kernel_manager, "easel_end", None)
        if end is None:
            return super()._send_status_message(status)
        make = self.session.msg
        self.session.msg = lambda kind, content: make(kind, {**content, "easel_end": end})
        try:
            super()._send_status_message(status)
        finally:
            del self.session.msg

    def listeners(self):
        """Returns the connections of clients that communicate with this kernel directly."""
        kernel = self.kernel_manager
        if not hasattr(kernel, "easel_listeners"):
            kernel.easel_listeners = set()
        return kernel.easel_listeners

    def kept(self):
        """Returns what is kept for this session, or None."""
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
                "content": {"whole": whole, "quiet": kept is not None and kept.quiet},
                "channel": "life",
            }
            await self.write_message(json.dumps(reply))
        except WebSocketClosedError:
            pass  # the rest is kept for the next connection

    async def pass_on(self, kept, until):
        """Sends the messages from before the kernel mentioned a request.

        Returns False if it has not mentioned it, or if something is missing.
        """
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
