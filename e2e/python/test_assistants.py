"""What the user allows each assistant: it is known by the token of its own that Connect writes, whatever name it gives."""

import base64
import contextlib
import hashlib
import hmac
import json

import anyio
import mcp
import mcp_types
import pytest
from assistant import Assistant, connect
from mcp.client.stdio import StdioServerParameters, stdio_client
from servers import BINARY, Easel, http
from test_interactive import Desk

NAMES = ("code", "files", "network", "programs", "packages", "secrets", "variable", "unseen", "notebooks", "sessions", "gallery")
EVERYTHING = dict.fromkeys(NAMES, "allow")
RULES = [
    {"id": "cursor", "rights": EVERYTHING | {"network": "deny", "notebooks": "deny", "sessions": "ask"}},
    {"id": "cline", "paused": True},
    {"id": "codex", "limits": {"calls": 6, "kernels": 1}},
    {"id": "zed", "gone": True},
    {"id": "others", "rights": dict.fromkeys(NAMES, "deny") | {"gallery": "allow"}},
]


def own_token(easel, client: str) -> str:
    mac = hmac.digest(easel.token.encode(), f"client\0{client}".encode(), hashlib.sha256)
    return "easel_client_" + base64.urlsafe_b64encode(mac[:24]).decode()


@pytest.fixture(scope="module")
def easel(tmp_path_factory, jupyter):
    app = Easel.prepare(tmp_path_factory.mktemp("assistants"), jupyter)
    app.data.mkdir(parents=True)
    (app.data / "assistants.json").write_text(json.dumps({"assistants": RULES}))
    app.launch()
    yield app
    assert app.close() == 0
    kept = {a["id"]: a for a in json.loads((app.data / "assistants.json").read_text())["assistants"]}
    assert kept["cursor"]["client"] == "Claude Code 1.2.3"  # as it called itself
    assert kept["cursor"]["calls"] >= 6 and kept["cursor"]["plots"] == 1
    assert kept["cursor"]["rights"]["network"] == "deny"
    assert "easel_client_" not in (app.data / "assistants.json").read_text()


def connected(easel, client: str):
    return connect(easel, token=own_token(easel, client), name="Claude Code")


async def test_each_has_its_own_rights(easel):
    async with connected(easel, "cursor") as a:
        session = await a.session()
        answer = await a.run(session, "import matplotlib.pyplot as plt\nopen('new.txt', 'w').write('x')\nplt.plot([1]); plt.show()")
        assert answer.data["status"] == "ok"
        denied = (await a.run(session, "x = 1\nimport urllib.request\nurllib.request.urlopen('http://127.0.0.1:9')")).error
        assert (denied["code"], "use the network (line 3" in denied["message"]) == ("DENIED", True), denied
        assert (await a.run(session, "x")).data["status"] == "error"  # nothing of the refused cell has run
        denied = (await a.call("notebook_create", path="no.ipynb")).error
        assert denied["code"] == "DENIED" and "change notebooks" in denied["message"]
        # Nobody can be asked without a window.
        assert (await a.call("session_restart", session_id=session)).error["code"] == "DENIED"
        assert (await a.call("notebook_read", path="no.ipynb")).error["code"] == "NOTEBOOK_NOT_FOUND"


@pytest.mark.parametrize("name", ["Cursor", "cursor", "Claude Code"])
async def test_a_name_gives_no_rights(easel, name):
    async with connect(easel, name=name) as a:
        assert (await a.call("session_create")).error["code"] == "DENIED"
        assert (await a.call("session_list")).failed is False
    status, _, body = easel.execute("session_create")  # REST with Easel's token
    assert (status, body["code"]) == (403, "DENIED")


async def test_one_is_paused(easel):
    async with connected(easel, "cline") as a:
        assert (await a.call("session_create")).error["code"] == "PAUSED"
        await a.ok("session_list")


async def test_limits_slow_one_down(easel):
    async with connected(easel, "codex") as a:
        await a.session()
        over = (await a.call("session_create")).error
        assert (over["code"], "1 running kernel" in over["message"]) == ("NOT_EXECUTABLE", True), over
        while not (answer := await a.call("session_list")).failed:
            pass
        assert answer.error["code"] == "NOT_EXECUTABLE" and "6 calls a minute" in answer.error["message"] and "seconds" in answer.error["hint"]
    async with connected(easel, "cursor") as a:
        await a.ok("session_list")


