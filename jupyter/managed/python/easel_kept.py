"""Keeps a kernel's messages while Easel, which reads them from the kernel itself, is away.

An Easel that was killed and started again finds its kernels running. Nobody receives what
they print and draw in the meantime: the server listens, but only for their state.
Jupyter's own websockets have such a buffer for a client that returns.
"""

import asyncio
import os
from collections import deque

import easel_early
from jupyter_client.kernelspec import NoSuchKernel
from jupyter_server._tz import utcnow
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado import web
from traitlets import List, Unicode, default

MOST = 256 << 20  # bytes to keep for one kernel
QUIET = 2  # seconds within which Easel stores what it has received, also on a slow machine
LATER = 0.02  # seconds until the server handles what Easel has received itself
SOON = 20  # milliseconds between two attempts to connect to a kernel


class Kept:
    """A kernel's messages since its client disconnected."""

    def __init__(self, session_key, heard):
        self.session_key = session_key  # the client that may have them
        # What the kernel said right before may have been lost with the client.
        self.quiet = asyncio.get_running_loop().time() - heard > QUIET
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

    log_file = Unicode(config=True, help="where the kernels' stderr is")

    def __init__(self, **named):
        super().__init__(**named)
        self.ended = {}  # how kernels ended that never answered, by id

    @default("kernel_manager_class")
    def _default_kernel_manager_class(self):
        return "easel_layers.LayeredKernelManager"

    async def start_kernel(self, *, env=None, kernel_name=None, **named):
        """Starts a kernel. With the name NAME@ID, it uses the layer of the kernel with that id."""
        log = easel_early.Log()
        kernel_name, _, other = (kernel_name or self.default_kernel_name).partition("@")
        if other in self:
            named["layer_of"] = other
        try:
            kernel_id = await super().start_kernel(env=self.shown(env or os.environ), kernel_name=kernel_name, **named)
        except OSError as e:
            raise easel_early.StartError(kernel_name, e) from e
        kernel = self._kernels[kernel_id]
        if not hasattr(kernel, "easel_early"):
            kernel.easel_early = asyncio.create_task(self.attend(kernel_id, kernel, log))
        return kernel_id

    async def restart_kernel(self, kernel_id, now=False):
        kernel, log = self.get_kernel(kernel_id), easel_early.Log()
        self.renew(kernel)
        try:
            restarted = await super().restart_kernel(kernel_id, now=now)
        except OSError as e:  # Jupyter's handler would not pass its text on
            return await self.give_up(kernel_id, kernel, str(easel_early.StartError(kernel.kernel_name, e)))
        kernel.easel_spoke = False
        kernel.easel_early = asyncio.create_task(self.attend(kernel_id, kernel, log))
        return restarted

    def renew(self, kernel):
        """Reads the kernelspec again: the environment may be another one since."""
        try:
            spec = self.kernel_spec_manager.get_kernel_spec(kernel.kernel_name)
        except NoSuchKernel:
            return
        name, kernel.kernel_name = kernel.kernel_name, ""  # a manager reads the kernelspec of a new name
        kernel.kernel_name = name
        kernel.provisioner.kernel_spec = spec

    async def attend(self, kernel_id, kernel, log):
        """Waits until a new kernel says something. Returns how it ended if it has not."""
        end = asyncio.get_running_loop().time() + easel_early.PATIENCE
        while asyncio.get_running_loop().time() < end:
            await asyncio.sleep(easel_early.STEP)
            if kernel.shutting_down or kernel_id not in self or getattr(kernel, "easel_spoke", False):
                return None
            code = await kernel.provisioner.poll()
            if code is not None:
                words = log.last_words(self.log_file)
                if easel_early.PORT_TAKEN in words:
                    return None
                text = easel_early.ending(kernel.kernel_name, code, words)
                await self.give_up(kernel_id, kernel, text)
                return text
        return None

    async def give_up(self, kernel_id, kernel, text):
        """Ends a kernel that has ended, without starting it again."""
        self.log.warning("Not started again: %s", text)
        while len(self.ended) >= easel_early.REMEMBERED:
            self.ended.pop(next(iter(self.ended)))
        self.ended[kernel_id] = kernel.reason = text
        kernel.stop_restarter()
        kernel._restarter._fire_callbacks("dead")  # tells the clients, and removes the kernel
        try:
            await kernel.shutdown_kernel(now=True)  # its connection file and ports
        except Exception as e:
            self.log.warning("A kernel that has ended left something: %r", e)

    def _check_kernel_id(self, kernel_id):
        if kernel_id in self.ended and kernel_id not in self:
            raise web.HTTPError(404, self.ended[kernel_id])
        super()._check_kernel_id(kernel_id)

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
            kernel.easel_spoke = True
            if not parts[0].endswith(b".status"):
                kernel.easel_heard = asyncio.get_running_loop().time()
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
