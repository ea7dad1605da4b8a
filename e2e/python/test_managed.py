"""Tests the managed Jupyter server, and what survives a crash."""

import io
import json
import os
import pathlib
import signal

import anyio
import pytest
from assistant import connect
from away import killed_while_it_draws
from PIL import Image
from servers import Easel, http, wait_until


@pytest.fixture(scope="module")
def managed(tmp_path_factory):
    app = Easel.start(tmp_path_factory.mktemp("managed"))
    yield app
    assert app.close() == 0


@pytest.fixture(scope="module")
def shared(managed):
    """A session for the tests that look only at what their own code gives."""
    return wait_until("a session", lambda: managed.execute("session_create")[2].get("session_id"), 300)


def alive(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def running(easel) -> list[dict]:
    """Returns the kernels that run on the managed server."""
    server = json.loads((easel.data / "jupyter" / "server.json").read_text())
    return http("GET", server["url"].rstrip("/") + "/api/kernels", server["token"])[2]


def kernels(easel) -> set[str]:
    return {k["id"] for k in running(easel)}


def working(easel) -> set[str]:
    return {k["id"] for k in running(easel) if k["execution_state"] == "busy"}


def listed_kernels(easel) -> set[str]:
    return {s["kernel_id"] for s in easel.request("GET", "/api/info/session_list")[2]["sessions"]}


async def first_session(assistant) -> str:
    """Creates a session as soon as the environment is installed. Until then, the error must say so."""
    while True:
        answer = await assistant.call("session_create")
        if not answer.failed:
            return answer.data["session_id"]
        assert answer.error["code"] == "JUPYTER_STARTING", answer.error
        assert answer.error["message"]
        await anyio.sleep(0.2)  # leave the CPU to the installation


async def test_the_environment_is_made_and_a_plot_is_drawn(managed, era):
    async with connect(managed, era) as a:
        session = await first_session(a)
        answer = await a.run(session, "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()", images="inline")
        assert answer.data["status"] == "ok" and len(answer.pictures) == 1
        answer = await a.run(session, "import os; os.getcwd()")
        assert answer.data["result"] == repr(managed.env["EASEL_ROOT_DIR"])
        for module in ("numpy", "pandas", "scipy", "seaborn", "plotly", "PIL", "pip"):
            ran = (await a.run(session, f"import {module}")).data
            assert ran["status"] == "ok", (ran.get("error"), ran.get("stderr"))


async def test_japanese_in_a_plot_is_no_tofu(managed, shared):
    async with connect(managed) as a:
        e = (await a.run(shared, "import matplotlib.pyplot as plt\nplt.title('気温と湿度')\nplt.plot([1])\nplt.show()")).data
        assert e["status"] == "ok" and len(e["images"]) == 1
        assert "missing from" not in e["stderr"], e["stderr"]  # matplotlib's warning about a missing glyph


def chart(mark="bar", data=None):
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json", "width": 200, "height": 100, "title": "月ごとの気温",
        "data": data or {"values": [{"a": i, "b": i * 7 % 12} for i in range(12)]}, "mark": {"type": mark, "color": "#d810b4"},
        "encoding": {"x": {"field": "a", "type": "nominal"}, "y": {"field": "b", "type": "quantitative"}},
    }  # fmt: skip
    return f"from IPython.display import display\ndisplay({{'application/vnd.vegalite.v5+json': {spec!r}, 'text/plain': '<Chart>'}}, raw=True)"


async def drawn(a, session, answer):
    """Waits until a figure has its picture, and returns its image."""
    [first] = answer.data["images"]
    with anyio.fail_after(120):  # the engine starts with the first figure
        while True:
            image = a.rest("list_session_images", session_id=session)["images"][0]
            if image["image_id"] == first["image_id"] and image["mime_type"] == "image/png":
                return image
            await anyio.sleep(0.1)


def magenta(png):
    assert png.startswith(b"\x89PNG"), (len(png), png[:200])
    with Image.open(io.BytesIO(png)) as picture:
        return sum(n for n, colour in picture.convert("RGB").getcolors(1 << 24) if colour == (0xD8, 0x10, 0xB4))


