"""Faults at random moments, and what came of it.

Some assistants run all kinds of code, each in a session of its own, while kernels are
killed, stopped, interrupted, restarted and deleted, by Easel and behind its back, the
Jupyter server stands still or is killed, and Easel is killed, too. Told is what hung, was
lost without a word, or is wrong when the storm is over: there should be nothing.

    make storm ARGS="60 1 stock"     seconds, seed, and "stock" for a Jupyter that is not Easel's
"""

import collections
import concurrent.futures
import json
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse

import psutil  # comes with ipykernel
from assistant import ENDED
from servers import Easel, Jupyter, http, wait_until

ASSISTANTS = 5
PATIENCE = 90  # seconds, for an execution to end; the longest that is meant to takes two
PREPARE = """
import io, time
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image, display
b = io.BytesIO(); plt.imsave(b, np.random.default_rng(1).random((40, 40, 3))); png = b.getvalue()
"""
GONE = {"KERNEL_NOT_FOUND", "SESSION_NOT_FOUND"}


class Cut(Exception):
    """Easel was killed while it answered."""


class Storm:
    """What is under test, and what was found."""

    def __init__(self, base: pathlib.Path, managed: bool):
        self.jupyter = None if managed else Jupyter(base / "jupyter")
        self.easel = Easel.start(base / "easel", jupyter=self.jupyter)
        wait_until("Jupyter", self.ready, 600)
        self.began = time.monotonic()
        self.over = threading.Event()
        self.lives = threading.RLock()  # held while Easel is started anew
        self.wrong: list[str] = []
        self.counts: collections.Counter = collections.Counter()
        self.images: set[str] = set()

    def tell(self, what: str):
        print(f"{time.monotonic() - self.began:6.1f} {what}", flush=True)

    def found(self, what: str):
        self.tell("WRONG: " + what)
        self.wrong.append(what)

    def request(self, method: str, path: str, body=None) -> tuple[int, dict]:
        """One request; Cut if Easel was killed meanwhile."""
        with self.lives:
            pass
        try:
            status, _, answer = self.easel.request(method, path, body)
        except TimeoutError:
            raise  # that is a hang
        except (OSError, ValueError, KeyError) as e:
            raise Cut(str(e)) from e
        return status, answer

    def again(self, method: str, path: str, body=None) -> tuple[int, dict]:
        """A request that may be sent twice."""
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
        port = urllib.parse.urlparse(self.server()[0]).port
        return psutil.Process(next(c.pid for c in psutil.net_connections("tcp") if c.status == "LISTEN" and c.laddr.port == port))

    def sessions(self) -> list[dict]:
        return self.get("session_list")[1]["sessions"]

    def close(self) -> int:
        code = self.easel.close()
        if self.jupyter:
            self.jupyter.close()
        return code


