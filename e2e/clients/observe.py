"""Runs each program through the scenarios once, and records the results."""

import dataclasses
import functools
import json
import pathlib
import time
import urllib.request

import scenarios
from judge import YES, instructions, outcomes
from model import known
from programs import Broken, NotInstalled, Place, Program
from servers import Easel, wait_until

ENDED = {"ok", "error", "interrupted", "cancelled", "timeout", "kernel_died", "lost"}
GRACE = 10  # seconds for a cancellation to take effect, on a loaded machine


@dataclasses.dataclass
class Seen:
    program: Program
    missing: str = ""  # why the program could not be installed
    broken: str = ""  # why the run ended early
    tools: int = 0
    instructions: str = ""
    shapeless: list[str] = dataclasses.field(default_factory=list)  # tools whose schema models' APIs would reject
    outcomes: dict[str, str] = dataclasses.field(default_factory=dict)
    log: str = ""
    seconds: float = 0


class Observer:
    def __init__(self, easel: Easel, base: pathlib.Path):
        self.easel, self.base = easel, base
        self.tools = [t["name"] for t in easel.request("GET", "/tools")[2]["tools"]]
        self.instructions = server_instructions(easel)
        self.seen: dict[str, Seen] = {}

    def __call__(self, program: Program) -> Seen:
        if program.id not in self.seen:
            self.seen[program.id] = self.observe(program)
        return self.seen[program.id]

    def observe(self, program: Program) -> Seen:
        seen = Seen(program)
        try:
            program.install()
        except NotInstalled as e:
            seen.missing = str(e)
            return seen
        begin = time.monotonic()
        try:
            self.play(program, seen)
        except (Broken, OSError, TimeoutError) as e:
            seen.broken = f"{type(e).__name__}: {e}"
        seen.seconds = time.monotonic() - begin
        self.end_sessions()
        return seen

    def play(self, program: Program, seen: Seen):
        place = Place(self.base / program.id, self.easel, program.way)
        model = program.converse(place, scenarios.steps(place.home))
        seen.tools = len(known(model.tools.keys(), self.tools))
        seen.shapeless = sorted(n for n, t in model.tools.items() if t and not shaped(t))
        seen.instructions = instructions(model, self.instructions)
        seen.outcomes = outcomes(model)
        seen.log = "\n".join(model.log)
        seen.outcomes["cancel"] = self.cancel(program)

    def cancel(self, program: Program) -> str:
        """Returns YES if the kernel stops when the program's user cancels, or else what happened."""
        place = Place(self.base / f"{program.id}-cancel", self.easel, program.way)
        begun = place.home / "begun"
        with program.cancellable(place, scenarios.endless(place.home)) as (cancel, ended):
            wait_until("the code's begin", lambda: begun.exists() or ended(), 120)
            if not begun.exists():
                return "not reached"
            try:
                cancel()
            except Broken as e:
                return str(e)
            try:
                wait_until("the execution's end", functools.partial(self.stopped, place), GRACE)
            except TimeoutError:
                return "continues"
            return YES

    def stopped(self, place: Place) -> bool:
        """Reports whether the endless code in a place has ended, according to Easel."""
        executions = self.easel.request("GET", "/api/resources/history")[2]["executions"]
        return any(str(place.home) in e["code"] and e["status"] in ENDED for e in executions)

    def end_sessions(self):
        for s in self.easel.request("GET", "/api/info/session_list")[2]["sessions"]:
            self.easel.execute("session_delete", session_id=s["session_id"], force=True)


def shaped(tool: dict) -> bool:
    """Reports whether models' APIs accept a tool: its schema must be an object with properties."""
    schema = next(s for k in ("input_schema", "inputSchema", "parameters", "parametersJsonSchema") if (s := tool.get(k)) is not None)
    return schema.get("type", "").lower() == "object" and "properties" in schema


def server_instructions(easel: Easel) -> str:
    """Returns the instructions that Easel sends to every client."""
    parameters = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "observer", "version": "0"}}
    request = urllib.request.Request(
        easel.url + "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}).encode(),
        {"Authorization": f"Bearer {easel.token}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream"})  # fmt: skip
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
    body = next((line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")), text)
    return json.loads(body)["result"]["instructions"]
