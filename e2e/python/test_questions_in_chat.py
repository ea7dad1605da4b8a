"""The user's questions in a client's chat (MCP's elicitation): with the official client, in both eras and through the
stdio bridge. Without a window, they are the only place to answer; with one, they are a second place."""

import contextlib
import json
import os
import pty
import subprocess

import anyio
import mcp
import mcp_types
import pytest
from assistant import Assistant, connect
from mcp.client.stdio import StdioServerParameters, stdio_client
from servers import BINARY, Easel
from test_assistants import own_token
from test_interactive import Desk

WRITES = "import os\nopen({path!r}, 'w').write('x')\nos.path.exists({path!r})"
ONCE, NO = "Yes, this once", "No"


class Chat:
    """A person in front of a client that shows forms."""

    def __init__(self):
        self.shown = []
        self.answers = []  # for the next questions
        self.waits = anyio.Event()  # set while a form is open
        self.closed = 0  # forms that Easel has withdrawn
        self.hold = None

    async def __call__(self, context, params):
        self.shown.append(params)
        self.waits.set()
        try:
            if self.hold:
                await self.hold.wait()
        except anyio.get_cancelled_exc_class():
            self.closed += 1
            raise
        action, content = self.answers.pop(0)
        return mcp_types.ElicitResult(action=action, content=content)

    def will(self, choice=None, words=None, action="accept"):
        content = {k: v for k, v in (("answer", choice), ("words", words)) if v is not None}
        self.answers.append((action, content if action == "accept" else None))

    @property
    def choices(self) -> list:
        return self.shown[-1].requested_schema["properties"]["answer"]["enum"]


def prepared(cls, tmp_path, jupyter, rules=(), **settings):
    app = cls.prepare(tmp_path, jupyter)
    app.data.mkdir(parents=True, exist_ok=True)
    if not jupyter:
        app.give_python()
    (app.data / "settings.json").write_text(json.dumps({"access": "ask_risky", "told_of_risky": True} | settings))
    (app.data / "assistants.json").write_text(json.dumps({"assistants": list(rules)}))
    app.launch()
    return app


@pytest.fixture(scope="module")
def easel(tmp_path_factory, jupyter):
    app = prepared(Easel, tmp_path_factory.mktemp("chat"), jupyter)
    yield app
    assert app.close() == 0


@contextlib.asynccontextmanager
async def through_bridge(easel, log, chat, mode):
    parameters = StdioServerParameters(command=BINARY, args=["mcp"], env=easel.env | {"EASEL_TOKEN": own_token(easel, "cursor")})
    with open(log, "a") as errors:
        info = mcp_types.Implementation(name="Cursor", version="1.2.3")
        async with mcp.Client(stdio_client(parameters, errlog=errors), mode=mode, client_info=info, elicitation_callback=chat) as c:
            yield Assistant(c, easel)


@pytest.fixture(params=["http", "stdio"])
async def asked(request, easel, each_era, tmp_path):
    """An assistant whose client shows forms, and its chat."""
    chat = Chat()
    if request.param == "http":
        connection = connect(easel, mode=each_era, token=own_token(easel, "cursor"), name="Cursor", elicitation_callback=chat)
    else:
        connection = through_bridge(easel, tmp_path / "log", chat, each_era)
    async with connection as a:
        yield a, chat


async def test_code_waits_for_the_answer(asked, tmp_path):
    a, chat = asked
    session = await a.session()
    assert (await a.run(session, "1 + 1")).data["result"] == "2"
    assert chat.shown == []  # nobody is asked about code that only computes

    path = str(tmp_path / "written")
    chat.will(ONCE)
    done = (await a.run(session, WRITES.format(path=path))).data
    assert (done["status"], done["result"]) == ("ok", "True")
    said = chat.shown[-1].message
    assert said.startswith("Cursor wants to run code in ") and "Line 2 changes or deletes files: open" in said
    assert said.endswith("```\n" + WRITES.format(path=path) + "\n```")  # the whole code
    assert chat.choices == [ONCE, "Allow in this session: changes or deletes files", NO]

    chat.will(NO, "Use a copy.")
    refused = (await a.run(session, f"import os; os.remove({path!r})")).error
    assert (refused["code"], "Use a copy." in refused["message"]) == ("DENIED", True), refused
    chat.will(action="decline")
    assert (await a.run(session, f"import os; os.unlink({path!r})")).error["code"] == "DENIED"
    chat.will("Yes!")  # not one of the choices
    assert (await a.run(session, f"import os; os.rename({path!r}, 'y')")).error["code"] == "DENIED"
    assert (await a.run(session, "2")).data["result"] == "2"
    assert len(chat.shown) == 4

    chat.will(chat.choices[1])
    assert (await a.run(session, f"open({path!r}, 'a').write('y')")).data["status"] == "ok"
    assert (await a.run(session, f"open({path!r}, 'a').write('z')")).data["status"] == "ok"  # of the same kind
    assert len(chat.shown) == 5
    assert open(path).read() == "xyz"


