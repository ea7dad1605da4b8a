"""Tests executions. They belong to Easel; a call only waits for one, and every call ends."""

import asyncio
import json
import socket
import uuid

import pytest
from assistant import ENDED, connect
from jupyterlab import Cell, open_notebook

SLEEP = "import time\nfor i in range({n}):\n    print('tick', i, flush=True)\n    time.sleep(0.1)\n"


async def test_everything_a_cell_gives(assistant, session):
    answer = await assistant.run(session, "import sys\nprint('out')\nprint('err', file=sys.stderr)\n{'a': 1}")
    assert not answer.failed
    e = answer.data
    assert e["success"] is True
    assert (e["status"], e["stdout"], e["stderr"], e["result"]) == ("ok", "out\n", "err\n", "{'a': 1}")
    assert e["execution_count"] == 1
    assert e["session_id"] == session
    assert e["images"] == []
    assert e["execution_time_ms"] >= 0
    assert "error" not in e
    assert any("out" in t for t in answer.texts)  # for clients that pass only text to the model


async def test_an_error_keeps_what_was_printed_and_drawn(modern, used_session):
    code = "import matplotlib.pyplot as plt\nprint('before')\nplt.plot([1, 2])\nplt.show()\n1 / 0"
    answer = await modern.run(used_session, code, images="inline")
    assert not answer.failed  # clients drop pictures from errors
    e = answer.data  # a failed execution is not an error of the call
    assert e["success"] is False
    assert e["status"] == "error"
    assert e["stdout"] == "before\n"
    assert len(e["images"]) == 1
    assert len(answer.pictures) == 1
    assert e["error"]["code"] == "EXECUTION_ERROR"
    assert e["error"]["type"] == "ZeroDivisionError"
    assert e["error"]["message"] == "division by zero"
    assert "1 / 0" in e["error"]["traceback"] and "\x1b" not in e["error"]["traceback"]


async def test_a_failed_execution_is_no_http_error(easel, used_session):
    status, _, e = easel.execute("execute_code", session_id=used_session, code="nope")
    assert status == 200
    assert (e["success"], e["status"], e["error"]["type"]) == (False, "error", "NameError")


def gate(path) -> str:
    """Returns code that waits until a file exists."""
    return f"import os, time\nwhile not os.path.exists({str(path)!r}): time.sleep(0.01)\n"


async def there(path):
    """Waits until code has created a file."""
    while not path.exists():
        await asyncio.sleep(0.02)


async def recorded(easel, session: str, code: str, *status: str) -> dict:
    """Waits until the execution of some code in a session has one of these states, and returns it."""
    while True:
        for e in easel.request("GET", "/api/resources/history")[2]["executions"]:
            if (e["session_id"], e["code"]) == (session, code) and e["status"] in status:
                return e
        await asyncio.sleep(0.05)


async def begun(assistant, e: dict) -> dict:
    """Waits until an execution has printed, and returns it."""
    while "tick 0\n" not in e["stdout"]:
        assert e["status"] not in ENDED, e
        e = (await assistant.call("get_execution", execution_id=e["execution_id"], wait=0.2)).data
    return e


async def test_long_code_goes_on_after_the_answer(assistant, used_session, tmp_path):
    go_on = tmp_path / "go on"
    answer = await assistant.run(used_session, "print('tick 0', flush=True)\n" + gate(go_on) + SLEEP.format(n=30) + "'done'", wait=1)
    e = answer.data
    assert not answer.failed and e["status"] in ("queued", "running") and e["success"] is True
    e = await begun(assistant, e)

    go_on.touch()
    newer = (await assistant.call("get_execution", execution_id=e["execution_id"], after=e["next"], wait=0.5)).data
    assert not newer["stdout"].startswith("tick 0\ntick 0\n")

    end = (await assistant.call("get_execution", execution_id=e["execution_id"], wait=45)).data
    assert end["status"] == "ok"
    assert end["result"] == "'done'"
    assert end["stdout"] == "tick 0\n" + "".join(f"tick {i}\n" for i in range(30))
    # A client that reconnects later still finds it.
    again = (await assistant.call("get_execution", execution_id=e["execution_id"])).data
    assert again["stdout"] == end["stdout"]


async def test_newer_output_joins_to_the_whole(modern, used_session):
    e = (await modern.run(used_session, SLEEP.format(n=25), wait=0.3)).data
    text = e["stdout"]
    while e["status"] not in ENDED:
        e = (await modern.call("get_execution", execution_id=e["execution_id"], after=e["next"], wait=0.4)).data
        text += e["stdout"]
    assert text == "".join(f"tick {i}\n" for i in range(25))


