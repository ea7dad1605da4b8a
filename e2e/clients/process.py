"""Processes of client programs, which are ended with everything that they have started."""

import contextlib
import fcntl
import os
import pathlib
import signal
import struct
import subprocess
import termios
import threading


class Process:
    """A running program and its descendants."""

    def __init__(self, place, command: list, environment: dict, talk: bool = False):
        self.place, self.log = place, place.home / "output.log"
        self.command, self.environment = [str(c) for c in command], environment
        self.process = self.begin(talk)

    def begin(self, talk: bool) -> subprocess.Popen:
        pipe = subprocess.PIPE if talk else None
        with open(self.log, "ab") as log:
            return subprocess.Popen(
                self.command, env=self.environment, cwd=self.place.work, start_new_session=True,
                stdin=pipe or subprocess.DEVNULL, stdout=pipe or log, stderr=log, text=True)  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.stdin:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        for pid in self.family():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def family(self) -> list[int]:
        """Returns all processes with the place's mark, because some programs leave a daemon behind."""
        mark, found = f"EASEL_TEST_CLIENT={self.place.mark}".encode(), []
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    def interrupt(self):
        """Sends SIGINT, as a terminal does to the foreground group on Ctrl-C."""
        os.killpg(self.process.pid, signal.SIGINT)

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    @property
    def output(self) -> str:
        return self.log.read_text(errors="replace")


class Terminal(Process):
    """A program that runs in a terminal, as it does for a user."""

    def begin(self, talk: bool) -> subprocess.Popen:
        self.keyboard, screen = os.openpty()
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        try:
            process = subprocess.Popen(self.command, env=self.environment, cwd=self.place.work, start_new_session=True, stdin=screen, stdout=screen, stderr=screen)
        finally:
            os.close(screen)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        return process

    def read(self):
        """Records the output, and answers the programs' queries of the terminal, until all have closed it."""
        with open(self.log, "ab") as log, contextlib.suppress(OSError):
            while seen := os.read(self.keyboard, 1 << 16):
                log.write(seen)
                if b"\x1b[6n" in seen:  # query of the cursor's position
                    os.write(self.keyboard, b"\x1b[1;1R")
                if b"\x1b[c" in seen:  # query of the terminal's type
                    os.write(self.keyboard, b"\x1b[?62;c")

    def interrupt(self):
        """Sends Esc twice, because opencode asks for confirmation. The pause separates the two keys."""
        os.write(self.keyboard, b"\x1b")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        os.write(self.keyboard, b"\x1b")

    def __exit__(self, *args):
        os.killpg(self.process.pid, signal.SIGKILL)
        super().__exit__(*args)
        self.reader.join()
        os.close(self.keyboard)
