"""Tests sessions: started, shared with the user's notebook, joined, restarted, ended."""

import datetime
import unicodedata
import uuid

import anyio
import pytest
from assistant import connect
from jupyterlab import open_notebook, run_cell


async def test_a_session_needs_no_parameters(assistant):
    made = await assistant.ok("session_create")
    uuid.UUID(made["session_id"])
    uuid.UUID(made["kernel_id"])
    assert made["status"] == "idle"
    assert made["kernel_name"] == "python3"
    created = datetime.datetime.fromisoformat(made["created_at"])
    assert created.utcoffset() == datetime.timedelta(0)
    assert abs(datetime.datetime.now(datetime.UTC) - created) < datetime.timedelta(minutes=1)

    answer = (await assistant.run(made["session_id"], "1 + 1")).data
    assert answer["status"] == "ok"
    assert answer["result"] == "2"
    assert (await assistant.ok("session_delete", session_id=made["session_id"]))["status"] == "deleted"


async def test_a_session_has_a_name(assistant):
    titled = await assistant.ok("session_create", title="Churn of May")
    asked = await assistant.ok("session_create")
    assert (titled["session_id"] != asked["session_id"]) and "title" not in asked

    async def title(of):
        (session,) = [s for s in (await assistant.ok("session_list"))["sessions"] if s["session_id"] == of["session_id"]]
        return session.get("title")

    assert (await title(titled), await title(asked)) == ("Churn of May", None)
    await assistant.run(asked["session_id"], "# Load the sales\nimport matplotlib.pyplot as plt")
    assert await title(asked) == "Load the sales"
    for session in titled, asked:
        await assistant.run(session["session_id"], "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title('Sales by region'); plt.show()")
    assert (await title(titled), await title(asked)) == ("Churn of May", "Sales by region")
    assert assistant.rest("session_create", title="May" + chr(10))["title"] == "May"
    with pytest.raises(Exception, match="title"):
        await assistant.ok("session_create", title="x" * 101)


async def test_whoever_opens_the_notebook_is_in_the_same_kernel(assistant, jupyter, era):
    path = f"together-{era}.ipynb"
    made = await assistant.ok("session_create", notebook_path="/" + path)
    assert made["notebook_path"] == path

    status, _, notebook = jupyter.request("GET", f"/api/contents/{path}")
    assert status == 200 and notebook["type"] == "notebook"  # it was missing and has been created

    notebook = open_notebook(jupyter, path)
    made = assistant.rest("session_create", notebook_path=path)  # the session there is
    assert notebook["id"] == made["session_id"]
    assert notebook["kernel"]["id"] == made["kernel_id"]

    await assistant.run(made["session_id"], "shared = 6 * 7")
    assert run_cell(jupyter, made["kernel_id"], "assert shared == 42; shared += 1")["status"] == "ok"
    assert (await assistant.run(made["session_id"], "shared")).data["result"] == "43"

    # Again: the existing session, not a second one.
    again = await assistant.ok("session_create", notebook_path=path)
    assert again["session_id"] == made["session_id"]


@pytest.mark.parametrize("written", ["a/../plain.ipynb", "./plain.ipynb", "//plain.ipynb", "plain.ipynb"])
async def test_a_path_is_normalised(modern, written):
    made = await modern.ok("session_create", notebook_path=written)
    assert made["notebook_path"] == "plain.ipynb"


async def test_two_spellings_of_a_japanese_name_are_one_notebook(modern):
    composed = await modern.ok("session_create", notebook_path="がぎ.ipynb")
    decomposed = await modern.ok("session_create", notebook_path=unicodedata.normalize("NFD", "がぎ.ipynb"))
    assert composed["session_id"] == decomposed["session_id"]


