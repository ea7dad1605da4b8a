"""A closer look at a part of a plot."""

import base64
import io

import pytest
from assistant import connect
from PIL import Image, ImageChops, ImageFilter, ImageStat

PLOT = """
import numpy as np, pandas as pd, matplotlib.pyplot as plt
fig, axs = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
axs[0, 0].plot(np.linspace(0, 10, 2000), np.sin(np.linspace(0, 60, 2000))); axs[0, 0].set(xlabel="time", title="Sine", xlim=(0, 10))
axs[0, 1].plot([1, 10, 100], [1, 100, 10000]); axs[0, 1].set(yscale="log", title="Growth", ylim=(1, 1e4))
axs[1, 0].plot(pd.date_range("2026-01-01", periods=30), range(30)); axs[1, 0].set(title="Days")
axs[1, 1].bar(["red", "green", "dark blue"], [3, 1, 2]); axs[1, 1].set(title="Colours")
plt.show()
"""
PLOTLY = "import plotly.express as px\npx.line(x=[1, 2, 3], y=[4, 1, 3]).show()"


@pytest.fixture
async def a(keeping):
    async with connect(keeping) as assistant:
        yield assistant


def unlike(a: Image.Image, b: Image.Image) -> float:
    """Returns how different two pictures are. A pixel that matplotlib has moved by snapping matters little."""
    blur = ImageFilter.GaussianBlur(2)
    return ImageStat.Stat(ImageChops.difference(a.convert("L").filter(blur), b.convert("L").filter(blur))).mean[0]


async def look(a, uri: str, region: str, **more):
    answer = await a.call("get_image_resource", resource_uri=uri, region=region, **more)
    assert not answer.failed, answer.error
    [picture] = answer.pictures
    return answer.read, Image.open(io.BytesIO(picture)).convert("RGB")


async def test_a_region_is_drawn_with_more_pixels(a):
    session = await a.keeping_session()
    [image] = (await a.run(session, PLOT)).data["images"]
    uri = image["resource_uri"]
    for region, shows in (
        ("axes 1: x=2..4, y=-0.5..0.5", "x (time) 2–4, y -0.5 to 0.5 of axes 1 \"Sine\""),
        ("axes 2: y=10..1000", "y 10–1000 [log] of axes 2 \"Growth\""),
        ("x=2026-01-05..2026-01-12", "x 2026-01-05T00:00 to 2026-01-12"),
        ('x="green".."dark blue"', 'x "green", "dark blue", y'),
    ):
        read, picture = await look(a, uri, region)
        assert shows in read["region"], read
        assert read["made"].startswith("drawn again by its kernel, with "), read
        assert max(picture.size) in range(1566, 1569), picture.size
    read, large = await look(a, uri, "axes 4", max_edge=9000)
    assert max(large.size) in range(1998, 2001) and read["adjusted"] == {"max_edge": 2000}, (large.size, read)
    assert '"Colours"' in read["region"] and "axes 1" not in read["region"], read
    # What is drawn is what the stored picture has there.
    x, y, w, h = 40, 30, 200, 100
    read, drawn = await look(a, uri, f"{x},{y},{w},{h}")
    assert f"pixels {x},{y},{w},{h} of {image['width']} × {image['height']}" in read["region"], read
    status, _, whole = a.easel.request("GET", "/api/resources/" + uri.removeprefix("jupyter://"))
    part = Image.open(io.BytesIO(whole)).convert("RGB").crop((x, y, x + w, y + h))
    small = drawn.resize(part.size, Image.Resampling.BOX)
    assert unlike(part, small) < 7 < unlike(ImageChops.offset(part, 6, 0), small)
    rest = a.rest("get_image_resource", resource_uri=uri, region="axes 1: x=2..4")
    assert rest["region"]["axes"][0]["x"]["from"] == 2 and rest["made"].startswith("drawn again"), rest["region"]
    assert max(Image.open(io.BytesIO(base64.b64decode(rest["data"]))).size) in range(1566, 1569)


async def test_a_region_of_a_plot_that_nobody_can_draw_is_cut(a):
    session = await a.keeping_session()
    [image] = (await a.run(session, PLOT)).data["images"]
    uri = image["resource_uri"]
    await a.ok("session_restart", session_id=session, force=True)
    read, picture = await look(a, uri, "axes 1: x=2..4")
    assert read["made"].startswith("cut from the stored picture, enlarged "), read
    assert "the kernel does not have this figure" in read["made"] and "x (time) 2–4" in read["region"], read
    assert 512 < max(picture.size) <= 1024, picture.size
    read, whole = await look(a, uri, f"0,0,{image['width']},{image['height']}", max_edge=300)
    assert read["made"] == "cut from the stored picture" and max(whole.size) == 300, read
    for region, why in (
        ("the top", "is no region: write x=3..4.5"),
        ("axes 1: x=20..30", 'x of axes 1 has nothing from "20" to "30": the picture has x (time) 0–10'),
        ("axes 9", "there are no axes 9: the picture has"),
        ('axes 4: x="blue"', 'x of axes 4 has no "blue"'),
        ("5000,5000,10,10", f"outside of the picture, which has {image['width']} × {image['height']}"),
    ):
        wrong = (await a.call("get_image_resource", resource_uri=uri, region=region)).error
        assert wrong["code"] == "VALIDATION_ERROR" and why in wrong["message"], wrong


async def test_a_region_of_a_plotly_figure(a):
    session = await a.session()
    [image] = (await a.run(session, PLOTLY)).data["images"]
    answer = await a.call("get_image_resource", resource_uri=image["resource_uri"])
    if not answer.pictures:
        return  # there is no browser
    whole = answer.data
    read, picture = await look(a, image["resource_uri"], f"0,0,{whole['width'] // 4},{whole['height'] // 4}")
    assert read["made"].startswith("drawn again by an engine, from its data"), read
    assert max(picture.size) > 1000, picture.size
    near = (await a.call("get_image_resource", resource_uri=image["resource_uri"], region="x=1..2")).data
    assert near["region"].startswith("x 1–2, y "), near
