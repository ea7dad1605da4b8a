"""Tests that every error has a code, which is the same over MCP and REST, and says what to do."""

import uuid

import mcp
import pytest
from assistant import connect
from servers import Easel, Jupyter, dead_port, http

UNKNOWN = str(uuid.UUID(int=7))

CASES = {
    "connect by an unknown path": ("session_connect", {"notebook_path": "nowhere.ipynb"}, "SESSION_NOT_FOUND", 404),
    "connect by an unknown kernel": ("session_connect", {"kernel_id": UNKNOWN}, "SESSION_NOT_FOUND", 404),
    "connect by a path in disguise": ("session_connect", {"kernel_id": "../contents"}, "SESSION_NOT_FOUND", 404),
    "connect by nothing": ("session_connect", {}, "VALIDATION_ERROR", 400),
    "connect by empty strings": ("session_connect", {"notebook_path": "", "kernel_id": ""}, "VALIDATION_ERROR", 400),
    "connect by a blank path": ("session_connect", {"notebook_path": "   "}, "VALIDATION_ERROR", 400),
    "connect by the root": ("session_connect", {"notebook_path": "/"}, "VALIDATION_ERROR", 400),
    "connect by a file that is no notebook": ("session_connect", {"notebook_path": "plain.txt"}, "VALIDATION_ERROR", 400),
    "connect by 93 Japanese characters": ("session_connect", {"notebook_path": "図" * 93 + ".ipynb"}, "VALIDATION_ERROR", 400),
    "create at 93 Japanese characters": ("session_create", {"notebook_path": "図" * 93 + ".ipynb"}, "VALIDATION_ERROR", 400),
    "create at a name too long for its checkpoint": ("session_create", {"notebook_path": "図" * 80 + ".ipynb"}, "VALIDATION_ERROR", 400),
    "create at a blank path": ("session_create", {"notebook_path": "   "}, "VALIDATION_ERROR", 400),
    "create at the root": ("session_create", {"notebook_path": "/"}, "VALIDATION_ERROR", 400),
    "create at a file that is no notebook": ("session_create", {"notebook_path": "plain.txt"}, "VALIDATION_ERROR", 400),
    "a blank kernel name": ("session_create", {"name": " \t"}, "VALIDATION_ERROR", 400),
    "a NUL in a kernel name": ("session_create", {"name": "python3\0"}, "VALIDATION_ERROR", 400),
    "connect by too long a path": ("session_connect", {"notebook_path": "x" * 501}, "VALIDATION_ERROR", 400),
    "execute in an unknown session": ("execute_code", {"session_id": UNKNOWN, "code": "1"}, "KERNEL_NOT_FOUND", 404),
    "execute in no session": ("execute_code", {"session_id": "../../api/status", "code": "1"}, "KERNEL_NOT_FOUND", 404),
    "execute without code": ("execute_code", {"session_id": UNKNOWN}, "VALIDATION_ERROR", 400),
    "too long an id": ("execute_code", {"session_id": "a" * 101, "code": "1"}, "VALIDATION_ERROR", 400),
    "too long a code": ("execute_code", {"session_id": UNKNOWN, "code": "#" * 1_000_001}, "VALIDATION_ERROR", 400),
    "timeout of nothing": ("execute_code", {"session_id": UNKNOWN, "code": "1", "timeout": 0}, "VALIDATION_ERROR", 400),
    "timeout over a day": ("execute_code", {"session_id": UNKNOWN, "code": "1", "timeout": 86401}, "VALIDATION_ERROR", 400),
    "a negative wait": ("execute_code", {"session_id": UNKNOWN, "code": "1", "wait": -1}, "VALIDATION_ERROR", 400),
    "a misspelt parameter": ("execute_code", {"session_id": UNKNOWN, "code": "1", "timeout_seconds": 9}, "VALIDATION_ERROR", 400),
    "a wrong enum": ("execute_code", {"session_id": UNKNOWN, "code": "1", "images": "all"}, "VALIDATION_ERROR", 400),
    "a wrong type": ("execute_code", {"session_id": UNKNOWN, "code": ["1"]}, "VALIDATION_ERROR", 400),
    "another word for a parameter": ("session_create", {"kernel": "python3"}, "VALIDATION_ERROR", 400),
    "an unknown kernel": ("session_create", {"name": "fortran-77"}, "KERNEL_START_FAILED", 502),
    "an unknown server": ("session_create", {"server": "elsewhere"}, "SERVER_NOT_FOUND", 404),
    "delete an unknown session": ("session_delete", {"session_id": UNKNOWN}, "KERNEL_NOT_FOUND", 404),
    "restart an unknown session": ("session_restart", {"session_id": UNKNOWN}, "KERNEL_NOT_FOUND", 404),
    "interrupt an unknown session": ("session_interrupt", {"session_id": UNKNOWN}, "KERNEL_NOT_FOUND", 404),
    "variables of an unknown session": ("get_variables", {"session_id": UNKNOWN}, "KERNEL_NOT_FOUND", 404),
    "images of an unknown session": ("list_session_images", {"session_id": UNKNOWN}, "KERNEL_NOT_FOUND", 404),
    "an unknown execution": ("get_execution", {"execution_id": UNKNOWN}, "EXECUTION_NOT_FOUND", 404),
    "an unknown image": (
        "get_image_resource",
        {"resource_uri": f"jupyter://sessions/{UNKNOWN}/images/{UNKNOWN}.png"},
        "IMAGE_NOT_FOUND",
        404,
    ),
}


