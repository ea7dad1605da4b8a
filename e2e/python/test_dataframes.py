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


CELLS = """
import decimal, enum, fractions, ipaddress, pathlib, uuid, numpy as np, pandas as pd, polars as pl
class NoText:
    def __repr__(self): raise RuntimeError("no text")
    __str__ = __repr__
class Hostile(NoText):
    def __hash__(self): raise RuntimeError("no hash")
    def __eq__(self, other): raise RuntimeError("not equal")
    def __sizeof__(self): raise RuntimeError("no size")
vectors = pd.DataFrame({'doc': ['a', 'b'], 'v': [np.arange(3.0), np.arange(900)], 'grid': [np.zeros((4, 5), 'uint8')] * 2, 'list': [[1, 'x', None], list(range(50))]})
untold = pd.DataFrame({'doc': ['a'], 'o': [NoText()], 'hostile': [Hostile()], 'in': [[NoText(), 1]], 'd': [{'k': NoText(), 'n': 2.5}]})
objects = pl.DataFrame({'doc': ['a', 'b'], 'o': pl.Series([np.arange(3), np.arange(2)], dtype=pl.Object), 'l': [[1, 2], None], 's': [{'a': 1}, {'a': None}]})
seen = pd.DataFrame({'c': pd.Categorical(['u', 'v', 'u', None], categories=['u', 'v', 'never', 'ever']), 'n': ['x', None, None, None], 'i': pd.array([1, None, 3, None], dtype='Int64')})
kinds = pd.DataFrame({
    'tz': pd.date_range('2026-01-01', periods=2, tz='Asia/Tokyo'), 'month': pd.period_range('2026-01', periods=2, freq='M'), 'bin': pd.interval_range(0, 2),
    'sparse': pd.arrays.SparseArray([0.0, 1.0]), 'flag': pd.array([True, None], dtype='boolean'), 'price': [decimal.Decimal('1.10'), decimal.Decimal('NaN')],
    'z': [1 + 2j, 3j], 'b': [b'ab', b'x' * 100], 'lone': pd.Series(['\\udc80あ', 'x'], dtype=object), 'long': ['長' * 1_000_000, 'x'],
})
class Size(enum.Enum):
    BIG = object()
    __str__ = __repr__ = NoText.__repr__
told = pd.DataFrame({'id': [uuid.UUID(int=7)], 'part': [fractions.Fraction(1, 3)], 'host': [ipaddress.ip_address('10.0.0.1')], 'file': [pathlib.PurePosixPath('/a/b')], 'size': [Size.BIG]})
prices = pd.Series([1.5, 2.5, None], name='price', index=['a', 'b', 'c'])
names = pl.Series('name', ['x', None, 'x'])
pairs = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([('x', 'a'), ('x', 'b')]))
rows = pd.DataFrame(index=['r', 's'])
"""

INDEXES = """
import pandas as pd
daily = pd.DataFrame({'mm': [1.5, 0.0, 2.0]}, index=pd.DatetimeIndex(['2026-03-01', '2026-03-02', '2026-03-03T04:05:06'], name='day'))
grouped = pd.DataFrame({'city': ['Kiel', 'Kiel', 'Ulm'], 'year': [2025, 2026, 2026], 'mm': [1, 2, 3]}).groupby(['city', 'year']).sum()
kept = pd.DataFrame({'mm': [1, 2, 3]}).query('mm > 1')
plain = pd.DataFrame({'mm': [1, 2]})
"""

ARROW = """
import datetime, decimal, pyarrow as pa
t = pa.table({'n': [1, 2, None], 's': ['a', 'a', None], 'when': pa.array([datetime.datetime(2026, 1, 2)] * 3), 'l': [[1], [2, 3], None], 'price': pa.array([decimal.Decimal('1.10')] * 3),
              'x': pa.array([1.5, float('inf'), None]), 'd': pa.array(['a', 'b', 'a']).dictionary_encode()})
batch, none = pa.record_batch({'a': [1]}), pa.table({})
"""

WIDE = """
import numpy as np, pandas as pd
rng = np.random.default_rng(1)
japanese = pd.DataFrame({'氏名': ['山田太郎', '佐藤花子', '鈴木一郎', '田中美咲', '高橋健'], '年齢': [34, 28, 45, 31, 52], '都道府県': ['東京都', '大阪府', '愛知県', '福岡県', '北海道'],
    '職業': ['会社員', '公務員', '自営業', '会社員', '医師'], '年収': [520, 430, 610, 480, 1200], '部署': ['営業', '総務', '開発', '人事', '外科'],
    '備考': ['なし', '要確認', 'なし', 'なし', '済'], '入社日': pd.to_datetime(['2015-04-01'] * 5)})
wide = pd.DataFrame(rng.random((50, 301)), columns=[f'sensor_{i:03}' for i in range(301)])
wide['text_000'] = 'x' * 10_000
"""


def strict(data: dict):
    """Rejects NaN and Infinity, which Python accepts but JSON does not have."""
    json.loads(json.dumps(data), parse_constant=lambda c: pytest.fail(f"{c} is no JSON"))


