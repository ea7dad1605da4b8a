"""Says how a kernel's process ended: by which signal or exit code, at how much memory, and its last words.

Jupyter looks at each kernel every three seconds and starts it again if it has ended, without saying why.
Before each look, this notes what explains an end: how large the server's log is, where the kernels' stderr
is, and how often the system has killed a process because memory was short. So the last words are what the
log got since the last look.

Memory is the most that the process ever had, which the system tells its parent once, at the end.
"""

import os
import re
import signal
import subprocess
import sys

import easel_early
from jupyter_server.services.kernels.kernelmanager import ServerKernelManager

READ = 65536  # bytes of the log: a crash of Python shows the stacks of all threads
MOST = 2000  # characters of last words
LINES = 8
FATAL = re.compile(r"Fatal Python error: |Traceback \(most recent call last\)")
# What is in a crash of Python besides the user's code and libraries.
NOT_CODE = re.compile(r"Extension modules: |  File .*([/\\](ipykernel|IPython|tornado|asyncio|traitlets|easel_[a-z]+)\b|<frozen runpy>)")


class System:
    """What the system says about memory. On systems other than Linux, it says little."""

    def __init__(self, proc="/proc", groups="/sys/fs/cgroup"):
        self.proc, self.root = proc, groups

    def groups(self, pid):
        """Returns the control groups of a process that limit memory: directories, and the files in them."""
        for line in self.lines(self.proc, str(pid), "cgroup"):
            _, controllers, path = line.split(":", 2)
            if not controllers:
                yield os.path.join(self.root, path.strip("/")), "memory.max", "memory.events"
            elif "memory" in controllers.split(","):  # version 1
                yield os.path.join(self.root, "memory", path.strip("/")), "memory.limit_in_bytes", "memory.oom_control"

    def kills(self, groups):
        """Counts processes that were killed because memory was short: on the machine, and in the groups."""
        return [self.number("oom_kill", self.proc, "vmstat"), *(self.number("oom_kill", g, events) for g, _, events in groups)]

    def total(self, groups):
        """Returns the bytes that a process of the groups can have."""
        most = self.number("MemTotal:", self.proc, "meminfo") * 1024
        if not most:
            import psutil

            most = psutil.virtual_memory().total
        for group, limit, _ in groups:
            while group.startswith(self.root):  # a limit also applies to the groups below
                for line in self.lines(group, limit):
                    if line.isdigit():
                        most = min(most, int(line))
                group = os.path.dirname(group)
        return most

    def number(self, name, *path):
        for line in self.lines(*path):
            word, _, rest = line.partition(" ")
            if word == name:
                return int(rest.split()[0])
        return 0

    @staticmethod
    def lines(*path):
        try:
            with open(os.path.join(*path), encoding="ascii", errors="replace") as f:
                return f.read().splitlines()
        except OSError:
            return []


class Watch:
    """What is known about a process, while it runs and at its end."""

    def __init__(self, process, log, system):
        self.process, self.system = process, system
        self.memory = 0  # bytes; 0 if it is not known
        self.end = None
        self.look(log)

    def look(self, log=None):
        """Notes the state of the log and of the system, while the process runs."""
        self.log = log or easel_early.Log()
        self.groups = list(self.system.groups(self.process.pid))
        self.kills = self.system.kills(self.groups)

    def reap(self):
        """Asks whether the process has ended, in Popen's stead, who would not ask how much memory it had."""
        if self.process.returncode is not None or not hasattr(os, "wait4"):
            return
        try:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        except ChildProcessError:
            return  # Popen knows what to do
        if pid:
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    def conclude(self, log_file):
        """Describes the end of the process, once."""
        code = self.process.returncode
        if self.end is not None or code is None:
            return
        self.end = {"code": code, "words": last_words(self.log.lines(log_file, READ))}
        if self.memory:
            self.end.update(memory=self.memory, total=self.system.total(self.groups))
        if code < 0:
            self.end["signal"] = easel_early.how(code).rpartition(" ")[2]
        if code == -getattr(signal, "SIGKILL", 9):
            now = self.system.kills(self.groups)
            self.end["out_of_memory"] = any(a > b for a, b in zip(now, self.kills))


def last_words(lines):
    """Returns the lines that say most about an end: the beginning of a crash, or the last ones."""
    lines = [line for line in lines if not NOT_CODE.match(line)]
    crashes = [i for i, line in enumerate(lines) if FATAL.match(line)]
    lines = lines[crashes[-1] :][:LINES] if crashes else lines[-LINES:]
    return "\n".join(lines)[:MOST]


class EndingKernelManager(ServerKernelManager):
    """A kernel, and how its process ended."""

    easel_system = System()
    easel_watch = None  # of the newest process

    @property
    def easel_end(self):
        return self.easel_watch and self.easel_watch.end

    async def _async_launch_kernel(self, kernel_cmd, **named):
        log = easel_early.Log()
        await super()._async_launch_kernel(kernel_cmd, **named)
        process = getattr(self.provisioner, "process", None)
        # Other provisioners may have something else as their process.
        self.easel_watch = Watch(process, log, self.easel_system) if isinstance(process, subprocess.Popen) else None

    async def _async_is_alive(self):
        watch = self.easel_watch
        if watch is None:
            return await super()._async_is_alive()
        watch.reap()
        alive = await super()._async_is_alive()
        if alive:
            watch.look()
        else:
            watch.conclude(getattr(self.parent, "log_file", ""))
        return alive

    is_alive = _async_is_alive
