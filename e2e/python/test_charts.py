"""Tests figures that only a browser can draw. Easel draws them with one, offline, and stores
their data. A figure that it cannot draw is an entry without a picture."""

import io
import json
import os
import pathlib
import signal
import socket
import threading

import anyio
import mcp
import pytest
from assistant import connect
from PIL import Image
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
HTML = "from IPython.display import HTML, display\ndisplay(HTML(%r))"
PLOTLY_HTML = PLOTLY.replace("fig.show()", "from IPython.display import HTML, display\ndisplay(HTML(fig.to_html(include_plotlyjs='cdn')))")
SAVED = pathlib.Path(__file__).parents[2] / "ui/core/render/browser/testdata"
BOX = '<div style="width:200px;height:100px;background:#d810b4"></div>'
PAGE = HTML % ("<script>document.body.innerHTML = '" + BOX + "'</script><div></div>")

PYDECK = (
    "import pydeck\ndots = pydeck.Layer('ScatterplotLayer', data=[{'p': [139.7, 35.7]}, {'p': [139.9, 35.6]}], get_position='p',"
    " get_radius=5000, get_fill_color=[214, 39, 40])\n"
    "pydeck.Deck([dots], initial_view_state=pydeck.ViewState(latitude=35.65, longitude=139.8, zoom=9)).to_html(notebook_display=True)"
)

KINDS = [
    pytest.param(PLOTLY, "Sales by month", "0x636efa", "Plotly", id="plotly"),
    pytest.param(PLOTLY_HTML, "Sales by month", "0x636efa", "Plotly", id="plotly-html", marks=pytest.mark.nightly),
    pytest.param(ALTAIR, "Two bars", "0x4c78a8", "Vega-Lite", id="altair"),
    pytest.param(ALTAIR.replace("'mimetype'", "'html'"), "Two bars", "0x4c78a8", "Vega-Lite", id="altair-html", marks=pytest.mark.nightly),
    pytest.param(BOKEH, "A line", "0x1f77b4", "Bokeh", id="bokeh"),
    pytest.param(HOLOVIEWS, "A curve", "0x30a2da", "HoloViews", id="holoviews", marks=pytest.mark.nightly),
    pytest.param(HTML % (SAVED / "folium.html").read_text(), None, "0xd62728", "HTML", id="folium", marks=pytest.mark.nightly),
    pytest.param(PYDECK, None, "0xd62728", "HTML", id="pydeck", marks=pytest.mark.nightly),
    pytest.param(PAGE, None, "0xd810b4", "HTML", id="html"),
]


async def drawn(a, session):
    """Waits until the newest image of a session has its picture, and returns it."""
    with anyio.fail_after(120):  # the engine starts with the first figure
        while True:
            image = a.rest("list_session_images", session_id=session)["images"][0]
            if image["mime_type"] == "image/png":
                return image
            await anyio.sleep(0.1)


def pixels(png, colour):
    """Returns the number of pixels with approximately this colour."""
    want = int(colour, 16)
    with Image.open(io.BytesIO(png)) as picture:
        rgb = picture.convert("RGB").getcolors(1 << 24)
    return sum(n for n, c in rgb if all(abs(have - (want >> shift & 255)) < 12 for have, shift in zip(c, (16, 8, 0))))


@pytest.mark.parametrize("code, title, colour, kind", KINDS)
async def test_a_figure_is_drawn(modern, easel, used_session, code, title, colour, kind):
    answer = await modern.run(used_session, code, images="inline")
    assert answer.data["status"] == "ok" and not answer.data.get("truncated")
    [first] = answer.data["images"]
    image = await drawn(modern, used_session)
    assert image["image_id"] == first["image_id"] and "interactive" not in image
    assert image.get("title") == title and image["execution_id"] == answer.data["execution_id"]
    assert kind in image["description"] and "drawn by Easel" in image["description"]
    [picture] = (await modern.call("get_image_resource", resource_uri=image["resource_uri"])).pictures
    assert pixels(pathlib.Path(image["path"]).read_bytes(), colour) > 300 and pixels(picture, colour) > 50
    # its first URI remains valid
    assert (await modern.call("get_image_resource", resource_uri=first["resource_uri"])).pictures == [picture]


async def test_the_model_gets_the_picture_with_the_answer(modern, used_session):
    with anyio.fail_after(240):  # the answer waits two seconds for the picture, which may not be enough on a loaded machine
        while not (answer := await modern.run(used_session, PAGE, images="inline")).pictures:
            await drawn(modern, used_session)
    assert pixels(answer.pictures[0], "0xd810b4") > 50


async def test_hostile_html_reaches_nothing(modern, easel, used_session, tmp_path):
    """It reaches neither files nor other ports nor Easel's API."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    reached = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                reached.append(connection)
                connection.close()

        threading.Thread(target=serve, daemon=True).start()
        other = f"http://127.0.0.1:{server.getsockname()[1]}"
        page = BOX + f"""<iframe src="{secret.as_uri()}"></iframe><img src="{other}/img"><script>
