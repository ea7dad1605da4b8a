"""Measures Easel with many sessions on one gateway: make sessions (COUNT=200 KERNEL=small).

The kernel "small" (e2e/gateways/small.py) needs 20 MB, so that 200 fit on one machine. Use
KERNEL=python3 for ipykernel, which needs 60 MB or more."""

import asyncio
import concurrent.futures
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from raw import Raw
from servers import SERVER, Easel, clean_environment, fonts, free_port, http, stop, wait_until

GATEWAY = os.environ.get("EASEL_TEST_KERNEL_GATEWAY", "")  # the interpreter of its environment
SMALL = SERVER.parents[2] / "e2e/gateways/small.py"
# A gateway opens eight ZeroMQ sockets for each kernel, and one process has 1,023 by default, which is enough for 127 kernels.
LAUNCH = """
import zmq
create = zmq.Context.__init__
def create_larger(self, *args, **kwargs):
    create(self, *args, **kwargs)
    self.set(zmq.MAX_SOCKETS, 16_384)
zmq.Context.__init__ = create_larger
from kernel_gateway import launch_instance
launch_instance()
"""
AT_ONCE = 8  # calls, as from a few assistants
PLOT = {"small": "plot()", "python3": "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()"}


class Gateway:
    """A Kernel Gateway with the small kernel."""

    def __init__(self, base: pathlib.Path):
        spec = base / "data/kernels/small"
        spec.mkdir(parents=True)
        (spec / "kernel.json").write_text(json.dumps(
            {"argv": [GATEWAY, str(SMALL), "{connection_file}"], "display_name": "small", "language": "small"}))
        env = clean_environment(base) | {"JUPYTER_PATH": str(base / "data"), "MPLCONFIGDIR": fonts()}
        for name in ("CONFIG", "DATA", "RUNTIME"):
            env[f"JUPYTER_{name}_DIR"] = str(base / name.lower())
        self.token, port = "gateway-token", free_port()
        self.url = f"http://127.0.0.1:{port}"
        with open(base / "gateway.log", "wb") as log:
            self.process = subprocess.Popen(
                [GATEWAY, "-c", LAUNCH, "--ip=127.0.0.1", f"--port={port}", "--port_retries=0",
                 f"--KernelGatewayApp.auth_token={self.token}"],
                env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        wait_until("the gateway's start", self.ready)

    def ready(self) -> bool:
        with contextlib.suppress(OSError):
            return http("GET", self.url + "/api/kernelspecs", self.token)[0] == 200
        return False


def held(pid: int) -> dict[str, float]:
    """Returns what a process holds: memory in MiB, threads, open files, and processor time in seconds."""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return {
        "resident": int(status["VmRSS"].split()[0]) / 1024, "anonymous": int(status["RssAnon"].split()[0]) / 1024,
        "threads": int(status["Threads"]), "files": len(os.listdir(f"/proc/{pid}/fd")),
        "seconds": (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK"),
    }  # fmt: skip


def show(what: str, pid: int, note: str = "") -> dict[str, float]:
    h = held(pid)
    print(f"{what:34} {h['anonymous']:6.1f} MiB anonymous, {h['resident']:6.1f} resident, {h['threads']:3} threads, {h['files']:4} files{note}", flush=True)
    return h


def times(what: str, ms: list[float], note: str = ""):
    ms = sorted(ms)
    print(f"{what:34} median {statistics.median(ms):7.1f} ms, 95 % within {ms[int(len(ms) * 0.95)]:7.1f}, longest {ms[-1]:7.1f}{note}", flush=True)


async def raw(gateway: Gateway, kernel: str) -> tuple[float, float]:
    """Returns the time that a minimal client takes to start a kernel and get the first result, and for the next result."""
    begin = time.perf_counter()
    made = (await asyncio.to_thread(http, "POST", gateway.url + "/api/kernels", gateway.token, {"name": kernel}))[2]["id"]
    client = await Raw({"url": gateway.url, "token": gateway.token}).open(made)
    await client.run("1 + 1")
    first = (time.perf_counter() - begin) * 1000
    begin = time.perf_counter()
    await client.run("1 + 1")
    later = (time.perf_counter() - begin) * 1000
    client.ws.close()
    await asyncio.to_thread(http, "DELETE", f"{gateway.url}/api/kernels/{made}", gateway.token)
    return first, later


class Sessions:
    """The sessions of an Easel."""

    def __init__(self, easel: Easel, kernel: str):
        self.easel, self.kernel, self.ids = easel, kernel, []

    def create(self, _=None) -> tuple[float, float]:
        """Creates a session, and returns the time until it is ready, and until its first result."""
        begin = time.perf_counter()
        status, _, made = self.easel.execute("session_create", name=self.kernel)
        assert status == 200, made
        ready = (time.perf_counter() - begin) * 1000
        self.run(made["session_id"])
        self.ids.append(made["session_id"])
        return ready, (time.perf_counter() - begin) * 1000

    def run(self, session: str, code: str = "1 + 1") -> float:
        begin = time.perf_counter()
        status, _, x = self.easel.execute("execute_code", session_id=session, code=code)
        assert status == 200 and x["status"] == "ok" and (code != "1 + 1" or x["result"] == "2"), x
        assert code == "1 + 1" or len(x["images"]) == 1, x
        return (time.perf_counter() - begin) * 1000

    def delete(self, session: str):
        status, _, answer = self.easel.execute("session_delete", session_id=session)
        assert status == 200, answer


def side_by_side(gateway: Gateway, sessions: Sessions):
    """Measures new sessions, in turn with a minimal client that does the same."""
    plain, ours = [], []
    for _ in range(15):
        plain.append(asyncio.run(raw(gateway, sessions.kernel)))
        first = sessions.create()[1]
        new = sessions.ids.pop()
        ours.append((first, sessions.run(new)))
        sessions.delete(new)
    times("  raw: start → first result", [first for first, _ in plain])
    times("  Easel: the same", [first for first, _ in ours])
    times("  raw: 1 + 1", [later for _, later in plain])
    times("  Easel: the same", [later for _, later in ours])


def measure(base: pathlib.Path, count: int, kernel: str):
    gateway = Gateway(base)
    try:
        easel = Easel.start(base / "easel", EASEL_JUPYTER_URL=gateway.url, EASEL_JUPYTER_TOKEN=gateway.token)
        try:
            sessions, pid = Sessions(easel, kernel), easel.process.pid
            sessions.create()
            before = show("1 session", pid)
            side_by_side(gateway, sessions)
            for n in [n for n in (50, 100, 200, 400) if n < count] + [count]:
                begin = time.perf_counter()
                with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                    made = list(pool.map(sessions.create, range(n - len(sessions.ids))))
                took = time.perf_counter() - begin
                times(f"session_create, up to {n}", [ready for ready, _ in made], f" ({AT_ONCE} at once, {took:.0f} s)")
                times("… and its first result", [done for _, done in made])
                show(f"{n} sessions", pid)
                side_by_side(gateway, sessions)
            with concurrent.futures.ThreadPoolExecutor(count) as pool:
                begin = time.perf_counter()
                all_at_once = list(pool.map(sessions.run, sessions.ids))
                times("1 + 1 in all at once", all_at_once, f" ({(time.perf_counter() - begin) * 1000:.0f} ms in all)")
                begin = time.perf_counter()
                plots = list(pool.map(lambda i: sessions.run(i, PLOT[kernel]), sessions.ids))
                times("a plot in all at once", plots, f" ({(time.perf_counter() - begin) * 1000:.0f} ms in all)")
            full = show("… after the plots", pid)
            begin = time.perf_counter()
            listed = len(easel.request("GET", "/api/info/session_list")[2]["sessions"])
            print(f"{'session_list':34} {listed} sessions in {(time.perf_counter() - begin) * 1000:.1f} ms")
            assert listed == count, listed
            time.sleep(60)
            rested = show("… a minute later", pid)
            print(f"{'processor while idle':34} {(rested['seconds'] - full['seconds']) / 60 * 100:.1f} % of one", flush=True)
            for again in range(2):  # what is kept only once is no leak
                with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                    list(pool.map(sessions.delete, sessions.ids[1:]))
                del sessions.ids[1:]
                time.sleep(30)
                show("1 session again", pid)
                if not again:
                    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                        list(pool.map(sessions.create, range(count - 1)))
                    show(f"{count} sessions again", pid)
            print(f"{'kept for each open session':34} {(rested['anonymous'] - before['anonymous']) / count * 1024:.0f} KiB", flush=True)
        finally:
            easel.close()
    except BaseException:
        for log in (base / "gateway.log", base / "easel/data/logs/easel.log"):
            print(*log.read_text().splitlines()[-30:], sep="\n")
        raise
    finally:
        stop(gateway.process, 120)  # it ends its kernels one after the other


if __name__ == "__main__":
    assert GATEWAY, "use make sessions"
    with tempfile.TemporaryDirectory() as directory:
        measure(pathlib.Path(directory), int(sys.argv[1]), sys.argv[2])
