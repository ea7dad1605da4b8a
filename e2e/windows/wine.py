"""Easel's programs for Windows, run under Wine. The tests run in a room (see scripts/wine)."""

import contextlib
import json
import os
import pathlib
import subprocess

import mcp
import mcp_types
from assistant import Assistant
from mcp.client.stdio import StdioServerParameters, stdio_client
from servers import clean_environment, free_port, http, wait_until

WINE = str(pathlib.Path(__file__).resolve().parents[2] / "scripts/wine")
WINDOW = os.environ["EASEL_TEST_WINDOWS"]
HEADLESS = os.environ["EASEL_TEST_WINDOWS_HEADLESS"]
ROOM = pathlib.Path(os.environ["EASEL_WINE_ROOM"])
PROFILE = ROOM / "wine/drive_c/users/root"
KEPT = ("EASEL_WINE_ROOM", "DISPLAY", "LIBGL_ALWAYS_SOFTWARE")


def environment(**more: str) -> dict:
    env = clean_environment(pathlib.Path.home()) | {k: os.environ[k] for k in KEPT if k in os.environ} | more
    del env["EASEL_HEADLESS"]
    return env


def windows(path) -> str:
    """Returns the path as Windows programs see it."""
    return "Z:" + str(path).replace("/", "\\")


def run(program: str, *args: str, **env: str) -> subprocess.CompletedProcess:
    """Runs a program to its end."""
    return subprocess.run([WINE, "run", program, *args], env=environment(**env), capture_output=True, text=True, timeout=300)


class Easel:
    """A running Easel. Its data directory is on drive C, in a folder with a space and with
    characters that no 8-bit code page of Europe has."""

    def __init__(self, program: str, name: str, **env: str):
        self.program = program
        self.folder = PROFILE / f"My data 図 {name}"
        self.data = self.folder / "Easel"
        self.windows = f"C:\\users\\root\\{self.folder.name}\\Easel"
        self.env = environment(EASEL_DATA_DIR=self.windows, EASEL_ROOT_DIR=f"C:\\users\\root\\{self.folder.name}\\root", EASEL_PORT=str(free_port()), **env)
        self.process = None

    def start(self, *args: str, seconds: float = 180) -> "Easel":
        with contextlib.suppress(FileNotFoundError):
            (self.data / "easel.json").unlink()  # of one that was killed
        self.folder.mkdir(exist_ok=True)
        with open(self.folder / "output", "ab") as out:
            self.process = subprocess.Popen([WINE, "run", self.program, *args], env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        wait_until("Easel's start", self.ready, seconds)
        return self

    def ready(self) -> bool:
        assert self.process.poll() is None, self.output
        with contextlib.suppress(OSError, ValueError, KeyError):
            return http("GET", self.url + "/api/health")[0] == 200
        return False

    @property
    def output(self) -> str:
        return (self.folder / "output").read_text(errors="replace")

    @property
    def runtime(self) -> dict:
        return json.loads((self.data / "easel.json").read_text())

    @property
    def url(self) -> str:
        return self.runtime["url"].rstrip("/")

    def request(self, method: str, path: str, body=None, timeout=300):
        return http(method, self.url + path, self.runtime["token"], body, scheme="Bearer", timeout=timeout)

    def execute(self, tool: str, **arguments):
        return self.request("POST", f"/api/execute/{tool}", arguments)

    def run(self, session: str, code: str, **arguments) -> dict:
        status, _, body = self.execute("execute_code", session_id=session, code=code, **arguments)
        assert status == 200, body
        return body

    def session(self) -> str:
        status, _, body = self.execute("session_create")
        assert status == 200, body
        return body["session_id"]

    def health(self) -> dict:
        return self.request("GET", "/api/health")[2]

    def kill(self):
        """Ends it as the Task Manager does."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    @contextlib.asynccontextmanager
    async def bridge(self, program: str):
        """Yields an assistant that is connected by "easel mcp"."""
        parameters = StdioServerParameters(command=WINE, args=["run", program, "mcp"], env=self.env)
        with open(self.folder / "bridge", "a") as errors:
            info = mcp_types.Implementation(name="windows-client", version="1")
            async with mcp.Client(stdio_client(parameters, errlog=errors), client_info=info) as c:
                yield Assistant(c)
