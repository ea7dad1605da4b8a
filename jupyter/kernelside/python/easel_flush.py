"""Makes a kernel's flush wait only for output that there is.

Around each execution ipykernel flushes stdout and stderr two or three times. Each time
it passes control to the publishing thread and waits for it, even if there is nothing to
publish. Then it sleeps for half a millisecond, so that the output of subprocesses can
arrive. Usually it does.

With this module, a flush first waits until everything that was written to the file
descriptor before is in the stream. This is reliable and almost never takes time. If the
stream is empty then, the flush is done, and the sleep is omitted. This applies to
requests with {"easel": {"pause": false}} in their metadata. Other requests, for example
from JupyterLab, are handled as before. So are all requests once the kernel has forked,
because a fork's output takes another path, and its amount is unknown.
"""

import codecs
import contextvars
import os
import sys
import threading

from easel_fonts import AfterImport

PATIENCE = 1.0  # seconds to wait for the output of subprocesses; the kernel's own output may be blocked
PIECE = 1000  # bytes to read at once, as in ipykernel; with more, a subprocess floods the kernel's memory

hurried = contextvars.ContextVar("easel_hurried", default=False)  # the request asked for no pause


def install():
    """Extends ipykernel in this process, if it is a kernel."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return  # Windows: no file descriptor is watched there
    if "ipykernel.iostream" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({
            "ipykernel.iostream": extend_streams,
            "ipykernel.kernelbase": extend_kernel,
        }))


class Forks:
    """Whether this process has forked, and the kernel that must pause again in that case."""

    tracked = False  # streams know what is in their pipes
    seen, kernel, pause = False, None, 0.0

    def after(self):
        """Runs in the parent of each fork, even during an execution."""
        self.seen = True
        if self.kernel is not None:
            self.kernel._execute_sleep = self.pause


forks = Forks()


class Pipe:
    """The pipe from a stream's file descriptor into the stream."""

    def __init__(self, stream):
        self.stream = stream
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a piece may end inside a character
        self.changed = threading.Condition()
        self.taken = 0  # bytes so far
        self.over = False

    def watch(self):
        """Moves output into the stream until the stream is closed."""
        import select

        ready = select.poll()
        ready.register(self.stream._fid, select.POLLIN)
        try:
            while True:
                ready.poll()  # reads nothing yet, so that drain counts it either as unread or as taken
                with self.changed:
                    piece = os.read(self.stream._fid, PIECE)
                    if not piece or not self.stream._should_watch:
                        return
                    text = self.decoder.decode(piece)
                    if text:
                        self.stream.write(text)
                    self.taken += len(piece)
                    self.changed.notify_all()
                os.write(self.stream._original_stdstream_copy, piece)
        finally:
            with self.changed:
                self.over = True
                self.changed.notify_all()

    def drain(self):
        """Waits until everything written so far is in the stream."""
        with self.changed:
            end = self.taken + self.unread()
            self.changed.wait_for(lambda: self.over or self.taken >= end, PATIENCE)

    def unread(self):
        """Returns how many bytes have not been read yet."""
        import array
        import fcntl
        import termios

        n = array.array("i", [0])
        fcntl.ioctl(self.stream._fid, termios.FIONREAD, n)
        return n[0]


def extend_streams(module):
    """Makes streams track the output in their pipes."""
    stream = getattr(module, "OutStream", None)
    if not all(hasattr(stream, name) for name in ("flush", "_flush", "_watch_pipe_fd", "_is_master_process")):
        return
    known = set()
    for made_by in (stream.__init__, getattr(stream, "_setup_stream_redirects", stream.__init__)):
        known |= set(made_by.__code__.co_names)
    if not {"_buffers", "watch_fd_thread", "echo"} <= known:
        return  # an old ipykernel
    plain_flush, publish = stream.flush, stream._flush

    def _watch_pipe_fd(self):
        if self._fid is None:
            return
        try:
            self._easel_pipe = Pipe(self)
            self._easel_pipe.watch()
        except Exception:
            self._exc = sys.exc_info()  # close shows it

    def _flush(self):
        self._easel_publishing += 1  # before the buffers are emptied
        try:
            publish(self)
        finally:
            self._easel_publishing -= 1

    def flush(self):
        pipe = self._easel_pipe
        threads = pipe and self.pub_thread and (self.pub_thread.thread, self.watch_fd_thread)
        if threads and self._is_master_process() and threading.current_thread() not in threads:
            pipe.drain()
            empty = self.echo is None and not self._buffers and not self._easel_publishing
            if empty and hurried.get() and not forks.seen:
                return
        plain_flush(self)

    forks.tracked = True
    stream._easel_pipe, stream._easel_publishing = None, 0
    stream._watch_pipe_fd, stream._flush, stream.flush = _watch_pipe_fd, _flush, flush


def extend_kernel(module):
    """Makes kernels obey a request's metadata about the pause before its reply."""
    kernel = getattr(module, "Kernel", None)
    plain = getattr(kernel, "execute_request", None)
    if plain is None or not hasattr(kernel, "_execute_sleep"):
        return

    async def execute_request(self, stream, ident, parent):
        if forks.kernel is None:
            forks.kernel, forks.pause = self, self._execute_sleep
            os.register_at_fork(after_in_parent=forks.after)
        asked = parent.get("metadata", {}).get("easel")
        hurry = forks.tracked and isinstance(asked, dict) and asked.get("pause") is False
        hurried.set(hurry)
        self._execute_sleep = 0.0 if hurry and not forks.seen else forks.pause
        await plain(self, stream, ident, parent)

    kernel.execute_request = execute_request