async def test_one_closes_the_form(asked, tmp_path):
    """Nobody has answered: the code still waits, and another call can say so."""
    a, chat = asked
    session = await a.session()
    chat.will(action="cancel")
    waits = (await a.run(session, WRITES.format(path=str(tmp_path / "no")), wait=1)).data
    assert waits["status"] == "awaiting_approval"
    again = (await a.call("get_execution", execution_id=waits["execution_id"], wait=1)).data
    assert again["status"] == "awaiting_approval" and len(chat.shown) == 1  # not asked twice
    assert not (tmp_path / "no").exists()
    await a.call("session_delete", session_id=session)


async def test_a_call_that_does_not_wait(easel, tmp_path, each_era):
    """The call has returned before the question was asked: the next one that waits for the execution shows it."""
    chat = Chat()
    async with connect(easel, mode=each_era, token=own_token(easel, "cursor"), name="Cursor", elicitation_callback=chat) as a:
        session = await a.session()
        for n in range(5):  # whether a call returns first is a race
            chat.will(ONCE)
            x = (await a.run(session, WRITES.format(path=str(tmp_path / f"{n}")), wait=0)).data
            x = await a.to_end(x)
            assert (x["status"], x["result"]) == ("ok", "True")
        assert len(chat.shown) == 5 and chat.answers == []


async def test_a_call_of_a_session_waits_no_longer_than_usual(easel, tmp_path):
    """Its client would end it after a minute, as that of the TypeScript SDK does. The form stays, and its answer counts."""
    chat = Chat()
    chat.hold = anyio.Event()
    chat.will(ONCE)
    async with connect(easel, mode="legacy", token=own_token(easel, "cursor"), name="Cursor", elicitation_callback=chat) as a:
        session = await a.session()
        waits = (await a.run(session, WRITES.format(path=str(tmp_path / "written")), wait=1)).data
        assert waits["status"] == "awaiting_approval" and len(chat.shown) == 1 and chat.closed == 0
        chat.hold.set()
        done = (await a.call("get_execution", execution_id=waits["execution_id"], wait=30)).data
        assert (done["status"], done["result"]) == ("ok", "True") and len(chat.shown) == 1


async def test_what_a_client_does_by_itself_is_no_answer(easel, tmp_path, each_era):
    """Codex declines each form if its user has told it to ask nothing. And it cuts what does not fit into its terminal."""
    chat = Chat()
    async with connect(easel, mode=each_era, token=own_token(easel, "codex"), name="codex-mcp-client", elicitation_callback=chat) as a:
        session = await a.session()
        chat.will(action="decline")
        waits = (await a.run(session, WRITES.format(path=str(tmp_path / "no")), wait=1)).data
        assert waits["status"] == "awaiting_approval"
        await a.call("session_interrupt", session_id=session)
        chat.will(NO)
        assert (await a.run(session, WRITES.format(path=str(tmp_path / "no")))).error["code"] == "DENIED"
        assert list(chat.shown[-1].requested_schema["properties"]) == ["answer"]  # it does not let the user leave out the words
        long = "1\n" * 12 + WRITES.format(path=str(tmp_path / "no"))
        assert (await a.run(session, long, wait=1)).data["status"] == "awaiting_approval"
        assert len(chat.shown) == 2 and not (tmp_path / "no").exists()
        await a.call("session_delete", session_id=session)


async def test_the_code_cannot_change_after_the_answer(easel, tmp_path):
    """A client that answers a question about one call with the parameters of another runs the first one."""
    chat = Chat()
    async with connect(easel, token=own_token(easel, "cursor"), name="Cursor", elicitation_callback=chat) as a:
        session = await a.session()
        harmless, other = WRITES.format(path=str(tmp_path / "asked")), WRITES.format(path=str(tmp_path / "other"))
        first = await a.client.session.call_tool("execute_code", {"session_id": session, "code": harmless}, allow_input_required=True)
        assert isinstance(first, mcp_types.InputRequiredResult)
        answer = {"answer": mcp_types.ElicitResult(action="accept", content={"answer": ONCE})}
        await a.client.session.call_tool(
            "execute_code", {"session_id": session, "code": other}, input_responses=answer, request_state=first.request_state
        )
        assert (tmp_path / "asked").exists() and not (tmp_path / "other").exists()

        # A second client cannot answer for it.
        again = await a.client.session.call_tool(
            "execute_code", {"session_id": session, "code": other}, input_responses=answer, request_state=first.request_state
        )
        assert again.is_error and not (tmp_path / "other").exists()  # an answer counts once

        first = await a.client.session.call_tool("execute_code", {"session_id": session, "code": other}, allow_input_required=True)
        async with connect(easel, token=own_token(easel, "cline"), name="Cursor", elicitation_callback=chat) as b:
            stolen = await b.client.session.call_tool("execute_code", {"session_id": session, "code": other}, input_responses=answer, request_state=first.request_state)
            assert stolen.is_error and not (tmp_path / "other").exists()
        unknown = await a.client.session.call_tool("execute_code", {"session_id": session, "code": other}, input_responses=answer, request_state="x")
        assert unknown.is_error and not (tmp_path / "other").exists()