async def test_a_timeout_interrupts_and_keeps_the_output(assistant, session, tmp_path):
    await assistant.run(session, "import time")  # warm up the new kernel
    said = tmp_path / "said"  # the code also writes its output to this file, for comparison
    code = f"with open({str(said)!r}, 'w', 1) as kept:\n    for i in range(600):\n        print('tick', i, flush=True)\n        print('tick', i, file=kept)\n        time.sleep(0.1)"
    answer = await assistant.run(session, code, timeout=4)
    e = answer.data
    assert answer.failed
    assert (e["status"], e["error"]["code"]) == ("timeout", "EXECUTION_TIMEOUT")
    whole, _, _ = said.read_text().rpartition("\n")
    assert "tick 0" in whole and e["stdout"].startswith(whole)
    assert (await assistant.run(session, "'well'")).data["result"] == "'well'"


async def test_the_user_interrupts(assistant, easel, used_session):
    e = await begun(assistant, (await assistant.run(used_session, SLEEP.format(n=600), wait=0)).data)
    assert (await assistant.ok("session_interrupt", session_id=used_session))["outcome"] == "interrupted"
    e = (await assistant.call("get_execution", execution_id=e["execution_id"], wait=50)).data
    assert (e["status"], e["error"]["code"]) == ("interrupted", "INTERRUPTED")
    assert "tick 0\n" in e["stdout"]


async def test_an_explicit_cancel_interrupts(assistant, used_session, tmp_path):
    """The client sends notifications/cancelled or, with 2026-07-28, closes the stream."""
    at_it = tmp_path / "at it"
    task = asyncio.create_task(assistant.run(used_session, f"open({str(at_it)!r}, 'w').close()\n" + gate(tmp_path / "never") + "never = 1"))
    await there(at_it)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # The code would not end by itself.
    assert (await assistant.to_end((await assistant.run(used_session, "'never' in globals()")).data))["result"] == "False"


async def test_a_cancelled_execution_leaves_the_queue(assistant, easel, session, tmp_path):
    go_on = tmp_path / "go on"
    running = (await assistant.run(session, gate(go_on), wait=0)).data
    task = asyncio.create_task(assistant.run(session, "sneaked_in = 1"))
    await recorded(easel, session, "sneaked_in = 1", "queued")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await recorded(easel, session, "sneaked_in = 1", "cancelled")
    go_on.touch()
    # The running execution is not affected.
    end = await assistant.to_end(running)
    assert end["status"] == "ok"
    assert (await assistant.run(session, "'sneaked_in' in globals()")).data["result"] == "False"


async def hang_up(easel, path: str, body: dict, headers: dict, at_it):
    """Sends a request, and closes the connection once a file exists, while the request is running."""
    host, port = easel.url.removeprefix("http://").split(":")
    raw = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", f"Host: {host}:{port}", f"Authorization: Bearer {easel.token}",
             "Content-Type: application/json", "Accept: application/json, text/event-stream",
             f"Content-Length: {len(raw)}", *(f"{k}: {v}" for k, v in headers.items()), "", ""]  # fmt: skip
    with socket.create_connection((host.strip("[]"), int(port))) as s:
        s.sendall("\r\n".join(lines).encode() + raw)
        await there(at_it)


@pytest.mark.parametrize("transport", ["REST", "MCP 2025-11-25"])
async def test_a_lost_connection_interrupts_nothing(modern, easel, session, transport, tmp_path):
    at_it, go_on = tmp_path / "at it", tmp_path / "go on"
    # Give Easel time to notice the lost connection. It must not interrupt the code.
    code = f"open({str(at_it)!r}, 'w').close()\n" + gate(go_on) + "time.sleep(2)\nsurvived = 1"
    arguments = {"session_id": session, "code": code}
    if transport == "REST":
        await hang_up(easel, "/api/execute/execute_code", arguments, {}, at_it)
    else:
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "flaky", "version": "0"}}}  # fmt: skip
        _, headers, _ = easel.request("POST", "/mcp", hello)
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}}
        await hang_up(easel, "/mcp", call, {"Mcp-Session-Id": headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}, at_it)
    go_on.touch()
    assert (await modern.run(session, "survived")).data["result"] == "1"


async def test_a_dead_kernel_ends_the_call(modern, easel, session, tmp_path):
    go_on = tmp_path / "go on"
    code = "print('last words', flush=True)\n" + gate(go_on) + "import signal; os.kill(os.getpid(), signal.SIGKILL)"
    call = asyncio.create_task(modern.run(session, code))
    execution = (await recorded(easel, session, code, "queued", "running"))["execution_id"]
    while (await modern.call("get_execution", execution_id=execution, wait=0.2)).data["stdout"] != "last words\n":
        assert not call.done(), await call
    go_on.touch()
    answer = await call
    assert answer.failed
    e = answer.data
    assert (e["status"], e["error"]["code"]) == ("kernel_died", "KERNEL_DIED")
    assert e["stdout"] == "last words\n"
    # Jupyter restarts the kernel. The next call works and nothing hangs.
    assert (await modern.run(session, "'alive'")).data["result"] == "'alive'"
    listed = next(s for s in modern.rest("session_list")["sessions"] if s["session_id"] == session)
    assert listed["generation"] >= 1