async def test_a_chart_that_comes_without_a_picture_is_drawn(managed, shared):
    async with connect(managed) as a:
        image = await drawn(a, shared, await a.run(shared, chart()))
        assert "interactive" not in image and image["title"] == "月ごとの気温" and image["resource_uri"].endswith(".png")
        assert magenta(pathlib.Path(image["path"]).read_bytes()) > 2000
        [picture] = (await a.call("get_image_resource", resource_uri=image["resource_uri"])).pictures
        assert magenta(picture) > 2000
        for _ in range(10):  # once the engine has started, the model gets the picture with the answer
            answer = await a.run(shared, chart("line"), images="inline")
            await drawn(a, shared, answer)
            if answer.pictures:
                break
        assert magenta(answer.pictures[0]) > 100 and answer.data["images"][0]["mime_type"] == "image/png"
        assert (await a.call("get_execution", execution_id=answer.data["execution_id"])).data["images"][0]["mime_type"] == "image/png"


MEANS = """
rows = [{"c": c, "h": h, "v": v} for c, h, v in zip("ABABCA", "mmmnnn", [1, 2, 4, 8, 16, 77.5])]
bars = {"data": {"values": rows}, "facet": {"field": "h"}, "spec": {"mark": "bar", "encoding": {
    "x": {"field": "c", "type": "nominal"}, "y": {"field": "v", "aggregate": "mean", "type": "quantitative"}}}}
dots = {"data": {"values": rows}, "mark": {"type": "point", "clip": True}, "encoding": {
    "x": {"field": "c", "type": "nominal"}, "y": {"field": "v", "type": "quantitative", "scale": {"domain": [0, 20]}}}}
vega = {"$schema": "https://vega.github.io/schema/vega/v5.json", "width": 200, "height": 200, "data": [{"name": "t", "values": rows,
    "transform": [{"type": "aggregate", "groupby": ["c"], "fields": ["v"], "ops": ["max"], "as": ["m"]}]}], "scales": [
    {"name": "xs", "type": "band", "domain": {"data": "t", "field": "c"}, "range": "width"},
    {"name": "ys", "domain": {"data": "t", "field": "m"}, "range": "height", "zero": True}], "axes": [{"orient": "left", "scale": "ys"}],
    "marks": [{"type": "rect", "from": {"data": "t"}, "encode": {"enter": {"x": {"scale": "xs", "field": "c"}, "width":
    {"scale": "xs", "band": 1}, "y": {"scale": "ys", "field": "m"}, "y2": {"scale": "ys", "value": 0}}}}]}
display({%s}, raw=True)
"""


async def test_a_chart_says_what_vega_draws(managed, shared):
    async with connect(managed) as a:

        async def facts(shown):
            with anyio.fail_after(240):  # until the package that draws charts is installed, a browser draws them
                while True:
                    image = await drawn(a, shared, await a.run(shared, MEANS % shown))
                    plot = await a.ok("get_image_resource", resource_uri=image["resource_uri"])
                    if plot.get("facts"):
                        return image, plot["facts"]
                    await anyio.sleep(1)

        _, said = await facts("'application/vnd.vegalite.v5+json': bars")
        assert "Axes 2 (n): bars B 8" in said and "A 2.5" in said and "A 77.5" in said and "C 16" in said, said
        _, said = await facts("'application/vnd.vega.v5+json': vega")
        assert said.startswith("bars A 77.5, B 8, C 16"), said
        image, said = await facts("'application/vnd.vegalite.v5+json': dots")
        assert said.startswith("OFF-AXIS: points 1 of 6 points (1 above, up to 77.5, axis to 20)"), said
        part = await a.ok("get_image_resource", resource_uri=image["resource_uri"], region="y=0..10")
        assert "y 0–10 of axes 1" in part["region"], part


async def test_a_chart_that_was_drawn_is_updated(managed, shared):
    async with connect(managed) as a:
        code = chart().replace("display(", "h = display(").replace("raw=True", "raw=True, display_id=True")
        answer = await a.run(shared, code)
        first = await drawn(a, shared, answer)
        second = await a.run(shared, chart("line").replace("display(", "h.update("))
        newest = await drawn(a, shared, second)
        assert newest["image_id"] != first["image_id"] and newest["versions"] == 2
        assert newest["replaces"] == first["resource_uri"]
        [shown] = a.rest("get_execution", execution_id=answer.read["execution_id"])["images"]
        assert shown["image_id"] == newest["image_id"]  # as in a notebook


