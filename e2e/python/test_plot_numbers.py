"""What plots show in numbers: beside the picture, and as CSV."""

import io
import json
import re

import pandas
import pytest
from assistant import connect

SETUP = """
import numpy as np, pandas as pd, matplotlib.pyplot as plt
rng = np.random.default_rng(7)
df = pd.DataFrame({"t": pd.date_range("2026-01-01", periods=50, freq="h"), "North": rng.normal(size=50), "South": rng.normal(size=50) / 3})
"""
OFF_AXIS = SETUP + """
df.loc[20, "North"] = 391.0625
df.loc[10, "South"] = np.nan
fig, ax = plt.subplots()
ax.plot(df["t"], df["North"], label="North"); ax.plot(df["t"], df["South"], label="South")
ax.set(ylim=(-5, 9.95), xlabel="time", ylabel="EUR"); ax.legend(); plt.show()
"""
FRAME = "print(df.to_json(orient='split', double_precision=15, date_format='iso')); print([v.hex() for v in df['North']])"
PLOTLY = SETUP + "import plotly.express as px\npx.bar(x=['a', 'b'], y=[0.1 + 0.2, 3]).show()"


@pytest.fixture
async def a(keeping):
    async with connect(keeping) as assistant:
        yield assistant


async def values_of(a, image) -> str:
    """Returns the values of a plot, which are the same at both addresses."""
    uri = image["resource_uri"].rpartition(".")[0] + "/data.csv"
    [content] = (await a.client.read_resource(uri)).contents
    status, head, body = a.easel.request("GET", "/api/resources/" + uri.removeprefix("jupyter://"))
    assert status == 200 and head["Content-Type"].startswith("text/csv"), body
    assert content.mime_type == "text/csv" and content.text == (body if isinstance(body, str) else body.decode())
    return content.text


@pytest.mark.parametrize("images", ["inline", "link"])
async def test_what_a_picture_hides_is_said(a, images):
    session = await a.keeping_session()
    answer = await a.run(session, OFF_AXIS, images=images)
    [image] = answer.read["images"]
    assert len(answer.pictures) == (images == "inline")
    facts = image["facts"]
    assert facts.startswith("OFF-AXIS: North 1 of 50 points (1 above, up to 391, axis to 9.95)"), facts
    assert "South 1 of 50 NaN" in facts and len(facts) < 600, facts
    assert answer.whole["images"][0]["facts"] == facts
    alone = await a.ok("get_image_resource", resource_uri=image["resource_uri"])
    assert alone["facts"].startswith("OFF-AXIS: North") and "/data.csv" in alone["facts"], alone
    status, _, plot = a.easel.request("GET", "/api/info/image_resource?max_edge=100&resource_uri=" + image["resource_uri"])
    [off] = [f for f in plot["findings"] if f["check"] == "off_axis"]
    assert status == 200 and off["where"] == "x 2026-01-01 20:00, y 391.06" and "dismissed" not in off, plot["findings"]
    assert (await a.ok("get_prompt_info", path=image["resource_uri"]))["file"]["facts"] == alone["facts"]


async def test_values_are_those_of_the_data(a):
    session = await a.keeping_session()
    [image] = (await a.run(session, OFF_AXIS)).data["images"]
    text = await values_of(a, image)
    table = pandas.read_csv(io.StringIO(text), float_precision="round_trip", parse_dates=["time"])
    assert list(table.columns) == ["series", "time", "EUR"], text[:200]
    hexes = json.loads((await a.run(session, FRAME)).data["stdout"].splitlines()[-1].replace("'", '"'))
    north = table[table["series"] == "North"]
    assert [v.hex() for v in north["EUR"]] == hexes
    assert list(north["time"]) == list(pandas.date_range("2026-01-01", periods=50, freq="h"))
    south = table[table["series"] == "South"]["EUR"]
    assert south.isna().sum() == 1 and len(south) == 50


async def test_plotly_says_its_values_too(a):
    session = await a.session()
    [image] = (await a.run(session, PLOTLY)).data["images"]
    assert image["facts"].startswith("bars a 0.3, b 3"), image
    table = pandas.read_csv(io.StringIO(await values_of(a, image)), float_precision="round_trip")
    assert list(table.iloc[:, -1]) == [0.1 + 0.2, 3], table


