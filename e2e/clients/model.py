"""A model on loopback that follows a script, and records what clients send it."""

import http.server
import json
import re
import threading
import traceback
import typing

from conversation import Call, Exchange, Request
from dialects import Anthropic, Chat, Gemini, Responses
from scenarios import Step

ROUTES = [
    (r"/messages$", Anthropic),
    (r"/responses$", Responses),
    (r"/chat/completions$", Chat),
    (r":(stream)?[gG]enerateContent$", Gemini),
]
FINISHED = "All plots are drawn."


class Model:
    """Serves requests inside of its context: with Model(steps) as m: … m.url …"""

    def __init__(self, steps: list[Step]):
        self.steps = steps
        self.tools: dict[str, dict | None] = {}  # from all requests, by the client's names
        self.instructions = ""  # the longest of all requests, including the prompt, where some clients put Easel's
        self.exchanges: list[Exchange] = []  # a step's call and result, as received first
        self.log: list[str] = []  # requests and errors
        self.count = 0
        self.lock = threading.Lock()
        self.done = threading.Event()

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def turn(self, request: Request) -> Call | str:
        """Returns the model's next turn. It depends only on the conversation, so that a client
        may repeat a request."""
        with self.lock:
            self.count += 1
            taken = [e for e in request.exchanges if self.is_step(e.call.tool)]
            if not self.has_easel(request) and not taken:
                return "Plots"  # a side request, for example for a title or a category
            # Claude Code defers tools, and first sends only their names.
            self.tools = dict.fromkeys(re.findall(r"mcp__easel__\w+", request.instructions)) | self.tools | request.tools
            self.instructions = max(self.instructions, request.instructions + "\n" + request.prompt.text, key=len)
            self.exchanges += taken[len(self.exchanges) :]
            if len(taken) >= len(self.steps):
                self.done.set()
                return FINISHED
            return self.call(self.steps[len(taken)], request, taken)

    def call(self, step: Step, request: Request, taken: list[Exchange]) -> Call | str:
        names = [n for n in request.tools if named(n, step.tool)]
        if names:
            return Call(f"call_{self.count}", names[0], step.arguments(taken))
        if "ToolSearch" in request.tools and not self.searched(request, step):  # Claude Code defers tools
            query = "select:" + ",".join(f"mcp__easel__{s.tool}" for s in self.steps)
            return Call(f"call_{self.count}", "ToolSearch", {"query": query})
        self.log.append(f"no tool {step.tool} among {list(request.tools)}")
        return "There is no such tool."

    @staticmethod
    def searched(request: Request, step: Step) -> bool:
        return bool(request.exchanges) and request.exchanges[-1].call.tool == "ToolSearch"

    def is_step(self, tool: str) -> bool:
        return any(named(tool, s.tool) for s in self.steps)

    def has_easel(self, request: Request) -> bool:
        return "ToolSearch" in request.tools or any(self.is_step(n) for n in request.tools)


def named(name: str, tool: str) -> bool:
    """Reports whether a client's name for a tool, which may have a prefix, is that of Easel's tool."""
    return re.search(rf"(^|[^a-z]|easel_){tool}$", name) is not None


def known(names: typing.Iterable[str], tools: list[str]) -> set[str]:
    """Returns which of Easel's tools a client has."""
    return {t for t in tools if any(named(n, t) for n in names)}


def handler(model: Model) -> type:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self.reply({})

        def do_GET(self):
            model.log.append(f"GET {self.path}")
            self.reply({"object": "list", "data": [{"id": "scripted", "object": "model", "created": 0, "owned_by": "easel"}], "models": []})

        def do_POST(self):
            raw = self.rfile.read(int(self.headers["Content-Length"] or 0))
            path = self.path.partition("?")[0]
            model.log.append(f"POST {self.path} {len(raw)}")
            try:
                dialect = next((d for pattern, d in ROUTES if re.search(pattern, path)), None)
                if not dialect:  # token counts, telemetry
                    return self.reply({"input_tokens": 1, "totalTokens": 1})
                body = json.loads(raw)
                if dialect is Gemini:
                    body["stream"] = "stream" in path
                request = dialect.read(body)
                self.reply(dialect.write(model.turn(request), body, model.count))
            except Exception:  # nobody would see the handler's traceback
                model.log.append(traceback.format_exc())
                self.reply({"error": {"message": "the script failed"}}, 500)

        def reply(self, answer: dict | list[str], status: int = 200):
            stream = isinstance(answer, list)
            data = ("".join(answer) if stream else json.dumps(answer)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    return Handler