async def test_an_svg_is_drawn_with_its_clips(managed, shared):
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><defs><clipPath id="c"><circle cx="50" cy="50" r="20"/></clipPath></defs>'
        '<rect width="100" height="100" fill="#d810b4" clip-path="url(#c)"/></svg>'
    )
    async with connect(managed) as a:
        answer = await a.run(shared, f"from IPython.display import SVG, display\ndisplay(SVG({svg!r}))")
        image = await drawn(a, shared, answer)
        assert (image["width"], image["height"]) == (200, 200)  # at double density
        assert 4500 < magenta(pathlib.Path(image["path"]).read_bytes()) < 5200  # a circle, not the square


async def test_a_page_of_pdf_is_drawn(managed, shared):
    async with connect(managed) as a:
        answer = await a.run(
            shared,
            "%config InlineBackend.figure_formats = ['pdf']\nimport matplotlib.pyplot as plt\nplt.figure(facecolor='#d810b4')\n"
            "plt.plot([1, 2])\nplt.title('Pages')\nplt.show()\n%config InlineBackend.figure_formats = ['png']",
        )
        image = await drawn(a, shared, answer)
        assert image["title"] == "Pages"
        assert magenta(pathlib.Path(image["path"]).read_bytes()) > 100_000


async def test_a_chart_that_cannot_be_drawn_stays_a_card(managed, shared, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,5\n2,9\n")
    async with connect(managed) as a:
        for data in ({"url": "http://127.0.0.1:9/x.csv"}, {"name": "nowhere", "format": {"type": "topojson"}}):
            answer = await a.run(shared, chart(data=data))
            assert answer.data["status"] == "ok"
        [image] = (await a.run(shared, chart(data={"url": "http://127.0.0.1:9/x.csv"}))).data["images"]
        assert image["interactive"] == "vegalite" and image["mime_type"].startswith("application/vnd.vegalite.")
        [image] = (await a.run(shared, chart(data={"url": secret.as_uri()}))).data["images"]  # the file is not read
        assert image["interactive"] == "vegalite"


async def test_no_rate_limit_drops_output(managed, shared):
    async with connect(managed) as a:
        e = (await a.run(shared, "for i in range(200_000):\n    print(f'{i:099d}')")).data
        assert e["status"] == "ok"
        assert e["stdout"].startswith(f"{0:099d}\n")
        assert e["stdout"].endswith(f"{199_999:099d}\n")
        [t] = [t for t in e["truncated"] if t["stream"] == "stdout"]
        assert t["total_bytes"] == 20_000_000


async def test_what_a_kernel_says_while_easel_stands_still_is_kept(managed, shared, tmp_path):
    """By default, ZeroMQ drops messages if a reader is more than a thousand behind."""
    begun, stopped, done = (tmp_path / name for name in ("begun", "stopped", "done"))
    code = f"""
import pathlib, time
pathlib.Path({str(begun)!r}).touch()
while not pathlib.Path({str(stopped)!r}).exists():
    time.sleep(0.01)
for i in range(6_000):
    print(f"{{i:06d}}", flush=True)
pathlib.Path({str(done)!r}).touch()
"""
    async with connect(managed) as a:
        e = (await a.run(shared, code, wait=0)).data
        wait_until("the code's begin", begun.exists)
        os.kill(managed.process.pid, signal.SIGSTOP)
        try:
            stopped.touch()
            wait_until("the code's end", done.exists)
        finally:
            os.kill(managed.process.pid, signal.SIGCONT)
        e = await a.to_end(e)
        assert e["status"] == "ok"
        whole = "".join(f"{i:06d}\n" for i in range(6_000))
        [t] = [t for t in e["truncated"] if t["stream"] == "stdout"]
        assert t["total_bytes"] == len(whole)
        assert whole.startswith(e["stdout"][: len("000000\n") * 100]) and whole.endswith(e["stdout"][-len("000000\n") * 100 :])


async def test_a_crash_of_easel_loses_nothing(managed):
    async with connect(managed) as a:
        session = await first_session(a)
        code = "import matplotlib.pyplot as plt, os\nplt.plot([5, 1, 4])\nplt.show()\nkept = 'still here'\nos.getpid()"
        e = (await a.run(session, code)).data
        [image] = e["images"]
        kernel = int(e["result"])
        prestarted = wait_until("a prestarted kernel", lambda: next(iter(kernels(managed) - listed_kernels(managed)), None))
        rated = "set_rating" in {t.name for t in (await a.client.list_tools()).tools}
        if rated:
            await a.ok("set_rating", path=image["resource_uri"], rating=4)

    os.kill(managed.process.pid, signal.SIGKILL)
    managed.process.wait()
    assert alive(kernel)
    managed.launch()  # the stale runtime file is detected and replaced
    wait_until("the take-over", lambda: managed.request("GET", "/api/health")[2]["servers"][0]["state"] == "ready")

    async with connect(managed) as a:
        listed = {s["session_id"]: s for s in a.rest("session_list")["sessions"]}
        assert listed.get(session, {}).get("owner") == "easel", "it was taken over with its kernels"
        assert (await a.run(session, "kept")).data["result"] == "'still here'"
        assert image["resource_uri"] in [str(r.uri) for r in (await a.client.list_resources()).resources]
        [again] = a.rest("list_session_images", session_id=session)["images"]
        assert pathlib.Path(again["path"]).read_bytes() == pathlib.Path(image["path"]).read_bytes()
        if rated:
            assert again["rating"] == 4
        old = (await a.call("get_execution", execution_id=e["execution_id"])).data
        assert old["status"] == "ok" and old["code"] == code
        # The prestarted kernel of the crashed Easel is ended, and never listed.
        assert prestarted not in {s["kernel_id"] for s in listed.values()}
        wait_until("the end of the old prestarted kernel", lambda: prestarted not in kernels(managed))
        assert {s["owner"] for s in (await a.ok("session_list"))["sessions"]} == {"easel"}


async def test_what_runs_when_easel_crashes_goes_on(managed, tmp_path):
    go = tmp_path / "go"
    draws = f"""
import pathlib, time
import matplotlib.pyplot as plt
print('begun', flush=True)
while not pathlib.Path({str(go)!r}).exists():
    time.sleep(0.01)
plt.plot([1, 2])
plt.show()
"""

    async def crash_at(code: str) -> tuple[str, str]:
        async with connect(managed) as a:
            session = await first_session(a)
            e = (await a.run(session, code, wait=0)).data
            while not e["stdout"]:
                e = (await a.call("get_execution", execution_id=e["execution_id"])).data
        wait_until("the server to hear what Easel has heard", lambda: session in working(managed))
        os.kill(managed.process.pid, signal.SIGKILL)
        managed.process.wait()
        managed.launch()
        wait_until("the take-over", lambda: managed.request("GET", "/api/health")[2]["servers"][0]["state"] == "ready")
        return session, e["execution_id"]

    session, execution = await crash_at(draws)
    async with connect(managed) as a:
        left = (await a.call("get_execution", execution_id=execution)).data
        assert left["status"] == "running" and "Easel was restarted while this ran" in left["hint"]
        go.touch()
        assert (await a.run(session, "1")).data["status"] == "ok", "it waits for what runs"
        [image] = a.rest("list_session_images", session_id=session)["images"]
        e = (await a.call("get_execution", execution_id=execution)).data
        facts = "x 0 to 1; line 2 points, min 1 at 0, max 2 at 1."
        assert (e["status"], e["code"], e["stdout"], e["images"]) == ("ok", draws, "begun\n", [image | {"facts": facts}])

    session, _ = await crash_at("print('begun')\nwhile True: pass")
    async with connect(managed) as a:
        await a.ok("session_interrupt", session_id=session)
        assert (await a.run(session, "1")).data["status"] == "ok"


async def test_what_a_kernel_says_while_easel_is_dead_is_kept(managed, tmp_path):
    async with connect(managed) as a:
        made = await first_session(a)
        [session] = [s for s in a.rest("session_list")["sessions"] if s["session_id"] == made]
    server = json.loads((managed.data / "jupyter" / "server.json").read_text())
    e = await killed_while_it_draws(managed, session, lambda method, path: http(method, server["url"].rstrip("/") + path, server["token"]), tmp_path)
    assert "truncated" not in e, "the server has kept everything"
    assert managed.execute("session_delete", session_id=made)[0] == 200


async def test_a_clean_quit_leaves_nothing_behind(managed):  # must be the last test with this Easel
    async with connect(managed) as a:
        session = await first_session(a)
        kernel = int((await a.run(session, "import os; os.getpid()")).data["result"])
    assert managed.close() == 0
    wait_until("the kernel's end", lambda: not alive(kernel))
    assert not (managed.data / "easel.json").exists()
