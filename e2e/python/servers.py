"""The programs under test, started as by a user: Easel's binary and a Jupyter server, each
with its own directories and port."""

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request

BINARY = os.environ.get("EASEL_TEST_BINARY", "")
SERVER = pathlib.Path(__file__).resolve().parents[2] / "jupyter/jupytertest/server.py"


def free_port() -> int:
    """Returns a free port outside the range from which the system assigns ports to connections,
    because an Easel whose port is taken does not start."""
    for _ in range(100):
        port = random.randrange(20_000, 32_000)
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")


@contextlib.contextmanager
def dead_port():
    """Yields a port on which nobody listens or can listen, because it is bound. It refuses connections."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        yield s.getsockname()[1]


def wait_until(what: str, condition, seconds: float = 180, pause: float = 0.05):
    """Polls condition until it returns something true, and returns that. On a loaded machine
    with one core, a start takes a minute. If it takes three, it hangs."""
    end = time.monotonic() + seconds
    while True:
        if result := condition():
            return result
        if time.monotonic() > end:
            raise TimeoutError(f"{what} took more than {seconds} s")
        time.sleep(pause)


def http(method: str, url: str, token: str = "", body=None, scheme="token", timeout=180):
    """Makes a request. Returns the status, the headers, and the body, which is decoded if it is JSON."""
    request = urllib.request.Request(url, method=method)
    if token:
        request.add_header("Authorization", f"{scheme} {token}")
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, data, timeout=timeout) as r:
            status, headers, raw = r.status, r.headers, r.read()
    except urllib.error.HTTPError as e:
        status, headers, raw = e.code, e.headers, e.read()
    kind = headers.get_content_type()
    if kind.endswith("json"):
        return status, headers, json.loads(raw) if raw else None
    return status, headers, raw


def clean_environment(home: pathlib.Path) -> dict:
    """Returns an environment without a display and without settings of the user, which must
    neither affect the tests nor be changed by them."""
    env = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("EASEL_", "JUPYTER", "IPYTHON", "MPL", "XDG_", "DISPLAY", "WAYLAND", "DBUS"))
    }
    if mark := os.environ.get("EASEL_TEST_RUN"):  # see leftovers in scripts/test
        env["EASEL_TEST_RUN"] = mark
    # Share uv's and pip's caches, which only save time.
    env["UV_CACHE_DIR"] = os.environ.get("UV_CACHE_DIR") or str(pathlib.Path.home() / ".cache/uv")
    env["PIP_CACHE_DIR"] = os.environ.get("PIP_CACHE_DIR") or str(pathlib.Path.home() / ".cache/pip")
    env.update(HOME=str(home), LC_ALL="C.UTF-8", EASEL_HEADLESS="1")
    return env


@functools.cache
def fonts() -> str:
    """Returns a directory with matplotlib's list of fonts, for all kernels of a run. Without
    one, each kernel creates it, and prints a message if that takes more than five seconds."""
    base = str(pathlib.Path(sys.prefix) / "matplotlib")  # as in jupytertest.Fonts
    subprocess.run(
        [sys.executable, "-c", "import matplotlib.font_manager"],
        env=os.environ | {"MPLCONFIGDIR": base}, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return base


def stop(process: subprocess.Popen, seconds: float = 20) -> int:
    """Ends a process with SIGTERM, or by force after some seconds, and returns the exit code.
    A Jupyter server that is answering a request may wait forever for one of its threads."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return process.returncode


class Jupyter:
    """A Jupyter server with default settings and limits that Easel has not started. Few tests
    need JupyterLab, which takes longer to start than the server."""

    def __init__(self, base: pathlib.Path, lab: bool = False, collaboration: bool = False):
        self.base, self.token = base, "jupyter-test-token"
        self.command = [sys.executable, str(SERVER)] + (["--collaboration"] if collaboration else ["--lab"] * lab)
        self.root = base / "root"
        self.root.mkdir(parents=True)
        self.env = clean_environment(base)
        for name in ("CONFIG", "DATA", "RUNTIME"):
            self.env[f"JUPYTER_{name}_DIR"] = str(base / name.lower())
        self.env["IPYTHONDIR"], self.env["MPLCONFIGDIR"] = str(base / "ipython"), fonts()
        self.log = open(base / "jupyter.log", "wb")
        for _ in range(3):  # another program may take the port before Jupyter does
            if self.launch():
                return
        raise RuntimeError((base / "jupyter.log").read_text())

    def launch(self, port: int = 0) -> bool:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [*self.command, "--allow-root", "--ip=127.0.0.1", f"--port={self.port}",
             "--port-retries=0", "--no-browser", f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.root}"],
            env=self.env, cwd=self.root, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )  # fmt: skip
        wait_until("Jupyter's start", lambda: self.process.poll() is not None or self.ready())
        return self.process.poll() is None

    def ready(self) -> bool:
        with contextlib.suppress(OSError):
            return self.request("GET", "/api/status")[0] == 200
        return False

    def request(self, method: str, path: str, body=None):
        return http(method, self.url + path, self.token, body)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        stop(self.process)
        self.log.close()


