"""The programs in a storm, Easel and its Jupyter server, and the problems found."""

import collections
import json
import pathlib
import threading
import time
import urllib.parse

import psutil  # a dependency of ipykernel
from servers import Easel, Jupyter, http, wait_until


class Cut(Exception):
    """Easel was killed during a request."""


class Storm:
    """The programs under test, and the problems found."""

    def __init__(self, base: pathlib.Path, managed: bool):
        self.jupyter = None if managed else Jupyter(base / "jupyter")
        self.easel = Easel.prepare(base / "easel", self.jupyter)
        if managed:
            self.easel.give_python()  # the storm begins after the first start
        self.easel.launch()
        wait_until("Jupyter", self.ready, 600)
        self.began = time.monotonic()
        self.over = threading.Event()
        self.lives = threading.RLock()  # held while Easel is killed and restarted
        self.wrong: list[str] = []
        self.counts: collections.Counter = collections.Counter()
        self.images: set[str] = set()

    def tell(self, what: str):
        print(f"{time.monotonic() - self.began:6.1f} {what}", flush=True)

    def found(self, what: str):
        self.tell("WRONG: " + what)
        self.wrong.append(what)

    def request(self, method: str, path: str, body=None) -> tuple[int, dict]:
        """Makes a request. Raises Cut if Easel was killed in the meantime."""
        with self.lives:
            pass
        try:
            status, _, answer = self.easel.request(method, path, body)
        except TimeoutError:
            raise  # Easel hangs
        except (OSError, ValueError, KeyError) as e:
            raise Cut(str(e)) from e
        return status, answer

    def again(self, method: str, path: str, body=None) -> tuple[int, dict]:
        """Makes a request that may be repeated."""
        for _ in range(20):
            try:
                return self.request(method, path, body)
            except Cut:
                time.sleep(0.2)
        return self.request(method, path, body)

    def get(self, path: str, **parameters) -> tuple[int, dict]:
        return self.again("GET", f"/api/info/{path}?" + urllib.parse.urlencode(parameters))

    def tool(self, name: str, **arguments) -> tuple[int, dict]:
        return self.again("POST", f"/api/execute/{name}", arguments)

    def ready(self) -> bool:
        return self.easel.request("GET", "/api/health")[2]["servers"][0]["state"] == "ready"

    def server(self) -> tuple[str, str]:
        if self.jupyter:
            return self.jupyter.url, self.jupyter.token
        s = json.loads((self.easel.data / "jupyter" / "server.json").read_text())
        return s["url"].rstrip("/"), s["token"]

    def rest(self, method: str, path: str):
        url, token = self.server()
        return http(method, url + path, token, {} if method == "POST" else None, timeout=30)

    def server_process(self) -> psutil.Process:
        """Returns the process that listens. A child that it has just forked has its sockets, too, until it runs a program."""
        port = urllib.parse.urlparse(self.server()[0]).port
        listening = [psutil.Process(c.pid) for c in psutil.net_connections("tcp") if c.status == "LISTEN" and c.laddr.port == port]
        if not listening:
            raise ProcessLookupError("the server is just starting")
        return min(listening, key=lambda p: p.create_time())

    def kernel_processes(self, kernel: str) -> list[psutil.Process]:
        return [p for p in psutil.process_iter(["cmdline"]) if any(kernel in a for a in p.info["cmdline"] or [])]

    def sessions(self) -> list[dict]:
        return self.get("session_list")[1]["sessions"]

    def close(self) -> int:
        code = self.easel.close()
        if self.jupyter:
            self.jupyter.close()
        return code
