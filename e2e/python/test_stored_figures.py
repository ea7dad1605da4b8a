"""Plots of earlier sessions: their figures outlive their kernels."""

import io
import pathlib
import shutil
import time

import anyio
import pytest
from assistant import connect
from PIL import Image
from servers import Easel, wait_until
from test_projects import bridge, contents, make_project

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]); plt.title('%s'); plt.show()"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    app = Easel.start_with_python(tmp_path_factory.mktemp("stored"))
    yield app
    assert app.close() == 0


def stored(easel) -> set[pathlib.Path]:
    return set((easel.data / "library" / "images").rglob("*.figure"))


async def drawn(easel, a, session, code) -> tuple[dict, pathlib.Path]:
    """Runs code that draws one plot, waits until its figure is stored, and returns both."""
    before = stored(easel)
    [image] = (await a.run(session, code)).data["images"]
    with anyio.fail_after(120):
        while not stored(easel) - before:
            await anyio.sleep(0.1)
    [new] = stored(easel) - before
    return image, new


async def session_of(easel, a) -> str:
    return wait_until("a session", lambda: easel.execute("session_create")[2].get("session_id"), 300)


async def test_a_plot_of_yesterday_is_drawn_as_pdf(own, tmp_path):
    async with connect(own) as a:
        session = await session_of(own, a)
        image, _ = await drawn(own, a, session, PLOT % "Yesterday")
        png = Image.open(io.BytesIO(pathlib.Path(image["path"]).read_bytes())).convert("RGB")
    assert own.close() == 0
    own.launch()
    async with connect(own) as a:
        await session_of(own, a)  # Jupyter runs
        seen = await a.ok("get_image_resource", image_id=image["image_id"][-8:])
        assert seen["redrawable"] == "stored", seen
        pdf = await a.ok("render_image", image=image["resource_uri"], format="pdf", width=3.5, path=str(tmp_path / "x.pdf"))
        assert "note" not in pdf, pdf["note"]
        data = (tmp_path / "x.pdf").read_bytes()
        assert data.startswith(b"%PDF") and b"/MediaBox [ 0 0 252 " in data
        again = await a.ok("render_image", image=image["resource_uri"], path=str(tmp_path / "x.png"))
        assert (again["width"], again["height"]) == png.size
        same = Image.open(tmp_path / "x.png").convert("RGB")
        assert max(abs(p - q) for p, q in zip(png.tobytes(), same.tobytes())) <= 2


async def test_another_file_is_not_loaded(own, tmp_path):
    """What Easel has not stored itself is not loaded, and the reason is said."""
    async with connect(own) as a:
        session = await session_of(own, a)
        image, file = await drawn(own, a, session, PLOT % "Changed")
        await a.ok("session_restart", session_id=session, force=True)
        data = bytearray(file.read_bytes())
        data[-10] ^= 1
        file.write_bytes(data)
        refused = (await a.call("render_image", image=image["resource_uri"], format="pdf")).error
        assert refused["code"] == "NOT_EXECUTABLE" and "not as this Easel has stored it" in refused["message"], refused



async def test_easel_is_quit_right_after_the_plot(own, tmp_path):
    async with connect(own) as a:
        session = await session_of(own, a)
        [image] = (await a.run(session, PLOT % "At once")).data["images"]
    assert own.close() == 0
    own.launch()
    async with connect(own) as a:
        await session_of(own, a)
        await a.ok("render_image", image=image["resource_uri"], format="pdf", path=str(tmp_path / "x.pdf"))
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


SEVERAL = """import matplotlib.pyplot as plt, numpy as np
for k in range(5):
    plt.plot(np.random.default_rng(%d + k).normal(size=40_000), lw=.1); plt.title(f'Killed %d {k}'); plt.show()"""


