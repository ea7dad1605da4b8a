"""The values of plots as CSV, read back by pandas: exactly what was plotted."""

import io

import numpy as np
import pandas
import pytest
from assistant import connect
from test_plot_numbers import values_of

SETUP = """
import datetime, zoneinfo, numpy as np, pandas as pd, matplotlib.pyplot as plt
rng = np.random.default_rng(7)
"""


@pytest.fixture
async def a(keeping):
    async with connect(keeping) as assistant:
        yield assistant


async def table_of(a, code) -> pandas.DataFrame:
    session = await a.keeping_session()
    [image] = (await a.run(session, SETUP + code)).data["images"]
    text = await values_of(a, image)
    return pandas.read_csv(io.StringIO(text), float_precision="round_trip", keep_default_na=False, na_values=[""])


NAMES = ["売上, 前年比", 'say "hi"', "two\nlines", "  spaces ", "e\u0301 ü 🎈", "-1+2", "a;b\tc"]


async def test_labels_of_all_kinds(a):
    code = f"names = {NAMES!r}\nfig, ax = plt.subplots()\nfor i, n in enumerate(names): ax.plot([0, 1], [i, i + 0.1], label=n)\n"
    table = await table_of(a, code + "ax.set(xlabel='経過, 時間 [s]', ylabel='値\\n(\"中央値\")'); plt.show()")
    assert list(table.columns) == ["series", "経過, 時間 [s]", '値 ("中央値")'], table.columns  # in one line
    said = list(dict.fromkeys(table["series"]))
    assert [s.lstrip("'").strip() for s in said] == [" ".join(n.split()) for n in NAMES], said
    assert list(table.iloc[:, -1]) == [v for i in range(len(NAMES)) for v in (i, i + 0.1)]


async def test_numbers_are_exact(a):
    code = """
y = np.concatenate([rng.normal(size=200) * 10.0 ** rng.integers(-300, 300, 200), [0.1 + 0.2, -0.0, 5e-324, 1.7976931348623157e308, 2**53 + 2.0, np.nan, np.inf, -np.inf]])
fig, ax = plt.subplots(); ax.plot(np.arange(len(y)) / 3, y); ax.set(ylim=(-1, 1)); plt.show()"""
    table = await table_of(a, code)
    rng = np.random.default_rng(7)
    want = np.concatenate([rng.normal(size=200) * 10.0 ** rng.integers(-300, 300, 200), [0.1 + 0.2, -0.0, 5e-324, 1.7976931348623157e308, 2**53 + 2.0]])
    got = table.iloc[:, -1].to_numpy()
    assert [v.hex() for v in got[: len(want)].astype(float)] == [v.hex() for v in want]
    assert len(got) == len(want) + 3 and all(not np.isfinite(float(v)) for v in got[len(want) :]), got[-4:]
    assert [v.hex() for v in table.iloc[:, -2]] == [(i / 3).hex() for i in range(len(want) + 3)]


async def test_dates_with_time_zones(a):
    code = """
t = pd.date_range("2026-03-29 00:30", periods=6, freq="30min", tz="Europe/Berlin")
fig, ax = plt.subplots(); ax.plot(t, range(6)); ax.set_xlabel("when"); plt.show()"""
    table = await table_of(a, code)
    when = pandas.to_datetime(table["when"], utc=True)
    want = pandas.date_range("2026-03-29 00:30", periods=6, freq="30min", tz="Europe/Berlin")
    assert list(when) == list(want.tz_convert("UTC")), list(table["when"])


async def test_categories(a):
    code = "fig, ax = plt.subplots(); ax.bar(['rot, hell', '緑', 'NaN', '=1+1'], [1.5, 2.25, np.nan, 4]); ax.set(xlabel='色'); plt.show()"
    table = await table_of(a, code)
    assert list(table["色"]) == ["rot, hell", "緑", "NaN", "'=1+1"], table  # no formula of a spreadsheet
    assert list(table["y"].iloc[[0, 1, 3]]) == [1.5, 2.25, 4] and np.isnan(table["y"].iloc[2]), table


async def test_forty_axes(a):
    code = "fig, axs = plt.subplots(5, 8, figsize=(16, 10))\nfor i, ax in enumerate(axs.flat): ax.plot([0, 1, 2], [i, i / 7, -i]); ax.set_title(f'T{i}')\nplt.show()"
    table = await table_of(a, code)
    per = table.groupby("axes", sort=False)
    assert len(per) == 40, table["axes"].unique()
    for i, (_, part) in enumerate(per):
        assert list(part["y"]) == [i, i / 7, -i], part


@pytest.mark.parametrize("draw", ["imshow(z)", "pcolormesh(z)", "imshow(z, extent=(0, 4, 10, 30), origin='lower')"])
async def test_images_and_meshes(a, draw):
    table = await table_of(a, f"z = rng.normal(size=(12, 7)); z[3, 2] = np.nan\nfig, ax = plt.subplots(); ax.{draw}; plt.show()")
    z = np.random.default_rng(7).normal(size=(12, 7))
    z[3, 2] = np.nan
    got = table.pivot(index="row", columns="column", values=table.columns[-1]).to_numpy()
    assert got.shape == (12, 7) and np.array_equal(got, z, equal_nan=True), table


@pytest.mark.parametrize("points", [9_999, 150_000])
async def test_more_than_is_stored_comes_from_the_kernel(a, points):
    session = await a.keeping_session()
    [image] = (await a.run(session, SETUP + f"y = rng.normal(size={points})\nfig, ax = plt.subplots(); ax.plot(y); plt.show()")).data["images"]
    uri = image["resource_uri"].rpartition(".")[0] + "/data.csv"
    _, _, body = a.easel.request("GET", "/api/resources/" + uri.removeprefix("jupyter://"))  # too large for clients of MCP
    table = pandas.read_csv(io.StringIO(body if isinstance(body, str) else body.decode()), float_precision="round_trip")
    assert "sample_of" not in table.columns, table.columns
    assert np.array_equal(table.iloc[:, -1].to_numpy(), np.random.default_rng(7).normal(size=points))