async def frame(assistant, session, name, **more) -> dict:
    data = await assistant.ok("get_dataframe_info", session_id=session, variable_name=name, **more)
    strict(data)
    return data


def rows(data: dict) -> list[dict]:
    """Returns the rows of a model's table with their names."""
    return [dict(zip(data["columns"], row, strict=True)) for row in data["head"]]


async def test_pandas(modern, session):
    made = (await modern.run(session, PANDAS)).data
    assert made["status"] == "ok", made["error"]
    df = await frame(modern, session, "df")
    assert df["shape"] == [3, 6] and df["columns"] == ["n", "x", "when", "what", "took", "c"]
    first, second, third = rows(df)
    assert (first["n"], first["x"], first["what"], first["c"]) == (1, 1.5, "a", "u")
    assert first["when"].startswith("2026-01-02")
    assert (second["x"], second["when"], second["what"], second["took"]) == (None, None, None, None)
    assert (third["n"], third["x"]) == (str(2**60), "Infinity")
    assert (df["describe"]["what"]["count"], df["describe"]["what"]["nulls"]) == (2, 1)
    assert df["describe"]["when"]["count"] == 2 and df["describe"]["when"]["min"].startswith("2026-01-02")
    twice = await frame(modern, session, "twice")
    assert twice["columns"] == ["a", "a", "7", "k, 1"]
    assert twice["head"] == [[1, 2, 3, 4]] and twice["dtypes"].keys() == {"a", "a.1", "7", "k, 1"}
    assert (await frame(modern, session, "empty"))["shape"] == [0, 0]


async def test_polars(modern, session):
    made = (await modern.run(session, POLARS)).data
    assert made["status"] == "ok", made["error"]
    df = await frame(modern, session, "df")
    assert df["shape"] == [3, 8]
    assert df["dtypes"]["n"] == "Int64" and df["dtypes"]["what"] == "String"
    first, second, third = rows(df)
    assert (first["n"], first["x"], first["nan"], first["sure"]) == (1, 1.5, None, True)
    assert (first["when"], first["day"]) == ("2026-01-02", "2026-01-02")
    assert [second[k] for k in ("x", "when", "day", "what")] == [None] * 4
    assert (third["n"], third["x"], third["many"]) == (str(2**60), "Infinity", None)
    assert df["describe"]["n"]["min"] == 1 and "nulls" not in df["describe"]["n"]
    assert (await frame(modern, session, "empty"))["shape"] == [0, 0]
    variables = {v["name"]: v for v in (await modern.ok("get_variables", session_id=session))["variables"]}
    assert variables["df"]["size"] == "3 rows × 8 cols"
    lazy = await modern.call("get_dataframe_info", session_id=session, variable_name="lazy")
    assert lazy.error["code"] == "INVALID_VARIABLE_TYPE" and "collect" in lazy.error["hint"]


@pytest.mark.parametrize("library", [PANDAS, POLARS], ids=["pandas", "polars"])
async def test_five_million_rows(modern, session, library):
    made = (await modern.run(session, library)).data
    assert made["status"] == "ok", made["error"]
    long = await frame(modern, session, "long", head_rows=2)
    assert long["shape"] == [5_000_000, 2] and len(long["head"]) == 2
    assert (long["describe"]["x"]["min"], long["describe"]["x"]["max"], long["describe"]["x"]["mean"]) == (0, 4_999_999, 2_499_999.5)
    assert long["memory_bytes"] >= 40_000_000


