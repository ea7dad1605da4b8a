"""Causes random faults and reports their consequences.

Several assistants run all kinds of code, each in its own session. Meanwhile, kernels are
killed, suspended, interrupted, restarted and deleted, by Easel and by others, the Jupyter
server is suspended or killed, and Easel is killed. The storm reports everything that hung,
was silently lost, or is wrong afterwards. There should be nothing.

    make storm ARGS="60 1 stock"     seconds, seed, and "stock" for an unmanaged Jupyter
"""

import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback

from assistant import ENDED
from faults import Faults
from servers import wait_until
from stormed import Cut, Storm

PATIENCE = 90  # seconds for an execution to end; the longest one should take two
PREPARE = """
import io, time
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image, display
b = io.BytesIO(); plt.imsave(b, np.random.default_rng(1).random((40, 40, 3))); png = b.getvalue()
"""
GONE = {"KERNEL_NOT_FOUND", "SESSION_NOT_FOUND"}


class Assistant(threading.Thread):
    """Runs code in a session and checks the results."""

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
        """Stops code that was left running by a killed Easel."""
        if self.session:
            status, answer = self.storm.tool("session_interrupt", session_id=self.session)
            self.storm.counts[f"stopped what was left: {answer.get('code', status)}"] += 1

    def execute(self, code: str, **arguments) -> dict:
        """Runs code and returns the ended execution. Its status is empty if it was refused."""
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
            kernels = [(p.pid, p.status(), p.cpu_times()[:2]) for p in self.storm.kernel_processes(self.session)]
            self.storm.found(f"{self.session}: {status} for {patience} s: {execution['code'][:50]!r}, after {self.last}; its processes: {kernels}")
        elif status != "ok" and not execution.get("error"):
            self.storm.found(f"{self.session}: {status} without an error")
        elif status == "lost":
            self.stop_what_is_left()
        self.last = f"{status} {execution['execution_id']}"
        return execution

    def expect(self, execution: dict, what: str, got, want):
        """Checks that a successful execution is complete, unless it says that it may not be."""
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
        self.draws("for n in range(8): display(Image(png + bytes([n])))", 8)

    def plot(self):
        self.draws("plt.figure(figsize=(2, 2)); plt.plot([1, 3, 2]); plt.show()", 1)

    def draws(self, code: str, n: int):
        e = self.execute(code)
        self.expect(e, "pictures", len(e.get("images", [])), n)
        if e["status"] == "error":  # the kernel has restarted
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
        while e["status"] not in ENDED and time.monotonic() < end:  # like a user who presses the button again
            time.sleep(self.chance.random())
            self.storm.tool("session_interrupt", session_id=self.session)
            e = self.storm.get("execution", execution_id=e["execution_id"], wait=10)[1]
        self.follow(e, 0.1)


def calm(storm: Storm, assistants: list[Assistant]):
    """Checks that everything works again after the storm."""
    wait_until("the server", storm.ready, 120)
    for a in assistants:
        if a.session and (e := a.execute("1+1"))["status"] not in ("", "ok"):  # it may still be hit by a fault
            storm.tell(f"right after it: {e['status']}")
            a.sum()

    def busy():
        # Nobody connects to a kernel that Easel was starting when it was killed.
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


def storm(base: pathlib.Path, seed: int, seconds: float, managed: bool = True, count: int = 5) -> list[str]:
    """Runs a storm and returns what was wrong."""
    s = Storm(base, managed)
    try:
        assistants = [Assistant(s, n, seed) for n in range(count)]
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
    base = pathlib.Path(tempfile.mkdtemp())
    wrong = storm(base, seed, seconds, managed)
    if wrong:
        print("the logs are in", base)
    else:
        shutil.rmtree(base, ignore_errors=True)
    print(f"seed {seed}: {len(wrong)} wrong", *wrong, sep="\n  ")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
