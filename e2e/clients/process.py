"""Processes of client programs: nothing of them is left behind."""

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
    """A program that runs, and all that it started."""

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
        """Everything that carries the place's mark: some leave a daemon behind."""
        mark, found = f"EASEL_TEST_CLIENT={self.place.mark}".encode(), []
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    def interrupt(self):
        """Ctrl-C, which a terminal sends to all in the foreground."""
        os.killpg(self.process.pid, signal.SIGINT)

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    @property
    def output(self) -> str:
        return self.log.read_text(errors="replace")


class Terminal(Process):
    """A program that runs in a terminal, as before a person."""

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
        """Keeps what appears, and answers what programs ask a terminal, until all have closed it."""
        with open(self.log, "ab") as log, contextlib.suppress(OSError):
            while seen := os.read(self.keyboard, 1 << 16):
                log.write(seen)
                if b"\x1b[6n" in seen:  # where is the cursor?
                    os.write(self.keyboard, b"\x1b[1;1R")
                if b"\x1b[c" in seen:  # what are you?
                    os.write(self.keyboard, b"\x1b[?62;c")

    def interrupt(self):
        """Esc. Twice, with a pause in which they are two keys: opencode asks whether it is meant."""
        os.write(self.keyboard, b"\x1b")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        os.write(self.keyboard, b"\x1b")

    def __exit__(self, *args):
        os.killpg(self.process.pid, signal.SIGKILL)
        super().__exit__(*args)
        self.reader.join()
        os.close(self.keyboard)
