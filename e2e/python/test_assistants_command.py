"""easel assistants: what it changes counts at once in the Easel that runs, and in the next one if none runs."""

import json
import subprocess

from servers import BINARY, Easel, http


def assistants(easel, *flags: str, fails: str = "") -> dict:
    """Runs the command, which must fail with a line of text if fails is not empty."""
    command = [BINARY, "assistants", *flags, "--json"]
    p = subprocess.run(command, env=easel.env, capture_output=True, text=True, timeout=60)
    if not fails:
        assert p.returncode == 0, p.stderr
        return json.loads(p.stdout)
    assert p.returncode > 0 and fails in p.stderr and p.stderr.count("\n") == 1, (p.returncode, p.stderr)
    assert "Traceback" not in p.stderr and p.stdout == ""
    return {}


def row(listed: dict, id: str) -> dict:
    return next(a for a in listed["assistants"] if a["id"] == id)


def call(easel, token: str, tool: str, **arguments) -> tuple[int, dict]:
    status, _, body = http("POST", f"{easel.url}/tools/{tool}/execute", token, arguments, scheme="Bearer")
    return status, body


def test_the_running_easel_is_changed(tmp_path, jupyter):
    easel = Easel.start(tmp_path, jupyter=jupyter)
    added = assistants(easel, "--add", "night runner")
    id, token = added["changed"], added["token"]
    assert (id, added["url"]) == ("night-runner", easel.url)
    assert assistants(easel, "--show", "Night Runner")["token"] == token
    status, session = call(easel, token, "session_create")
    assert status == 200, session
    plot = "import matplotlib.pyplot as plt; plt.plot([1]); plt.show()"
    assert call(easel, token, "execute_code", session_id=session["session_id"], code=plot)[1]["status"] == "ok"

    listed = row(assistants(easel), id)
    assert (listed["name"], listed["calls"], listed["rights"], listed["paused"]) == ("night runner", 2, "default", False)
    assert listed["since"] <= listed["seen"]
    text = subprocess.run([BINARY, "assistants"], env=easel.env, capture_output=True, text=True, timeout=60).stdout
    assert "night runner" in text and "RIGHTS" in text and token not in text

    assert row(assistants(easel, "--rights", f"{id}=look"), id)["rights"] == "look"
    assert call(easel, token, "session_create")[1]["code"] == "DENIED"
    assistants(easel, "--rights", f"{id}=all")
    assert row(assistants(easel, "--pause", id), id)["paused"]
    kept = json.loads((easel.data / "assistants.json").read_text())
    assert row(kept, id)["paused"]  # on the disk when the command ends
    assert call(easel, token, "session_create")[1]["code"] == "PAUSED"
    assistants(easel, "--resume", id)
    assert call(easel, token, "session_create")[0] == 200

    before = assistants(easel)
    assistants(easel, "--pause", "nobody", fails="--add registers another")
    assistants(easel, "--add", "Night Runner", fails="--show night-runner")
    assistants(easel, "--rights", f"{id}=most", fails="look, each, compute, project, all, default")
    assistants(easel, "--pause", id, "--forget", id, fails="one at a time")
    assistants(easel, "--forget", "others", fails="no token of their own")
    assert assistants(easel) == before

    assistants(easel, "--forget", id)
    assert call(easel, token, "session_list")[0] == 401
    again = assistants(easel, "--add", "night runner")
    assert again["changed"] == "night-runner~1" and again["token"] != token
    assert call(easel, again["token"], "session_list")[0] == 200
    assert easel.close() == 0
    logs = [p.read_text() for p in (easel.data / "logs").iterdir()]
    assert any("changed on the command line" in log for log in logs) and not any(token in log for log in logs)

    # It does not run any more: the file is changed.
    assert row(assistants(easel), "night-runner~1")["calls"] == 1
    assistants(easel, "--rights", "night runner=look")
    zed = assistants(easel, "--add", "zed")
    file = easel.data / "assistants.json"
    kept = file.read_text()
    assistants(easel, "--pause", "nobody", fails="no assistant")
    assert file.read_text() == kept and "easel_client_" not in kept
    easel.launch()
    assert call(easel, again["token"], "session_create")[1]["code"] == "DENIED"
    assert call(easel, zed["token"], "session_create")[0] == 200
    assert call(easel, token, "session_list")[0] == 401
    assert easel.close() == 0

    file.write_text(kept[:-10])
    assistants(easel, "--pause", "zed", fails="assistants.json")
    assert file.read_text() == kept[:-10]