async def test_easel_is_killed_while_it_stores_figures(own, tmp_path):
    """No plot of an answer is lost, nor its figure, which is in the library or still in the kernel. No half file is ever loaded."""
    images = own.data / "library" / "images"
    async with connect(own) as a:
        session = await session_of(own, a)
    plots = []
    for n in (0, 2, 4):
        async with connect(own) as a:
            before = set(images.rglob("*"))
            plots += (answered := (await a.run(session, SEVERAL % (10 * n, n), images="none")).whole["images"])
            assert len(answered) == 5
            with anyio.fail_after(120):  # until the nth figure begins to be written, whatever its file is called by then
                while len([f for f in set(images.rglob("*")) - before if f.is_file() and f.suffix not in (".png", ".facts")]) <= n:
                    await anyio.sleep(0)
            own.process.kill()
            own.process.wait()
        own.launch()
    async with connect(own) as a:
        assert (await a.run(session, "k")).data["result"] == "4", "the kernel is another one"
        for image in plots:
            seen = await a.ok("get_image_resource", resource_uri=image["resource_uri"])
            assert seen["redrawable"] in ("kernel", "stored"), seen
        await a.ok("session_restart", session_id=session, force=True)
        for image in plots:
            png = Image.open(image["path"]).convert("RGB")
            assert (await a.ok("get_image_resource", resource_uri=image["resource_uri"]))["redrawable"] == "stored"
            again = await a.ok("render_image", image=image["resource_uri"], path=str(tmp_path / f"{image['image_id']}.png"))
            assert "note" not in again, again
            assert Image.open(again["path"]).convert("RGB").size == png.size
    assert not [f.name for f in images.rglob("*") if f.is_file() and f.suffix not in (".png", ".facts", ".figure")]


@pytest.mark.parametrize("end", ["session_restart", "session_delete"])
async def test_a_kernel_ends_right_after_the_plot(own, tmp_path, end):
    async with connect(own) as a:
        session = await session_of(own, a)
        [image] = (await a.run(session, PLOT % end)).data["images"]
        await a.ok(end, session_id=session)
        assert (await a.ok("get_image_resource", resource_uri=image["resource_uri"]))["redrawable"] == "stored"
        await a.ok("render_image", image=image["resource_uri"], format="pdf", path=str(tmp_path / "x.pdf"))
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


async def test_a_kernel_that_hangs_is_restarted_at_once(own):
    """Its last figure may be lost, but nobody waits for it."""
    async with connect(own) as a:
        session = await session_of(own, a)
        ran = await a.ok("execute_code", session_id=session, code=PLOT % "Hangs" + "\nimport time; time.sleep(2); sum(iter(int, 1))", wait=1)
        with anyio.fail_after(60):
            while not ran.get("images"):
                ran = await a.ok("get_execution", execution_id=ran["execution_id"], wait=1)
        assert ran["status"] == "running", ran
        began = time.monotonic()
        await a.ok("session_restart", session_id=session)
        assert time.monotonic() - began < 15  # of which starting a kernel takes most


MINE = """import matplotlib, matplotlib.pyplot as plt, mypkg
from matplotlib.lines import Line2D
class Thick(Line2D):
    def draw(self, renderer):
        self.set_linewidth(mypkg.answer / 6)
        super().draw(renderer)
fig, ax = plt.subplots(); ax.add_line(Thick([0, 1], [0, 1])); ax.yaxis.set_major_formatter(lambda v, p: f"{v:.1f} EUR"); plt.show()
try:
    import importlib.metadata; print(importlib.metadata.version("cloudpickle"))
except importlib.metadata.PackageNotFoundError:
    print("none")"""


