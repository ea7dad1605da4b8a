"""Tests figures for high-density screens, and figures that are only saved, with a real kernel."""

import base64
import io
import pathlib

from PIL import Image

PLOT = "import matplotlib.pyplot as plt\nplt.figure(figsize=(4, 3), dpi=100)\nplt.plot([1, 3, 2])\nplt.title('Peaks')\nplt.show()\n"
RETINA = '%config InlineBackend.figure_format = "retina"\n'
PLAIN = '%config InlineBackend.figure_format = "png"\n'


def size(data: bytes) -> tuple[int, int]:
    return Image.open(io.BytesIO(data)).size


async def test_a_figure_for_a_dense_screen(modern, session):
    [plain] = (await modern.run(session, PLAIN + PLOT)).data["images"]
    answer = await modern.run(session, RETINA + PLOT, images="inline")
    [image] = answer.data["images"]
    assert image["title"] == "Peaks"
    # The image's size is that of its file. It has all pixels: twice as many in each
    # direction, plus or minus one where the figure is cropped.
    assert size(pathlib.Path(image["path"]).read_bytes()) == (image["width"], image["height"])
    for side in ("width", "height"):
        assert abs(image[side] - 2 * plain[side]) <= 2
    # The model gets all of them, because they fit.
    [picture] = answer.pictures
    assert size(picture) == (image["width"], image["height"])


async def test_a_dense_figure_in_a_notebook(modern, jupyter):
    """The notebook contains the metadata with which JupyterLab shows it at its true size."""
    await modern.ok("notebook_create", path="dense.ipynb", cells=[])
    cell = await modern.ok("notebook_add_cell", path="dense.ipynb", cell_type="code", source=RETINA + PLOT, run=True)
    await modern.to_end(cell["execution"])
    [image] = modern.rest("get_execution", execution_id=cell["execution"]["execution_id"])["images"]
    status, _, model = jupyter.request("GET", "/api/contents/dense.ipynb?content=1")
    assert status == 200
    [output] = [o for c in model["content"]["cells"] for o in c["outputs"] if "image/png" in o.get("data", {})]
    told = output["metadata"]["image/png"]
    assert (told["width"], told["height"]) == (image["width"] // 2, image["height"] // 2)
    assert size(base64.b64decode(output["data"]["image/png"])) == (image["width"], image["height"])


async def test_a_figure_that_is_only_saved(modern, session):
    saved = "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.savefig('saved.png')"
    e = (await modern.run(session, saved + "; plt.close()")).data
    assert (e["status"], e["images"]) == ("ok", [])
    assert "savefig" in e["hint"] and "plt.show()" in e["hint"]
    # The advice appears only where it is needed.
    e = (await modern.run(session, saved + "; plt.show()")).data
    assert len(e["images"]) == 1 and not e.get("hint"), e
    e = (await modern.run(session, saved + "; plt.close(); 1 / 0")).data
    assert e["status"] == "error" and not e.get("hint"), e
