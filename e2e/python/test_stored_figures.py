"""Plots of earlier sessions: their figures outlive their kernels."""

import io
import pathlib

import anyio
import pytest
from assistant import connect
from PIL import Image
from servers import Easel, wait_until

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

