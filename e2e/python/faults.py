"""The faults of a storm."""

import concurrent.futures
import random
import signal
import time

import psutil
from servers import wait_until
from stormed import Cut, Storm


class Faults:
    """Causes random faults, one after the other."""

    def __init__(self, storm: Storm, assistants: list, seed: int):
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
                self.storm.tell(f"  {e!r}")  # the target has just ended

    def kernel(self) -> str:
        return next(s["kernel_id"] for s in self.storm.sessions() if s["session_id"] == self.target)

    def process(self) -> psutil.Process:
        return next(iter(self.storm.kernel_processes(self.kernel())))

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
        """Kills a kernel while the server is suspended."""
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
        """Makes 64 calls at once. Each must get its own result, or an error with a code."""

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
