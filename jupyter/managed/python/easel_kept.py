"""Keeps what a kernel says while Easel, which hears it past the server, is away.

An Easel that was killed and is started again finds its kernels at work. What they
print and draw meanwhile nobody hears: the server listens, but for their state only.
Jupyter's own websockets have such a buffer, each for the client that comes back.
"""

import asyncio
from collections import deque

from jupyter_server._tz import utcnow
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager

MOST = 256 << 20  # bytes that are kept of one kernel
LATER = 0.02  # seconds until the server looks at what Easel has heard itself
SOON = 20  # milliseconds between two tries to reach a kernel


class Kept:
    """What a kernel has said since the one who heard it went."""

    def __init__(self, session_key):
        self.session_key = session_key  # who may have it
        self.messages = deque()  # as they came from iopub, oldest first
        self.size = 0
        self.whole = True  # nothing is missing between the oldest and what is said now
        self.more = asyncio.Event()

    def add(self, parts):
        size = sum(map(len, parts))
        self.whole = self.whole and self.size + size <= MOST
        if self.whole:
            self.messages.append(parts)
            self.size += size
        self.more.set()

    def drop(self):
        """Lets go of the oldest."""
        self.size -= sum(map(len, self.messages.popleft()))

    async def wait(self, patience):
        """Waits for another message: False if none came within patience, in seconds."""
        self.more.clear()
        try:
            await asyncio.wait_for(self.more.wait(), patience)
        except asyncio.TimeoutError:
            return False
        return True


class KeepingKernelManager(AsyncMappingKernelManager):
    """The server's own, which listens to each kernel to know whether it works.

    What it learns of that it needs for its lists. So where Easel hears the kernel itself,
    it reads no more than the kernel's states, and a moment later: not while Easel's
    answer is on its way.
    """

    def kernel_model(self, kernel_id):
        """Describes a kernel, also one that has only just started.

        For one turn of the event loop such a kernel is in the list without a state and
        without a time. Jupyter fails on that (TraitError), and with it the whole list.
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
            return  # of a pyzmq that is not ours: nothing is kept
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
    """Has a socket try to reach a new process each few milliseconds in place of each tenth
    of a second: what a process says before that is not heard."""
    address = socket.last_endpoint
    socket.disconnect(address)
    socket.reconnect_ivl = SOON
    socket.connect(address)