@pytest.mark.parametrize("tool, arguments, code, status", CASES.values(), ids=CASES.keys())
async def test_an_error_has_one_code(assistant, easel, tool, arguments, code, status):
    error = (await assistant.call(tool, **arguments)).error
    assert error["code"] == code
    assert error["message"]

    got, headers, problem = easel.request("POST", f"/tools/{tool}/execute", arguments)
    assert got == status
    assert headers.get_content_type() == "application/problem+json"
    assert (problem["code"], problem["status"]) == (code, status)
    assert (problem["detail"], problem.get("hint")) == (error["message"], error.get("hint"))
    assert {"type", "title"} <= problem.keys()
    assert easel.token not in str(problem) + str(error)


async def test_a_validation_error_names_the_parameter(assistant, easel):
    arguments = {"session_id": UNKNOWN, "code": "1", "wait": "soon", "time_out": 3}
    message = (await assistant.call("execute_code", **arguments)).error["message"]
    assert "wait" in message and "did you mean `timeout`?" in message
    _, _, problem = easel.execute("execute_code", **arguments)
    assert {"#/wait", "#/time_out"} <= {e["pointer"] for e in problem["errors"]}


async def test_an_unknown_kernel_is_told_what_kernels_there_are(assistant):
    error = (await assistant.call("session_create", name="fortran-77")).error
    text = error["message"] + error.get("hint", "")
    assert "fortran-77" in text and "python3" in text


async def test_an_unknown_tool(assistant, easel):
    with pytest.raises(mcp.MCPError):
        await assistant.call("make_coffee")
    status, _, problem = easel.execute("make_coffee")
    assert (status, problem["code"]) == (404, "TOOL_NOT_FOUND")


@pytest.fixture(scope="module")
def unreachable(tmp_path_factory):
    with dead_port() as port:
        app = Easel.start(tmp_path_factory.mktemp("unreachable"), EASEL_JUPYTER_URL=f"http://127.0.0.1:{port}", EASEL_JUPYTER_TOKEN="t0p-secret")
        app.port = port
        yield app
        assert app.close() == 0


async def test_a_server_that_is_down(unreachable, era):
    async with connect(unreachable, era) as a:
        error = (await a.call("session_create")).error
    assert error["code"] == "JUPYTER_UNREACHABLE"
    assert str(unreachable.port) in error["message"] + error.get("hint", "")
    assert "t0p-secret" not in str(error)
    assert unreachable.execute("session_create")[0] == 502
    assert http("GET", unreachable.url + "/api/health")[0] == 200  # Easel itself works


@pytest.fixture(scope="module")
def refused(tmp_path_factory, jupyter: Jupyter):
    app = Easel.start(tmp_path_factory.mktemp("refused"), EASEL_JUPYTER_URL=jupyter.url, EASEL_JUPYTER_TOKEN="t0p-secret")
    yield app
    assert app.close() == 0


async def test_a_server_that_refuses_the_token(refused, jupyter, era):
    async with connect(refused, era) as a:
        error = (await a.call("session_create")).error
    assert error["code"] == "JUPYTER_AUTH_FAILED"
    assert str(jupyter.port) in error["message"] + error.get("hint", "")
    assert "t0p-secret" not in str(error)
    assert refused.execute("session_create")[0] == 502


async def test_a_wrong_token_of_ours_is_refused(easel, era):
    with pytest.raises((mcp.MCPError, ExceptionGroup)):
        async with connect(easel, era, token="wrong") as a:
            await a.call("session_list")
    status, headers, problem = http("POST", easel.url + "/api/execute/session_create", "wrong", {}, scheme="Bearer")
    assert (status, problem["code"]) == (401, "UNAUTHORIZED")
    assert headers["WWW-Authenticate"].startswith("Bearer")
