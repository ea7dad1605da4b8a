"""Plots whose code is run again to see whether it draws them again."""

import contextlib
import http.client
import io
import json
import threading

import pytest
from assistant import connect
from PIL import Image
from servers import Easel, wait_until

START = "%matplotlib inline\nimport matplotlib.pyplot as plt, numpy as np"
SEEDED = "rng = np.random.default_rng(3)\nplt.plot(rng.normal(size=40)); plt.show()"
UNSEEDED = "plt.ylim(-6, 6); plt.plot(np.random.default_rng().normal(size=40)); plt.show()"


@pytest.fixture
async def a(easel):
    async with connect(easel) as assistant:
        yield assistant


async def checked(a, image, **more):
    while True:
        answer = await a.call("check_reproducibility", image=image["resource_uri"], **more)
        if answer.data["status"] != "running":
            return answer


async def session_with(a, *cells) -> tuple[str, dict]:
    session = await a.session()
    for cell in (START, *cells):
        answer = await a.run(session, cell)
    [image] = answer.data["images"]
    return session, image


async def test_seeded_and_unseeded(a):
    session, image = await session_with(a, SEEDED)
    answer = await checked(a, image)
    assert answer.data["status"] == "reproduced" and answer.data["exact"] and not answer.pictures, answer.data
    [noise] = (await a.run(session, UNSEEDED)).data["images"]
    answer = await checked(a, noise)
    assert answer.data["status"] == "different" and 0 < answer.data["changed_pixels"] < 0.5, answer.data
    assert {"kind": "random", "cell": 3, "line": 1, "what": "np.random.default_rng"} in answer.data["findings"]
    [picture] = answer.pictures
    stored = noise["width"], noise["height"]
    beside = Image.open(io.BytesIO(picture))
    assert beside.width > stored[0] or beside.height > stored[1]
    # Neither the sessions nor the gallery show the replay.
    assert [s["session_id"] for s in (await a.ok("session_list"))["sessions"]].count(session) == 1
    assert len((await a.ok("list_session_images", session_id=session))["images"]) == 2
    rest = a.rest("check_reproducibility", image=image["resource_uri"])
    assert rest["status"] == "reproduced" and rest["cells"] == 2


async def test_a_failing_cell_is_named(a, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("1\n2\n")
    _, image = await session_with(a, f"v = [float(x) for x in open({str(data)!r})]", "plt.plot(v); plt.show()")
    data.unlink()
    answer = await checked(a, image)
    assert answer.data["status"] == "not_replayable" and answer.data["reason"] == "cell_failed"
    assert answer.data["cell"]["number"] == 2 and answer.data["cell"]["error"]["type"] == "FileNotFoundError"
    assert "missing_file" in [f["kind"] for f in answer.data["findings"]]


async def test_side_effects_are_confirmed(a, tmp_path):
    target = tmp_path / "out.txt"
    _, image = await session_with(a, f"with open({str(target)!r}, 'a') as f: f.write('x')", "plt.plot([1, 2]); plt.show()")
    answer = await checked(a, image)
    assert answer.data["status"] == "needs_confirmation" and target.read_text() == "x"
    [effect] = answer.data["findings"]
    assert (effect["kind"], effect["cell"], effect["path"]) == ("writes", 2, str(target))
    answer = await checked(a, image, confirm=True)
    assert answer.data["status"] == "reproduced" and target.read_text() == "xx", answer.data


@pytest.fixture
def own(tmp_path, jupyter):
    """An Easel with its own directories."""
    app = Easel.prepare(tmp_path, jupyter)
    app.launch()
    yield app
    assert app.close() == 0


async def test_read_only(own):
    async with connect(own) as a:
        _, image = await session_with(a, SEEDED)
    assert own.close() == 0
    (own.data / "settings.json").write_text(json.dumps({"access": "read_only"}))
    own.launch()
    async with connect(own) as a:
        refused = await a.call("check_reproducibility", image=image["resource_uri"])
        assert refused.error["code"] == "DENIED", refused.error


def kernels(jupyter) -> set[str]:
    """The kernels of a server. It answers 500 while one of them is about to start and has no state yet."""

    def answer():
        status, _, listed = jupyter.request("GET", "/api/kernels")
        return status == 200 and (listed,)

    [listed] = wait_until("a list of kernels", answer)
    return {k["id"] for k in listed}


async def test_a_crash_leaves_no_kernel(own, jupyter, tmp_path):
    flag = tmp_path / "flag"
    async with connect(own) as a:
        _, image = await session_with(a, f"import os, time\nwhile os.path.exists({str(flag)!r}): time.sleep(0.05)", "plt.plot([1, 2]); plt.show()")
    before = kernels(jupyter)
    flag.write_text("")

    def check():
        with contextlib.suppress(OSError, http.client.HTTPException):
            own.execute("check_reproducibility", image=image["resource_uri"])

    checking = threading.Thread(target=check)
    checking.start()
    wait_until("the kernel of the check", lambda: kernels(jupyter) != before)
    [hidden] = kernels(jupyter) - before
    entries = own.data / "jupyter" / "hidden"
    wait_until("its entry", lambda: entries.exists() and hidden in entries.read_text())
    own.process.kill()
    own.process.wait()
    checking.join()
    assert hidden in kernels(jupyter)
    own.launch()
    wait_until("the end of the kernel that was left", lambda: kernels(jupyter) == before)
    flag.unlink()
    async with connect(own) as a:
        assert (await checked(a, image)).data["status"] == "reproduced"
