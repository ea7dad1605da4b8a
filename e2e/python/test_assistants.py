"""What the user allows each assistant: it is known by the token of its own that Connect writes, whatever name it gives."""

import base64
import contextlib
import hashlib
import hmac
import json

import mcp
import mcp_types
import pytest
from assistant import Assistant, connect
from mcp.client.stdio import StdioServerParameters, stdio_client
from servers import BINARY, Easel, http

NAMES = ("code", "files", "network", "programs", "packages", "secrets", "variable", "unseen", "notebooks", "sessions", "gallery")
EVERYTHING = dict.fromkeys(NAMES, "allow")
RULES = [
    {"id": "cursor", "rights": EVERYTHING | {"network": "deny", "notebooks": "deny", "sessions": "ask"}},
    {"id": "cline", "paused": True},
    {"id": "codex", "limits": {"calls": 6, "kernels": 1}},
    {"id": "zed", "issue": 1},
    {"id": "others", "rights": dict.fromkeys(NAMES, "deny") | {"gallery": "allow"}},
]


def own_token(easel, client: str, issue: int = 0) -> str:
    mac = hmac.digest(easel.token.encode(), f"client\0{client}\0{issue}".encode(), hashlib.sha256)
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


def connected(easel, client: str, name: str = "Claude Code", **more):
    return connect(easel, token=own_token(easel, client, **more), name=name)


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


def test_a_token_that_was_taken_back_is_refused(easel):
    for issue, want in ((0, 401), (1, 200)):
        token = own_token(easel, "zed", issue)
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
