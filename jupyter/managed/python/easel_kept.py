"""Keeps a kernel's messages while Easel, which reads them from the kernel itself, is away.

An Easel that was killed and started again finds its kernels running. Nobody receives what
they print and draw in the meantime: the server listens, but only for their state.
Jupyter's own websockets have such a buffer for a client that returns.
"""

import asyncio
import os
from collections import deque

from jupyter_server._tz import utcnow
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from traitlets import List, Unicode

MOST = 256 << 20  # bytes to keep for one kernel
LATER = 0.02  # seconds until the server handles what Easel has received itself
SOON = 20  # milliseconds between two attempts to connect to a kernel


class Kept:
    """A kernel's messages since its client disconnected."""

    def __init__(self, session_key):
        self.session_key = session_key  # the client that may have them
        self.messages = deque()  # as received from iopub, oldest first
        self.size = 0
        self.whole = True  # nothing is missing since the oldest
        self.more = asyncio.Event()

    def add(self, parts):
        size = sum(map(len, parts))
        self.whole = self.whole and self.size + size <= MOST
        if self.whole:
            self.messages.append(parts)
            self.size += size
        self.more.set()

    def drop(self):
        """Drops the oldest message."""
        self.size -= sum(map(len, self.messages.popleft()))

    async def wait(self, patience):
        """Waits for another message. Returns False if none arrives within patience, in seconds."""
        self.more.clear()
        try:
            await asyncio.wait_for(self.more.wait(), patience)
        except asyncio.TimeoutError:
            return False
        return True


class KeepingKernelManager(AsyncMappingKernelManager):
    """The server's own manager, which listens to each kernel to know whether it is busy.

    The server needs that only for its lists. So if Easel receives the kernel's messages
    itself, the manager handles only the kernel's states, and slightly later, to not delay
    Easel's answer.
    """

    hidden = List(Unicode(), config=True, help="environment variables of the server that kernels must not see")

    async def start_kernel(self, *, env=None, **named):
        return await super().start_kernel(env=self.shown(env or os.environ), **named)

    def update_env(self, *, kernel_id, env):
        super().update_env(kernel_id=kernel_id, env=self.shown(env))

    def shown(self, env):
        return {name: value for name, value in env.items() if name not in self.hidden}

    def kernel_model(self, kernel_id):
        """Describes a kernel, including one that has only just started.

        For one iteration of the event loop, such a kernel is in the list without a state and
        without a time. Jupyter fails on that (TraitError), and so does the whole list.
        """
        kernel = self._kernels.get(kernel_id)
        if kernel is not None and kernel.execution_state is None:
            kernel.execution_state, kernel.last_activity = "starting", utcnow()
        return super().kernel_model(kernel_id)

    def start_watching_activity(self, kernel_id):
        super().start_watching_activity(kernel_id)
        kernel = self._kernels[kernel_id]
        stream = kernel._activity_stream
        record = getattr(stream, "_recv_callback", None)
        if record is None:
            return  # another version of pyzmq: nothing is kept
        hear_soon(stream.socket)
        late = []  # states, oldest first

        def catch_up():
            states = late[:]
            late.clear()
            for parts in states:
                try:
                    record(parts)
                except Exception as e:
                    self.log.error("A state of a kernel cannot be read: %r", e)

        def keep(parts):
            kept = getattr(kernel, "easel_kept", None)
            if kept is not None:
                kept.add(parts)
            if not late and not getattr(kernel, "easel_listeners", None):
                record(parts)
            elif parts[0].endswith(b".status"):
                if not late:
                    asyncio.get_running_loop().call_later(LATER, catch_up)
                late.append(parts)
            elif kernel.execution_state == "busy":
                kernel.last_activity = self.last_kernel_activity = utcnow()

        stream.on_recv(keep)


def hear_soon(socket):
    """Makes a socket try to connect to a new process every few milliseconds instead of every
    tenth of a second, because messages before that are lost."""
    address = socket.last_endpoint
    socket.disconnect(address)
    socket.reconnect_ivl = SOON
    socket.connect(address)
