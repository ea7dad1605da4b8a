"""Tests that every plot reaches the model as a picture, and remains available."""

import asyncio
import base64
import hashlib
import io
import json
import pathlib
import urllib.request

import mcp
import pytest
from assistant import connect
from PIL import Image, ImageOps
from servers import http

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.title('Peaks')\nplt.show()\n"


async def test_a_picture_that_is_saved_in_a_notebook(modern, jupyter):
    sideways = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned
    Image.new("RGB", (60, 40), "navy").save(sideways, "JPEG", exif=exif)
    data = base64.b64encode(sideways.getvalue()).decode()
    outputs = [{"output_type": "display_data", "metadata": {}, "data": {"image/jpeg": d, "text/plain": "photo"}} for d in (data, data[:400])]
    cells = [{"id": "snap", "cell_type": "code", "metadata": {}, "execution_count": 1, "source": "photo()", "outputs": outputs}]
    (jupyter.root / "theirs.ipynb").write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}))
    read = await modern.ok("notebook_read", path="theirs.ipynb")
    assert [o["data"][0]["resource_uri"] for o in read["cells"][0]["outputs"]] == ["theirs.ipynb#snap.0", "theirs.ipynb#snap.1"]
    shown = await modern.call("get_image_resource", resource_uri="theirs.ipynb#snap.0")
    [picture] = shown.pictures
    assert Image.open(io.BytesIO(picture)).size == (40, 60) and not shown.failed and shown.links == []
    damaged = await modern.call("get_image_resource", path="theirs.ipynb#snap.1")
    assert damaged.pictures == [] and damaged.links == [] and damaged.read["damaged"]


async def test_a_plot_comes_in_every_way(assistant, easel, session):
    answer = await assistant.run(session, PLOT, images="inline")
    [image] = answer.data["images"]
    assert image["mime_type"] == "image/png"
    assert image["resource_uri"] == f"jupyter://sessions/{session}/images/{image['image_id']}.png"
    assert image["title"] == "Peaks"
    assert image["execution_id"] == answer.data["execution_id"]

    # on disk, as the kernel sent it
    original = pathlib.Path(image["path"]).read_bytes()
    assert len(original) == image["bytes"]
    assert Image.open(io.BytesIO(original)).size == (image["width"], image["height"])

    # inline, unscaled because it is small
    [picture] = answer.pictures
    assert Image.open(io.BytesIO(picture)).size == (image["width"], image["height"])
    # and not also as a link, which some clients treat as a second picture
    assert answer.links == []
    assert len(answer.texts) == 1 and len(answer.texts[0]) < 500

    # in resources/list, newest first
    listed = (await assistant.client.list_resources()).resources
    newest = next(r for r in listed if str(r.uri).startswith("jupyter://"))
    assert str(newest.uri) == image["resource_uri"]
    assert newest.name == "matplotlib output [1]"
    assert newest.mime_type == "image/png"
    assert newest.size == len(original)

    # through resources/read
    [content] = (await assistant.client.read_resource(image["resource_uri"])).contents
    assert base64.b64decode(content.blob) == original
    assert content.mime_type == "image/png"

    # over REST, which requires a token
    path = "/api/resources/" + image["resource_uri"].removeprefix("jupyter://")
    status, headers, body = easel.request("GET", path)
    assert (status, headers["Content-Type"], body) == (200, "image/png", original)
    assert headers["ETag"]
    assert http("GET", easel.url + path)[0] == 401

    # through a tool
    fetched = await assistant.call("get_image_resource", resource_uri=image["resource_uri"], max_edge=200)
    assert max(Image.open(io.BytesIO(fetched.pictures[0])).size) == 200
    assert fetched.data["path"] == image["path"]
    assert (await assistant.ok("list_session_images", session_id=session))["images"][0]["resource_uri"] == image["resource_uri"]


async def test_the_names_count_within_the_session(assistant, session):
    for _ in range(3):
        await assistant.run(session, PLOT)  # identical pictures of one execution are one image
    listed = (await assistant.client.list_resources()).resources
    mine = [r.name for r in listed if f"/{session}/" in str(r.uri)]
    assert mine == ["matplotlib output [3]", "matplotlib output [2]", "matplotlib output [1]"]