async def test_a_picture_has_no_values(a):
    session = await a.session()
    code = "from IPython.display import Image, display\nimport base64\ndisplay(Image(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')))"
    [image] = (await a.run(session, code)).read["images"]
    assert "facts" not in image
    status, _, body = a.easel.request("GET", "/api/resources/" + image["resource_uri"].removeprefix("jupyter://").rpartition(".")[0] + "/data.csv")
    assert status == 409 and body["code"] == "NOT_EXECUTABLE", body


async def test_all_values_of_a_large_plot(a):
    session = await a.keeping_session()
    code = SETUP + "n = 300_000\nx = rng.normal(size=n); plt.plot(x, label='walk'); plt.show()\nprint(x[123_457].hex(), x[-1].hex())"
    ran = (await a.run(session, code)).data
    [image], hexes = ran["images"], ran["stdout"].split()
    address = "/api/resources/" + image["resource_uri"].removeprefix("jupyter://").rpartition(".")[0] + "/data.csv"
    status, head, body = a.easel.request("GET", address)  # it is too large for clients of MCP
    assert status == 200 and "Easel-Sample" not in head, head
    table = pandas.read_csv(io.StringIO(body if isinstance(body, str) else body.decode()), float_precision="round_trip")
    assert len(table) == 300_000 and "sample_of" not in table.columns
    assert [table.iloc[i, -1].hex() for i in (123_457, -1)] == hexes
    await a.ok("session_restart", session_id=session, force=True)
    table = pandas.read_csv(io.StringIO(await values_of(a, image)))
    assert len(table) == 10_000 and set(table["sample_of"]) == {300_000}, table.head()


# Charts with random values, each with its smallest and largest value and what they are called.
CHARTS = [
    ("ax.bar(cities, v)", "v"),
    ("ax.barh(cities, v)", "v"),
    ("ax.bar(np.arange(4) + .2, v, .4); ax.bar(np.arange(4) - .2, v / 9, .4); ax.set_xticks(range(4), cities)", None),
    ("ax.boxplot([x + n for n in v], tick_labels=cities)", "[np.median(x + n) for n in v]"),
    ("ax.plot(cities, v, 'o-')", "v"),
    ("ax.errorbar(cities, v, yerr=v / 10)", "v"),
    ("df.plot.bar(ax=ax, legend=False)", "v"),
    ("sns.barplot(df.reset_index(), x='city', y='v', ax=ax)", "v"),
    ("sns.stripplot(df.reset_index(), x='city', y='v', jitter=True, ax=ax)", "v"),
    ("sns.boxplot(y=np.add.outer(v, x).ravel(), x=np.repeat(cities, 50), ax=ax)", "[np.median(x + n) for n in v]"),
    ("sns.heatmap(df.T, ax=ax, cbar=False)", "v"),
    ("ax.pie(v, labels=cities)", "100 * v / v.sum()"),
]
DRAW = SETUP + """
import seaborn as sns, json
cities = ["Tokyo", "Osaka", "Kyoto", "Nara"]
x = rng.normal(size=50)
answers = []
def answer(values):
    if values is not None:
        values = np.asarray(values)
        answers.append({cities[i]: round(float(values[i]), 2) for i in (values.argmin(), values.argmax())})
    else:
        answers.append(None)
"""
NUMBER = r"-?\d+(?:\.\d+)?"
ONE = """
v = rng.uniform(5, 40, 4); df = pd.DataFrame({{"v": v}}, index=pd.Index(cities, name="city"))
fig, ax = plt.subplots(); {}; plt.show(); answer({})
"""


async def test_facts_say_which_is_the_largest(a):
    session = await a.keeping_session()
    ran = (await a.run(session, DRAW + "".join(ONE.format(*c) for c in CHARTS) + "print(json.dumps(answers))", images="none")).data
    answers = json.loads(ran["stdout"].splitlines()[-1])
    plots = [await a.ok("get_image_resource", resource_uri=im["resource_uri"]) for im in ran["images"]]
    assert len(plots) == len(CHARTS)
    for (code, _), plot, values in zip(CHARTS, plots, answers):
        said = plot["facts"]
        for city, value in (values or {}).items():
            found = [float(n) for pair in re.findall(rf"{city} ({NUMBER})|({NUMBER})%? at \(?{city}", said) for n in pair if n]
            assert any(abs(n - value) < 0.006 * abs(value) for n in found), (code, city, value, said)
        assert values or said.count("Tokyo") == 2, (code, said)
