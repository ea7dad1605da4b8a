"""A clean Debian system in a directory, with an ordinary user."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

# Variables that say how to reach the package servers.
PASSED = re.compile(r"(?i)^(pip_(index|extra|default)|uv_|.*_proxy$)")
CERTIFICATES = "/etc/ssl/test-ca.crt"
USER = "ada"


class Debian:
    """An overlay on a base system. Programs in it share the network of this machine."""

    def __init__(self, suite: str, base: str, archives: str):
        self.suite = suite
        # Not in pytest's directory: it deletes old ones, with what may still be mounted there.
        self.scratch = scratch = pathlib.Path(tempfile.mkdtemp(prefix="easel-dist-"))
        self.root, self.mounts = scratch / "root", []
        self.environment = {k: v for k, v in os.environ.items() if PASSED.match(k)} | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        try:
            self._prepare(base, scratch, archives)
        except BaseException:
            self.close()
            raise

    def _prepare(self, base: str, scratch: pathlib.Path, archives: str):
        for name in ("root", "upper", "work"):
            (scratch / name).mkdir()
        self._mount("-t", "overlay", "overlay", "-o", f"lowerdir={base},upperdir={scratch}/upper,workdir={scratch}/work", target=self.root)
        self._mount("-t", "proc", "proc", target=self.root / "proc")
        self._mount("--bind", archives, target=self.root / "var/cache/apt/archives")
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        (self.root / "etc/apt/apt.conf.d/99test").write_text('APT::Keep-Downloaded-Packages "true";\nAPT::Sandbox::User "root";\nDpkg::Use-Pty "0";\n')
        if trusted := os.environ.get("SSL_CERT_FILE"):  # the network has a certificate authority of its own
            (self.root / CERTIFICATES[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(trusted, self.root / CERTIFICATES[1:])
            self.environment |= dict.fromkeys(("SSL_CERT_FILE", "PIP_CERT"), CERTIFICATES)
        self.run("useradd", "--create-home", "--shell", "/bin/bash", USER)

    def _mount(self, *options: str, target: pathlib.Path):
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", *options, str(target)], check=True)
        self.mounts.insert(0, target)

    def command(self, *command: str, user: bool = False, **variables: str) -> list[str]:
        """Returns the command line that runs a command in the system."""
        environment = self.environment | variables
        change = ["chroot", str(self.root)]
        if user:
            environment |= {"HOME": f"/home/{USER}", "USER": USER}
            change = ["chroot", f"--userspec={USER}:{USER}", str(self.root)]
        return [*change, "/usr/bin/env", "-i", *(f"{k}={v}" for k, v in environment.items()), *command]

    def run(self, *command: str, user: bool = False, code: int = 0, **variables: str) -> str:
        """Runs a command and returns its output."""
        done = subprocess.run(self.command(*command, user=user, **variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout[-4000:]}"
        return done.stdout

    def copy(self, path: pathlib.Path) -> str:
        """Copies a file into the system and returns its path there."""
        shutil.copy(path, self.root / "tmp" / path.name)
        return f"/tmp/{path.name}"

    def install(self, package: pathlib.Path):
        self.run("apt-get", "install", "-q", "-y", self.copy(package))

    def home(self) -> pathlib.Path:
        return self.root / "home" / USER

    def files(self) -> set[str]:
        """Returns the paths of all files, without those of the kernel."""
        found = self.run("find", "/", "-xdev", "-not", "-path", "/tmp/*", "-not", "-path", "/proc/*")
        return set(found.splitlines())

    def processes(self) -> list[int]:
        """Returns the processes whose root directory is this system."""
        found = []
        for p in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(p / "root") == str(self.root):
                    found.append(int(p.name))
        return found

    def close(self) -> list[int]:
        """Unmounts and deletes the system, and returns the processes that were left in it."""
        left = self.processes()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        for target in self.mounts:
            until("unmount", lambda target=target: subprocess.run(["umount", str(target)], capture_output=True).returncode == 0)
        self.mounts = []
        shutil.rmtree(self.scratch)
        return left


def until(what: str, true, seconds: float = 60):
    """Waits until a condition is true."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, f"timeout: {what}"
        time.sleep(0.1)
    return found
