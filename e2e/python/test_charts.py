"""Figures that only a browser can draw: entries of the library, kept as their data, and
never passed off as a picture."""

import json
import os
import pathlib
import signal

import mcp
import pytest
from assistant import connect
from servers import Easel

PLOTLY = "import plotly.express as px\nfig = px.line(x=[1, 2, 3], y=[4, 1, 3], title='Sales by month')\nfig.show()"
ALTAIR = (
    "import altair as alt, pandas as pd\nalt.renderers.enable('mimetype')\n"
    "alt.Chart(pd.DataFrame({'x': [1, 4712], 'y': [1, 2]}), title='Two bars').mark_bar().encode(x='x', y='y')"
)
BOKEH = (
    "import bokeh.plotting as bp\nbp.output_notebook()\n"
    "p = bp.figure(title='A line')\np.line([1, 4713], [1, 2])\nbp.show(p)"
)
HOLOVIEWS = "import holoviews as hv\nhv.extension('bokeh')\nhv.Curve([1, 2], 'day', 'sold').opts(title='A curve')"
WIDGET = "import ipywidgets\nipywidgets.IntSlider(description='Level')"
HTML = "from IPython.display import HTML, display\ndisplay(HTML('<div id=\"a\"></div><script>document.title = 4714</script>'))"

KINDS = [
    pytest.param(PLOTLY, "plotly", "application/vnd.plotly.v1+json", "Sales by month", "fig.show(renderer='png')", "hovertemplate", id="plotly"),
    pytest.param(ALTAIR, "vegalite", "application/vnd.vegalite.", "Two bars", "alt.renderers.enable('png')", "4712", id="altair"),
    pytest.param(BOKEH, "bokeh", "application/javascript", "A line", "bokeh.io.export_png", "4713", id="bokeh"),
    pytest.param(HOLOVIEWS, "holoviews", "text/html", "A curve", "hv.extension('matplotlib')", "sold", id="holoviews"),
    pytest.param(WIDGET, "widget", "application/vnd.jupyter.widget-view+json", None, "matplotlib", "model_id", id="widget"),
    pytest.param(HTML, "html", "text/html", None, "matplotlib", "4714", id="html"),
]


@pytest.mark.parametrize("code, kind, mime, title, remedy, kept", KINDS)
async def test_a_figure_is_an_entry_with_its_data(modern, easel, session, code, kind, mime, title, remedy, kept):
    answer = await modern.run(session, code, images="inline")
    [image] = answer.data["images"]
    assert answer.data["status"] == "ok" and not answer.data.get("truncated")
    assert image["interactive"] == kind
    assert image["mime_type"].startswith(mime)
    assert (image["width"], image["height"]) == (0, 0)
    assert image.get("title") == title
    assert "no picture here" in image["description"] and remedy in image["description"]
    assert image["execution_id"] == answer.data["execution_id"]

    # no picture is made up; a line says what it is, and how to get one
    assert answer.pictures == []
    assert answer.links == [image["resource_uri"]]
    assert "no picture here" in answer.texts[0] and image["path"] in answer.texts[0]

    # its data is whole, on the disk, as a resource and by REST
    data = pathlib.Path(image["path"]).read_text()
    assert kept in data and len(data.encode()) == image["bytes"]
    [content] = (await modern.client.read_resource(image["resource_uri"])).contents
    assert (content.text, content.mime_type) == (data, image["mime_type"])
    status, headers, body = easel.request("GET", "/api/resources/" + image["resource_uri"].removeprefix("jupyter://"))
    assert (status, body.decode() if isinstance(body, bytes) else json.dumps(body)) == (200, data) or json.loads(data) == body
    assert headers["Content-Type"].startswith(image["mime_type"])
    assert "sandbox" in headers["Content-Security-Policy"]

    # it is listed, and looked at without an error
    assert (await modern.ok("list_session_images", session_id=session))["images"][0]["resource_uri"] == image["resource_uri"]
    listed = next(r for r in (await modern.client.list_resources()).resources if str(r.uri) == image["resource_uri"])
    assert listed.mime_type == image["mime_type"] and listed.size == image["bytes"]
    looked = await modern.call("get_image_resource", resource_uri=image["resource_uri"])
    assert not looked.failed and looked.pictures == []
    assert remedy in looked.read["description"] and looked.read["path"] == image["path"]
    status, _, body = easel.request("GET", f"/api/info/get_image_resource?resource_uri={image['resource_uri']}")
    assert status == 200 and "data" not in body and body["image_id"] == image["image_id"]


async def test_it_is_rated_tagged_and_updated_as_a_plot(modern, session):
    chart = "alt.Chart(pd.DataFrame({'x': [1]}), title='%s').mark_bar().encode(x='x')"
    code = "import altair as alt, pandas as pd\nfrom IPython.display import display\nalt.renderers.enable('mimetype')\nh = display(" + chart % "First" + ", display_id=True)"
    [first] = (await modern.run(session, code)).data["images"]
    [second] = (await modern.run(session, f"h.update({chart % 'Second'})")).data["images"]
    assert second["replaces"] == first["resource_uri"] and second["title"] == "Second"
    [file] = (await modern.ok("set_rating", rating=4, path=second["resource_uri"]))["files"]
    assert file["rating"] == 4
    [file] = (await modern.ok("set_tags", add=["keep"], path=second["resource_uri"]))["files"]
    assert file["tags"] == ["keep"]
    info = await modern.ok("get_prompt_info", path=second["resource_uri"])
    assert "h.update" in info["code"]


