# Runs after variables.py, in the same temporary namespace. Describes a table with vectorised
# operations only, within a time limit, and returns values that JSON can encode. It calls no
# repr of objects in cells, and what fails costs one cell or column, never the table.
import datetime, decimal, fnmatch, functools, time, warnings

BUDGET = 3.0  # time limit for the statistics, in seconds
MANY = 500  # largest number of columns to describe
CELL = 500  # largest number of characters of a value
HEAD = 1000000  # largest number of characters of all values together
FEW = 6  # items of a collection that are shown
TOLD = {"uuid", "fractions", "ipaddress", "pathlib"}  # Python's own packages whose objects have a short text


def clip(s, n=CELL):
    s = s[: n + 1].encode("utf-8", "backslashreplace").decode("utf-8")
    return s if len(s) <= n else s[:n] + "…"


def safe(v):
    try:
        return plain(v)
    except Exception:  # a value of a user's class, or a library's that is damaged
        return "<%s>" % of(type(v), "__name__")


def plain(v):
    t = type(v)
    if v is None or t is bool:
        return v
    if t is int:
        return v if -(2**53) <= v <= 2**53 else (str(v) if v.bit_length() <= BITS else "an integer of %d bits" % v.bit_length())
    if t is float:
        return v if math.isfinite(v) else (None if v != v else ("Infinity" if v > 0 else "-Infinity"))
    if t is str:
        return clip(v)
    if isinstance(v, (datetime.datetime, datetime.date, datetime.time)):
        s = v.isoformat()
        return None if s == "NaT" else s
    if isinstance(v, datetime.timedelta):
        s = str(v)
        return None if s == "NaT" else s
    if t in (decimal.Decimal, complex):
        return None if t is decimal.Decimal and v.is_nan() else str(v)
    root = family(t)
    if root == "numpy":
        return of_numpy(v, t)
    if root in ("pandas", "polars", "pyarrow"):
        if t.__name__ == "Series" and root == "polars":
            return collection(v.head(FEW).to_list(), len(v), "[%s]")
        if root == "pyarrow" and hasattr(v, "as_py"):
            return safe(v.as_py())
        s = str(v)
        return None if s in ("NaT", "<NA>") else clip(s)
    return built_in(v, t)


def of_numpy(v, t):
    if t.__name__ in ("ndarray", "matrix", "MaskedArray"):
        shape = read(v, "shape")
        if len(shape) == 1:
            return collection(list(v[:FEW]) if v.dtype.kind in "Mm" else v[:FEW].tolist(), shape[0], "[%s]")
        return "array of %s %s" % ("×".join(map(str, shape)) or "one", read(v, "dtype"))
    if t.__name__ == "datetime64":  # its item has no nanoseconds
        s = str(v)
        return None if s == "NaT" else s.rstrip("0").rstrip(".") if "." in s else s
    if t.__name__ == "timedelta64":
        item = v.astype("m8[us]").item()
        return None if item is None else str(item if item == v else v)
    item = v.item()
    return safe(item) if type(item) is not t else str(v)


def built_in(v, t):
    if t in (list, tuple, set, frozenset):
        return collection(list(v)[:FEW], len(v), "[%s]" if t is list else "(%s)" if t is tuple else "{%s}")
    if t is dict:
        first = ["%s: %s" % (inner(k), inner(v[k])) for k in list(v)[:FEW]]
        return clip("{%s}" % ", ".join(first + ["…"] * (len(v) > FEW)))
    if t in (bytes, bytearray):
        return repr(v) if len(v) <= 40 else "%d bytes" % len(v)
    if home(t) in TOLD:
        return clip(str(v))
    enum = sys.modules.get("enum")
    if enum and enum.Enum in of(t, "__mro__"):
        return clip("%s.%s" % (of(t, "__name__"), object.__getattribute__(v, "_name_")))
    return "<%s>" % of(t, "__name__")


def inner(v):
    """Returns the text of a value within another one."""
    got = safe(v)
    return json.dumps(got, ensure_ascii=False) if type(v) is str else "null" if got is None else str(got)


def collection(first, n, around):
    texts = [inner(x) for x in first]
    if n > len(first):
        texts.append("… %d items" % n)
    return clip(around % ", ".join(texts))


def unique(names):
    seen, keys = {}, []
    taken = set(names)
    for n in names:
        k, i = n, seen.get(n, 0)
        if n in seen:
            while "%s.%d" % (n, i) in taken:
                i += 1
            k = "%s.%d" % (n, i)
            taken.add(k)
            seen[n] = i + 1
        else:
            seen[n] = 1
        keys.append(k)
    return keys


def column_name(c):
    if type(c) is str:
        return clip(c)
    return ", ".join(map(column_name, c)) if type(c) is tuple else str(safe(c))


