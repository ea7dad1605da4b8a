"""Checks what registries and clients read, with their own tools as far as they work without an account."""

import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import zipfile

import jsonschema
import pytest
import yaml
from debian import until
from servers import free_port
from test_packages import only

# The module of the registry's own command line, which has the schemas. Its command asks the registry, which may not be reached.
REGISTRY = "github.com/modelcontextprotocol/registry@v1.8.9"
CLIENTS = {"claude": "@anthropic-ai/claude-code@2.1.330", "codex": "@openai/codex@0.169.0", "gemini": "@google/gemini-cli@0.61.0"}


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_server_json(packages):
    found = only(packages[0], "server-*.json")
    server = json.loads(found.read_text())
    downloaded = json.loads(subprocess.run(["go", "mod", "download", "-json", REGISTRY], check=True, capture_output=True, text=True, cwd="/").stdout)
    version = re.fullmatch(r"https://static\.modelcontextprotocol\.io/schemas/([\d-]+)/server\.schema\.json", server["$schema"])[1]
    schemas = pathlib.Path(downloaded["Dir"]) / "internal/validators/schemas"
    assert version == max(p.stem for p in schemas.glob("*.json")), "there is a newer schema"
    jsonschema.validate(server, json.loads((schemas / f"{version}.json").read_text()))
    # What the registry checks beyond the schema.
    assert len(server["description"]) <= 100 and re.fullmatch(r"io\.github\.[A-Za-z0-9-]+/easel", server["name"])
    kinds = [p["registryType"] for p in server["packages"]]
    assert kinds == ["pypi", "mcpb", "mcpb", "mcpb", "oci"]
    for p in server["packages"]:
        if p["registryType"] == "mcpb":
            assert p["identifier"].startswith("https://github.com/") and p["fileSha256"] == sha256(packages[0] / p["identifier"].rpartition("/")[2])
    with zipfile.ZipFile(only(packages[0], "*-manylinux*_x86_64.whl")) as z:
        (metadata,) = (z.read(n).decode() for n in z.namelist() if n.endswith("/METADATA"))
    pypi = server["packages"][0]
    assert f"\nName: {pypi['identifier']}\nVersion: {pypi['version']}\n" in metadata and f"mcp-name: {server['name']} " in metadata


def test_docker_catalog(packages):
    entry = yaml.safe_load(only(packages[0], "docker-*.yaml").read_text())
    assert entry["name"] == "easel" and entry["type"] == "server" and re.fullmatch(r"[0-9a-f]{40}", entry["source"]["commit"])
    assert pathlib.Path(entry["source"]["dockerfile"]).exists()
    assert entry["about"]["icon"].rpartition("/main/")[2] == "assets/easel-512.png" and pathlib.Path("assets/easel-512.png").exists()


def test_formula(packages):
    """There is no brew here: Ruby checks the syntax, and the hashes are compared."""
    formula = only(packages[0], "easel-*.rb")
    assert subprocess.run(["ruby", "-c", formula], check=True, capture_output=True, text=True).stdout == "Syntax OK\n"
    pairs = re.findall(r'url "\S+/([^/"]+)"\s+sha256 "([0-9a-f]{64})"', formula.read_text())
    assert len(pairs) == 3
    for name, sum in pairs:
        assert sha256(packages[0] / name) == sum, name


@pytest.mark.parametrize("platform", ["linux", "windows", "darwin"])
def test_bundles_name_the_project(packages, platform):
    """The bundles' own tool has validated them in scripts/dist."""
    with zipfile.ZipFile(only(packages[0], f"*-{platform}.mcpb")) as z:
        manifest = json.loads(z.read("manifest.json"))
        japanese = json.loads(z.read(manifest["localization"]["resources"].replace("${locale}", "ja-JP")))
    assert set(japanese) <= set(manifest) and japanese["long_description"]
    for address in [manifest["homepage"], manifest["documentation"], manifest["support"], manifest["repository"]["url"], *manifest["privacy_policies"]]:
        assert address.startswith("https://"), address
        if "/blob/main/" in address:
            assert pathlib.Path(address.partition("/blob/main/")[2]).exists(), address


@pytest.fixture
def plugin(packages, tmp_path):
    with zipfile.ZipFile(only(packages[0], "easel-plugin-*.zip")) as z:
        z.extractall(tmp_path)
    return tmp_path / "easel-plugin"


@pytest.fixture
def run(packages, tmp_path):
    """Runs a client in a home directory of its own. uv finds the wheel in dist/, in the place of PyPI."""
    tools = pathlib.Path(sys.executable).parent  # uvx, Node.js
    data = tmp_path / "easel"
    environment = os.environ | {"HOME": str(tmp_path), "PATH": f"{tools}:{os.environ['PATH']}", "UV_FIND_LINKS": str(packages[0])}
    environment |= {"EASEL_DATA_DIR": str(data), "EASEL_PORT": str(free_port())}

    def run(client: str, *arguments, answer: str = "") -> str:
        installed = subprocess.run(["scripts/client-env", "npm", CLIENTS[client]], check=True, capture_output=True, text=True).stdout.split()[-1]
        command = [f"{installed}/node_modules/.bin/{client}", *map(str, arguments)]
        done = subprocess.run(command, input=answer, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=tmp_path, timeout=120)
        assert done.returncode == 0, f"{command}:\n{done.stdout}"
        return done.stdout

    yield run
    runtime = data / "easel.json"
    if runtime.exists():  # a client has started Easel
        os.kill(json.loads(runtime.read_text())["pid"], signal.SIGTERM)
        until("Easel's end", lambda: not runtime.exists())


def test_claude_code(plugin, run, tmp_path):
    assert "Validation passed" in run("claude", "plugin", "validate", plugin)
    said = run("claude", "plugin", "validate", "--profile", "directory", plugin / "plugins/easel")
    assert "found nothing to report" in said and "skills: easel:easel" in said, said
    run("claude", "plugin", "marketplace", "add", plugin)
    run("claude", "plugin", "install", "easel@easel")
    said = run("claude", "mcp", "list")  # starts the server
    assert re.search(r"easel.*uvx easel-mcp.*Connected", said), said
    assert (tmp_path / "easel/easel.json").exists(), "Easel was not started there"


def test_codex(plugin, run):
    run("codex", "plugin", "marketplace", "add", plugin)
    run("codex", "plugin", "add", "easel@easel")
    assert "installed, enabled" in run("codex", "plugin", "list")
    assert re.search(r"(?m)^easel +uvx +easel-mcp .*enabled", run("codex", "mcp", "list"))


def test_gemini_cli(plugin, run):
    assert "successfully validated" in run("gemini", "extensions", "validate", plugin)
    run("gemini", "extensions", "install", "--consent", plugin, answer="y\n")
    said = run("gemini", "extensions", "list")
    assert "easel" in said and "uvx" not in said.partition("easel")[0], said