async def test_a_plot_of_a_project(tmp_path_factory, tmp_path):
    """Its kernel runs the project's Python, which has neither ipykernel nor cloudpickle, and nothing is installed there."""
    folder = make_project(tmp_path_factory.mktemp("project") / "sales", "matplotlib")
    before = contents(folder)
    app = Easel.start_with_python(tmp_path_factory.mktemp("easel"), "--project", str(folder))
    try:
        wait_until("a session", lambda: app.execute("session_create")[2].get("session_id"), 300)
        async with bridge(app, folder, tmp_path / "log") as a:
            session = (await a.ok("session_create"))["session_id"]
            ran = (await a.run(session, MINE)).data
            assert ran["stdout"] == "none\n" and len(ran["images"]) == 1, ran
            [image] = ran["images"]
            png = pathlib.Path(image["path"]).read_bytes()
        assert app.close() == 0
        app.launch("--project", str(folder))
        async with bridge(app, folder, tmp_path / "log") as a:
            again = await a.ok("render_image", image=image["resource_uri"], path=str(tmp_path / "again.png"))
            assert "note" not in again, again
            same = Image.open(tmp_path / "again.png").convert("RGB")
            first = Image.open(io.BytesIO(png)).convert("RGB")
            assert same.size == first.size and max(abs(p - q) for p, q in zip(first.tobytes(), same.tobytes())) <= 2
            await a.ok("render_image", image=image["resource_uri"], format="pdf", path=str(tmp_path / "again.pdf"))
        assert contents(folder) == before and not list(folder.rglob("cloudpickle*"))
        assert app.close() == 0
        shutil.rmtree(folder / ".venv")
        app.launch("--project", str(folder))
        async with bridge(app, folder, tmp_path / "log") as a:  # another Python of this machine does
            await a.ok("render_image", image=image["resource_uri"], format="pdf", path=str(tmp_path / "without.pdf"))
        assert app.close() == 0
        app.launch()  # the project is not allowed any more
        async with connect(app) as a:
            refused = (await a.call("render_image", image=image["resource_uri"], format="pdf")).error
            assert refused["code"] == "NOT_EXECUTABLE" and "project" in refused["message"], refused
    finally:
        assert app.close() == 0


CLOSER = "import numpy as np, matplotlib.pyplot as plt\nx = np.linspace(0, 10, 5000)\nplt.plot(x, np.sin(60 * x)); plt.xlabel('t'); plt.title('%s'); plt.show()"
LOCK = "import threading, matplotlib.pyplot as plt\nfig, ax = plt.subplots(); ax.plot([1, 2])[0].part = threading.Lock(); plt.show()"


async def test_what_a_figure_of_an_ended_kernel_can_do(own, tmp_path):
    """A region is drawn with more pixels, all values come, and a plot whose figure is not stored says why."""
    async with connect(own) as a:
        session = await session_of(own, a)
        image, _ = await drawn(own, a, session, CLOSER % "Closer")
        many, _ = await drawn(own, a, session, "y = np.random.default_rng(7).normal(size=150_000); plt.plot(y); plt.show()")
        lock, _ = await drawn(own, a, session, LOCK)
        await a.ok("session_restart", session_id=session)
        answer = await a.call("get_image_resource", resource_uri=image["resource_uri"], region="x=2..2.5")
        assert answer.read["made"].startswith("drawn again by another kernel, from its stored figure, with "), answer.read
        assert "x (t) 2–2.5" in answer.read["region"], answer.read
        [picture] = answer.pictures
        size = Image.open(io.BytesIO(picture)).size
        assert max(size) in range(1566, 1569), size
        (tmp_path / "region.png").write_bytes(picture)
        status, _, body = own.request("GET", "/api/resources/" + many["resource_uri"].removeprefix("jupyter://").rpartition(".")[0] + "/data.csv")
        text = body if isinstance(body, str) else body.decode()
        assert status == 200 and len(text.splitlines()) == 150_001, text[:200]
        seen = await a.ok("get_image_resource", resource_uri=lock["resource_uri"])
        assert seen["redrawable"] == "replay" and "lock" in seen["redrawable_why"] and "check_reproducibility" in seen["redrawable_why"], seen
        refused = (await a.call("render_image", image=lock["resource_uri"], format="pdf")).error
        assert "cannot be pickled" in refused["message"], refused
