"""Compares Easel with a raw client of the same Jupyter server and with a peer, interleaved
in one run.

The floor ("raw") is a websocket to the kernel that answers each frame with a pong, so that
no acknowledgement is delayed. "mcp" is Easel through the official MCP SDK in Python, without
a progress token, and "ts" is the same in TypeScript. "rest" is Easel through httpx, and
"peer" is jupyter-mcp-server through the same SDK. Each way has its own kernel on the same
server. The bench prints medians, the difference from the first way, and whether the goal is
met. Numbers from different runs or machines cannot be compared.

    make bench
"""

import asyncio
import contextlib
import json
import os
import pathlib
import random
import socket
import statistics
import sys
import tempfile
import time
import urllib.request

import httpx2
import plenty
from assistant import connect
from held import window_memory
from mcp import MCPError
from measured import Table, interleaved, rested, timed
from onscreen import DISPLAY, on_screen
from peer import open_peer
from raw import NO_PAUSE, Raw
from servers import Easel, free_port, http, wait_until
from typescript import open_typescript

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
FEW = max(5, ROUNDS // 5)  # rounds for slow measurements
PLOTS, CALLS = min(200, 2 * ROUNDS), min(1000, 10 * ROUNDS)
PLOT = "plt.figure(); plt.plot([1, 3, 2]); plt.show()"
FIRST = "import matplotlib.pyplot as plt\n" + PLOT
FIFTY = "for n in range(50): display(Image(png + bytes([n])))"
PREPARE = """
import io
import matplotlib.pyplot as plt
from IPython.display import Image, display
import numpy as np
b = io.BytesIO(); plt.imsave(b, np.random.default_rng(1).random((80, 80, 3))); png = b.getvalue()
"""
TEN_MB = "for _ in range(1000): print('x' * 9_999)"
LOOP = "import time\nprint('begun', flush=True)\nwhile True: time.sleep(0.01)"
CHATTER = "import time\nwhile True: print('x' * 100); time.sleep(0.01)"


class Bench:
    def __init__(self, easel: Easel, server: dict, a, rest, peer=None, ts=None):
        self.easel, self.server, self.a, self.rest, self.peer, self.ts = easel, server, a, rest, peer, ts
        self.table = Table()

    async def open(self):
        made = await self.a.ok("session_create")
        self.session, self.kernel = made["session_id"], made["kernel_id"]
        self.raw = await self.raw_kernel()
        await self.mcp(PREPARE)
        await self.raw.run(PREPARE)
        if self.peer:
            await self.by_peer(PREPARE)
        return self

    def start_kernel(self) -> str:
        return http("POST", self.server["url"].rstrip("/") + "/api/kernels", self.server["token"], {"name": "python3"})[2]["id"]

    def end_kernel(self, kernel: str):
        http("DELETE", self.server["url"].rstrip("/") + f"/api/kernels/{kernel}", self.server["token"])

    async def raw_kernel(self) -> Raw:
        raw = await Raw(self.server).open(await asyncio.to_thread(self.start_kernel))
        await raw.run("1")
        return raw

    async def mcp(self, code: str, session: str = "") -> dict:
        data = (await self.a.run(session or self.session, code)).data
        assert data["status"] == "ok", data
        return data

    async def post(self, code: str, session: str = ""):
        answer = await self.rest.post(f"{self.easel.url}/api/execute/execute_code", json={"session_id": session or self.session, "code": code})
        assert answer.json()["status"] == "ok", answer.text

    async def get_nothing(self):
        answer = await self.rest.get(f"{self.easel.url}/api/info/current_folder")
        assert answer.status_code == 200, answer.text

    async def by_ts(self, code: str, session: str = "") -> float:
        return await self.ts.call("execute_code", session_id=session or self.session, code=code)

    async def by_peer(self, code: str):
        try:
            return await self.peer.run(code)
        except (AssertionError, MCPError) as failed:
            print(f"the peer cannot do the next row: {str(failed)[:200]}")
            return None

    def few(self, code: str) -> dict:
        return {"peer": lambda: self.by_peer(code)} if self.peer else {}

    async def memory(self):
        """Measures Easel's memory, idle and after plots. Must run first."""
        idle = memory(self.easel.process.pid)
        self.table.row("anonymous memory, idle", {"easel": idle}, ("≤ 30", idle <= 30), "MiB")
        session = await self.a.session()  # a separate one, because a kernel that has drawn so much is slower
        await self.mcp(PREPARE, session)
        for _ in range(PLOTS):
            await self.mcp(PLOT, session)
        plots = memory(self.easel.process.pid)
        self.table.row(f"… after {PLOTS} plots", {"idle": idle, "easel": plots}, ("≤ idle + 8", plots <= idle + 8), "MiB")
        for _ in range(20):
            await self.mcp(FIFTY, session)
        self.table.row("… after 1,000 images more", {"idle": idle, "easel": memory(self.easel.process.pid)}, unit="MiB")
        await self.a.ok("session_delete", session_id=session)
        if self.peer:
            self.table.row("… of the peer", {"peer": self.peer.memory()}, unit="MiB")
        listing = {"easel": len((await self.a.client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)) / 1000}
        if self.peer:
            listing["peer"] = await self.peer.listing() / 1000
        self.table.row("tools/list", listing, ("≤ 30", listing["easel"] <= 30), "kB")

    async def short(self):
        async def nothing(call) -> float:
            """Times client, HTTP and host. A 1+1 of the raw client comes first, because a call
            directly after another is faster."""
            await self.raw.run("1+1")
            return await timed(call())

        async def nothing_by_ts() -> float:
            await self.raw.run("1+1")
            return await self.ts.call("get_current_folder")

        ways = {"raw": lambda: self.raw.run("1+1"), "raw, no pause": lambda: self.raw.run("1+1", NO_PAUSE),
                "mcp": lambda: self.mcp("1+1"), "rest": lambda: self.post("1+1"),
                "idle_mcp": lambda: nothing(lambda: self.a.ok("get_current_folder")), "idle_rest": lambda: nothing(self.get_nothing)}  # fmt: skip
        if self.ts:
            ways |= {"ts": lambda: self.by_ts("1+1"), "idle_ts": nothing_by_ts}
            for _ in range(30):  # warm up the JIT compiler
                await self.by_ts("1+1")
        m = await interleaved(ROUNDS, self.few("1+1"), **ways)
        idle = {name: m.pop("idle_" + name) for name in ("mcp", "rest", "ts") if "idle_" + name in m}
        self.table.row("a call that runs nothing", idle)
        beyond = ", ".join(f"{name} {m[name] - m['raw'] - t:+.1f}" for name, t in idle.items())
        self.table.row("1+1", m, ("mcp ≤ raw + 2.5", m["mcp"] <= m["raw"] + 2.5), note=f"beyond raw and a call that runs nothing: {beyond}")
        m = await interleaved(ROUNDS, raw=rested(lambda: self.raw.run("1+1")), mcp=rested(lambda: self.mcp("1+1")), rest=rested(lambda: self.post("1+1")))
        self.table.row("… each after a pause of 20 ms", m)
        await self.beside()
        for n in (4, 16):
            await self.at_once(n)

    async def beside(self):
        """Measures 1+1 while another session prints endlessly."""
        other = await self.a.session()
        busy = (await self.a.run(other, CHATTER, wait=0)).data
        m = await interleaved(ROUNDS // 2, raw=lambda: self.raw.run("1+1"), mcp=lambda: self.mcp("1+1"), rest=lambda: self.post("1+1"))
        self.table.row("1+1 beside a busy session", m, ("mcp ≤ raw + 2.5", m["mcp"] <= m["raw"] + 2.5))
        await self.a.ok("session_interrupt", session_id=other)
        await self.a.to_end(busy)
        await self.a.ok("session_delete", session_id=other)

    async def at_once(self, n: int):
        many = await asyncio.gather(*(self.a.session() for _ in range(n)))
        raws = await asyncio.gather(*(self.raw_kernel() for _ in range(n)))
        await asyncio.gather(*(self.mcp("1", s) for s in many))
        ways = {"raw": [lambda r=r: r.run("1+1") for r in raws], "mcp": [lambda s=s: self.mcp("1+1", s) for s in many],
                "rest": [lambda s=s: self.post("1+1", s) for s in many]}  # fmt: skip
        times: dict[str, list[float]] = {name: [] for name in ways}
        order, chance = list(ways), random.Random(1)
        for _ in range(max(4, ROUNDS // n)):
            chance.shuffle(order)  # as in interleaved
            for name in order:
                times[name] += await asyncio.gather(*(timed(way()) for way in ways[name]))
        m = {name: statistics.median(ts) for name, ts in times.items()}
        self.table.row(f"1+1 in {n} sessions at once", m, ("mcp ≤ 1.3 × raw", m["mcp"] <= 1.3 * m["raw"]) if n == 4 else None)
        for s, r in zip(many, raws):
            await self.a.ok("session_delete", session_id=s)
            r.ws.close()
            await asyncio.to_thread(self.end_kernel, r.kernel)

    async def plots(self):
        """Measures plots in two new kernels, because earlier plots make a kernel slower."""
        session, raw = await self.a.session(), await self.raw_kernel()
        await self.mcp(PREPARE, session)
        await raw.run(PREPARE)
        ways = {"raw": lambda: raw.run(PLOT), "mcp": lambda: self.mcp(PLOT, session), "rest": lambda: self.post(PLOT, session)}
        if self.ts:
            ways["ts"] = lambda: self.by_ts(PLOT, session)
        m = await interleaved(max(5, ROUNDS // 2), self.few(PLOT), **ways)
        self.table.row("plot → picture", m, ("mcp ≤ raw + 6", m["mcp"] <= m["raw"] + 6))
        raw.ws.close()
        await asyncio.to_thread(self.end_kernel, raw.kernel)
        await self.a.ok("session_delete", session_id=session)

    async def large(self):
        m = await interleaved(FEW, self.few(FIFTY), raw=lambda: self.raw.run(FIFTY), mcp=lambda: self.mcp(FIFTY))
        self.table.row("50 images in one call", m, ("mcp ≤ raw + 40", m["mcp"] <= m["raw"] + 40))
        got: list[int] = []

        async def whole():
            data = await self.mcp(TEN_MB)
            got.append(next(t["total_bytes"] for t in data["truncated"] if t["stream"] == "stdout"))

        m = await interleaved(9, self.few(TEN_MB), raw=lambda: self.raw.run(TEN_MB), mcp=whole)
        note = f"kept {min(got):,} bytes"
        if self.peer and (answer := await self.by_peer(TEN_MB)):
            note += f"; the peer answers {len(str(answer.content)):,} characters"
        self.table.row("10 MB of output", m, ("mcp ≤ raw + 150, all kept", m["mcp"] <= m["raw"] + 150 and min(got) == 10_000_000), note=note)

    async def sessions(self):
        """Measures session_create with and without a prestarted kernel, and the first plot in it."""
        cold, warm, first, later, start = [], [], [], [], []
        for _ in range(5):
            await asyncio.to_thread(await_prestarted, self.easel, self.server)
            begin = time.perf_counter()
            hot = await self.a.session()
            warm.append((time.perf_counter() - begin) * 1000)
            first.append(await timed(self.mcp(FIRST, hot)))
            later.append(await timed(self.mcp(FIRST, hot)))
            begin = time.perf_counter()
            new = await self.a.session()
            cold.append((time.perf_counter() - begin) * 1000)
            begin = time.perf_counter()
            raw = await self.raw_kernel()
            start.append((time.perf_counter() - begin) * 1000)
            raw.ws.close()
            await asyncio.to_thread(self.end_kernel, raw.kernel)
            for s in (hot, new):
                await self.a.ok("session_delete", session_id=s)
        middle = statistics.median
        self.table.row("session_create, cold", {"raw": middle(start), "mcp": middle(cold)}, note="raw: POST, connect, run 1")
        self.table.row("session_create, warm", {"mcp": middle(warm)}, ("≤ 10", middle(warm) <= 10))
        self.table.row("first plot in it", {"later": middle(later), "first": middle(first)}, ("≤ later + 80", middle(first) <= middle(later) + 80))

    async def cancel(self):
        """Measures the time from a cancellation to the result of the next code."""

        async def raw():
            await self.raw.begin(LOOP)
            begin = time.perf_counter()
            await self.raw.interrupt()
            await self.raw.run("1")
            return (time.perf_counter() - begin) * 1000

        async def mcp():
            call = asyncio.create_task(self.a.run(self.session, LOOP))
            await self.begun()
            begin = time.perf_counter()
            call.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await call
            await self.mcp("1")
            return (time.perf_counter() - begin) * 1000

        times: dict[str, list[float]] = {"raw": [], "mcp": []}
        for _ in range(9):
            times["raw"].append(await raw())
            times["mcp"].append(await mcp())
        m = {name: statistics.median(ts) for name, ts in times.items()}
        self.table.row("cancel → kernel free", m, ("mcp ≤ raw + 50", m["mcp"] <= m["raw"] + 50))

    async def begun(self):
        """Waits until the session is busy."""
        while True:
            for s in (await self.a.ok("session_list"))["sessions"]:
                if s["session_id"] == self.session and s["status"] == "busy":
                    return

    async def long_history(self):
        """Compares call 1,000 of a session (fewer with few rounds) with call 10 of a new one."""
        session = await self.a.session()
        early = [await timed(self.mcp("1+1", session)) for _ in range(15)][5:]
        for _ in range(CALLS - 15):
            await self.mcp("1+1", session)
        fresh = await self.a.session()
        for _ in range(9):
            await self.mcp("1+1", fresh)
        m = await interleaved(30, fresh=lambda: self.mcp("1+1", fresh), late=lambda: self.mcp("1+1", session))
        self.table.row(f"call {CALLS:,} beside call 10", m, ("≤ 1.1 ×", m["late"] <= 1.1 * m["fresh"]), note=f"call 10 of this session, then: {statistics.median(early):.1f} ms")
        for s in (session, fresh):
            await self.a.ok("session_delete", session_id=s)


def memory(pid: int) -> float:
    """Returns the anonymous memory of a process in MiB."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0


def await_prestarted(easel: Easel, server: dict):
    """Waits until the prestarted kernel has been idle for a second, and so is warm."""
    remembered = easel.data / "jupyter" / "spare"

    def rests():
        name = remembered.read_text().strip() if remembered.exists() else ""
        if not name:
            return False
        status, _, k = http("GET", server["url"].rstrip("/") + "/api/kernels/" + name, server["token"])
        if status != 200 or k["execution_state"] != "idle":
            return False
        last = time.mktime(time.strptime(k["last_activity"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
        return time.time() - last > 2.5  # last_activity is cut to whole seconds

    wait_until("a prestarted kernel", rests, 120)


def starts(table: Table, base: pathlib.Path, server: dict):
    """Measures the time from the start of the process to the answer to initialize."""
    ways = {"headless": (["--headless"], {}, 100), "with the window": ([], DISPLAY, 400)}
    if not DISPLAY:
        print("start → initialize, with the window, and plot → screen: no display (make bench brings one)")
        del ways["with the window"]
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(7):
        for name, (args, env, _) in ways.items():
            times[name].append(start(base / name, args, server, env))
    for name, (_, _, goal) in ways.items():
        m = statistics.median(times[name][1:])  # the first start creates files
        table.row(f"start → initialize, {name}", {"easel": m}, (f"≤ {goal}", m <= goal))
    if DISPLAY:
        times["screen"] = on_screen(base / "screen", server, FEW)
        m = statistics.median(times["screen"])
        table.row("in the library → on the screen", {"easel": m}, ("≤ 50", m <= 50), note=f"longest {max(times['screen']):.0f}")
        held = window_memory(base / "held", server)
        idle, plots, hidden = held["idle"], held["plots"], held["hidden"]
        table.row("memory with the window, idle", {"easel": idle}, ("≤ 260", idle <= 260), "MiB")
        table.row("… after 1,000 plots", {"idle": idle, "easel": plots}, ("≤ idle + 150", plots <= idle + 150), "MiB")
        table.row("… hidden", {"idle": idle, "easel": hidden}, ("≤ idle", hidden <= idle), "MiB")
        binary = os.environ["EASEL_TEST_BINARY"]
        plenty.rows(table, plenty.measure([binary], 50_000, 118_000, 3, server, base / "plenty"))


def start(base: pathlib.Path, args: list[str], server: dict, env: dict) -> float:
    port = free_port()
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}}).encode()  # fmt: skip
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", hello, {
        "Authorization": "Bearer bench-token-0123456789", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"})  # fmt: skip
    easel = Easel.prepare(base, EASEL_PORT=str(port), EASEL_TOKEN="bench-token-0123456789",
                          EASEL_JUPYTER_URL=server["url"], EASEL_JUPYTER_TOKEN=server["token"], **env)  # fmt: skip
    begin = time.perf_counter()
    easel.spawn(*args)
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            with urllib.request.urlopen(request) as answer:
                assert b"serverInfo" in answer.read()
            break
        time.sleep(0.001)
    took = (time.perf_counter() - begin) * 1000
    easel.close()
    return took


async def measure(easel: Easel, server: dict, base: pathlib.Path):
    timeout = httpx2.Timeout(30, read=300)
    async with connect(easel) as a, open_peer(base / "peer", server["url"], server["token"]) as peer:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {easel.token}"}, timeout=timeout) as rest:
            async with open_typescript(easel.url + "/mcp", easel.token) as ts:
                b = await Bench(easel, server, a, rest, peer, ts).open()
                for part in (b.memory, b.short, b.plots, b.large, b.sessions, b.cancel, b.long_history):
                    await part()
            await asyncio.to_thread(starts, b.table, base / "starts", server)
            b.table.summary()


def main():
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        base = pathlib.Path(base)
        easel = Easel.start(base / "easel")
        try:
            wait_until("Jupyter", lambda: easel.request("GET", "/api/health")[2]["servers"][0]["state"] == "ready", 600)
            server = json.loads((easel.data / "jupyter" / "server.json").read_text())
            await_prestarted(easel, server)
            asyncio.run(measure(easel, server, base))
        finally:
            easel.close()
    print(f"took {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
