"""The programs of the table: how each is given Easel and a scripted model, at which
version it was tried, and where it differs from the contract by its own doing."""

import base64
import dataclasses
import json
import pathlib
import subprocess

from conversation import Content
from process import Process
from programs import AGENTS, ROOT, Client, Command, Library, Limit, Npm, Place, installed
from scenarios import PROMPT


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
        place.write(".codex/config.toml", f"""
            model = "scripted"
            model_provider = "fake"
            [model_providers.fake]
            name = "fake"
            base_url = "{place.model}/v1"
            env_key = "FAKE_KEY"
            wire_api = "responses"
            [mcp_servers.easel]
            url = "{place.mcp}"
            http_headers = {{ Authorization = "{place.headers["Authorization"]}" }}
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
        return {}

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
    """A bridge, with FastMCP before it."""

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
        script = self.directory / "typescript_client.mjs"  # where it finds the SDK
        script.write_bytes((AGENTS / script.name).read_bytes())
        return Process(place, ["node", script], place.environment(EASEL_MCP=place.mcp, EASEL_MCP_TOKEN=place.easel.token), talk=True)


@dataclasses.dataclass
class GoSdk(Client):
    def install(self):
        self.binary = ROOT / "bin/clients/gosdk"
        subprocess.run([ROOT / "scripts/again", "go", "build", "-buildvcs=false", "-o", self.binary, "."], cwd=AGENTS / "gosdk", check=True)

    def start(self, place: Place) -> Process:
        return Process(place, [self.binary], place.environment(EASEL_MCP=place.mcp, EASEL_MCP_TOKEN=place.easel.token), talk=True)


def pin(environment: str, package: str) -> str:
    """The version of a library, which its environment's requirements pin."""
    for line in (pathlib.Path(__file__).parent / "python" / f"{environment}.txt").read_text().splitlines():
        if line.startswith(package + "=="):
            return line.split("==")[1].split()[0]
    raise KeyError(package)


def library(name: str, environment: str, package: str, script: str, dialect: str = "responses", **more) -> Library:
    return Library(name, pin(environment, package), script=script, environment=environment, dialect=dialect, **more)


CLAUDE = {"package": "@anthropic-ai/claude-code", "command": "claude"}
GEMINI = {"package": "@google/gemini-cli", "command": "gemini"}
OPENCODE = {"package": "opencode-ai", "command": "opencode"}

PROGRAMS = [
    ClaudeCode("Claude Code", "2.1.330", **CLAUDE),
    ClaudeCode("Claude Code", "2.1.330", "stdio", **CLAUDE),
    Codex("Codex", "0.169.0", package="@openai/codex", command="codex"),
    GeminiCli("Gemini CLI", "0.61.0", **GEMINI),
    GeminiCli("Gemini CLI", "0.61.0", "stdio", **GEMINI),
    Opencode("opencode", "1.18.33", **OPENCODE),
    Opencode("opencode", "1.18.33", "stdio", **OPENCODE),
    Cline("Cline CLI", "3.0.65", package="cline", command="cline"),
    Inspector("Inspector", "2.12.0"),
    Mcporter("mcporter", "0.12.3"),
    McpRemote("mcp-remote", "0.15.1", "bridge"),
    FastMcp("FastMCP", pin("fastmcp", "fastmcp")),
    FastMcp("FastMCP", pin("fastmcp", "fastmcp"), "stdio"),
    TypeScriptSdk("TypeScript SDK", "1.32.2"),
    GoSdk("Go SDK", "1.8.0"),
    library("LangChain", "langchain", "langchain-mcp-adapters", "langchain_agent.py"),
    library("openai-agents (Responses)", "openai-agents", "openai-agents", "openai_agent.py"),
    library("openai-agents (Chat Completions)", "openai-agents", "openai-agents", "openai_agent.py", "chat"),
    library("pydantic-ai", "pydantic-ai", "pydantic-ai-slim", "pydantic_agent.py"),
    library("google-genai", "google-genai", "google-genai", "genai_agent.py"),
    library("LlamaIndex", "llama-index", "llama-index-tools-mcp", "llama_agent.py"),
]
LIBRARIES = [p for p in PROGRAMS if isinstance(p, Library) and p.dialect != "chat"]