def quartiles(out, d, q):
    out["min"] = safe(d.min())
    for label, v in zip(("25%", "50%", "75%"), q):
        out[label] = safe(v)
    out["max"] = safe(d.max())
    return out


def pandas_column(s):
    import pandas as pd

    is_a, dtype = pd.api.types, s.dtype
    count = int(s.count())
    out = {"count": count, "nulls": len(s) - count}
    number, when = is_a.is_numeric_dtype(dtype), is_a.is_datetime64_any_dtype(dtype) or is_a.is_timedelta64_dtype(dtype)
    if is_a.is_bool_dtype(dtype) or not (number or when):
        return pandas_values(s, out) if len(s) <= 1000000 else out
    if is_a.is_complex_dtype(dtype) or not count:
        return out
    d = s.dropna()
    if isinstance(dtype, pd.SparseDtype):
        d = pd.Series(d.to_numpy())
    if number:
        out["mean"], out["std"] = safe(float(d.mean())), safe(float(d.std())) if len(d) > 1 else None
    else:
        out["mean"] = safe(d.mean())
    return quartiles(out, d, d.quantile([0.25, 0.5, 0.75]))


def pandas_values(s, out):
    if s.dtype == object and out["count"] and type(s.dropna().iloc[0]).__hash__ is None:
        return out  # arrays and lists; pandas tells arrays apart by where they are
    try:
        counts = s.value_counts()
    except Exception:  # values that cannot be compared, for example lists
        return out
    counts = counts[counts > 0]  # the others are categories without a row
    out["unique"] = len(counts)
    if len(counts):
        out["top"], out["freq"] = safe(counts.index[0]), int(counts.iloc[0])
    if type(s.dtype).__name__ == "PeriodDtype" and out["count"]:
        out["min"], out["max"] = safe(s.min()), safe(s.max())
    return out


def polars_column(s):
    nulls = int(s.null_count())
    out = {"count": len(s) - nulls, "nulls": nulls}
    if not out["count"]:
        return out
    if s.dtype.is_numeric():
        out["mean"], out["std"] = safe(s.mean()), safe(s.std())
        return quartiles(out, s, [s.quantile(p, interpolation="linear") for p in (0.25, 0.5, 0.75)])
    if s.dtype.is_temporal():
        out["min"], out["max"] = safe(s.min()), safe(s.max())
        return out
    if not s.dtype.is_nested() and str(s.dtype) != "Object":  # polars panics if an object has no hash
        counts = s.drop_nulls().value_counts(sort=True)
        out["unique"], out["top"], out["freq"] = counts.height, safe(counts[0, 0]), int(counts[0, 1])
    return out


def arrow_column(s):
    import pyarrow as pa, pyarrow.compute as pc

    out = {"count": len(s) - s.null_count, "nulls": s.null_count}
    if not out["count"]:
        return out
    kind = pa.types
    if kind.is_integer(s.type) or kind.is_floating(s.type) or kind.is_decimal(s.type):
        low = pc.min_max(s)
        out["mean"], out["std"] = safe(pc.mean(s)), safe(pc.stddev(s, ddof=1))
        q = pc.quantile(s, q=[0.25, 0.5, 0.75]).to_pylist()
        out.update({"min": safe(low["min"]), "25%": safe(q[0]), "50%": safe(q[1]), "75%": safe(q[2]), "max": safe(low["max"])})
    elif kind.is_temporal(s.type):
        low = pc.min_max(s)
        out["min"], out["max"] = safe(low["min"]), safe(low["max"])
    elif not kind.is_nested(s.type) and len(s) <= 1000000:
        counts = s.drop_null().value_counts()
        field = counts.field("counts")
        at = pc.index(field, pc.max(field)).as_py()
        out["unique"], out["top"], out["freq"] = len(counts), safe(counts.field("values")[at]), field[at].as_py()
    return out


class Pandas:
    """A pandas DataFrame, or a Series as one with a column."""

    describe = staticmethod(pandas_column)

    def __init__(self, v):
        import pandas as pd

        # As pandas' own class: a user's may override columns and methods, which must not run.
        # The constructor also leaves attrs behind, whose values pandas would copy often.
        self.v = pd.Series(v, copy=False).to_frame() if isinstance(v, pd.Series) else pd.DataFrame(v, copy=False)
        self.shape = self.v.shape

    @functools.cached_property
    def names(self):
        return list(self.v.columns)

    @functools.cached_property
    def dtypes(self):
        return list(map(str, self.v.dtypes))

    def column(self, i):
        return self.v.iloc[:, i]

    def head(self, i, n):
        return list(self.v.iloc[:n, i])

    def memory(self, notes):
        deep = self.shape[0] <= 100000
        if not deep and "object" in self.dtypes:
            notes.append("memory_bytes leaves out what object columns point to")
        try:
            return int(self.v.memory_usage(index=True, deep=deep).sum())
        except Exception:  # an object in a cell
            return int(self.v.memory_usage(index=True, deep=False).sum())

    def index(self, n):
        """Returns the names, types and first values of the index, or None if it only counts rows."""
        import pandas as pd

        at = self.v.index
        several = isinstance(at, pd.MultiIndex)
        if isinstance(at, pd.RangeIndex) and at.name is None and at.start == 0 and at.step == 1:
            return None
        values = [[safe(x) for x in v] if several else safe(v) for v in at[:n]]
        types_ = [str(d) for d in at.dtypes] if several else [str(at.dtype)]
        return {"names": ["" if x is None else column_name(x) for x in at.names], "dtypes": types_, "head": values}