async def test_resources_come_in_pages(modern, session):
    await modern.run(session, "import matplotlib.pyplot as plt\nfor i in range(60):\n    plt.figure(figsize=(1, 1)); plt.plot([i]); plt.show()", images="none")
    seen, cursor = [], None
    for _ in range(50):
        page = await modern.client.list_resources(cursor=cursor)
        seen += [str(r.uri) for r in page.resources]
        cursor = page.next_cursor
        if not cursor:
            break
    mine = [u for u in seen if f"/{session}/" in u]
    assert len(mine) == len(set(mine)) == 60
    assert len(seen) == len(set(seen))
    page = await modern.ok("list_session_images", session_id=session)
    count = len(page["images"])
    while page.get("next_cursor"):
        page = await modern.ok("list_session_images", session_id=session, cursor=page["next_cursor"])
        count += len(page["images"])
    assert count == 60


async def test_the_inline_budget(modern, used_session):
    code = (
        "import io, numpy as np\nfrom PIL import Image as P\nfrom IPython.display import Image, display\n"
        "rng = np.random.default_rng(1)\n"
        "for i in range(6):\n"
        "    b = io.BytesIO(); P.fromarray(rng.integers(0, 256, (1200, 1600, 3), np.uint8)).save(b, 'PNG', compress_level=1); display(Image(b.getvalue()))\n"
    )
    answer = await modern.run(used_session, code, images="inline")
    assert answer.data["status"] == "ok"
    assert len(answer.data["images"]) == 6
    assert len(answer.links) == 6 - len(answer.pictures)
    assert 1 <= len(answer.pictures) <= 4
    content = [c for c in answer.result.content if c.type == "image"]
    assert sum(len(c.data) for c in content) <= 700_000
    for c, p in zip(content, answer.pictures):
        assert c.mime_type in ("image/png", "image/jpeg")
        assert max(Image.open(io.BytesIO(p)).size) <= 1568
    assert len(answer.result.model_dump_json(by_alias=True)) <= 900_000


@pytest.mark.parametrize("delivery, pictures, links", [("inline", 1, 0), ("link", 0, 1), ("none", 0, 0)])
async def test_the_caller_chooses_how_pictures_come(modern, used_session, delivery, pictures, links):
    answer = await modern.run(used_session, PLOT, images=delivery)
    assert (len(answer.pictures), len(answer.links)) == (pictures, links)
    assert len(answer.data["images"]) == 1


async def test_a_figure_in_several_forms_is_one_image(modern, session):
    code = "%config InlineBackend.figure_formats = ['png', 'svg']\n" + PLOT
    answer = await modern.run(session, code, images="inline")
    [image] = answer.data["images"]
    assert image["mime_type"] == "image/png"
    assert len(answer.pictures) == 1


async def test_an_svg_is_kept_but_never_inlined(modern, used_session):
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="red"/></svg>'
    answer = await modern.run(used_session, f"from IPython.display import SVG, display\ndisplay(SVG('''{svg}'''))", images="inline")
    [image] = answer.data["images"]
    assert image["mime_type"] in ("image/svg+xml", "image/png")  # Easel draws it, maybe before the answer
    assert pathlib.Path(image["path"]).suffix == (".svg" if image["mime_type"] == "image/svg+xml" else ".png")
    assert all(c.mime_type != "image/svg+xml" for c in answer.result.content if c.type == "image")


@pytest.mark.parametrize("kind, suffix", [("PNG", ".png"), ("JPEG", ".jpg"), ("GIF", ".gif"), ("WEBP", ".webp")])
async def test_the_true_type_is_kept(modern, easel, used_session, kind, suffix):
    code = (
        "import io, hashlib\nfrom PIL import Image as P\nfrom IPython.display import display\n"
        f"b = io.BytesIO(); P.new('RGB', (40, 30), 'teal').save(b, '{kind}')\n"
        f"display({{'image/{kind.lower()}': __import__('base64').b64encode(b.getvalue()).decode()}}, raw=True)\n"
        "hashlib.sha256(b.getvalue()).hexdigest()"
    )
    e = (await modern.run(used_session, code)).data
    [image] = e["images"]
    assert image["mime_type"] == f"image/{kind.lower()}"
    assert (image["width"], image["height"]) == (40, 30)
    path = pathlib.Path(image["path"])
    assert path.suffix in (suffix, suffix.replace("jpg", "jpeg"))
    assert repr(hashlib.sha256(path.read_bytes()).hexdigest()) == e["result"]
    request = urllib.request.Request(
        easel.url + "/api/resources/" + image["resource_uri"].removeprefix("jupyter://"), headers={"Authorization": f"Bearer {easel.token}"}
    )
    with urllib.request.urlopen(request) as r:
        assert r.headers["Content-Type"] == f"image/{kind.lower()}"


