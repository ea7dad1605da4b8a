"""Reports a kernel that ends before it has answered, at once and with its last words.

Jupyter notices the end of a kernel after up to three seconds, starts it again five times,
and forgets why it ended. A kernel whose Python is missing or has no ipykernel never works,
so a client should not wait for that. Its last words are what the log has got since its
start: the kernels' output on stderr is in the server's log, as in any Jupyter.
"""

import os
import re
import signal
import stat

from tornado import web

STEP = 0.05  # seconds between two looks at a process
PATIENCE = 60.0  # seconds for a kernel to answer; later, Jupyter itself looks after it
MOST = 8192  # bytes of the log to read
LINES = 6
REMEMBERED = 50  # kernels
# The beginnings of the server's own lines, and of ipykernel's warnings, which are in each start.
NOISE = re.compile(rb"\[[A-Z] \d{4}-\d\d-\d\d |\[IPKernelApp\] WARNING ")
PORT_TAKEN = "Address already in use"  # a restart chooses other ports
EARLY = "ended before it answered"  # jupyter/early.go knows these words


class StartError(web.HTTPError):
    """A kernel that cannot be started. Jupyter's handlers pass its text on."""

    def __init__(self, name, error):
        super().__init__(500, "the kernel %s cannot be started: %s" % (name, error))

    def __str__(self):
        return self.log_message


class Log:
    """The part of the server's log since its creation."""

    def __init__(self):
        self.start = self.size() or 0

    @staticmethod
    def size():
        """Returns the size of the log, or None if it cannot be read."""
        try:
            s = os.fstat(2)
        except OSError:
            return None
        return s.st_size if stat.S_ISREG(s.st_mode) else None

    def lines(self, path, most=MOST):
        """Returns the lines that do not come from the server itself, of at most so many bytes."""
        size = self.size()
        if size is None or not path:
            return []
        start = self.start if self.start <= size else 0  # it has been cut
        try:
            with open(path, "rb") as f:
                f.seek(max(start, size - most))
                text = f.read(most)
        except OSError:
            return []
        return [line.decode("utf-8", "replace") for line in significant(text)]

    def last_words(self, path):
        """Returns the last of these lines."""
        return "\n".join(self.lines(path)[-LINES:])


def significant(text):
    """Returns the lines that may say why a kernel ended."""
    lines, noise = [], False
    for line in text.splitlines():
        noise = bool(NOISE.match(line)) or noise and line[:1].isspace()  # or the rest of such a message
        if line.strip() and not noise:
            lines.append(line.rstrip())
    return lines


def how(code):
    """Describes the exit status of a process."""
    if code >= 0:
        return "with exit code %d" % code
    try:
        return "by signal %s" % signal.Signals(-code).name
    except ValueError:
        return "by signal %d" % -code


def ending(name, code, words):
    """Describes the end of a kernel."""
    text = "the kernel %s %s, %s" % (name, EARLY, how(code))
    return text + (": " + words if words else "")
