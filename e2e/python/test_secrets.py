"""Secrets: what the user keeps in the environment and in .env files reaches the kernel, and no
assistant, log or export, whatever prints it. The user has the originals."""

import asyncio
import json
import pathlib
import subprocess
import urllib.parse

import pytest
from assistant import connect
from servers import BINARY, Easel

FROM_ENV = "Zq7-environment-0815"
FROM_FILE = "hunter2!mixed'quote"
IN_URL = "pa55-of-ann-9"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
EASEL_TOKEN = "easel-token-of-this-test-4711"
ALL = {"MY_API_KEY": FROM_ENV, "DB_PASSWORD": FROM_FILE, "DATABASE_URL": IN_URL, "GitHub token": GITHUB}
ORDINARY = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"

PRINTS = {
    "stdout": "print(os.environ['MY_API_KEY'], os.environ['DB_PASSWORD'], os.environ['DATABASE_URL'], github)",
    "stderr": "print([os.environ['MY_API_KEY'], os.environ['DB_PASSWORD']], os.environ['DATABASE_URL'], github, file=sys.stderr)",
    "the environment": "print(os.environ, github)",
    "a result": "[os.environ['MY_API_KEY'], os.environ['DB_PASSWORD'], os.environ['DATABASE_URL'], github]",
    "a table": "pd.DataFrame({'k': [os.environ['MY_API_KEY'], os.environ['DB_PASSWORD'], os.environ['DATABASE_URL'], github]})",
    "JSON": "print(json.dumps(json.dumps([dict(os.environ), github])))",
    "an address": "print(urllib.parse.urlencode({'a': os.environ['MY_API_KEY'], 'b': os.environ['DB_PASSWORD'], 'c': github}), os.environ['DATABASE_URL'])",
    "the file": "print(open('.env').read(), os.environ['MY_API_KEY'], github)",
    "an error": "raise ValueError(' '.join([os.environ['MY_API_KEY'], os.environ['DB_PASSWORD'], os.environ['DATABASE_URL'], github]))",
}


def leaks(text: bytes | str, *but: str) -> list[str]:
    """Returns which secrets are in a text."""
    text = text if isinstance(text, bytes) else text.encode()
    plain = [(n, v) for n, v in ALL.items() if n not in but]
    forms = [(n, f) for n, v in plain for f in (v, json.dumps(v)[1:-1], repr(v)[1:-1], urllib.parse.quote_plus(v))]
    return [n for n, f in forms if f.encode() in text]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("secrets") / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\nversion = '1'\n")
    (folder / ".env").write_text(f'DB_PASSWORD="{FROM_FILE}"\nDATABASE_URL=postgresql://ann:{IN_URL}@db/x\nKEY_COLUMN=customer_id\n')
    return folder


@pytest.fixture(scope="module")
def easel(tmp_path_factory, project):
    app = Easel.start_with_python(
        tmp_path_factory.mktemp("easel"), "--project", str(project), "--dotenv", MY_API_KEY=FROM_ENV, EASEL_TOKEN=EASEL_TOKEN, EASEL_LOG_LEVEL="debug"
    )
    yield app
    assert app.close() == 0


@pytest.fixture
async def assistant(easel):
    async with connect(easel) as a:
        yield a


@pytest.fixture(scope="module")
def session(easel, project):
    async def begin():
        async with connect(easel) as a:
            s = await a.session(directory=str(project))
            made = (await a.run(s, f"import os, sys, json, urllib.parse\nimport pandas as pd\ngithub = '{GITHUB[:9]}' + '{GITHUB[9:]}'")).data
            assert made["success"], made
            return s

    return asyncio.run(begin())


def raw(answer) -> str:
    return answer.result.model_dump_json()


@pytest.mark.parametrize("what", PRINTS)
async def test_no_way_to_print_shows_a_secret(assistant, easel, session, what):
    answer = await assistant.run(session, PRINTS[what] + f"\nprint('{ORDINARY}', 'customer_id')" * (what not in ("a result", "a table", "an error")))
    text = raw(answer)
    assert leaks(text) == [], text
    assert answer.read["masked"] >= 3, text
    assert "[masked: MY_API_KEY]" in text and "[masked: GitHub token]" in text, text
    if what not in ("a result", "a table", "an error"):
        assert ORDINARY in text and "customer_id" in text
    whole = json.dumps(answer.whole)
    assert leaks(whole) == [] and answer.whole["masked"] >= 3, whole
    again = await assistant.call("get_execution", execution_id=answer.read["execution_id"])
    assert leaks(raw(again)) == []