async def test_joining_a_users_kernel(assistant, jupyter, era):
    path = f"users-{era}.ipynb"
    notebook = open_notebook(jupyter, path)
    run_cell(jupyter, notebook["kernel"]["id"], "theirs = 'set by the user'")

    for arguments in [
        {"notebook_path": path},
        {"notebook_path": "/" + path},
        {"kernel_id": notebook["kernel"]["id"]},
        {"notebook_path": path, "kernel_id": str(uuid.uuid4())},  # with both, the path has priority
        {"notebook_path": "", "kernel_id": notebook["kernel"]["id"]},  # empty counts as missing
    ]:
        joined = await assistant.ok("session_connect", **arguments)
        assert joined["session_id"] == notebook["id"], arguments
        assert joined["notebook_path"] == path
        assert joined["kernel_id"] == notebook["kernel"]["id"] and joined["connected"] is True
        assert joined["status"] in ("idle", "busy")

    # The kernel's id is accepted as the session's id everywhere.
    for session_id in (notebook["id"], notebook["kernel"]["id"]):
        answer = (await assistant.run(session_id, "theirs")).data
        assert answer["result"] == "'set by the user'"
        assert answer["session_id"] == notebook["id"]


async def test_a_users_kernel_is_not_ended_without_force(modern, jupyter):
    notebook = open_notebook(jupyter, "precious.ipynb")
    await modern.ok("session_connect", notebook_path="precious.ipynb")
    listed = {s["session_id"]: s for s in (await modern.ok("session_list"))["sessions"]}
    assert listed[notebook["id"]]["owner"] == "other"

    await modern.ok("session_delete", session_id=notebook["id"])
    assert jupyter.request("GET", f"/api/kernels/{notebook['kernel']['id']}")[0] == 200

    assert (await modern.call("session_restart", session_id=notebook["id"])).failed

    await modern.ok("session_delete", session_id=notebook["id"], force=True)
    assert jupyter.request("GET", f"/api/kernels/{notebook['kernel']['id']}")[0] == 404


async def test_the_list_tells_every_kernel(assistant, session):
    sessions = assistant.rest("session_list")["sessions"]
    listed = (await assistant.ok("session_list"))["sessions"]
    assert [s["session_id"] for s in listed] == [s["session_id"] for s in sessions]
    mine = next(s for s in sessions if s["session_id"] == session)
    assert mine["owner"] == "easel"
    assert mine["kernel_name"] == "python3"
    assert mine["images"] == 0
    assert len({s["kernel_id"] for s in sessions}) == len(sessions)


async def test_a_restart_loses_the_variables_and_says_so(modern, session):
    await modern.run(session, "kept = 1")
    before = next(s for s in modern.rest("session_list")["sessions"] if s["session_id"] == session)
    after = await modern.ok("session_restart", session_id=session)
    assert after["generation"] == before["generation"] + 1
    answer = await modern.run(session, "kept")
    assert answer.data["error"]["type"] == "NameError"


async def test_each_client_is_told_once_that_the_variables_are_gone(easel, era, session):
    def told(answer):
        return answer.read.get("kernel_replaced")

    async with connect(easel, era, name="client-b") as b:
        async with connect(easel, era, name="client-a") as a:
            await a.run(session, "x = 1")
            await b.run(session, "y = x")
            assert told(await b.call("session_restart", session_id=session)) is None
            answer = await a.run(session, "x")
            news = told(answer)
            assert answer.read["error"]["type"] == "NameError"
            assert news["generation"] == 2 and news["by"] == "client-b 1.2.3" and "variables" in news["note"]
            age = datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(news["at"])
            assert datetime.timedelta(0) <= age < datetime.timedelta(minutes=1)
            assert told(await a.run(session, "1")) is None and told(await b.run(session, "1")) is None
        # A client that connects again is one that used the session.
        await b.ok("session_restart", session_id=session)
        async with connect(easel, era, name="client-a") as a:
            news = told(await a.call("get_variables", session_id=session))
            assert news["generation"] == 3 and news["by"] == "client-b 1.2.3"
            assert told(await a.run(session, "1")) is None
        async with connect(easel, era, name="client-a") as a:
            assert told(await a.run(session, "1")) is None


async def test_what_the_user_runs_and_draws_is_recorded(modern, jupyter):
    notebook = open_notebook(jupyter, "watched.ipynb")
    await modern.ok("session_connect", notebook_path="watched.ipynb")
    run_cell(jupyter, notebook["kernel"]["id"], "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.title('by hand')\nplt.show()")
    while not (images := (await modern.ok("list_session_images", session_id=notebook["id"]))["images"]):
        await anyio.sleep(0.05)
    assert len(images) == 1
    await modern.ok("session_delete", session_id=notebook["id"], force=True)
    # Images of an ended session are still listed.
    assert (await modern.ok("list_session_images", session_id=notebook["id"]))["images"] == images
