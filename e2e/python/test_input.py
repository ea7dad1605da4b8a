"""Code that asks: a person answers in Easel's real window, and the assistant only learns that its
code waits. A password goes to the kernel and nowhere else."""

import json
import pathlib
import subprocess

import pytest
from assistant import connect
from servers import wait_until
from test_interactive import Desk

SECRET = "Zx9-hidden-4711"


class AnsweringDesk(Desk):
    def type(self, text: str):
        """Types an answer where Ctrl+I leads."""
        self.key("ctrl+i")
        environment = pathlib.Path(f"/proc/{self.runtime['pid']}/environ").read_bytes().split(b"\0")
        display = next(e.removeprefix(b"DISPLAY=").decode() for e in environment if e.startswith(b"DISPLAY="))
        if text:
            subprocess.run(["xdotool", "type", "--delay", "20", text], env=self.env | {"DISPLAY": display}, check=True, stdin=subprocess.DEVNULL)

    def send(self, text: str, execution: dict):
        """Answers an execution, once the window asks."""
        wait_until("the question in the window", lambda: self.claim()["input"] == execution["execution_id"])
        self.type(text)
        self.key("Return")

    def status(self, execution: dict) -> dict:
        status, _, body = self.request("GET", f"/api/info/execution?execution_id={execution['execution_id']}")
        assert status == 200, body
        return body


@pytest.fixture(scope="module")
def desk(tmp_path_factory, jupyter):
    app = AnsweringDesk.prepare(tmp_path_factory.mktemp("asking"), jupyter, EASEL_LOG_LEVEL="debug")
    app.launch()
    yield app
    assert app.close() == 0


@pytest.fixture
async def assistant(desk):
    async with connect(desk) as a:
        yield a


async def waiting(assistant, session: str, code: str) -> dict:
    """Runs code that asks. The call returns as soon as it does, long before its wait is over."""
    answer = (await assistant.run(session, code, wait=45)).data
    assert (answer["success"], answer["status"]) == (True, "awaiting_input"), answer
    return answer


async def test_a_person_answers(assistant, desk):
    session = await assistant.session()
    x = await waiting(assistant, session, "print('begun')\nname = input('Which region? ')\nagain = input('Sure? ')\nprint(name, again == '')")
    assert x["awaiting_input"] == {"prompt": "Which region? "}
    assert "waits for the user's answer to: Which region?" in x["hint"]
    desk.send("north", x)
    x = (await assistant.call("get_execution", execution_id=x["execution_id"], wait=45)).data
    assert x["awaiting_input"] == {"prompt": "Sure? "}  # the second question ends the wait, too
    desk.send("", x)
    x = await assistant.to_end(x)
    assert (x["status"], x["stdout"]) == ("ok", "begun\nWhich region? north\nSure? \nnorth True\n")


async def test_a_password_goes_to_the_kernel_only(assistant, desk):
    session = await assistant.session()
    x = await waiting(assistant, session, "import getpass, hashlib\nhashlib.sha256(getpass.getpass('API key: ').encode()).hexdigest()[:8]")
    assert x["awaiting_input"] == {"prompt": "API key: ", "password": True}
    assert "password" in x["hint"]
    desk.send(SECRET, x)
    x = await assistant.to_end(x)
    assert (x["status"], x["result"], x["stdout"]) == ("ok", "'bcf65082'", "API key: ········\n")
    everything = [json.dumps(x), json.dumps(desk.status(x)), json.dumps(desk.request("GET", "/api/resources/history")[2])]
    for file in pathlib.Path(desk.data.parent).rglob("*"):
        if file.is_file() and file.stat().st_size < 64 << 20:
            everything.append(file.read_bytes().decode(errors="ignore"))
    assert not any(SECRET in text for text in everything)


async def test_an_interrupt_ends_the_question(assistant, desk):
    session = await assistant.session()
    x = await waiting(assistant, session, "input('gone? ')")
    await assistant.ok("session_interrupt", session_id=session)
    assert (await assistant.to_end(x))["status"] == "interrupted"
    assert (await assistant.run(session, "1 + 1")).data["result"] == "2"


async def test_a_cell_of_a_notebook_asks(assistant, desk):
    await assistant.ok("notebook_create", path="asks.ipynb", cells=[{"cell_type": "code", "source": "input('name? ')"}])
    cell = (await assistant.call("notebook_run_cell", path="asks.ipynb", index=0, wait=45)).read
    assert cell["execution"]["status"] == "awaiting_input", cell
    desk.send("Ada", cell["execution"])
    x = await assistant.to_end(cell["execution"])
    assert (x["status"], x["result"]) == ("ok", "'Ada'")

    async def saved():
        (shown,) = (await assistant.ok("notebook_read", path="asks.ipynb", outputs="full"))["cells"]
        return json.dumps(shown)

    while "name? Ada" not in await saved():
        pass