async def test_kernels_of_notebooks_and_of_an_earlier_run_count(tmp_path, jupyter):
    app = Easel.prepare(tmp_path, jupyter)
    app.data.mkdir(parents=True)
    (app.data / "assistants.json").write_text(json.dumps({"assistants": [{"id": "codex", "limits": {"kernels": 1}}]}))
    app.launch()
    cells = [{"cell_type": "code", "source": "kept = 1"}]

    async def refused(a, tool: str, **arguments):
        over = (await a.call(tool, **arguments)).error
        assert (over["code"], "1 running kernel" in over["message"]) == ("NOT_EXECUTABLE", True), over

    async with connected(app, "codex") as a:
        for name in ("first.ipynb", "second.ipynb"):
            await a.ok("notebook_create", path=name, cells=cells)
        await a.ok("notebook_run_cell", path="first.ipynb", index=0)
        await refused(a, "session_create")
        await refused(a, "notebook_run_cell", path="second.ipynb", index=0)
        session = (await a.ok("session_create", notebook_path="first.ipynb"))["session_id"]  # it is there
    async with connected(app, "cursor") as other:
        await other.ok("session_create")
    assert app.close() == 0
    app.launch()
    async with connected(app, "codex") as a:
        await refused(a, "session_create")
        assert (await a.run(session, "kept")).data["result"] == "1"
        await a.ok("session_delete", session_id=session)
        await a.ok("session_create")
        await refused(a, "session_create")
    assert app.close() == 0


def test_a_token_that_was_taken_back_is_refused(easel):
    for id, want in (("zed", 401), ("zed~1", 200)):
        token = own_token(easel, id)
        status, _, body = http("GET", easel.url + "/api/info/session_list", token, scheme="Bearer")
        assert status == want
        assert want == 200 or "connect it again" in body["detail"]


@contextlib.asynccontextmanager
async def bridge(easel, log, token: str):
    parameters = StdioServerParameters(command=BINARY, args=["mcp"], env=easel.env | {"EASEL_TOKEN": token})
    with open(log, "a") as errors:
        info = mcp_types.Implementation(name="Claude Code", version="1.2.3")
        async with mcp.Client(stdio_client(parameters, errlog=errors), client_info=info) as c:
            yield Assistant(c, easel)


async def test_the_bridge_sends_its_own_token(easel, tmp_path):
    async with bridge(easel, tmp_path / "log", own_token(easel, "cursor")) as a:
        session = await a.session()
        assert (await a.run(session, "1 + 1")).data["result"] == "2"
        assert (await a.call("notebook_create", path="no.ipynb")).error["code"] == "DENIED"
        assert (await a.run(session, "import os; [k for k in os.environ if 'EASEL_TOKEN' in k]")).data["result"] == "[]"


@pytest.fixture
def desk(tmp_path, jupyter):
    app = Desk.prepare(tmp_path / "desk", jupyter)
    app.data.mkdir(parents=True)
    (app.data / "settings.json").write_text(json.dumps({"access": "allow", "told_of_risky": True}))
    rules = [{"id": "cursor", "rights": EVERYTHING | {"sessions": "ask", "notebooks": "ask"}}]
    (app.data / "assistants.json").write_text(json.dumps({"assistants": rules}))
    app.launch()
    yield app
    assert app.close() == 0


async def test_a_person_is_asked_about_a_call(desk):
    """A call that is no code waits for the user: the key for a yes and for a no, and what each leaves behind."""

    async def answered(key: str, call):
        """Presses a key until the call has its answer: at first, the window does not ask yet."""
        async with anyio.create_task_group() as group:

            async def press():
                while True:
                    await anyio.to_thread.run_sync(desk.key, key)
                    await anyio.sleep(0.5)

            group.start_soon(press)
            answer = await call
            group.cancel_scope.cancel()
        return answer

    async with connected(desk, "cursor") as a:
        session = await a.session()
        assert (await a.run(session, "kept = 1")).data["status"] == "ok"
        no = (await answered("ctrl+d", a.call("session_restart", session_id=session))).error
        assert (no["code"], "It was not done" in no["message"]) == ("DENIED", True), no
        assert (await a.run(session, "kept")).data["result"] == "1"
        cells = [{"cell_type": "code", "source": "1 + 1"}]
        made = await answered("ctrl+Return", a.call("notebook_create", path="asked.ipynb", cells=cells))
        assert not made.failed, made.texts
        assert (await a.ok("notebook_read", path="asked.ipynb"))["cells"][0]["source"] == "1 + 1"
        yes = await answered("ctrl+Return", a.call("session_restart", session_id=session))
        assert not yes.failed, yes.texts
        assert (await a.run(session, "kept")).data["status"] == "error"
