"""Tests that reading variables leaves no trace and does not wait for the kernel."""

import pytest

VALUES = {
    "df = pd.DataFrame(np.zeros((1000, 5)))": ("df", {"type": "DataFrame", "size": "1000 rows × 5 cols"}),
    "a = np.zeros((3, 4))": ("a", {"type": "ndarray", "size": "(3, 4)"}),
    "l = list(range(12))": ("l", {"type": "list", "size": "12 items"}),
    "d = {'a': 1, 'b': 2}": ("d", {"type": "dict", "size": "2 items"}),
    "n = 7": ("n", {"type": "int", "value": 7, "size": "28 bytes"}),
    "big = 2**53 + 1": ("big", {"type": "int", "value": "9007199254740993"}),
    "f = 0.5": ("f", {"type": "float", "value": 0.5}),
    "nan = float('nan')": ("nan", {"type": "float", "value": "nan"}),
    "inf = float('-inf')": ("inf", {"type": "float", "value": "-inf"}),
    "b = True": ("b", {"type": "bool", "value": True}),
    "s = 'すし'": ("s", {"type": "str", "value": "すし", "size": "2 items"}),
    "t = 'x' * 300": ("t", {"type": "str", "value": "x" * 200, "truncated": True}),
}


@pytest.fixture
async def filled(modern, session):
    await modern.run(session, "import numpy as np, pandas as pd\n" + "\n".join(VALUES))
    return session


async def test_what_variables_tell(modern, filled):
    got = {v["name"]: v for v in modern.rest("get_variables", session_id=filled)["variables"]}
    read = {v["name"]: v for v in (await modern.ok("get_variables", session_id=filled))["variables"]}
    assert all(v.items() <= got[name].items() for name, v in read.items()) and read.keys() == got.keys()
    assert all(v["size"] == got[name]["size"] for name, v in read.items())
    folder = await modern.ok("get_current_folder")
    assert folder["folder"] == folder["view"]["folder"] == modern.rest("get_current_folder")["folder"]
    assert got.keys() == {name for name, _ in VALUES.values()}  # no modules and no variables of IPython
    for name, want in VALUES.values():
        # Special floats are strings, in any spelling.
        if name in ("nan", "inf"):
            assert str(got[name]["value"]).lower().strip("+-")[:3] in ("nan", "inf")
            continue
        assert {k: got[name].get(k) for k in want} == want


async def test_the_filter_looks_at_names_and_types(modern, filled):
    async def names(f):
        return {v["name"] for v in (await modern.ok("get_variables", session_id=filled, filter=f))["variables"]}

    assert await names("dataframe") == {"df"}
    assert await names("BIG") == {"big"}
    assert await names("no such thing") == set()


async def test_an_empty_session_has_none(modern, session):
    assert (await modern.ok("get_variables", session_id=session))["variables"] == []


async def test_functions_classes_and_private_names_are_left_out(modern, session):
    await modern.run(session, "import os\ndef f(): pass\nclass C: pass\n_private = 1\nc = C()")
    assert [v["name"] for v in (await modern.ok("get_variables", session_id=session))["variables"]] == ["c"]


async def test_reading_leaves_no_trace(modern, session):
    await modern.run(session, "x = 1\n'last'")
    await modern.run(session, "names = set(globals())")
    for _ in range(3):
        assert [v["name"] for v in (await modern.ok("get_variables", session_id=session))["variables"]] == ["names", "x"]
    e = (await modern.run(session, "_, [k for k in set(globals()) - names if not k.startswith('_i')]")).data
    assert e["result"] == "('last', ['names'])"
    assert e["execution_count"] == 3


async def test_a_busy_kernel_does_not_make_one_wait(modern, session, tmp_path):
    await modern.run(session, "seen = 5")
    go_on = tmp_path / "go on"
    code = f"import os, time\nwhile not os.path.exists({str(go_on)!r}): time.sleep(0.01)"
    running = (await modern.run(session, code, wait=0)).data
    names = [v["name"] for v in (await modern.ok("get_variables", session_id=session))["variables"]]
    assert "seen" in names  # the code is still running: it waits for the file below
    go_on.touch()
    assert (await modern.to_end(running))["status"] == "ok"


async def test_a_hostile_object_is_never_asked(modern, session):
    await modern.run(
        session,
        "_asked = []\n"
        "class Hostile:\n"
        "    def __repr__(self): _asked.append('repr'); raise SystemExit\n"
        "    __str__ = __repr__\n"
        "    def __len__(self): _asked.append('len'); raise SystemExit\n"
        "    def __getattr__(self, name): _asked.append(name); raise SystemExit\n"
        "    def __sizeof__(self): _asked.append('sizeof'); raise SystemExit\n"
        "h = Hostile(); x = 1",
    )
    got = {v["name"]: v for v in modern.rest("get_variables", session_id=session)["variables"]}
    assert (await modern.run(session, "_asked")).data["result"] == "[]"
    assert got["h"]["type"] == "Hostile" and got["x"]["value"] == 1
    plain = (await modern.run(session, "object.__sizeof__(h)")).data["result"]
    assert got["h"]["size"] == plain + " bytes"


async def test_nobody_goes_through_the_rows(modern, session):
    """There are so many rows that reading each would neither end nor fit into memory."""
    await modern.run(session, "import numpy as np, pandas as pd\ndf = pd.DataFrame(index=pd.RangeIndex(10**15))\na = np.broadcast_to(np.int64(1), 10**15)")
    a, df = (await modern.ok("get_variables", session_id=session))["variables"]
    assert (df["size"], a["size"]) == ("1000000000000000 rows × 0 cols", "(1000000000000000,)")