class Assistant(threading.Thread):
    """Runs code in a session, and looks at what came of it."""

    def __init__(self, storm: Storm, number: int, seed: int):
        super().__init__(name=f"assistant {number}")
        self.storm, self.chance, self.session = storm, random.Random(seed * 100 + number), ""
        self.last = ""

    def run(self):
        kinds = [self.sum, self.sum, self.flood, self.pictures, self.plot, self.sleep, self.loop, self.interrupted, self.die, self.variables]
        while not self.storm.over.is_set():
            try:
                if not self.session:
                    self.create()
                self.chance.choice(kinds)()
            except Cut:
                self.stop_what_is_left()
            except Exception:
                self.storm.found(f"{self.name}: {traceback.format_exc()}")
                return

    def create(self):
        def made():
            status, answer = self.storm.tool("session_create")
            self.session = answer["session_id"] if status == 200 else ""
            return self.session

        wait_until("session_create", made, 120, 0.3)
        self.execute(PREPARE)

    def stop_what_is_left(self):
        """An Easel that ends leaves its code at work."""
        if self.session:
            status, answer = self.storm.tool("session_interrupt", session_id=self.session)
            self.storm.counts[f"stopped what was left: {answer.get('code', status)}"] += 1

    def execute(self, code: str, **arguments) -> dict:
        """The execution at its end; without a status if it was refused."""
        status, answer = self.storm.request("POST", "/api/execute/execute_code", {"session_id": self.session, "code": code, "wait": 2, **arguments})
        if status >= 400:
            self.storm.counts["refused: " + answer["code"]] += 1
            if answer["code"] in GONE:
                self.session = ""
            time.sleep(0.2)
            return {"status": ""}
        return self.follow(answer)

    def follow(self, execution: dict, patience: float = PATIENCE) -> dict:
        end = time.monotonic() + patience
        while execution["status"] not in ENDED and time.monotonic() < end:
            execution = self.storm.get("execution", execution_id=execution["execution_id"], wait=2)[1]
        status = execution["status"]
        self.storm.counts[status] += 1
        self.storm.images |= {i["resource_uri"] for i in execution.get("images", [])}
        if status not in ENDED:
            self.storm.found(f"{self.session}: {status} for {patience} s: {execution['code'][:50]!r}, after {self.last}")
        elif status != "ok" and not execution.get("error"):
            self.storm.found(f"{self.session}: {status} without an error")
        elif status == "lost":
            self.stop_what_is_left()
        self.last = f"{status} {execution['execution_id']}"
        return execution

    def expect(self, execution: dict, what: str, got, want):
        """What ended well is whole, or it is said that it may not be."""
        if execution["status"] != "ok" or got == want:
            return
        if any(t["stream"] == "output" for t in execution.get("truncated", [])):
            self.storm.counts["not whole, and said so"] += 1
        else:
            self.storm.found(f"{self.session}: {what}: {got}, not {want}; {execution}")

    def sum(self):
        e = self.execute("1+1")
        self.expect(e, "a sum", e.get("result"), "2")

    def flood(self):
        n = self.chance.choice([200, 3000, 30000])
        e = self.execute(f"for i in range({n}): print(f'{{i:09d}}')")
        cut = [t["total_bytes"] for t in e.get("truncated", []) if t["stream"] == "stdout"]
        self.expect(e, "bytes", (cut or [len(e.get("stdout", ""))])[0], 10 * n)

    def pictures(self):
        self.draws("for _ in range(8): display(Image(png))", 8)

    def plot(self):
        self.draws("plt.figure(figsize=(2, 2)); plt.plot([1, 3, 2]); plt.show()", 1)

    def draws(self, code: str, n: int):
        e = self.execute(code)
        self.expect(e, "pictures", len(e.get("images", [])), n)
        if e["status"] == "error":  # a new process
            self.execute(PREPARE)

    def sleep(self):
        self.execute(f"import time; time.sleep({self.chance.uniform(0, 2):.2f})")

    def loop(self):
        self.execute("while True: pass", timeout=self.chance.choice([0.5, 1.5]))

    def die(self):
        self.execute("import os; print('x'); os.kill(os.getpid(), 9)")

    def variables(self):
        status, answer = self.storm.get("variables", session_id=self.session)
        self.storm.counts[f"variables: {answer.get('code', status)}"] += 1

    def interrupted(self):
        status, e = self.storm.request(
            "POST", "/api/execute/execute_code",
            {"session_id": self.session, "code": "import time\nwhile True: time.sleep(0.01)", "wait": 0},
        )  # fmt: skip
        if status >= 400:
            self.session = "" if e["code"] in GONE else self.session
            return
        end = time.monotonic() + PATIENCE
        while e["status"] not in ENDED and time.monotonic() < end:  # as a person who presses once more
            time.sleep(self.chance.random())
            self.storm.tool("session_interrupt", session_id=self.session)
            e = self.storm.get("execution", execution_id=e["execution_id"], wait=10)[1]
        self.follow(e, 0.1)


