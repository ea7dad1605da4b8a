"""Tests a project whose kernels run in a sandbox: what an assistant sees of it. The attacks are in jupyter/sandbox."""

import json

import pytest
from servers import Easel, wait_until
from test_projects import make_project


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("sandboxed") / "box")


@pytest.fixture(scope="module")
def easel(tmp_path_factory, project):
    app = Easel.start_with_python(tmp_path_factory.mktemp("easel"), "--project", str(project), "--sandbox")
    wait_until("a session", lambda: app.execute("session_create")[2].get("session_id"), 300)
    yield app
    assert app.close() == 0


@pytest.fixture(scope="module", params=["python3", "easel"])
def session(easel, project, request):
    _, _, out = easel.execute("session_create", directory=str(project), name=request.param)
    assert out.get("environment", "").endswith(", in a sandbox"), out
    return out["session_id"]


def run(easel, session, code):
    _, _, out = easel.execute("execute_code", session_id=session, code=code)
    return out


def test_usual_work(easel, session, project):
    out = run(easel, session, "open('made.txt', 'w').write('x'); print(open('data/sales.csv').read())\n!echo hello")
    assert out["status"] == "ok" and "month,sales" in out["stdout"] and "hello" in out["stdout"], out
    assert (project / "made.txt").read_text() == "x"


def test_a_plot_and_its_redrawing(easel, session):
    out = run(easel, session, "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title('boxed')\nplt.show()")
    if out.get("error", {}).get("type") == "ModuleNotFoundError":
        return  # the project's own Python has no matplotlib
    (image,) = out["images"]
    _, _, drawn = easel.execute("render_image", resource_uri=image["resource_uri"], width=3, height=2)
    assert drawn.get("success"), drawn


def test_a_stored_plot_is_drawn_in_the_sandbox(easel, project):
    _, _, out = easel.execute("session_create", directory=str(project), name="easel")
    (image,) = run(easel, out["session_id"], "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title('kept')\nplt.show()")["images"]
    easel.execute("session_delete", session_id=out["session_id"])
    _, _, drawn = easel.execute("render_image", resource_uri=image["resource_uri"], width=3, height=2)
    assert drawn.get("success"), drawn


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("open({token!r}).read()", "is outside of the folders|hides it"),
        ("open({outside!r}, 'w')", "is outside of the folders|hides it"),
        ("import urllib.request; urllib.request.urlopen('http://example.com')", "blocks the network"),
        ("import socket; socket.create_connection(('127.0.0.1', {port}))", "blocks the network"),
    ],
)
def test_what_is_blocked_is_explained(easel, session, code, hint, tmp_path):
    code = code.format(token=str(easel.data / "token"), outside=str(tmp_path / "x"), port=easel.runtime["port"])
    out = run(easel, session, code)
    assert out["status"] == "error", out
    assert any(h in out.get("hint", "") for h in hint.split("|")), out
    assert "Sandbox, in the project's menu" in out["hint"], out
    assert not (tmp_path / "x").exists()


def test_the_working_folder_has_none(easel):
    _, _, out = easel.execute("session_create")
    assert "sandbox" not in out.get("environment", ""), json.dumps(out)
