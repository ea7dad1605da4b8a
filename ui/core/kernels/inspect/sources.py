# Runs after dataframe.py: what the window's tables read of frames. A source gives names and types of
# columns, values at positions, and the order by a column. It changes nothing, and calls no code of
# user-defined classes: values of such classes are neither compared nor hashed.

SHORT = 200  # characters of a cell in a page
BYTES = 40  # of bytes that are shown

PLAIN = {str, int, float, bool, bytes, complex, type(None), datetime.date, datetime.datetime, datetime.time, datetime.timedelta, decimal.Decimal}


def np_():
    return sys.modules.get("numpy")


def absent(v):
    """Reports whether v is a missing value."""
    t = type(v)
    if t is float:
        return v != v
    if t is decimal.Decimal:
        return v.is_nan()
    return v is None or (t not in PLAIN and of(t, "__name__") in ("NaTType", "NAType") and family(t) == "pandas") or \
        (t not in PLAIN and family(t) == "numpy" and safe(v) is None)


def brief(v):
    t = type(v)
    if t is int and -(2**53) <= v <= 2**53 or t is float and math.isfinite(v) or t is str and len(v) <= SHORT:
        return v
    if t in (bytes, bytearray) and len(v) > BYTES:
        return "%r… %d bytes" % (v[:BYTES], len(v))
    got = safe(v)
    return got[:SHORT] + "…" if type(got) is str and len(got) > SHORT else got


def shortened(v):
    """Reports whether v may be a text that brief or safe has shortened."""
    return type(v) is str and "…" in v


def cut(v):
    """Reports whether v is a text of cells as brief shortens it."""
    return type(v) is str and len(v) == SHORT + 1 and v[-1] == "…"


def lower(v):
    """Returns what a search finds v by."""
    if type(v) is str:
        return v.lower()
    got = brief(v) if type(v) in (bytes, bytearray) else safe(v)
    text = "" if got is None else str(got).lower()
    return spaced(text) if issubclass(type(v), datetime.datetime) else text


def spaced(text):
    """Returns a text in lower case with times as cells show them."""
    return re.sub(r"(\d)t(?=\d)", r"\1 ", text)


class Source:
    """A table of any kind. Subclasses have shape, names, dtypes, values and, if they can, numbers and index."""

    def names(self, a, b):
        return [str(i) for i in range(a, b)]

    def block(self, a, b, at):
        return [self.values(i, at) for i in range(a, b)]

    def numbers(self, i):
        """Returns a column as a numpy array of numbers, bools or times, and which are missing; or None."""
        return None

    def clock(self, i):
        """Returns a column of times with a zone as they are shown, in that zone; None for other columns."""
        return None

    def index(self, at):
        return None

    def index_names(self):
        return []

    def memory(self):
        return None

    def order(self, i, down, at=None):
        """Returns the positions of the rows, sorted by a column. Missing values are last. Equal rows stay in their order, or in that of at."""
        got = self.numbers(i)
        if got is None:
            return arranged(at, ordered(self.values(i, slice(None) if at is None else at), down))
        np, (arr, missing) = np_(), got
        if at is not None:
            arr, missing = arr[at], missing[at]
        there = np.flatnonzero(~missing)
        return arranged(at, np.concatenate([there[stable(arr[there], down)], np.flatnonzero(missing)]))

    def code(self, name, v, sort, filters):
        """Returns an expression that sorts and filters v, the variable of this name, or "" if there is none."""
        return ""

    def passes(self, i, f):
        """Returns for each row whether it passes a filter that numbers does not support, if that is fast; else None."""
        return None

    def missing(self, i, at):
        return None

    def top(self, i, at):
        return commonest(self.values(i, at))


def arranged(at, order):
    """Returns the positions that an order of some positions means."""
    if at is None:
        return order
    return at[order] if np_() else [at[j] for j in order]