const show = text => {{ const d = document.createElement("div"); d.style = "width:100px;height:100px;background:#00ff00"; d.textContent = text; document.body.append(d) }};
for (const url of ["{secret.as_uri()}", "{other}/fetch", "{easel.url}/api/health", "{easel.url}/api/info/version"])
  fetch(url).then(r => r.text()).then(show, () => {{}});
fetch("{easel.url}/api/execute/session_create", {{ method: "POST", mode: "no-cors", body: "{{}}" }}).catch(() => {{}});
try {{ new WebSocket("{other.replace("http", "ws")}").onopen = () => show("socket") }} catch {{}}
</script>"""
        sessions = len(modern.rest("session_list")["sessions"])
        await modern.run(used_session, HTML % page)
        image = await drawn(modern, used_session)
        await anyio.sleep(0.5)
        server.shutdown(socket.SHUT_RDWR)
    png = pathlib.Path(image["path"]).read_bytes()
    assert pixels(png, "0xd810b4") > 20_000 and pixels(png, "0x00ff00") == 0
    assert reached == [] and len(modern.rest("session_list")["sessions"]) == sessions
    assert "not loaded" in image["description"] and other in image["description"] + json.dumps(image)


async def test_a_widget_is_an_entry_with_its_data(modern, easel, session):
    answer = await modern.run(session, WIDGET, images="inline")
    [image] = answer.data["images"]
    assert answer.data["status"] == "ok" and not answer.data.get("truncated")
    assert image["interactive"] == "widget" and image["mime_type"] == "application/vnd.jupyter.widget-view+json"
    assert (image["width"], image["height"]) == (0, 0)
    assert "no picture here" in image["description"] and "matplotlib" in image["description"]
    assert image["execution_id"] == answer.data["execution_id"]

    # it has no picture; its description says what it is, and how to get one
    assert answer.pictures == []
    assert answer.links == [image["resource_uri"]]
    assert "no picture here" in answer.texts[0] and image["path"] in answer.texts[0]

    # its data is complete on disk, as a resource and over REST
    data = pathlib.Path(image["path"]).read_text()
    assert "model_id" in data and len(data.encode()) == image["bytes"]
    [content] = (await modern.client.read_resource(image["resource_uri"])).contents
    assert (content.text, content.mime_type) == (data, image["mime_type"])
    status, headers, body = easel.request("GET", "/api/resources/" + image["resource_uri"].removeprefix("jupyter://"))
    assert status == 200 and json.loads(data) == body
    assert "sandbox" in headers["Content-Security-Policy"]

    # it is listed, and can be opened without an error
    assert (await modern.ok("list_session_images", session_id=session))["images"][0]["resource_uri"] == image["resource_uri"]
    looked = await modern.call("get_image_resource", resource_uri=image["resource_uri"])
    assert not looked.failed and looked.pictures == []
    status, _, body = easel.request("GET", f"/api/info/get_image_resource?resource_uri={image['resource_uri']}")
    assert status == 200 and "data" not in body and body["image_id"] == image["image_id"]


async def test_it_is_rated_tagged_and_updated_as_a_plot(modern, used_session):
    chart = "alt.Chart(pd.DataFrame({'x': [1]}), title='%s').mark_bar().encode(x='x')"
    code = "import altair as alt, pandas as pd\nfrom IPython.display import display\nalt.renderers.enable('mimetype')\nh = display(" + chart % "First" + ", display_id=True)"
    await modern.run(used_session, code)
    first = await drawn(modern, used_session)
    await modern.run(used_session, f"h.update({chart % 'Second'})")
    second = await drawn(modern, used_session)
    assert second["replaces"] == first["resource_uri"] and second["title"] == "Second"
    [file] = (await modern.ok("set_rating", rating=4, path=second["resource_uri"]))["files"]
    assert file["rating"] == 4
    [file] = (await modern.ok("set_tags", add=["keep"], path=second["resource_uri"]))["files"]
    assert file["tags"] == ["keep"]
    info = await modern.ok("get_prompt_info", path=second["resource_uri"])
    assert "h.update" in info["code"]


async def test_a_picture_beside_the_data_is_one_picture(modern, used_session):
    code = (
        "import base64, io, plotly.graph_objects as go\nfrom PIL import Image\nfrom IPython.display import display\n"
        "b = io.BytesIO(); Image.new('RGB', (40, 30), 'teal').save(b, 'PNG')\n"
        "display({'application/vnd.plotly.v1+json': go.Figure(go.Scatter(y=[1, 4715])).to_plotly_json() | {'layout': {'title': {'text': 'Both'}}},"
        " 'image/png': base64.b64encode(b.getvalue()).decode()}, raw=True)"
    )
    answer = await modern.run(used_session, code, images="inline")
    [image] = answer.data["images"]
    assert image["mime_type"] == "image/png" and "interactive" not in image and image["title"] == "Both"
    assert len(answer.pictures) == 1


@pytest.mark.nightly
async def test_what_holoviews_draws_by_matplotlib_is_a_picture(modern, used_session):
    await modern.run(used_session, "import holoviews as hv\nhv.extension('matplotlib')")
    for fig in ("png", "svg"):
        code = f"hv.output(fig='{fig}')\n(hv.Curve([1, 2]) + hv.Curve([2, 1])).opts(title='Two curves')"
        answer = await modern.run(used_session, code, images="inline")
        assert len(answer.data["images"]) == 1
        image = await drawn(modern, used_session)  # an SVG without a raster image is drawn
        assert "interactive" not in image and image["title"] == "Two curves"
        assert image["width"] > image["height"] > 0
        assert len(answer.pictures) == 1 or fig == "svg"  # its picture may arrive later
        assert not answer.data.get("truncated")


async def test_plots_of_widgets_are_pictures_and_bars_of_progress_are_none(modern, session):
    code = (
        "import ipywidgets, matplotlib.pyplot as plt\n"
        "def draw(n=3):\n    plt.figure(); plt.plot([1, n]); plt.title('By a slider'); plt.show()\n"
        "ipywidgets.interact(draw, n=(1, 5))"
    )
    answer = await modern.run(session, code, images="inline")
    plot, slider = answer.data["images"]
    # The slider calls draw, which the code alone does not show, so this kernel has no title.
    assert plot["mime_type"] == "image/png" and "title" not in plot and slider["interactive"] == "widget"
    assert len(answer.pictures) == 1
    answer = await modern.run(session, "from tqdm.auto import tqdm\nfor _ in tqdm(range(3)): pass")
    assert answer.data["status"] == "ok" and answer.data["images"] == [] and not answer.data.get("truncated")


async def test_a_page_of_pdf_is_a_card_without_the_managed_environment(modern, session):
    await modern.run(session, "import matplotlib.pyplot as plt\n%config InlineBackend.figure_formats = ['pdf']")
    plot = "plt.figure(); plt.plot([1, 2]); plt.show()"
    answer = await modern.run(session, plot)
    [image] = answer.data["images"]
    assert (image["interactive"], image["mime_type"]) == ("pdf", "application/pdf") and not answer.data.get("truncated")
    assert pathlib.Path(image["path"]).read_bytes().startswith(b"%PDF-")
    remedy = "%config InlineBackend.figure_formats = ['png']"
    assert remedy + " gives one" in image["description"]
    answer = await modern.run(session, remedy + "\n" + plot)
    assert [i["mime_type"] for i in answer.data["images"]] == ["image/png"] and not answer.data.get("truncated")


async def test_what_a_notebook_draws_and_easel_does_not_is_said(modern, used_session):
    answer = await modern.run(used_session, "from IPython.display import display\ndisplay({'image/bmp': 'Qk0=', 'text/plain': '<Figure>'}, raw=True)")
    [note] = answer.data["truncated"]
    assert answer.data["images"] == [] and note["stream"] == "images"
    assert "cannot be read (image/bmp)" in note["reason"] and "Its data is kept" in note["reason"]


async def test_tables_and_loading_libraries_are_no_figures(modern, session):
    code = (
        "import bokeh.io, pandas as pd\nfrom IPython.display import display\nbokeh.io.output_notebook()\n"
        "frame = pd.DataFrame({'a': [1]})\ndisplay(frame)\n{'application/vnd.bokehjs_load.v0+json': ''}\nframe"
    )
    answer = await modern.run(session, code)
    assert answer.data["images"] == [] and not answer.data.get("truncated")
    assert (await modern.ok("list_session_images", session_id=session))["images"] == []


async def test_what_is_too_large_for_a_client_is_refused_whole(modern, used_session):
    code = "from IPython.display import display\ndisplay({'application/vnd.plotly.v1+json': ['x' * 100] * 12000}, raw=True)"  # invalid, so it is not drawn
    [image] = (await modern.run(used_session, code)).data["images"]
    assert image["bytes"] > 1_000_000
    with pytest.raises(mcp.MCPError) as refused:
        await modern.client.read_resource(image["resource_uri"])
    assert "on disk" in refused.value.error.message and image["path"] in refused.value.error.message
    assert len(json.loads(pathlib.Path(image["path"]).read_text())) == 12000


@pytest.mark.nightly
async def test_a_figure_outlives_a_killed_easel(tmp_path, jupyter):
    app = Easel.start(tmp_path, jupyter=jupyter)
    try:
        async with connect(app) as a:
            session = await a.session()
            await a.run(session, PLOTLY)
            image = await drawn(a, session)
            os.kill(app.process.pid, signal.SIGKILL)
        app.process.wait()
        app.launch()
        async with connect(app) as a:
            [kept] = a.rest("list_session_images", session_id=session)["images"]
            assert kept == image
            assert pixels(pathlib.Path(image["path"]).read_bytes(), "0x636efa") > 300
            await a.call("session_delete", session_id=session, force=True)
    finally:
        assert app.close() == 0