async def test_an_updated_figure_replaces_the_old(modern, used_session):
    code = (
        "import matplotlib.pyplot as plt\nfrom IPython.display import display\n"
        "fig, ax = plt.subplots(); ax.plot([1]); plt.close(fig)\nh = display(fig, display_id=True)"
    )
    [first] = (await modern.run(used_session, code)).data["images"]
    [second] = (await modern.run(used_session, "ax.plot([3, 1]); h.update(fig)")).data["images"]
    assert second["replaces"] == first["resource_uri"]
    assert second["image_id"] != first["image_id"]
    assert pathlib.Path(first["path"]).exists()


async def test_forty_updates_are_one_entry_in_every_list(easel, modern, session):
    code = (
        "import io\nfrom PIL import Image\nfrom IPython.display import display, Image as Shown\n"
        "def frame(i):\n    b = io.BytesIO(); Image.new('L', (20 + i, 10)).save(b, 'PNG'); return Shown(b.getvalue())\n"
        "h = display(frame(0), display_id=True)\nfor i in range(1, 41): h.update(frame(i))"
    )
    [image] = (await modern.run(session, code)).data["images"]
    assert (image["versions"], image["width"]) == (41, 60)
    [listed] = modern.rest("list_session_images", session_id=session)["images"]
    assert listed == image
    own = f"jupyter://sessions/{session}/"
    resources = (await modern.client.list_resources()).resources
    assert [str(r.uri) for r in resources if str(r.uri).startswith(own)] == [image["resource_uri"]]
    request = urllib.request.Request(f"{easel.url}/api/resources?uri_prefix={own}", headers={"Authorization": f"Bearer {easel.token}"})
    with urllib.request.urlopen(request) as r:
        assert [i["uri"] for i in json.load(r)["resources"]] == [image["resource_uri"]]
    older = (await modern.call("get_image_resource", resource_uri=image["replaces"])).data
    assert (older["width"], older["replaced_by"]) == (59, image["resource_uri"])


async def test_equal_pictures_of_one_execution_are_one_image(modern, used_session):
    code = "import matplotlib.pyplot as plt\nfor _ in range(2):\n    plt.figure(); plt.plot([1, 2]); plt.show()"
    [first] = (await modern.run(used_session, code)).data["images"]
    [second] = (await modern.run(used_session, code)).data["images"]
    assert first["image_id"] != second["image_id"]
    assert pathlib.Path(first["path"]).read_bytes() == pathlib.Path(second["path"]).read_bytes()


async def test_an_unknown_uri_is_refused_properly(easel, each_era):
    uri = "jupyter://sessions/00000000-0000-0000-0000-000000000007/images/none.png"
    async with connect(easel, each_era) as a:
        with pytest.raises(mcp.MCPError) as refused:
            await a.client.read_resource(uri)
    assert refused.value.error.code == {"legacy": -32002, "auto": -32602}[each_era]
    assert refused.value.error.data["uri"] == uri


async def test_templates_and_our_own_resources(assistant):
    templates = (await assistant.client.list_resource_templates()).resource_templates
    assert "jupyter://sessions/{session_id}/images/{image_id}.{ext}" in [t.uri_template for t in templates]
    for name in ("settings", "history", "state"):
        [content] = (await assistant.client.read_resource(f"easel://{name}")).contents
        json.loads(content.text)


async def test_a_client_is_told_of_new_images(easel, used_session):
    told = asyncio.Event()

    async def hear(message):
        if "list_changed" in str(getattr(message, "method", "")):
            told.set()

    async with connect(easel, "legacy", message_handler=hear) as a:
        await a.run(used_session, PLOT)
        await asyncio.wait_for(told.wait(), 180)


MAKE = """
import io
from PIL import Image as Pillow
from IPython.display import Image, display
def photo(kind, w, h, orientation):
    m = Pillow.new("RGB", (w, h), (230, 20, 20)); m.paste((20, 20, 230), (w // 2, 0, w, h)); m.paste((240, 240, 240), (0, h // 2, w // 2, h))
    exif = Pillow.Exif(); exif[0x0112] = orientation
    f = io.BytesIO(); m.save(f, kind, exif=exif, lossless=True); return f.getvalue()
def noise(kind):
    f = io.BytesIO(); Pillow.effect_noise((300, 200), 60).convert("RGB").save(f, kind); return f.getvalue()
"""


