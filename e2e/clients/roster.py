"""The programs of the table: how each is configured to use Easel and the scripted model, the
tested version, and its deviations from the contract."""

import base64
import dataclasses
import json
import pathlib
import re
import subprocess

from conversation import Content
from process import Process
from programs import AGENTS, ROOT, Client, Command, Library, Limit, NotInstalled, Npm, Place, installed
from scenarios import PROMPT
from servers import free_port


@dataclasses.dataclass
class ClaudeCode(Npm):
    def configure(self, place: Place) -> dict:
        server = {"type": "http", "url": place.mcp, "headers": place.headers} if place.way == "http" else {"type": "stdio"} | place.bridge
        place.write("mcp.json", {"mcpServers": {"easel": server}})
        place.write(".claude.json", {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": {"approved": ["none"]},
                                     "projects": {str(place.work): {"hasTrustDialogAccepted": True}}})  # fmt: skip
        return {"ANTHROPIC_BASE_URL": place.model, "ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}

    def typed(self, place: Place) -> list:
        return [PROMPT, "--mcp-config", place.home / "mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__easel"]

    def arguments(self, place: Place) -> list:
        return ["-p", *self.typed(place)]


@dataclasses.dataclass
class Codex(Npm):
    def configure(self, place: Place) -> dict:
        server = f"""
            [mcp_servers.easel]
            url = "{place.mcp}"
            http_headers = {{ Authorization = "{place.headers["Authorization"]}" }}
            """  # fmt: skip
        if place.way == "stdio":
            variables = ", ".join(f"{k} = {json.dumps(v)}" for k, v in place.bridge["env"].items())
            server = f"""
            [mcp_servers.easel]
            command = "{place.bridge["command"]}"
            args = ["mcp"]
            env = {{ {variables} }}
            """  # fmt: skip
        place.write(".codex/config.toml", f"""
            model = "scripted"
            model_provider = "fake"
            [model_providers.fake]
            name = "fake"
            base_url = "{place.model}/v1"
            env_key = "FAKE_KEY"
            wire_api = "responses"
            {server}
            """)  # fmt: skip
        return {"FAKE_KEY": "none"}

    def typed(self, place: Place) -> list:
        return ["--dangerously-bypass-approvals-and-sandbox", PROMPT]

    def arguments(self, place: Place) -> list:
        return ["exec", "--skip-git-repo-check", *self.typed(place)]


@dataclasses.dataclass
class GeminiCli(Npm):
    def configure(self, place: Place) -> dict:
        server = {"httpUrl": place.mcp, "headers": place.headers} if place.way == "http" else place.bridge
        place.write(".gemini/settings.json", {
            "mcpServers": {"easel": server | {"trust": True}},
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"disableAutoUpdate": True},
        })  # fmt: skip
        return {"GOOGLE_GEMINI_BASE_URL": place.model, "GEMINI_API_KEY": "none"}

    def typed(self, place: Place) -> list:
        return ["-m", "gemini-2.5-pro", "--yolo", "-i", PROMPT]

    def arguments(self, place: Place) -> list:
        return ["-m", "gemini-2.5-pro", "--yolo", "-p", PROMPT]


@dataclasses.dataclass
class Opencode(Npm):
    def configure(self, place: Place) -> dict:
        bridge = place.bridge
        local = {"type": "local", "command": [bridge["command"], *bridge["args"]], "environment": bridge["env"]}
        scripted = {"name": "scripted", "attachment": True, "tool_call": True, "modalities": {"input": ["text", "image"], "output": ["text"]}}
        place.write(".config/opencode/opencode.json", {
            "model": "fake/scripted",
            "small_model": "fake/scripted",
            "autoupdate": False,
            "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": place.model + "/v1", "apiKey": "none"},
                                  "models": {"scripted": scripted}}},
            "mcp": {"easel": {"type": "remote", "url": place.mcp, "headers": place.headers} if place.way == "http" else local},
        })  # fmt: skip
        return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}

    def typed(self, place: Place) -> list:
        return ["--prompt", PROMPT]

    def arguments(self, place: Place) -> list:
        return ["run", PROMPT]


