"""Tests a user in JupyterLab and an assistant with the same kernel, with JupyterLab's page in a
real browser and the official MCP SDK."""

import pathlib

import pytest
from assistant import ENDED
from lab import Notebook, open_browser
from playwright.async_api import expect
from servers import wait_until

DRAW = "import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); plt.title('by hand'); plt.show()"
SLEEP = "import time\nprint('begun', flush=True)\nwhile True: time.sleep(0.05)"


@pytest.fixture(scope="module")
async def browser():
    async with open_browser() as b:
        yield b


async def listed(assistant, session: str) -> dict:
    return next(s for s in assistant.rest("session_list")["sessions"] if s["session_id"] == session)


def history(easel, session: str) -> list[dict]:
    """Returns the executions of a session, oldest first."""
    entries = easel.request("GET", "/api/resources/history")[2]
    entries = entries if isinstance(entries, list) else entries["executions"]
    return [e for e in reversed(entries) if e["session_id"] == session]


def ended(easel, session: str, code: str) -> dict:
    """Waits for the end of the execution of some code, and returns it."""
    return wait_until(f"the record of {code!r}", lambda: next(
        (e for e in history(easel, session) if e["code"] == code and e["status"] in ENDED), None))  # fmt: skip


@pytest.mark.nightly
async def test_the_user_opens_the_assistants_notebook(modern, easel, jupyter, browser):
    made = await modern.ok("session_create", notebook_path="folder/assistants.ipynb")
    session = made["session_id"]
    await modern.run(session, "answer = 6 * 7")

    notebook = await Notebook.open(browser, jupyter, "folder/assistants.ipynb")
    cell = await notebook.run("answer + 1")
    await expect(cell.locator(".jp-OutputArea-output")).to_have_text("43")
    cell = await notebook.run(DRAW)
    await expect(cell.locator("img")).to_be_visible()
    await notebook.close()

    # There is one kernel, which is still the assistant's.
    assert (await listed(modern, session))["owner"] == "easel"
    # What the user ran is recorded completely, and not as the assistant's.
    drawn = ended(easel, session, DRAW)
    mine, theirs, _ = history(easel, session)
    assert (mine["code"], theirs["code"]) == ("answer = 6 * 7", "answer + 1")
    assert mine["client"].startswith("e2e")
    assert theirs["client"] == drawn["client"] == "Jupyter"
    record = await modern.ok("get_execution", execution_id=theirs["execution_id"])
    assert (record["status"], record["result"]) == ("ok", "43")
    [image] = modern.rest("list_session_images", session_id=session)["images"]
    assert (image["execution_id"], image["title"]) == (drawn["execution_id"], "by hand")
    made_by = await modern.ok("get_prompt_info", path=image["resource_uri"])
    assert (made_by["code"], made_by["client"]) == (DRAW, "Jupyter")
    await modern.ok("session_delete", session_id=session)


async def test_an_assistant_joins_a_users_notebook(modern, jupyter, browser):
    jupyter.request("PUT", "/api/contents/users-own.ipynb", {"type": "notebook", "format": "json", "content": {
        "cells": [], "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}}, "nbformat": 4, "nbformat_minor": 5}})  # fmt: skip
    notebook = await Notebook.open(browser, jupyter, "users-own.ipynb")
    await notebook.run("mine = 'set in JupyterLab'")

    joined = await modern.ok("session_connect", notebook_path="users-own.ipynb")
    session = joined["session_id"]
    assert (await listed(modern, session))["owner"] == "other"
    assert (await modern.run(session, "mine")).data["result"] == "'set in JupyterLab'"
    assert [v["name"] for v in (await modern.ok("get_variables", session_id=session))["variables"]] == ["mine"]
    await modern.run(session, "theirs = mine.upper()")
    cell = await notebook.run("theirs")
    await expect(cell.locator(".jp-OutputArea-output")).to_have_text("'SET IN JUPYTERLAB'")

    await interrupted_from_the_menu(modern, notebook, session)
    await restarted_from_the_menu(modern, jupyter, notebook, session)
    await notebook.close()
    await modern.ok("session_delete", session_id=session, force=True)


async def interrupted_from_the_menu(modern, notebook, session: str):
    running = await begun(modern, session)
    await notebook.menu("Interrupt Kernel")
    e = await modern.to_end(running)
    assert (e["status"], e["error"]["code"], e["stdout"]) == ("interrupted", "INTERRUPTED", "begun\n")
    await notebook.idle()
    assert (await modern.run(session, "mine")).data["result"] == "'set in JupyterLab'"


def restarted_by_itself(jupyter) -> int:
    """How often the server has said that it restarts a kernel that it found dead. Easel counts these
    restarts, too."""
    return pathlib.Path(jupyter.log.name).read_text().count("Restarter: restarting kernel (")


async def restarted_from_the_menu(modern, jupyter, notebook, session: str):
    before = (await listed(modern, session))["generation"] - restarted_by_itself(jupyter)
    running = await begun(modern, session)
    waiting = (await modern.run(session, "1", wait=0)).data
    await notebook.menu("Restart Kernel…")
    await notebook.page.locator(".jp-Dialog-button.jp-mod-accept").click()
    e = await modern.to_end(running)
    # Jupyter interrupts first, so this may end before the restart is known.
    assert e["error"]["code"] == "INTERRUPTED" and e["stdout"] == "begun\n", e
    assert (await modern.to_end(waiting))["status"] in ENDED
    await notebook.idle()
    again = (await modern.run(session, "'mine' in globals()")).data
    assert (again["status"], again["result"]) == ("ok", "False")
    after = (await listed(modern, session))["generation"] - restarted_by_itself(jupyter)
    assert after == before + 1, pathlib.Path(jupyter.log.name).read_text()[-3000:]
    cell = await notebook.run("'theirs' in globals()")
    await expect(cell.locator(".jp-OutputArea-output")).to_have_text("False")


async def begun(modern, session: str) -> dict:
    """Starts code that runs until it is stopped, and returns the execution once it has begun."""
    running = (await modern.run(session, SLEEP, wait=0)).data
    while running["stdout"] != "begun\n":
        assert running["status"] not in ENDED, running
        running = (await modern.call("get_execution", execution_id=running["execution_id"], wait=0.2)).data
    return running