class Faults:
    """One after the other, at random."""

    def __init__(self, storm: Storm, assistants: list[Assistant], seed: int):
        self.storm, self.assistants, self.chance = storm, assistants, random.Random(seed)

    def run(self, seconds: float):
        end = time.monotonic() + seconds
        often = [self.restart, self.delete, self.restart_behind, self.interrupt_behind, self.delete_behind,
                 self.kill, self.kill, self.freeze, self.freeze_server, self.die_unseen, self.many]  # fmt: skip
        while time.monotonic() < end:
            time.sleep(self.chance.uniform(0.2, 2))
            fault = self.chance.choice(often if self.chance.random() < 0.85 else [self.kill_server, self.kill_easel, self.kill_easel])
            self.target = self.chance.choice([a.session for a in self.assistants if a.session] or [""])
            self.storm.tell(f"{fault.__name__} {self.target}")
            try:
                fault()
            except (psutil.NoSuchProcess, OSError, StopIteration, Cut) as e:
                self.storm.tell(f"  {e!r}")  # it has just gone

    def kernel(self) -> str:
        return next(s["kernel_id"] for s in self.storm.sessions() if s["session_id"] == self.target)

    def process(self) -> psutil.Process:
        kernel = self.kernel()
        return next(p for p in psutil.process_iter(["cmdline"]) if any(kernel in a for a in p.info["cmdline"] or []))

    def restart(self):
        self.storm.tool("session_restart", session_id=self.target)

    def delete(self):
        self.storm.tool("session_delete", session_id=self.target)

    def restart_behind(self):
        self.storm.rest("POST", f"/api/kernels/{self.kernel()}/restart")

    def interrupt_behind(self):
        self.storm.rest("POST", f"/api/kernels/{self.kernel()}/interrupt")

    def delete_behind(self):
        self.storm.rest("DELETE", f"/api/kernels/{self.kernel()}")

    def kill(self):
        self.process().kill()

    def freeze(self):
        self.stopped(self.process(), lambda: time.sleep(self.chance.uniform(0.2, 2)))

    def freeze_server(self):
        self.stopped(self.storm.server_process(), lambda: time.sleep(self.chance.uniform(0.2, 4)))

    def die_unseen(self):
        """The server stands still while a kernel dies."""
        kernel = self.process()

        def dies():
            time.sleep(self.chance.uniform(0, 1))
            kernel.kill()
            time.sleep(self.chance.uniform(0, 2))

        self.stopped(self.storm.server_process(), dies)

    def stopped(self, process: psutil.Process, f):
        process.send_signal(signal.SIGSTOP)
        try:
            f()
        finally:
            process.send_signal(signal.SIGCONT)

    def many(self):
        """64 calls at once: in order, each with its own answer, or refused with a name."""

        def one(n: int):
            try:
                return n, *self.storm.request("POST", "/api/execute/execute_code", {"session_id": self.target, "code": str(n), "wait": 50})
            except Cut:
                return n, 0, {}

        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            for n, status, answer in pool.map(one, range(64)):
                if answer.get("status") == "ok" and answer["result"] != str(n):
                    self.storm.found(f"{n} was answered by {answer['result']}")
                elif status >= 400 and not answer.get("code"):
                    self.storm.found(f"{n} was refused without a name: {answer}")

    def kill_server(self):
        server = self.storm.server_process()
        kernels = server.children(recursive=True)
        server.kill()
        if self.storm.jupyter:
            self.storm.jupyter.process.wait()
            for k in kernels:
                k.kill()
            self.storm.jupyter.launch(self.storm.jupyter.port)
        wait_until("the server, again", self.storm.ready, 120)

    def kill_easel(self):
        with self.storm.lives:
            self.storm.easel.process.kill()
            self.storm.easel.process.wait()
            self.storm.easel.launch()


def calm(storm: Storm, assistants: list[Assistant]):
    """When the storm is over all is as if there had been none."""
    wait_until("the server", storm.ready, 120)
    for a in assistants:
        if a.session and (e := a.execute("1+1"))["status"] not in ("", "ok"):  # a fault may have hit it yet
            storm.tell(f"right after it: {e['status']}")
            a.sum()

    def busy():
        # One that an Easel was starting when it was killed nobody ever speaks to.
        return [s for s in storm.sessions() if s["status"] != "idle" and (s["owner"], s["status"]) != ("other", "starting")]

    def unended():
        return [e for e in storm.again("GET", "/api/resources/history")[1]["executions"] if e["status"] in ("queued", "running")]

    for what, left in (("idle", busy), ("ended", unended)):
        try:
            wait_until("a calm", lambda: not left(), 60)
        except TimeoutError:
            storm.found(f"not {what}: {left()}")
    if gone := [uri for uri in storm.images if storm.get("image_resource", resource_uri=uri, max_edge=64)[0] != 200]:
        storm.found(f"{len(gone)} of {len(storm.images)} images are gone")
    if code := storm.close():
        storm.found(f"Easel ended with {code}")
    log = (storm.easel.data.parent / "easel.log").read_text()
    for word in ("panic:", "DATA RACE", "fatal error"):
        if word in log:
            storm.found(f"{word} {log[log.index(word) :][:2000]}")


def storm(base: pathlib.Path, seed: int, seconds: float, managed: bool = True) -> list[str]:
    """What was wrong."""
    s = Storm(base, managed)
    try:
        assistants = [Assistant(s, n, seed) for n in range(ASSISTANTS)]
        for a in assistants:
            a.start()
        try:
            Faults(s, assistants, seed).run(seconds)
        finally:
            s.over.set()
            for a in assistants:
                a.join()
        s.tell("calm")
        calm(s, assistants)
    finally:
        if s.easel.process.poll() is None:
            s.close()
    s.tell(", ".join(f"{n} {what}" for what, n in sorted(s.counts.items())) + f"; {len(s.images)} images")
    return s.wrong


def main():
    given = sys.argv[1:] + [60, int(time.time()), "managed"][len(sys.argv) - 1 :]
    seconds, seed, managed = float(given[0]), int(given[1]), given[2] == "managed"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        wrong = storm(pathlib.Path(base), seed, seconds, managed)
    print(f"seed {seed}: {len(wrong)} wrong", *wrong, sep="\n  ")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
