"""Plots that are drawn again: by their kernel, or from their data."""

import io
import pathlib
import re

import pytest
from assistant import connect
from PIL import Image

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, %d]); plt.title('Damped oscillation'); plt.show()"
PLOTLY = "import plotly.express as px\nfig = px.line(x=[1, 2, 3], y=[4, 1, 3], title='Sales by month')\nfig.show()"


@pytest.fixture
async def a(keeping):
    async with connect(keeping) as assistant:
        yield assistant


def content(answer) -> list[str]:
    return [c.type for c in answer.result.content]


async def test_a_plot_is_drawn_again(a, tmp_path):
    session = await a.keeping_session()
    [image] = (await a.run(session, PLOT % 3)).data["images"]
    before = len((await a.ok("list_session_images", session_id=session))["images"])
    target = tmp_path / "figure.png"
    answer = await a.call("render_image", image=image["resource_uri"], width=6, height=4, dpi=200, path=str(target))
    drawn = answer.data
    assert (drawn["width"], drawn["height"], drawn["path"]) == (1200, 800, str(target)), drawn
    assert Image.open(target).size == (1200, 800)
    assert content(answer) == ["text", "image"] and answer.result.structured_content is None
    [picture] = answer.pictures
    assert Image.open(io.BytesIO(picture)).size == (1200, 800)
    assert "note" not in drawn
    small = await a.ok("render_image", image=image["resource_uri"], width=0.5, height=1, dpi=200)
    assert (small["width"], small["height"]) == (100, 200) and "too little room" in small["note"], small
    # A file is never overwritten, and the gallery has nothing new.
    again = await a.call("render_image", image=image["resource_uri"], path=str(target))
    assert again.error["code"] == "ALREADY_EXISTS" and str(target) in again.error["message"]
    assert len((await a.ok("list_session_images", session_id=session))["images"]) == before


async def test_for_print(a):
    session = await a.keeping_session()
    [image] = (await a.run(session, PLOT % 5)).data["images"]
    assert image["redrawable"] == "kernel"
    assert (await a.ok("get_image_resource", image_id=image["image_id"][-8:]))["redrawable"] == "kernel"
    answer = await a.call("render_image", image=image["resource_uri"], format="pdf", width=3.5)
    path = pathlib.Path(answer.data["path"])
    assert path.name == "Damped oscillation.pdf" and answer.data["mime_type"] == "application/pdf"
    assert b"/MediaBox [ 0 0 252 " in path.read_bytes()
    assert content(answer) == ["text", "image", "resource_link"]
    assert max(Image.open(io.BytesIO(answer.pictures[0])).size) in range(1560, 1569) and "placed" not in answer.data
    [link] = [c for c in answer.result.content if c.type == "resource_link"]
    assert str(link.uri).startswith("file:///") and link.mime_type == "application/pdf"
    svg = await a.ok("render_image", image=image["resource_uri"], format="svg", theme="dark")
    assert re.search(r"<text[^>]*>Damped oscillation", pathlib.Path(svg["path"]).read_text())
    # REST returns the same, without the picture.
    rest = a.rest("render_image", image=image["resource_uri"], format="jpeg", width=2, height=2, dpi=100)
    assert (rest["width"], rest["height"], rest["mime_type"]) == (200, 200, "image/jpeg")
    assert Image.open(rest["path"]).format == "JPEG"


COVERED = """
import numpy as np, matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(9, 6))
for i in range(4):
    ax.plot(np.sin(np.linspace(0, 30, 300) + i), label=f"a long name of station {i}")
ax.legend(loc="upper right"); plt.show()
"""


@pytest.mark.parametrize("format", ["pdf", "svg"])
async def test_an_export_is_looked_at(a, format):
    session = await a.keeping_session()
    [image] = (await a.run(session, COVERED)).data["images"]
    answer = await a.call("render_image", image=image["resource_uri"], format=format, width=3, height=2)
    assert len(answer.pictures) == 1 and Image.open(io.BytesIO(answer.pictures[0])).size[0] in range(1560, 1569), answer.read
    assert any("the legend covers" in said for said in answer.read["placed"]), answer.read


async def test_what_cannot_be_drawn_again_says_why(a, session, modern):
    mine = await a.keeping_session()
    [image] = (await a.run(mine, PLOT % 7)).data["images"]
    uri = image["resource_uri"]
    await a.ok("session_restart", session_id=mine, force=True)
    assert (await a.ok("get_image_resource", resource_uri=uri))["redrawable"] == "replay"
    gone = (await a.call("render_image", image=uri, width=5)).error
    assert gone["code"] == "NOT_EXECUTABLE" and "restarted" in gone["message"] and "Run the code again" in gone["hint"]
    for bad, word in ({"width": 2000}, "width"), ({"dpi": 5000}, "dpi"), ({"width": 100, "height": 100, "dpi": 300}, "pixels"):
        wrong = (await a.call("render_image", image=uri, **bad)).error
        assert wrong["code"] == "VALIDATION_ERROR" and word in wrong["message"], wrong
    assert (await a.call("render_image", image="jupyter://sessions/x/images/y.png")).error["code"] == "IMAGE_NOT_FOUND"
    # Without the user's permission, a kernel of another server keeps nothing.
    [image] = (await modern.run(session, PLOT % 9)).data["images"]
    off = (await modern.call("render_image", image=image["resource_uri"])).error
    assert off["code"] == "NOT_EXECUTABLE" and "settings" in off["hint"] and image["redrawable"] == "replay"
    [noise] = (await a.run(mine, "from PIL import Image; Image.new('RGB', (20, 10))")).data["images"]
    assert "not a matplotlib figure" in (await a.call("render_image", image=noise["resource_uri"])).error["message"]
    assert noise["redrawable"] == "no"


async def test_a_plotly_figure_is_drawn_from_its_data(a):
    session = await a.session()
    [image] = (await a.run(session, PLOTLY)).data["images"]
    assert image["redrawable"] == "stored"
    answer = await a.call("render_image", image=image["resource_uri"], width=6, height=3, dpi=192, theme="dark")
    if answer.failed:  # there is no browser
        assert answer.error["code"] == "UNSUPPORTED" and answer.error["message"]
        return
    picture = Image.open(answer.data["path"]).convert("RGB")
    assert picture.size == (1152, 576) == (answer.data["width"], answer.data["height"])
    assert picture.getpixel((3, 3)) == (0x14, 0x14, 0x14)
    pdf = (await a.call("render_image", image=image["resource_uri"], format="pdf")).error
    assert pdf["code"] == "UNSUPPORTED" and "png" in pdf["hint"]