def look(picture: Image.Image) -> list:
    """Returns the size, and coarse colours of the quarters."""
    w, h = picture.size
    return [w > h, *(tuple(v > 128 for v in picture.convert("RGB").getpixel((w * x // 4, h * y // 4))) for x in (1, 3) for y in (1, 3))]


async def test_photos_are_upright(modern, easel, session):
    await modern.run(session, MAKE)
    for kind, w, h, orientation in [("JPEG", 400, 200, 6), ("JPEG", 3000, 1000, 8), ("JPEG", 401, 203, 5), ("PNG", 300, 150, 3), ("PNG", 2000, 300, 7), ("WEBP", 200, 100, 6)]:
        answer = await modern.run(session, f"display({{'image/{kind.lower()}': photo('{kind}', {w}, {h}, {orientation})}}, raw=True)", images="inline")
        [image] = answer.data["images"]
        original = Image.open(pathlib.Path(image["path"]))
        assert original.size == (w, h) and original.getexif()[0x0112] == orientation  # it stays as it was
        upright = ImageOps.exif_transpose(original)
        assert (image["width"], image["height"]) == upright.size
        got = [*answer.pictures, *(await modern.call("get_image_resource", resource_uri=image["resource_uri"], max_edge=100)).pictures]
        shown = modern.rest("get_image_resource", resource_uri=image["resource_uri"], max_edge=120)
        got.append(base64.b64decode(shown["data"]))
        for picture in map(Image.open, map(io.BytesIO, got)):
            assert picture.getexif().get(0x0112, 1) == 1 and look(picture) == look(upright), (kind, w, h, orientation)
        assert len(got) == 3
        quarter = f"{image['resource_uri']}#xywh=0,0,{image['width'] // 2},{image['height'] // 2}"  # the first, upright
        [part] = (await modern.call("get_image_resource", resource_uri=quarter)).pictures
        assert look(Image.open(io.BytesIO(part)))[1:] == [look(upright)[1]] * 4


async def test_damaged_pictures_reach_no_model(modern, easel, session):
    await modern.run(session, MAKE)
    damaged = {
        "half a PNG": "Image(noise('PNG')[:-9000], format='png')",
        "wrong bytes in a PNG": "b = bytearray(noise('PNG')); b[200:260] = bytes(60); Image(bytes(b), format='png')",
        "wrong checksum": "b = bytearray(noise('PNG')); b[-1] ^= 1; Image(bytes(b), format='png')",
        "half a JPEG": "Image(noise('JPEG')[:5000], format='jpeg')",
        "head of a JPEG": "display({'image/jpeg': noise('JPEG')[:300], 'text/plain': 'a photo'}, raw=True)",
        "no picture": "Image(b'<html>404 Not Found</html>', format='png')",
        "larger than its data": "import struct, zlib\nc = lambda k, d: struct.pack('>I', len(d)) + k + d + struct.pack('>I', zlib.crc32(k + d))\n"
        "Image(b'\\x89PNG\\r\\n\\x1a\\n' + c(b'IHDR', struct.pack('>IIBBBBB', 800, 600, 8, 2, 0, 0, 0)) + c(b'IDAT', zlib.compress(b'x')) + c(b'IEND', b''), format='png')",
    }
    for name, code in damaged.items():
        answer = await modern.run(session, code, images="inline")
        assert not answer.failed and answer.pictures == [] and answer.links == [], name
        [image] = answer.data["images"]
        assert image["damaged"] and "damaged" in answer.texts[0], name
        answer = await modern.call("get_image_resource", resource_uri=image["resource_uri"])
        assert answer.pictures == [] and answer.links == [] and answer.read["damaged"] == image["damaged"], name
        assert modern.rest("get_image_resource", resource_uri=image["resource_uri"]).get("data") is None
        with pytest.raises(mcp.MCPError, match="damaged"):
            await modern.client.read_resource(image["resource_uri"])
        assert easel.request("GET", "/api/resources/" + image["resource_uri"].removeprefix("jupyter://"))[2] == pathlib.Path(image["path"]).read_bytes()
    # whole ones beside a damaged one still come, whatever their type is called
    answer = await modern.run(session, damaged["half a PNG"].replace("Image(", "display(Image(") + ")\ndisplay({'image/jpeg': noise('PNG')}, raw=True)", images="inline")
    [picture] = answer.pictures
    assert Image.open(io.BytesIO(picture)).format == "PNG" and "damaged" in answer.texts[0]
    assert [c.mime_type for c in answer.result.content if c.type == "image"] == ["image/png"]
    # nothing of it is no picture
    answer = await modern.run(session, "display({'image/png': '', 'text/plain': 'nothing'}, raw=True)", images="inline")
    assert answer.pictures == [] and answer.data["images"] == []