class PandasSource(Source):
    def __init__(self, v):
        self.t = Pandas(v)
        self.v, self.shape = self.t.v, tuple(int(n) for n in self.t.v.shape)

    def names(self, a, b):
        return [column_name(c) for c in self.v.columns[a:b]]

    def dtypes(self, a, b):
        return [(str(d), pandas_kind(d)) for d in self.v.iloc[:, a:b].dtypes]

    def values(self, i, at):
        s = self.v.iloc[:, i]
        if type(at) is not slice or at != slice(None):
            return self.block(i, i + 1, at)[0]
        return s.to_numpy(dtype=object).tolist() if pandas_kind(s.dtype) == "text" else list(s)

    def block(self, a, b, at):
        part = self.v.iloc[:, a:b]
        part = part.iloc[at] if type(at) is slice else part.take(at)
        return [list(part.iloc[:, j]) for j in range(part.shape[1])]

    def index(self, at):
        import pandas as pd

        i = self.v.index
        if isinstance(i, pd.RangeIndex) and i.name is None and i.start == 0 and i.step == 1:
            return None
        part = i[at] if type(at) is slice else i.take(at)
        return [inner_text(x) for x in part]

    def index_names(self):
        return ["" if n is None else column_name(n) for n in self.v.index.names]

    def missing(self, i, at):
        s = self.v.iloc[:, i]
        return int((s if type(at) is slice else s.take(at)).isna().sum())

    def passes(self, i, f):
        s, op = self.v.iloc[:, i], f["op"]
        if op in ("missing", "present"):
            gone = s.isna().to_numpy()
            return gone if op == "missing" else ~gone
        if pandas_kind(s.dtype) != "text" or op == "range":
            return None
        if op == "contains":
            yes = s.str.contains(f["value"], case=False, regex=False)
        elif cut(f["value"]):
            yes = s.str.startswith(f["value"][:SHORT]) & (s.str.len() > SHORT)
        else:
            yes = s == f["value"]
        yes = yes.fillna(False).to_numpy(dtype=bool)
        return ~yes if op == "not" else yes

    def numbers(self, i):
        import pandas as pd

        np, s = np_(), self.v.iloc[:, i]
        kind = pandas_kind(s.dtype)
        if kind not in ("number", "bool", "date", "duration"):
            return None
        if isinstance(s.dtype, pd.ArrowDtype):
            pa = sys.modules["pyarrow"]
            return ArrowSource(pa.table({"": pa.array(s)})).numbers(0)
        missing = s.isna().to_numpy()
        if isinstance(s.dtype, pd.SparseDtype):
            s = pd.Series(np.asarray(s))
        if kind == "date" and getattr(s.dt, "tz", None) is not None:
            s = s.dt.tz_convert("UTC").dt.tz_localize(None)
        if s.dtype.kind == "c":
            return None
        if isinstance(s.dtype, np.dtype):
            return s.to_numpy(), missing
        to, none = {"number": ("float64", 0.0), "bool": ("bool", False)}.get(kind, (None, None))
        if kind == "number" and s.dtype.kind in "iu":
            to, none = ("int64" if s.dtype.kind == "i" else "uint64"), 0
        return (s.to_numpy() if to is None else s.to_numpy(dtype=to, na_value=none)), missing

    def clock(self, i):
        s = self.v.iloc[:, i]
        if pandas_kind(s.dtype) != "date" or getattr(getattr(s.dtype, "pyarrow_dtype", s.dtype), "tz", None) is None:
            return None
        return s.dt.tz_localize(None).to_numpy(dtype="M8[ns]" if hasattr(s.dtype, "pyarrow_dtype") else None)

    def order(self, i, down, at=None):
        s = self.v.iloc[:, i] if at is None else self.v.iloc[:, i].take(at)
        if s.dtype == object:
            return arranged(at, ordered(list(s), down))
        if pandas_kind(s.dtype) in ("number", "bool", "date", "duration") and s.dtype.kind != "c":
            return super().order(i, down, at)
        try:
            order = s.array.argsort(ascending=not down, kind="stable", na_position="last")
        except Exception:  # pyarrow cannot sort lists
            order = ordered(list(s), down)
        return arranged(at, order)

    def code(self, name, v, sort, filters):
        return pandas_code(self.v, name, known_name(v, "DataFrame"), sort, filters) if not known_name(v, "Index") else ""

    def top(self, i, at):
        s = self.v.iloc[:, i]
        if s.dtype == object or type(s.dtype).__name__ in ("IntervalDtype", "PeriodDtype"):
            return super().top(i, at)
        if type(at) is not slice:
            s = s.take(at)
        if pandas_kind(s.dtype) == "text" and mostly_different(list(s.iloc[:: max(len(s) // 5000, 1)]) * max(len(s) // 5000, 1)):
            return None
        try:
            counts = s.value_counts()
        except Exception:  # pyarrow cannot count lists
            return None
        counts = counts[counts > 0]
        return [[brief(v), int(n)] for v, n in zip(counts.index[:TOP], counts.iloc[:TOP])], len(counts)


def pandas_kind(d):
    import pandas as pd

    is_a = pd.api.types
    if is_a.is_bool_dtype(d) and not isinstance(d, pd.CategoricalDtype):
        return "bool"
    if is_a.is_numeric_dtype(d):
        return "number"
    if is_a.is_datetime64_any_dtype(d):
        return "date"
    if is_a.is_timedelta64_dtype(d):
        return "duration"
    return "text" if is_a.is_string_dtype(d) and d != object else "other"


def inner_text(v):
    if type(v) is tuple:
        return ", ".join(inner_text(x) for x in v)
    got = brief(v)
    return "" if got is None else str(got)


def lasting(n):
    """Returns a duration of n nanoseconds: as a text if Python's own type would leave some out."""
    whole = datetime.timedelta(microseconds=n // 1000)
    if n % 1000 == 0:
        return whole
    text = str(whole)
    return "%s%s%03d" % (text, "" if "." in text else ".000000", n % 1000)


class PolarsSource(Source):
    def __init__(self, v):
        self.t = Polars(v)
        self.v, self.shape = self.t.v, tuple(self.t.v.shape)

    def names(self, a, b):
        return [clip(n) for n in self.v.columns[a:b]]

    def dtypes(self, a, b):
        return [(str(d), polars_kind(d)) for d in self.v.dtypes[a:b]]

    def values(self, i, at):
        s = self.v.to_series(i)
        s = s[at] if type(at) is slice else s.gather([int(j) for j in at])
        if getattr(s.dtype, "time_unit", "") == "ns" and str(s.dtype).startswith("Datetime") and (s.dt.nanosecond() % 1000 != 0).any():
            s = s.dt.to_string("%Y-%m-%dT%H:%M:%S%.f" + ("%:z" if s.dtype.time_zone else ""))  # datetime has no nanoseconds
        if str(s.dtype).startswith("Duration") and s.dtype.time_unit == "ns":
            return [None if n is None else lasting(n) for n in s.to_physical().to_list()]
        return s.to_list()

    def code(self, name, v, sort, filters):
        return polars_code(self.v, name, sort, filters) if known_name(v, "DataFrame") else ""

    def numbers(self, i):
        np, s = np_(), self.v.to_series(i)
        if not np or polars_kind(s.dtype) not in ("number", "bool", "date", "duration") or s.dtype.is_decimal() or str(s.dtype) in ("Time", "Int128", "UInt128"):
            return None
        missing = s.is_null().to_numpy()
        if missing.any():
            s = s.fill_null(strategy="zero") if s.dtype.is_numeric() else s.fill_null(False) if str(s.dtype) == "Boolean" else s
        arr = s.to_numpy()
        return arr, missing | np.isnan(arr) if arr.dtype.kind == "f" else missing


    def clock(self, i):
        s = self.v.to_series(i)
        return s.dt.replace_time_zone(None).to_numpy() if getattr(s.dtype, "time_zone", None) else None

    def order(self, i, down, at=None):
        s = self.v.to_series(i)
        if not str(s.dtype).startswith("Enum"):
            return super().order(i, down, at)
        codes = s.to_physical().to_list()  # its categories have an order
        return arranged(at, ordered(codes if at is None else [codes[int(j)] for j in at], down))


def polars_kind(d):
    if str(d) == "Boolean":
        return "bool"
    if d.is_numeric():
        return "number"
    if d.is_temporal():
        return "duration" if str(d).startswith("Duration") else "date"
    return "text" if str(d) in ("String", "Utf8") else "other"


class ArrowSource(Source):
    def __init__(self, v):
        self.v, self.shape = v, (v.num_rows, v.num_columns)

    def names(self, a, b):
        return [clip(n) for n in self.v.schema.names[a:b]]

    def dtypes(self, a, b):
        return [(str(self.v.schema.field(i).type), arrow_kind(self.v.schema.field(i).type)) for i in range(a, min(b, self.shape[1]))]

    def values(self, i, at):
        c = self.v.column(i)
        if type(at) is slice:
            first, last, _ = at.indices(len(c))
            c = c.slice(first, max(last - first, 0))
        else:
            c = c.take(sys.modules["pyarrow"].array(at))
        return c.to_pylist()

    def memory(self):
        return int(self.v.nbytes)

    def numbers(self, i):
        c = self.v.column(i)
        kind = sys.modules["pyarrow"].types
        if not np_() or arrow_kind(c.type) == "text" or arrow_kind(c.type) == "other" or kind.is_decimal(c.type) or kind.is_time(c.type):
            return None
        missing = c.is_null().to_numpy(zero_copy_only=False) if hasattr(c, "to_numpy") else None
        if c.null_count and not kind.is_temporal(c.type):
            c = c.fill_null(False if kind.is_boolean(c.type) else 0)
        arr = c.to_numpy(zero_copy_only=False) if not hasattr(c, "chunks") else c.to_numpy()
        if arr.dtype.kind == "O":
            return None
        return arr, missing | np_().isnan(arr) if arr.dtype.kind == "f" else missing


    def clock(self, i):
        c = self.v.column(i)
        if not sys.modules["pyarrow"].types.is_timestamp(c.type) or c.type.tz is None:
            return None
        import pyarrow.compute as pc

        return ArrowSource(sys.modules["pyarrow"].table({"": pc.local_timestamp(c)})).numbers(0)[0]


def arrow_kind(t):
    kind = sys.modules["pyarrow"].types
    if kind.is_boolean(t):
        return "bool"
    if kind.is_integer(t) or kind.is_floating(t) or kind.is_decimal(t):
        return "number"
    if kind.is_temporal(t):
        return "duration" if kind.is_duration(t) else "date"
    return "text" if kind.is_string(t) or kind.is_large_string(t) else "other"