async def test_variables_tables_and_history(assistant, easel, session):
    code = "key = os.environ['MY_API_KEY']\ntable = pd.DataFrame({'k': [key, os.environ['DB_PASSWORD'], github]})\nlong = 'x' * 195 + key"
    assert (await assistant.run(session, code)).data["success"]
    for tool, arguments in {
        "get_variables": {"session_id": session},
        "get_dataframe_info": {"session_id": session, "variable_name": "table"},
        "search_history": {"query": FROM_ENV},
        "session_list": {},
        "file_read": {"path": ".env"},
    }.items():
        answer = await assistant.call(tool, **arguments)
        text = raw(answer)
        assert leaks(text) == [] and FROM_ENV[:12] not in text, text
        if tool in ("get_variables", "get_dataframe_info"):
            assert "[masked: MY_API_KEY]" in text and answer.read["masked"] > 0
    for path in "/api/resources/history", "/api/resources/state", "/api/resources/settings":
        status, _, body = easel.request("GET", path)
        assert status == 200 and leaks(json.dumps(body)) == []


async def test_output_in_parts(assistant, session):
    """Half of a secret is in one message, and half in another."""
    code = "import time\nk = os.environ['MY_API_KEY']\nprint(k[:9], end='', flush=True)\ntime.sleep(2)\nprint(k[9:], end='', flush=True)\ntime.sleep(2)\nprint('|end')"
    first = await assistant.run(session, code, wait=1)
    texts, next_ = [raw(first)], first.read
    while next_["status"] == "running":
        answer = await assistant.call("get_execution", execution_id=next_["execution_id"], after=next_["next"], wait=1)
        texts.append(raw(answer))
        next_ = answer.read
    for text in texts:
        assert leaks(text) == [] and FROM_ENV[:9] not in text and FROM_ENV[9:] not in text, texts
    assert "|end" in texts[-1]


async def test_a_notebook_keeps_its_secrets(assistant, project):
    source = f"password = '{IN_URL}-{GITHUB}'\nprint(password)"
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "id": "a1", "metadata": {}, "source": source, "outputs": [], "execution_count": None}]}
    path = project / "book.ipynb"
    path.write_text(json.dumps(book))
    answer = await assistant.call("notebook_read", path=str(path))
    text = raw(answer)
    assert leaks(text) == [] and "[masked: GitHub token]" in text, text
    read = answer.read["cells"][0]["source"]
    refused = await assistant.call("notebook_edit_cell", path=str(path), index=0, source=read.replace("print", "display"))
    assert refused.error["code"] == "VALIDATION_ERROR" and "[masked: " in refused.error["message"] and "os.environ" in refused.error["hint"]
    assert json.loads(path.read_text()) == book
    ran = await assistant.call("notebook_run_cell", path=str(path), index=0)
    assert leaks(raw(ran)) == [] and ran.read["masked"] > 0
    saved = json.loads(path.read_text())["cells"][0]
    assert "".join(saved["source"]) == source and GITHUB in json.dumps(saved["outputs"])  # the user's notebook has the originals


async def test_kernels_do_not_have_the_token(assistant, easel, session):
    for s in session, await assistant.session():
        code = "import os, glob\nenv = open('/proc/self/environ').read()\n[n for n in os.environ if n.startswith('EASEL_TOKEN') or 'JUPYTER_TOKEN' in n], %r in env, %r in repr(os.environ)"
        secret = "'-'.join(['easel', 'token', 'of', 'this', 'test', '4711'])"
        got = (await assistant.run(s, code.replace("%r", secret))).data
        assert got["result"] == "([], False, False)", got
        # Nor has a program that it starts, nor the server that has started it.
        parent = f"import os\nt = {secret}\n[t in open(f'/proc/{{os.getppid()}}/environ').read(), t in os.popen('env').read()]"
        assert (await assistant.run(s, parent)).data["result"] == "[False, False]"


def test_the_log_and_the_library(easel, project):
    log = (easel.data / "logs" / "easel.log").read_bytes()
    assert leaks(log) == [] and EASEL_TOKEN.encode() not in log
    report = subprocess.run([BINARY, "doctor", "--report", "--data-dir", easel.data], env=easel.env, cwd=project, stdin=subprocess.DEVNULL, capture_output=True)
    assert b"The end of the log:" in report.stdout and leaks(report.stdout) == [] and EASEL_TOKEN.encode() not in report.stdout, report
    for form in [], ["--format", "report"]:
        written = subprocess.run([BINARY, "log", "--data-dir", easel.data, *form], env=easel.env, stdin=subprocess.DEVNULL, capture_output=True)
        assert b"os.environ" in written.stdout and leaks(written.stdout) == [] and EASEL_TOKEN.encode() not in written.stdout, written
    kept = [p for p in pathlib.Path(easel.data).rglob("*") if p.is_file() and "library" in p.parts and FROM_ENV.encode() in p.read_bytes()]
    assert kept, "the user's own library has no original output"