class Polars:
    """A polars DataFrame, or a Series as one with a column."""

    describe = staticmethod(polars_column)

    def __init__(self, v):
        self.v = v.to_frame() if hasattr(v, "to_frame") else v
        self.shape = self.v.shape

    @functools.cached_property
    def names(self):
        return self.v.columns

    @functools.cached_property
    def dtypes(self):
        return list(map(str, self.v.dtypes))

    def column(self, i):
        return self.v[:, i]

    def head(self, i, n):
        return list(self.v[:n, i])

    def memory(self, notes):
        return int(self.v.estimated_size())

    def index(self, n):
        return None


class Arrow(Polars):
    """A pyarrow Table or RecordBatch."""

    describe = staticmethod(arrow_column)

    def __init__(self, v):
        self.v, self.shape = v, (v.num_rows, v.num_columns)

    @functools.cached_property
    def names(self):
        return self.v.schema.names

    @functools.cached_property
    def dtypes(self):
        return [str(f.type) for f in self.v.schema]

    def column(self, i):
        return self.v.column(i)

    def head(self, i, n):
        return list(self.v.column(i).slice(0, n))

    def memory(self, notes):
        return int(self.v.nbytes)


TABLES = {
    "pandas": (Pandas, ("DataFrame", "Series")), "polars": (Polars, ("DataFrame", "Series")), "pyarrow": (Arrow, ("Table", "RecordBatch")),
}


def table(v):
    """Returns v as a table, or None. A user's class may derive from a library's."""
    for base in of(type(v), "__mro__"):
        make, names = TABLES.get(known(base), (None, ()))
        if of(base, "__name__") in names:
            return make(v)
    return None


def dataframe(ns, name, head, wanted=()):
    if name not in ns:
        return {"missing": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would name this code, not the user's
        v = table(ns[name])
        if v is None:
            return {"wrong": of(type(ns[name]), "__name__")}
        return described(v, name, type(ns[name]), head, wanted)


def chosen(names, wanted, notes):
    """Returns the positions of the columns whose names or patterns are wanted; all if nothing is."""
    if not wanted:
        return range(len(names))
    found = [i for i, n in enumerate(names) if any(n == w or fnmatch.fnmatchcase(n, w) for w in wanted)]
    lost = [w for w in wanted if not any(n == w or fnmatch.fnmatchcase(n, w) for n in names)]
    if lost:
        notes.append("no column is named %s" % clip(", ".join(lost), 200))
    return found


def described(v, name, t, head, wanted):
    names = [column_name(c) for c in v.names]
    keys, notes = unique(names), []
    rows, cols = (int(n) for n in v.shape)
    all_ = chosen(names, wanted, notes)
    some = all_[:MANY]
    out = {
        "name": name, "type": "%s.%s" % (family(t), of(t, "__name__")), "shape": [rows, cols], "columns": names, "keys": keys,
        "shown": [keys[i] for i in some], "dtypes": dict(zip(keys, v.dtypes)), "describe": {}, "notes": notes, "memory_bytes": v.memory(notes),
    }
    if len(all_) > MANY:
        notes.append("head and describe have the first %d of %d columns" % (MANY, len(all_)))
    index = v.index(head)
    if index:
        out["index"] = index
    if head:
        out["head"] = first_rows(v, keys, some, min(head, rows), notes)
    end = time.monotonic() + BUDGET
    for done, i in enumerate(some):
        if time.monotonic() > end:
            notes.append("describe has the first %d columns only: the rest would take long" % done)
            break
        try:
            out["describe"][keys[i]] = v.describe(v.column(i))
        except Exception as e:
            notes.append("column %s could not be described: %s" % (keys[i], of(type(e), "__name__")))
    return out


def first_rows(v, keys, some, n, notes):
    rows, left = [{} for _ in range(n)], HEAD
    for i in some:
        try:
            values = v.head(i, n)
        except Exception as e:
            notes.append("column %s could not be read: %s" % (keys[i], of(type(e), "__name__")))
            continue
        for row, x in zip(rows, values):
            got = safe(x)
            row[keys[i]] = got
            left -= len(got) if type(got) is str else 8
        if left < 0:
            notes.append("head has the columns up to %s only: their values are long" % keys[i])
            break
    return rows if some else []
