"""Keeps what was written to a websocket until the client says that it has arrived.

See easel_life.py for what client and server say.
"""

import asyncio
import json
import time
from collections import deque

from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1
from tornado.websocket import WebSocketClosedError

MOST = 128 << 20  # bytes to keep for one client
CLIENTS = 4  # of one kernel for which something is kept
SEEN_BYTES = 2048  # the message seen is smaller
QUIET = 2  # seconds within which a client stores what has arrived, as in easel_kept.py
PARTS = 16  # it has fewer; Jupyter's function would read as many as a damaged frame names


class Sent:
    """The frames of one client, over all its websockets."""

    def __init__(self):
        self.frames = deque()  # oldest first
        self.arrived = 0  # how many came before these
        self.size = 0
        self.connection = None  # the one that wrote last
        self.written = 0.0  # when something was last
        self.quiet = False  # when the client left, all had arrived, long enough ago for it to have stored it

    def add(self, frame, binary):
        self.written = time.monotonic()
        self.frames.append((frame, binary))
        self.size += len(frame)
        while self.size > MOST:
            self.forget(self.arrived + 1)

    def forget(self, count):
        """Forgets the first count frames of all."""
        while self.frames and self.arrived < count:
            self.size -= len(self.frames.popleft()[0])
            self.arrived += 1

    def left(self):
        """Notes that the client has left."""
        self.quiet = not self.frames and time.monotonic() - self.written > QUIET

    def knows(self, count):
        """Reports whether all frames after the first count are still here."""
        return self.arrived <= count <= self.arrived + len(self.frames)


class CountedSocket:
    """What LifeConnection does for clients that count."""

    sent = None  # the client's frames; None if it does not count
    again = ()  # frames to write again
    parted = False

    async def prepare(self):
        await super().prepare()
        seen = self.websocket_handler.get_argument("easel_seen", None)
        if seen is None or self.of_life:
            return
        kernel = self.kernel_manager
        if not hasattr(kernel, "easel_sent"):
            kernel.easel_sent = {}  # by session
        sent, whole = kernel.easel_sent.pop(self.session_key, None), True
        complete = seen == "new" and sent is not None and sent.quiet and self.buffered()
        if seen == "new":
            sent = Sent()
        elif sent is None or not seen.isdecimal() or not sent.knows(int(seen)):
            sent, whole = Sent(), False
            sent.arrived = int(seen) if seen.isdecimal() else 0
        else:
            sent.forget(int(seen))
        while len(kernel.easel_sent) >= CLIENTS:
            kernel.easel_sent.pop(next(iter(kernel.easel_sent)))
        kernel.easel_sent[self.session_key] = self.sent = sent
        self.websocket_handler.set_header("Easel-Resume", "complete" if complete else "whole" if whole else "part")

    def buffered(self):
        """Whether Jupyter keeps for this client what the kernel has said since it left."""
        buffers = getattr(self.multi_kernel_manager, "_kernel_buffers", {})
        return self.kernel_id in buffers and buffers[self.kernel_id].get("session_key") == self.session_key

    def connect(self):
        if self.sent is not None:
            if self.sent.connection is not None:
                self.sent.connection.disconnect()  # it may be dead without knowing: its messages are kept from now on
            self.sent.connection = self
            for frame, binary in list(self.sent.frames):
                self.write(frame, binary)
        return super().connect()

    def disconnect(self):
        if self.parted:  # by the connection that replaces this one
            return
        self.parted = self.sent is not None
        if self.parted:
            self.sent.left()
        super().disconnect()

    @property
    def write_message(self):
        return self.websocket_handler.write_message if self.sent is None else self.count

    def count(self, frame, binary=False):
        self.sent.add(frame, binary)
        return self.write(frame, binary)

    def write(self, frame, binary):
        try:
            return self.websocket_handler.write_message(frame, binary)
        except WebSocketClosedError:  # the client gets it when it returns
            written = asyncio.get_running_loop().create_future()
            written.set_result(None)
            return written

    def handle_incoming_message(self, incoming_msg):
        if self.sent is None or not self.says_seen(incoming_msg):
            super().handle_incoming_message(incoming_msg)

    def says_seen(self, frame):
        """Reports whether a frame is a message seen, and handles it."""
        if len(frame) > SEEN_BYTES or (b"seen" if isinstance(frame, bytes) else "seen") not in frame:
            return False
        try:
            if isinstance(frame, bytes):
                if int.from_bytes(frame[:8], "little") > PARTS:
                    return False
                channel, parts = deserialize_msg_from_ws_v1(frame)
                header, content = json.loads(parts[0]), json.loads(parts[3])
            else:
                message = json.loads(frame)
                channel, header, content = message.get("channel"), message["header"], message["content"]
            if channel != "life" or header["msg_type"] != "seen":
                return False
            self.sent.forget(content["count"])
        except (ValueError, LookupError, TypeError):
            return False
        return True