@dataclasses.dataclass
class Easel:
    """A running Easel."""

    data: pathlib.Path
    env: dict
    process: subprocess.Popen | None = None

    @classmethod
    def prepare(cls, base: pathlib.Path, jupyter: Jupyter | None = None, **env: str) -> "Easel":
        """Returns an Easel with its own directories that is not started yet."""
        assert BINARY, "EASEL_TEST_BINARY names no binary: run the tests with make test"
        base.mkdir(parents=True, exist_ok=True)
        home = base / "home"
        home.mkdir(exist_ok=True)
        environment = clean_environment(home)
        environment |= {"EASEL_DATA_DIR": str(base / "data"), "EASEL_ROOT_DIR": str(base / "root"), "EASEL_PORT": str(free_port())}
        if jupyter:
            environment |= {"EASEL_JUPYTER_URL": jupyter.url, "EASEL_JUPYTER_TOKEN": jupyter.token}
        return cls(base / "data", environment | env)

    def give_python(self):
        """Gives Easel an environment with the packages of the tests' environment, in place of the one that
        it installs for itself. Easel adds its own modules there, so it cannot be the tests' environment itself."""
        env = self.data / "jupyter" / "env"
        env.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
        site = pathlib.Path(sysconfig.get_path("purelib"))  # its exit.pth: see scripts/python-env
        packages = next(env.glob("lib/*/site-packages"))
        (packages / "tests.pth").write_text(f"{site}\n{(site / 'exit.pth').read_text()}")
        (packages / "cloudpickle").symlink_to(site / "cloudpickle")  # kernels of projects load it from there
        pinned = (SERVER.parents[1] / "managed/requirements.txt").read_bytes()
        stamp = {"requirements": hashlib.sha256(pinned).hexdigest(), "path": str(env), "version": sys.version_info[:3]}
        (env / "easel.json").write_text(json.dumps(stamp))

    @classmethod
    def start(cls, base: pathlib.Path, *args: str, jupyter: Jupyter | None = None, **env: str) -> "Easel":
        easel = cls.prepare(base, jupyter, **env)
        easel.launch(*args)
        return easel

    @classmethod
    def start_with_python(cls, base: pathlib.Path, *args: str, **env: str) -> "Easel":
        """Starts an Easel that manages Jupyter and need not install it first."""
        easel = cls.prepare(base, **env)
        easel.give_python()
        easel.launch(*args)
        return easel

    def spawn(self, *args: str):
        """Starts the process without waiting until it is ready."""
        with open(self.data.parent / "easel.log", "ab") as log:
            self.process = subprocess.Popen([BINARY, *args], env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def launch(self, *args: str):
        self.spawn("--headless", *args)
        wait_until("Easel's start", self.ready)

    def ready(self) -> bool:
        assert self.process.poll() is None, (self.data.parent / "easel.log").read_text()
        try:
            return self.runtime["pid"] == self.process.pid and http("GET", self.url + "/api/health")[0] == 200
        except (OSError, ValueError, KeyError):
            return False

    @property
    def runtime(self) -> dict:
        return json.loads((self.data / "easel.json").read_text())

    @property
    def url(self) -> str:
        return self.runtime["url"].rstrip("/")

    @property
    def token(self) -> str:
        return self.runtime["token"]

    def request(self, method: str, path: str, body=None, timeout=180):
        return http(method, self.url + path, self.token, body, scheme="Bearer", timeout=timeout)

    def execute(self, tool: str, **arguments):
        """Runs a tool over REST."""
        return self.request("POST", f"/api/execute/{tool}", arguments)

    def close(self) -> int:
        code = stop(self.process, 180)
        if code:
            print((self.data.parent / "easel.log").read_text())  # pytest shows this with the failure
        return code
