"""Creates the figures in this directory. Requires plotly, bokeh, holoviews, folium, pydeck and altair."""

import os
import pathlib

import altair
import bokeh.io
import bokeh.io.notebook
import bokeh.layouts
import bokeh.models
import bokeh.plotting
import bokeh.resources
import folium
import holoviews
import numpy
import pandas
import plotly.graph_objects as go
import plotly.io
import pydeck

here = pathlib.Path(__file__).parent
red = "#d62728"


def write(name, text):
    (here / name).write_text(text)


bars = go.Figure(go.Bar(x=["a", "b", "c"], y=[1, 3, 2], marker_color=red), layout=dict(title="Fruit"))
write("plotly.json", bars.to_json())
write("plotly.html", bars.to_html(include_plotlyjs="cdn"))
write("plotly-notebook.html", plotly.io.renderers["notebook"].to_mimebundle(bars.to_dict())["text/html"])
five = numpy.arange(5)
write("plotly3d.json", go.Figure(go.Surface(z=numpy.add.outer(five, five).tolist()), layout=dict(title=dict(text="Slope"))).to_json())

town = folium.Map([35.68, 139.76], zoom_start=12)
folium.Marker([35.68, 139.76], icon=folium.Icon(color="red", icon="info-sign")).add_to(town)
folium.CircleMarker([35.7, 139.7], radius=30, color=red, fill=True, fill_opacity=1).add_to(town)
write("folium.html", town._repr_html_())

points = [{"p": [139.7, 35.7]}, {"p": [139.9, 35.6]}, {"p": [139.6, 35.5]}]
dots = pydeck.Layer("ScatterplotLayer", data=points, get_position="p", get_radius=3000, get_fill_color=[214, 39, 40])
bar = pydeck.Layer("ColumnLayer", data=[{"p": [139.75, 35.65], "h": 5000}], get_position="p", get_elevation="h", radius=1500, get_fill_color=[44, 160, 44])
deck = pydeck.Deck(layers=[dots, bar], initial_view_state=pydeck.ViewState(latitude=35.65, longitude=139.75, zoom=9, pitch=40))
write("pydeck.html", deck.to_html(notebook_display=True, filename=os.devnull).data)

table = pandas.DataFrame({"a": ["x", "y"], "b": [1, 2]})
write("altair.html", altair.Chart(table, title="Bars").mark_bar(color=red).encode(x="a", y="b")._repr_mimebundle_()["text/html"])


def points():
    figure = bokeh.plotting.figure(title="Points", width=400, height=300)
    figure.vbar(x=[1, 2, 3], top=[1, 3, 2], width=0.8, color=red)
    return figure


write("bokeh.html", bokeh.embed.file_html(points(), bokeh.resources.CDN, "Page"))


def point(x, y, **named):
    figure = bokeh.plotting.figure(width=300, height=250, toolbar_location=None, **named)
    figure.scatter(x, y, size=[1, 25, 1], color=["white", "#ff0000", "white"])
    return figure


days = pandas.to_datetime(["2026-01-01", "2026-01-05", "2026-02-01"])
twin = point([0, 3, 10], [1, 7, 9], y_range=(0, 10), extra_y_ranges={"other": bokeh.models.Range1d(0, 1000)})
twin.line([1, 2], [0, 900], y_range_name="other", color="white")
twin.add_layout(bokeh.models.LinearAxis(y_range_name="other"), "right")
below = point(days, [1, 100, 5000], x_axis_type="datetime", y_axis_type="log", x_range=(days[2], days[0]))
names = point(["a", "b", "c"], [1, 2, 3], x_range=["a", "b", "c"])
write("bokeh-axes.html", bokeh.embed.file_html(bokeh.layouts.column(bokeh.layouts.row(twin, below), names), bokeh.resources.CDN))
shown = []
bokeh.io.notebook.publish_display_data = lambda *data, **named: shown.append(data[0] if data else named["data"])
bokeh.io.output_notebook(hide_banner=True)
bokeh.io.show(points())
write("bokeh.js", next(d["application/javascript"] for d in reversed(shown) if "docs_json" in d.get("application/javascript", "")))

holoviews.extension("bokeh", logo=False)
heights = holoviews.Bars([("a", 1), ("b", 3)], label="Heights").opts(color=red)
write("hv.html", holoviews.renderer("bokeh").components(heights)[0]["text/html"])
