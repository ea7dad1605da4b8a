"""Tests Easel with the command line of the MCP Inspector, a client in TypeScript."""

import json
import os
import subprocess

import pytest


@pytest.fixture
def inspect(easel):
    node = os.environ["EASEL_TEST_NODE"]

    def call(method: str, *args: str) -> subprocess.CompletedProcess:
        command = [f"{node}/bin/node", f"{node}/node_modules/.bin/mcp-inspector", "--cli", easel.url + "/mcp", "--transport", "http",
                   "--header", f"Authorization: Bearer {easel.token}", "--method", method, *args]  # fmt: skip
        return subprocess.run(command, capture_output=True, text=True, timeout=180, stdin=subprocess.DEVNULL)

    return call


def result(done: subprocess.CompletedProcess) -> dict:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_lists_the_tools(inspect):
    names = {t["name"] for t in result(inspect("tools/list"))["tools"]}
    assert {"session_create", "execute_code", "get_variables", "get_image_resource"} <= names


def test_it_calls_a_tool_and_reads_its_plot(inspect, session):
    code = "import matplotlib.pyplot as plt; plt.plot([2, 1]); plt.show()"
    answer = result(inspect("tools/call", "--tool-name", "execute_code", "--tool-arg", f"session_id={session}", "--tool-arg", f"code={code}"))
    text, picture = answer["content"]
    assert picture["type"] == "image" and "structuredContent" not in answer
    ran = json.loads(text["text"])
    assert ran["status"] == "ok"
    [image] = ran["images"]
    uri = image["resource_uri"]
    assert uri in {r["uri"] for r in result(inspect("resources/list"))["resources"]}
    [content] = result(inspect("resources/read", "--uri", uri))["contents"]
    assert content["mimeType"] == "image/png" and content["blob"]


def test_an_error_reaches_it_with_its_message(inspect):
    done = inspect("tools/call", "--tool-name", "session_connect", "--tool-arg", "notebook_path=nowhere.ipynb")
    assert "SESSION_NOT_FOUND" in done.stdout + done.stderr
    assert "-32602" not in done.stdout + done.stderr  # its schema check must not hide the message