async def test_who_shows_no_forms_is_not_asked(easel, tmp_path):
    async with connect(easel, token=own_token(easel, "cursor"), name="Cursor") as a:
        session = await a.session()
        waits = (await a.run(session, WRITES.format(path=str(tmp_path / "no")), wait=1)).data
        assert waits["status"] == "awaiting_approval" and "easel questions" in waits["hint"]


async def test_calls_and_projects_are_asked_about(tmp_path, each_era):
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text("[project]\nname = 'p'\nversion = '1'\n")
    everything = dict.fromkeys(("code", "files", "network", "programs", "packages", "secrets", "variable", "unseen", "gallery"), "allow")
    app = prepared(Easel, tmp_path / "app", None, [{"id": "cursor", "in_chat": True, "rights": everything | {"sessions": "ask", "notebooks": "ask"}}])
    chat = Chat()
    async with connect(app, mode=each_era, token=own_token(app, "cursor"), name="Cursor", elicitation_callback=chat) as a:
        session = await a.session()
        await a.run(session, "kept = 1")
        chat.will(NO)
        assert (await a.call("session_restart", session_id=session)).error["code"] == "DENIED"
        assert "wants to restart" in chat.shown[-1].message
        assert (await a.run(session, "kept")).data["result"] == "1"
        chat.will(ONCE)
        assert not (await a.call("session_restart", session_id=session)).failed
        assert (await a.run(session, "kept")).data["status"] == "error"
        chat.will(NO)
        refused = (await a.call("session_create", directory=str(project))).error
        assert refused["code"] == "DENIED", refused
        assert str(project) in chat.shown[-1].message and chat.choices == ["Yes, in this project", NO]
    shown = len(chat.shown)
    async with connect(app, mode=each_era, token=own_token(app, "cline"), name="Cline", elicitation_callback=chat) as other:
        refused = (await other.call("session_create", directory=str(project))).error  # nobody has said that its chat may answer this
        assert "easel questions" in refused["hint"] and len(chat.shown) == shown, refused
    assert app.close() == 0


class Terminal:
    """A person at `easel questions`."""

    def __init__(self, easel):
        self.pid, self.tty = pty.fork()
        if self.pid == 0:
            os.execve(BINARY, [BINARY, "questions", "--lang", "en"], easel.env)
        self.text = ""

    def read_until(self, text: str):
        while text not in self.text:
            self.text += os.read(self.tty, 65536).decode().replace("\r", "")
        shown, _, self.text = self.text.partition(text)
        return shown

    def type(self, text: str):
        os.write(self.tty, text.encode() + b"\n")

    def end(self) -> int:
        os.write(self.tty, b"\x04")  # Ctrl+D
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