@dataclasses.dataclass
class Cline(Npm):
    def configure(self, place: Place) -> dict:
        provider = {"provider": "openai-compatible", "apiKey": "none", "model": "scripted", "baseUrl": place.model + "/v1"}
        place.write(".cline/data/settings/cline_mcp_settings.json", {
            "mcpServers": {"easel": {"type": "streamableHttp", "url": place.mcp, "headers": place.headers, "timeout": 3600}}})  # fmt: skip
        place.write(".cline/data/settings/providers.json", {
            "version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
            "providers": {"openai-compatible": {"settings": provider, "updatedAt": "2026-11-24T00:00:00.000Z", "tokenSource": "manual"}},
        })  # fmt: skip
        return {"CLINE_HUB_PORT": str(free_port()), "CLINE_NO_AUTO_UPDATE": "1"}  # its daemon must not join another one

    def arguments(self, place: Place) -> list:
        return ["--auto-approve", "true", PROMPT]


@dataclasses.dataclass
class Inspector(Command):
    def install(self):
        self.directory = installed("npm", f"@modelcontextprotocol/inspector@{self.version}")

    def ask(self, place: Place, *rest: str) -> list:
        return [self.directory / "node_modules/.bin/mcp-inspector", "--cli", place.mcp, "--transport", "http",
                "--header", f"Authorization: {place.headers['Authorization']}", "--method", *rest]  # fmt: skip

    def listing(self, place: Place) -> list:
        return self.ask(place, "tools/list")

    def call(self, place: Place, step: str, tool: str, arguments: dict) -> list:
        named = [w for k, v in arguments.items() for w in ("--tool-arg", f"{k}={v}")]
        return self.ask(place, "tools/call", "--tool-name", tool, *named)

    def content(self, place: Place, step: str, said: str) -> Content:
        parts = json.loads(said)["content"]
        return Content("\n".join(p["text"] for p in parts if p["type"] == "text"), [base64.b64decode(p["data"]) for p in parts if p["type"] == "image"])


@dataclasses.dataclass
class Mcporter(Command):
    def install(self):
        self.directory = installed("npm", f"mcporter@{self.version}")

    def ask(self, place: Place, *rest) -> list:
        place.write("mcporter.json", {"mcpServers": {"easel": {"baseUrl": place.mcp, "headers": place.headers}}})
        return [self.directory / "node_modules/.bin/mcporter", "--config", place.home / "mcporter.json", *rest]

    def listing(self, place: Place) -> list:
        return self.ask(place, "list", "easel", "--json")

    def call(self, place: Place, step: str, tool: str, arguments: dict) -> list:
        return self.ask(place, "call", f"easel.{tool}", "--args", json.dumps(arguments), "--save-images", place.home / step)

    def content(self, place: Place, step: str, said: str) -> Content:
        return Content(said, [p.read_bytes() for p in sorted((place.home / step).glob("*"))])


@dataclasses.dataclass
class FastMcp(Client):
    def install(self):
        self.python = installed("python", "fastmcp")

    def start(self, place: Place, command: list | None = None) -> Process:
        more = {}
        if place.way == "stdio":
            command = [place.bridge["command"], *place.bridge["args"]]
            more = place.bridge["env"]
        return Process(place, [self.python, AGENTS / "fastmcp_client.py"], place.environment(
            EASEL_MCP=place.mcp, EASEL_MCP_TOKEN=place.easel.token, EASEL_MCP_COMMAND=json.dumps([str(c) for c in command or ()]), **more), talk=True)  # fmt: skip


@dataclasses.dataclass
class McpRemote(FastMcp):
    """A stdio bridge, used through FastMCP."""

    def install(self):
        super().install()
        self.directory = installed("npm", f"mcp-remote@{self.version}")

    def start(self, place: Place, command: list | None = None) -> Process:
        place.way = "bridge"
        return super().start(place, [
            self.directory / "node_modules/.bin/mcp-remote", place.mcp, "--allow-http", "--transport", "http-only",
            "--header", f"Authorization:{place.headers['Authorization']}"])  # fmt: skip


@dataclasses.dataclass
class TypeScriptSdk(Client):
    def install(self):
        self.directory = installed("npm", f"@modelcontextprotocol/sdk@{self.version}")

    def start(self, place: Place) -> Process:
        script = self.directory / "typescript_client.mjs"  # so that it finds the SDK
        script.write_bytes((AGENTS / script.name).read_bytes())
        return Process(place, ["node", script], place.environment(EASEL_MCP=place.mcp, EASEL_MCP_TOKEN=place.easel.token), talk=True)