async def test_what_fails_costs_one_cell(modern, used_session):
    """Neither arrays in cells nor objects without text, hash or size cost the rest of a table."""
    made = (await modern.run(used_session, CELLS)).data
    assert made["status"] == "ok", made["error"]
    before = modern.rest("get_variables", session_id=used_session)["variables"]
    vectors = await frame(modern, used_session, "vectors")
    assert rows(vectors)[0] == {"doc": "a", "v": "[0.0, 1.0, 2.0]", "grid": "array of 4×5 uint8", "list": '[1, "x", null]'}
    assert rows(vectors)[1]["v"] == "[0, 1, 2, 3, 4, 5, … 900 items]"
    untold = await frame(modern, used_session, "untold")
    assert rows(untold) == [{"doc": "a", "o": "<NoText>", "hostile": "<Hostile>", "in": "[<NoText>, 1]", "d": '{"k": <NoText>, "n": 2.5}'}]
    told = await frame(modern, used_session, "told")
    assert rows(told) == [{"id": "00000000-0000-0000-0000-000000000007", "part": "1/3", "host": "10.0.0.1", "file": "/a/b", "size": "Size.BIG"}]
    assert rows(await frame(modern, used_session, "objects")) == [{"doc": "a", "o": "[0, 1, 2]", "l": "[1, 2]", "s": '{"a": 1}'}, {"doc": "b", "o": "[0, 1]", "l": None, "s": '{"a": null}'}]
    seen = modern.rest("get_dataframe_info", session_id=used_session, variable_name="seen")["describe"]
    assert seen["c"] == {"count": 3, "nulls": 1, "unique": 2, "top": "u", "freq": 2}
    assert seen["n"] == {"count": 1, "nulls": 3, "unique": 1, "top": "x", "freq": 1}
    assert (seen["i"]["count"], seen["i"]["nulls"], seen["i"]["max"]) == (2, 2, 3)
    kinds = await frame(modern, used_session, "kinds")
    first, second = rows(kinds)
    assert (first["tz"], first["month"], first["bin"], first["sparse"], first["flag"], first["price"], first["z"], first["b"]) == (
        "2026-01-01T00:00:00+09:00", "2026-01", "(0, 1]", 0.0, True, "1.10", "(1+2j)", "b'ab'")  # fmt: skip
    assert (second["flag"], second["price"], second["b"]) == (None, None, "100 bytes")
    assert "あ" in first["lone"] and first["long"].startswith("長長") and len(first["long"]) < 200
    assert kinds["describe"]["sparse"]["max"] == 1 and kinds["describe"]["month"]["max"] == "2026-02"
    prices = await frame(modern, used_session, "prices")
    assert prices["shape"] == [3, 1] and rows(prices)[0] == {"price": 1.5} and prices["index"]["head"] == ["a", "b", "c"]
    assert (await frame(modern, used_session, "names"))["describe"]["name"] == {"count": 2, "nulls": 1, "unique": 1, "top": "x", "freq": 2}
    assert rows(await frame(modern, used_session, "pairs")) == [{"x, a": 1, "x, b": 2}]
    assert (await frame(modern, used_session, "rows"))["index"]["head"] == ["r", "s"]
    assert modern.rest("get_variables", session_id=used_session)["variables"] == before
    assert (await modern.run(used_session, "sorted(n for n in globals() if 'easel' in n.lower() or n in ('Pandas', 'safe'))")).data["result"] == "[]"


async def test_the_index_is_shown(modern, used_session):
    made = (await modern.run(used_session, INDEXES)).data
    assert made["status"] == "ok", made["error"]
    daily = await frame(modern, used_session, "daily", head_rows=3)
    assert daily["index"]["names"] == ["day"] and daily["index"]["head"] == ["2026-03-01", "2026-03-02", "2026-03-03T04:05:06"]
    grouped = await frame(modern, used_session, "grouped", head_rows=2)
    assert grouped["index"]["names"] == ["city", "year"] and grouped["index"]["head"] == [["Kiel", 2025], ["Kiel", 2026]] and grouped["head"] == [[1], [2]]
    assert (await frame(modern, used_session, "kept"))["index"]["head"] == [1, 2]  # which rows the query kept
    assert "index" not in await frame(modern, used_session, "plain")
    assert modern.rest("get_dataframe_info", session_id=used_session, variable_name="grouped")["index"]["dtypes"][1] == "int64"


async def test_arrow(modern, used_session):
    made = (await modern.run(used_session, ARROW)).data
    assert made["status"] == "ok", made["error"]
    t = await frame(modern, used_session, "t")
    assert t["shape"] == [3, 7] and t["dtypes"]["n"] == "int64"
    assert rows(t)[1] == {"n": 2, "s": "a", "when": "2026-01-02", "l": "[2, 3]", "price": "1.10", "x": "Infinity", "d": "b"}
    assert t["describe"]["n"]["nulls"] == 1 and t["describe"]["n"]["mean"] == 1.5 and t["describe"]["s"] == {"count": 2, "nulls": 1, "unique": 1, "top": "a", "freq": 2}
    assert (await frame(modern, used_session, "batch"))["head"] == [[1]]
    assert (await frame(modern, used_session, "none"))["shape"] == [0, 0]


async def test_a_table_costs_few_tokens(modern, used_session):
    """The limits are in characters; brief_dataframe_test.go counts tokens."""
    made = (await modern.run(used_session, WIDE)).data
    assert made["status"] == "ok", made["error"]
    answer = await modern.call("get_dataframe_info", session_id=used_session, variable_name="japanese")
    text = answer.texts[0]
    assert "\\u" not in text and "山田太郎" in text and text.count("都道府県") == 3 and len(text) < 1_000
    answer = await modern.call("get_dataframe_info", session_id=used_session, variable_name="wide")
    assert len(answer.texts[0]) < 1_500 and answer.data["shape"] == [50, 302] and "text_000" in answer.texts[0]
    got = await frame(modern, used_session, "wide", columns=["sensor_2*", "text_000", "nope"], head_rows=1)
    assert got["columns"][0] == "sensor_200" and "sensor_200" in got["describe"] and "nope" in str(got["notes"])
    got = await frame(modern, used_session, "wide", columns=["sensor_300", "text_000"], head_rows=1)
    assert got["columns"] == ["sensor_300", "text_000"] and len(got["head"][0]) == 2
    whole = modern.rest("get_dataframe_info", session_id=used_session, variable_name="wide")
    late = [n for n in whole.get("notes", []) if "would take long" in n]  # on a loaded machine
    assert len(whole["columns"]) == len(whole["dtypes"]) == len(whole["head"][0]) == 302
    assert len(whole["describe"]) == 302 or late == [f"describe has the first {len(whole['describe'])} columns only: the rest would take long"]