async def test_a_picture_beside_the_data_is_one_picture(modern, session):
    code = (
        "import base64, io, plotly.graph_objects as go\nfrom PIL import Image\nfrom IPython.display import display\n"
        "b = io.BytesIO(); Image.new('RGB', (40, 30), 'teal').save(b, 'PNG')\n"
        "display({'application/vnd.plotly.v1+json': go.Figure(go.Scatter(y=[1, 4715])).to_plotly_json() | {'layout': {'title': {'text': 'Both'}}},"
        " 'image/png': base64.b64encode(b.getvalue()).decode()}, raw=True)"
    )
    answer = await modern.run(session, code, images="inline")
    [image] = answer.data["images"]
    assert image["mime_type"] == "image/png" and "interactive" not in image and image["title"] == "Both"
    assert len(answer.pictures) == 1


async def test_what_holoviews_draws_by_matplotlib_is_a_picture(modern, session):
    await modern.run(session, "import holoviews as hv\nhv.extension('matplotlib')")
    for fig in ("png", "svg"):
        code = f"hv.output(fig='{fig}')\n(hv.Curve([1, 2]) + hv.Curve([2, 1])).opts(title='Two curves')"
        answer = await modern.run(session, code, images="inline")
        [image] = answer.data["images"]
        assert image["mime_type"].startswith("image/" + fig) and "interactive" not in image and image["title"] == "Two curves"
        assert image["width"] > image["height"] > 0
        assert len(answer.pictures) == (fig == "png")  # no client shows an SVG
        assert not answer.data.get("truncated")


async def test_plots_of_widgets_are_pictures_and_bars_of_progress_are_none(modern, session):
    code = (
        "import ipywidgets, matplotlib.pyplot as plt\n"
        "def draw(n=3):\n    plt.figure(); plt.plot([1, n]); plt.title('By a slider'); plt.show()\n"
        "ipywidgets.interact(draw, n=(1, 5))"
    )
    answer = await modern.run(session, code, images="inline")
    plot, slider = answer.data["images"]
    # The slider calls draw: the code alone does not tell that it did, so no title is claimed on this kernel.
    assert plot["mime_type"] == "image/png" and "title" not in plot and slider["interactive"] == "widget"
    assert len(answer.pictures) == 1
    answer = await modern.run(session, "from tqdm.auto import tqdm\nfor _ in tqdm(range(3)): pass")
    assert answer.data["status"] == "ok" and answer.data["images"] == [] and not answer.data.get("truncated")


async def test_what_a_notebook_draws_and_easel_does_not_is_said(modern, session):
    await modern.run(session, "import matplotlib.pyplot as plt\n%config InlineBackend.figure_formats = ['pdf']")
    plot = "plt.figure(); plt.plot([1, 2]); plt.show()"
    answer = await modern.run(session, plot)
    [note] = answer.data["truncated"]
    assert answer.data["images"] == [] and note["stream"] == "images"
    remedy = "%config InlineBackend.figure_formats = ['png']"
    assert remedy + " gives one" in note["reason"]
    answer = await modern.run(session, remedy + "\n" + plot)
    assert [i["mime_type"] for i in answer.data["images"]] == ["image/png"] and not answer.data.get("truncated")


async def test_tables_and_loading_libraries_are_no_figures(modern, session):
    code = (
        "import bokeh.io, pandas as pd\nfrom IPython.display import display\nbokeh.io.output_notebook()\n"
        "frame = pd.DataFrame({'a': [1]})\ndisplay(frame)\n{'application/vnd.bokehjs_load.v0+json': ''}\nframe"
    )
    answer = await modern.run(session, code)
    assert answer.data["images"] == [] and not answer.data.get("truncated")
    assert (await modern.ok("list_session_images", session_id=session))["images"] == []


async def test_what_is_too_large_for_a_client_is_refused_whole(modern, session):
    code = "import plotly.graph_objects as go\ngo.Figure(go.Scatter(y=['x' * 100] * 12000)).show()"
    [image] = (await modern.run(session, code)).data["images"]
    assert image["bytes"] > 1_000_000
    with pytest.raises(mcp.MCPError) as refused:
        await modern.client.read_resource(image["resource_uri"])
    assert "on disk" in refused.value.error.message and image["path"] in refused.value.error.message
    assert json.loads(pathlib.Path(image["path"]).read_text())["data"]


async def test_a_figure_outlives_a_killed_easel(tmp_path, jupyter):
    app = Easel.start(tmp_path, jupyter=jupyter)
    try:
        async with connect(app) as a:
            session = await a.session()
            [image] = (await a.run(session, PLOTLY)).data["images"]
            os.kill(app.process.pid, signal.SIGKILL)
        app.process.wait()
        app.launch()
        async with connect(app) as a:
            [kept] = a.rest("list_session_images", session_id=session)["images"]
            assert kept == image
            [content] = (await a.client.read_resource(image["resource_uri"])).contents
            assert json.loads(content.text)["layout"]["title"]["text"] == "Sales by month"
            await a.call("session_delete", session_id=session, force=True)
    finally:
        assert app.close() == 0