@dataclasses.dataclass
class GoSdk(Client):
    def install(self):
        self.binary = ROOT / "bin/clients/gosdk"
        build = [ROOT / "scripts/again", "go", "build", "-buildvcs=false", "-o", self.binary, "."]
        done = subprocess.run(build, cwd=AGENTS / "gosdk", capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise NotInstalled(done.stderr.strip().splitlines()[-1])

    def start(self, place: Place) -> Process:
        return Process(place, [self.binary], place.environment(EASEL_MCP=place.mcp, EASEL_MCP_TOKEN=place.easel.token), talk=True)


def required() -> str:
    """Returns the version of the Go SDK that the client's go.mod requires."""
    return re.search(r"go-sdk v(\S+)", (AGENTS / "gosdk/go.mod").read_text())[1]


def pin(environment: str, package: str) -> str:
    """Returns the version of a library that its environment's requirements pin."""
    pins = (pathlib.Path(__file__).parent / f"python/{environment}.txt").read_text()
    return re.search(rf"^{re.escape(package)}==(\S+)", pins, re.M)[1]


def library(name: str, environment: str, package: str, script: str, dialect: str = "responses", **more) -> Library:
    return Library(name, pin(environment, package), script=script, environment=environment, dialect=dialect, **more)


PICTURES = ["plot", "six", "failure", "long"]


def always(outcome: str, reason: str) -> dict[str, Limit]:
    """Returns the same limit for all scenarios with pictures."""
    return dict.fromkeys(PICTURES, Limit(outcome, reason))


def unheard(reason: str) -> dict[str, Limit]:
    """Returns the limit of a program whose cancellation does not reach Easel."""
    return {"cancel": Limit("continues", reason)}


KILLED = unheard("Ctrl-C ends the program, and Easel sees only a lost connection.")
CLAUDE = {"package": "@anthropic-ai/claude-code", "command": "claude", "notes": "Loads most tools on demand; knows all names."}
GEMINI = {"package": "@google/gemini-cli", "command": "gemini", "limits": unheard("Esc ends the turn without telling the server.")}
OPENCODE = {"package": "opencode-ai", "command": "opencode"}

PROGRAMS = [
    ClaudeCode("Claude Code", "2.1.330", quick=True, **CLAUDE),
    ClaudeCode("Claude Code", "2.1.330", "stdio", **CLAUDE),
    Codex("Codex", "0.169.0", package="@openai/codex", command="codex", quick=True),
    Codex("Codex", "0.169.0", "stdio", package="@openai/codex", command="codex"),
    GeminiCli("Gemini CLI", "0.61.0", quick=True, **GEMINI),
    GeminiCli("Gemini CLI", "0.61.0", "stdio", **GEMINI),
    Opencode("opencode", "1.18.33", **OPENCODE),
    Opencode("opencode", "1.18.33", "stdio", **OPENCODE),
    Cline("Cline CLI", "3.0.65", package="cline", command="cline",
          limits=always("path", "Passes pictures on as base64 text, so Easel sends links and paths.")),
    Inspector("Inspector", "2.12.0", limits=KILLED, notes="No model."),
    Mcporter("mcporter", "0.12.3", limits=KILLED, notes="No model."),
    McpRemote("mcp-remote", "0.15.1", "bridge", limits=unheard("Does not pass the cancel on."), notes="Used through FastMCP; no model."),
    FastMcp("FastMCP", pin("fastmcp", "fastmcp"), notes="No model."),
    FastMcp("FastMCP", pin("fastmcp", "fastmcp"), "stdio", notes="No model."),
    TypeScriptSdk("TypeScript SDK", "1.32.2", notes="No model."),
    GoSdk("Go SDK", required(), notes="No model."),
    library("LangChain", "langchain", "langchain-mcp-adapters", "langchain_agent.py", limits={
        "six": Limit("with an address as picture", "Turns the link to a picture into an image with that address, which model APIs refuse."),
        **unheard("Closes its connection without a cancel.")}),
    library("openai-agents (Responses)", "openai-agents", "openai-agents", "openai_agent.py"),
    library("openai-agents (Chat Completions)", "openai-agents", "openai-agents", "openai_agent.py", "chat",
            limits=always("URI", "Sends a tool's result over Chat Completions as text only.")),
    library("pydantic-ai", "pydantic-ai", "pydantic-ai-slim", "pydantic_agent.py"),
    library("google-genai", "google-genai", "google-genai", "genai_agent.py",
            limits=always("base64 as text", "Puts the whole result into the function's response, as JSON.")),
    library("LlamaIndex", "llama-index", "llama-index-tools-mcp", "llama_agent.py",
            limits=always("base64 as text", "Gives the model Python's repr of the result.") | {
                "cancel": Limit("yes or continues", "Closes its session at once, so the cancel may arrive too late.")}),
]  # fmt: skip
LIBRARIES = [p for p in PROGRAMS if isinstance(p, Library) and p.dialect != "chat"]
