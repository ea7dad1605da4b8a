"""Tests get_dataframe_info with real pandas and polars frames. Results must be exact, and JSON
that every client can parse."""

import json

import pytest

PANDAS = """
import datetime, numpy as np, pandas as pd
df = pd.DataFrame({
    'n': [1, 2, 2**60], 'x': [1.5, np.nan, np.inf], 'when': pd.to_datetime(['2026-01-02', None, '2026-01-04T05:06:07'], format='ISO8601'),
    'what': ['a', None, 'b'], 'took': pd.to_timedelta(['1s', None, '3s']), 'c': pd.Categorical(['u', 'v', 'u']),
})
twice = pd.DataFrame([[1, 2, 3, 4]], columns=pd.Index(['a', 'a', 7, ('k', 1)], tupleize_cols=False))
empty = pd.DataFrame()
long = pd.DataFrame({'x': np.arange(5_000_000), 'y': np.random.default_rng(1).random(5_000_000)})
"""

POLARS = """
import datetime, polars as pl
df = pl.DataFrame({
    'n': [1, 2, 2**60], 'x': [1.5, None, float('inf')], 'nan': [float('nan'), 1.0, 2.0],
    'when': [datetime.datetime(2026, 1, 2), None, datetime.datetime(2026, 1, 4, 5, 6, 7)], 'day': [datetime.date(2026, 1, 2), None, None],
    'what': ['a', None, 'b'], 'many': [[1, 2], [], None], 'sure': [True, False, None],
})
empty = pl.DataFrame()
long = pl.DataFrame({'x': pl.int_range(5_000_000, eager=True), 's': pl.int_range(5_000_000, eager=True).cast(pl.String)})
lazy = df.lazy()
"""


def strict(data: dict):
    """Rejects NaN and Infinity, which Python accepts but JSON does not have."""
    json.loads(json.dumps(data), parse_constant=lambda c: pytest.fail(f"{c} is no JSON"))


async def frame(assistant, session, name, **more) -> dict:
    data = await assistant.ok("get_dataframe_info", session_id=session, variable_name=name, **more)
    strict(data)
    return data


async def test_pandas(modern, session):
    made = (await modern.run(session, PANDAS)).data
    assert made["status"] == "ok", made["error"]
    df = await frame(modern, session, "df")
    assert df["shape"] == [3, 6] and df["columns"] == ["n", "x", "when", "what", "took", "c"]
    first, second, third = df["head"]
    assert (first["n"], first["x"], first["what"], first["c"]) == (1, 1.5, "a", "u")
    assert first["when"].startswith("2026-01-02")
    assert (second["x"], second["when"], second["what"], second["took"]) == (None, None, None, None)
    assert (third["n"], third["x"]) == (str(2**60), "Infinity")
    assert df["describe"]["what"]["count"] == 2
    assert df["describe"]["when"]["count"] == 2 and df["describe"]["when"]["min"].startswith("2026-01-02")
    twice = await frame(modern, session, "twice")
    assert twice["columns"] == ["a", "a", "7", "k, 1"]
    assert twice["head"] == [{"a": 1, "a.1": 2, "7": 3, "k, 1": 4}]
    assert (await frame(modern, session, "empty"))["shape"] == [0, 0]


async def test_polars(modern, session):
    made = (await modern.run(session, POLARS)).data
    assert made["status"] == "ok", made["error"]
    df = await frame(modern, session, "df")
    assert df["shape"] == [3, 8]
    assert df["dtypes"]["n"] == "Int64" and df["dtypes"]["what"] == "String"
    first, second, third = df["head"]
    assert (first["n"], first["x"], first["nan"], first["sure"]) == (1, 1.5, None, True)
    assert (first["when"], first["day"]) == ("2026-01-02T00:00:00", "2026-01-02")
    assert [second[k] for k in ("x", "when", "day", "what")] == [None] * 4
    assert (third["n"], third["x"], third["many"]) == (str(2**60), "Infinity", None)
    assert df["describe"]["n"]["count"] == 3 and df["describe"]["n"]["min"] == 1
    assert (await frame(modern, session, "empty"))["shape"] == [0, 0]
    variables = {v["name"]: v for v in (await modern.ok("get_variables", session_id=session))["variables"]}
    assert variables["df"]["size"] == "3 rows × 8 cols"
    lazy = await modern.call("get_dataframe_info", session_id=session, variable_name="lazy")
    assert lazy.error["code"] == "INVALID_VARIABLE_TYPE"


@pytest.mark.parametrize("library", [PANDAS, POLARS], ids=["pandas", "polars"])
async def test_five_million_rows(modern, session, library):
    made = (await modern.run(session, library)).data
    assert made["status"] == "ok", made["error"]
    long = await frame(modern, session, "long", head_rows=2)
    assert long["shape"] == [5_000_000, 2] and len(long["head"]) == 2
    assert (long["describe"]["x"]["min"], long["describe"]["x"]["max"], long["describe"]["x"]["mean"]) == (0, 4_999_999, 2_499_999.5)
    assert long["memory_bytes"] >= 40_000_000