async def test_a_person_answers_in_a_terminal(tmp_path, jupyter):
    """Where neither a window nor the client can show a question. The log says where it was answered."""
    easel = prepared(Easel, tmp_path / "app", jupyter)
    for nobody in (subprocess.PIPE, subprocess.DEVNULL):
        asks = subprocess.run([BINARY, "questions"], env=easel.env, stdin=nobody, capture_output=True, text=True)
        assert asks.returncode == 1 and "must be typed in a terminal" in asks.stderr
    async with connect(easel, token=own_token(easel, "cline"), name="Cline") as a:
        session = await a.session()
        terminal = Terminal(easel)
        terminal.read_until("Waiting for questions")
        async with anyio.create_task_group() as group:
            results = {}

            async def run(path):
                results[path] = await a.run(session, WRITES.format(path=str(tmp_path / path)))

            group.start_soon(run, "yes")
            shown = await anyio.to_thread.run_sync(terminal.read_until, "Your answer")
            assert "Cline wants to run code in " in shown and WRITES.format(path=str(tmp_path / "yes")) in shown
            listed = json.loads(subprocess.run([BINARY, "questions", "--json"], env=easel.env, capture_output=True, text=True, check=True).stdout)
            assert [q["form"]["choices"] for q in listed] == [[ONCE, "Allow in this session: changes or deletes files", NO]]
            terminal.type("1")
            await anyio.to_thread.run_sync(terminal.read_until, "Sent.")
            group.start_soon(run, "no")
            await anyio.to_thread.run_sync(terminal.read_until, "Your answer")
            terminal.type("1")  # a number of the question before
            terminal.type("6")
            await anyio.to_thread.run_sync(terminal.read_until, "Reason for the assistant (optional): ")
            terminal.type("Not today.")
            await anyio.to_thread.run_sync(terminal.read_until, "Sent.")
        assert results["yes"].data["result"] == "True"
        refused = results["no"].error
        assert (refused["code"], "Not today." in refused["message"]) == ("DENIED", True)
        assert not (tmp_path / "no").exists()
    assert terminal.end() == 0
    log = subprocess.run([BINARY, "log"], env=easel.env, capture_output=True, text=True, check=True).stdout
    answers = [e["answer"] for e in map(json.loads, log.splitlines()) if e["record"] == "answer"]
    assert [(x["given"], x.get("where"), x.get("words")) for x in answers][-2:] == [("approved", "terminal", None), ("denied", "terminal", "Not today.")]
    assert easel.close() == 0


async def test_a_client_that_does_not_come_back(tmp_path, jupyter):
    """In the modern era, the client has the question instead of a result. It may never answer: then a person may do it elsewhere,
    what they approve runs, and the call is not listed as running for as long as its result waits for the client."""
    easel = prepared(Easel, tmp_path / "app", jupyter)
    chat, path = Chat(), tmp_path / "written"
    chat.hold = anyio.Event()
    async with connect(easel, mode="2026-07-28", token=own_token(easel, "cursor"), name="Cursor", elicitation_callback=chat) as a:
        session = await a.session()
        async with anyio.create_task_group() as group:
            group.start_soon(a.run, session, WRITES.format(path=str(path)))
            await chat.waits.wait()
            group.cancel_scope.cancel()
        assert calls(easel, "execute_code")[-1]["status"] == "running"  # somebody can still answer
        terminal = Terminal(easel)
        await anyio.to_thread.run_sync(terminal.read_until, "Your answer")
        terminal.type("1")
        await anyio.to_thread.run_sync(terminal.read_until, "Sent.")
        while (call := calls(easel, "execute_code")[-1])["status"] == "running":
            await anyio.sleep(0.1)
        assert (call["status"], path.read_text()) == ("ok", "x")
        assert (await a.run(session, "3")).data["result"] == "3"
    assert terminal.end() == 0
    assert easel.close() == 0


def calls(easel, name) -> list:
    log = subprocess.run([BINARY, "log"], env=easel.env, capture_output=True, text=True, check=True).stdout
    return [e for e in map(json.loads, log.splitlines()) if e["record"] == "call" and e["tool"] == name]


async def test_with_a_window_the_user_allows_it_first(tmp_path, jupyter, each_era):
    """With a window, only the assistants ask in the chat for which the user has switched it on. The window asks, too, and an answer
    there closes the form."""
    app = prepared(Desk, tmp_path / "desk", jupyter, [{"id": "cursor", "in_chat": True}])
    chat = Chat()
    async with connect(app, mode=each_era, token=own_token(app, "cline"), name="Cline", elicitation_callback=chat) as other:
        session = await other.session()
        waits = (await other.run(session, WRITES.format(path=str(tmp_path / "no")), wait=1)).data
        assert waits["status"] == "awaiting_approval" and chat.shown == []
        await other.call("session_delete", session_id=session)
    async with connect(app, mode=each_era, token=own_token(app, "cursor"), name="Cursor", elicitation_callback=chat) as a:
        session = await a.session()
        chat.will(ONCE)
        assert (await a.run(session, WRITES.format(path=str(tmp_path / "one")))).data["status"] == "ok"
        chat.hold = anyio.Event()
        chat.waits = anyio.Event()
        chat.will(NO)
        async with anyio.create_task_group() as group:

            async def person():
                await chat.waits.wait()
                while not (tmp_path / "two").exists():  # at first, the window does not take keys
                    await anyio.to_thread.run_sync(app.key, "ctrl+Return")
                    await anyio.sleep(0.5)
                chat.hold.set()  # in the modern era, the client shows the form until the user closes it

            group.start_soon(person)
            done = (await a.run(session, WRITES.format(path=str(tmp_path / "two")))).data
        assert (done["status"], done["result"]) == ("ok", "True")
        assert len(chat.shown) == 2
        if each_era == "legacy":
            assert chat.closed == 1
    assert app.close() == 0