@pytest.mark.parametrize("what", ["restarts", "ends"])
async def test_somebody_else_takes_the_kernel_away(modern, jupyter, what):
    notebook = open_notebook(jupyter, f"taken-{what}.ipynb")
    kernel = notebook["kernel"]["id"]
    await modern.ok("session_connect", kernel_id=kernel)
    running = await begun(modern, (await modern.run(notebook["id"], SLEEP.format(n=600), wait=0)).data)
    if what == "restarts":
        assert jupyter.request("POST", f"/api/kernels/{kernel}/restart")[0] == 200
    else:
        assert jupyter.request("DELETE", f"/api/sessions/{notebook['id']}")[0] == 204
    e = (await modern.call("get_execution", execution_id=running["execution_id"], wait=50)).data
    assert e["success"] is False and e["status"] in ENDED
    assert "tick 0\n" in e["stdout"]
    answer = await modern.run(notebook["id"], "'again'")
    if what == "restarts":
        assert answer.data["result"] == "'again'"
    else:
        if answer.error["code"] == "KERNEL_DIED":  # it was sent before the end of the kernel was known
            answer = await modern.run(notebook["id"], "'again'")
        assert answer.error["code"] == "KERNEL_NOT_FOUND"


async def test_our_code_waits_for_the_users_cell(modern, jupyter, tmp_path):
    """An interrupt or timeout of ours must never affect the user's cell."""
    notebook = open_notebook(jupyter, "busy.ipynb")
    kernel = notebook["kernel"]["id"]
    await modern.ok("session_connect", kernel_id=kernel)
    go_on = tmp_path / "go on"
    cell = Cell(jupyter, kernel, gate(go_on) + "finished = True")
    while [s["status"] for s in modern.rest("session_list")["sessions"] if s["kernel_id"] == kernel] != ["busy"]:
        pass
    waiting = (await modern.run(notebook["id"], "finished", timeout=1, wait=2)).data
    assert waiting["status"] == "queued"
    go_on.touch()
    reply = await asyncio.to_thread(cell.wait)
    assert reply["status"] == "ok", reply
    end = await modern.to_end(waiting)
    assert (end["status"], end["result"]) == ("ok", "True")


async def test_input_fails_at_once(modern, used_session):
    e = (await modern.run(used_session, "input('name? ')")).data
    assert (e["status"], e["error"]["type"]) == ("error", "StdinNotImplementedError")


async def test_twenty_megabytes_are_bounded_and_what_is_missing_is_said(modern, session):
    """This server has Jupyter's default rate limit, which drops output. Easel must say that
    output is missing, and must not send everything to the model."""
    answer = await modern.run(session, "for i in range(200_000):\n    print(f'{i:099d}')")
    e = answer.data
    assert e["status"] == "ok"
    assert len(e["stdout"].encode()) < 9_000
    assert e["truncated"], "output is missing and nothing says so"
    assert all(t["reason"] for t in e["truncated"])
    assert len(answer.result.model_dump_json()) < 900_000


async def test_sixty_four_calls_at_once(easel, era):
    async with connect(easel, era) as a:
        sessions = [await a.session() for _ in range(4)]
        calls = [a.run(sessions[i % 4], f"n = globals().get('n', 0) + 1\nprint({i})\n({i}, n)") for i in range(64)]
        answers = [await a.to_end(r.data) for r in await asyncio.gather(*calls)]
        for i, e in enumerate(answers):
            assert (e["status"], e["stdout"]) == ("ok", f"{i}\n")
            assert e["result"].startswith(f"({i}, ")
        for s in sessions:  # they ran one after the other, none of them twice
            counts = sorted(e["execution_count"] for e in answers if e["session_id"] == s)
            assert counts == list(range(1, 17))
            await a.ok("session_delete", session_id=s)


async def test_executions_of_a_session_keep_their_order(modern, session, tmp_path):
    go_on = tmp_path / "go on"
    first = (await modern.run(session, gate(go_on) + "order = ['first']", wait=0)).data
    second = (await modern.run(session, "order.append('second')", wait=0)).data
    third = (await modern.run(session, "order.append('third'); order", wait=0)).data
    assert (second["status"], third["status"]) == ("queued", "queued")
    assert second["queue_position"] < third["queue_position"]
    go_on.touch()
    assert (await modern.to_end(third))["result"] == "['first', 'second', 'third']"
    assert (await modern.to_end(first))["status"] == "ok"


async def test_progress_carries_new_output(assistant, used_session):
    seen = []

    async def progress(done, total, message):
        seen.append(message)

    result = await assistant.client.call_tool(
        "execute_code", {"session_id": used_session, "code": SLEEP.format(n=70), "timeout": 60}, progress_callback=progress
    )
    assert '"status":"ok"' in result.content[0].text
    assert seen and any("tick" in (m or "") for m in seen)


async def test_an_execution_id_is_not_guessed(modern):
    assert (await modern.call("get_execution", execution_id=str(uuid.uuid4()))).error["code"] == "EXECUTION_NOT_FOUND"
