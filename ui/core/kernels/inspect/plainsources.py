# Runs after ordering.py: arrays, lists, dicts and what xarray has as tables.

SNIFF = 1000  # items of a list that say whether it has columns
WIDE = 1000  # columns that a list may have
ARRAY_KINDS = {"b": "bool", "i": "number", "u": "number", "f": "number", "c": "number", "M": "date", "m": "duration", "U": "text", "S": "other"}


class ArraySource(Source):
    """An array of numpy: the last axis has the columns, the others the rows. A record has a column for each field."""

    def __init__(self, v):
        np = np_()
        self.v = np.asarray(v)
        masked = any(known(b) == "numpy" and of(b, "__name__") == "MaskedArray" for b in of(type(v), "__mro__"))
        self.mask = np.asarray(read(v, "mask")) if masked else None
        self.fields = self.v.dtype.names
        rows, self.wide = self.v.shape, 1
        if self.fields:
            self.wide = len(self.fields)
        elif len(rows) > 1:
            rows, self.wide = rows[:-1], rows[-1]
        self.rows = rows
        self.shape = math.prod(rows), self.wide

    def names(self, a, b):
        if self.fields:
            return [clip(n) for n in self.fields[a:b]]
        return [str(i) for i in range(a, min(b, self.wide))] if self.v.ndim > 1 else [""]

    def dtypes(self, a, b):
        types_ = [self.v.dtype[i] for i in range(a, min(b, self.wide))] if self.fields else [self.v.dtype] * (min(b, self.wide) - a)
        return [(str(d), ARRAY_KINDS.get(d.kind, "other")) for d in types_]

    def at(self, array, i, at):
        np = np_()
        if len(self.rows) > 1:
            at = np.arange(*at.indices(self.shape[0])) if type(at) is slice else np.asarray(at)
            at = np.unravel_index(at, self.rows)
            return array[at] if self.fields or self.v.ndim == len(self.rows) else array[at + (i,)]
        return array[at] if self.fields or self.v.ndim == 1 else array[at, i]

    def column(self, i, at):
        array = self.v[self.fields[i]] if self.fields else self.v
        mask = self.mask
        if mask is not None and mask.shape == self.v.shape:
            mask = self.at(mask[self.fields[i]] if self.fields else mask, i, at)
        else:
            mask = None
        return self.at(array, i, at), mask

    def values(self, i, at):
        arr, mask = self.column(i, at)
        values = list(arr) if arr.dtype.kind in "Mm" or arr.ndim > 1 else arr.tolist()
        return values if mask is None else [None if gone else x for x, gone in zip(values, mask.tolist())]

    def index(self, at):
        if len(self.rows) < 2:
            return None
        where = np_().unravel_index(np_().arange(*at.indices(self.shape[0])) if type(at) is slice else at, self.rows)
        return [", ".join(map(str, x)) for x in zip(*(w.tolist() for w in where))]

    def memory(self):
        return int(self.v.nbytes) if not self.v.dtype.hasobject else None

    def numbers(self, i):
        np = np_()
        arr, mask = self.column(i, slice(None))
        if arr.dtype.kind not in "biufMm" or arr.ndim > 1:
            return None
        missing = np.isnan(arr) if arr.dtype.kind == "f" else np.isnat(arr) if arr.dtype.kind in "Mm" else np.zeros(len(arr), dtype=bool)
        return arr, missing if mask is None else missing | mask


class ListSource(Source):
    """A list or a tuple. Dicts in it have a column for each key, sequences of one length a column for each place."""

    def __init__(self, v):
        self.v = v
        self.n = list.__len__(v) if isinstance(v, list) else tuple.__len__(v) if isinstance(v, tuple) else len(v)
        first = self.part(slice(0, SNIFF))
        self.keys = None
        if first and all(type(x) is dict for x in first):
            keys = dict.fromkeys(k for x in first for k in x if type(k) in (str, int))
            self.keys = list(keys) if len(keys) <= WIDE else None
        elif first and all(type(x) in (list, tuple) for x in first) and len({len(x) for x in first}) == 1 and 0 < len(first[0]) <= WIDE:
            self.keys = list(range(len(first[0])))
        self.shape = self.n, len(self.keys) if self.keys else 1

    def part(self, at):
        if type(at) is slice:
            base = list if isinstance(self.v, list) else tuple if isinstance(self.v, tuple) else range
            return base.__getitem__(self.v, at)
        return [self.part(slice(int(j), int(j) + 1))[0] for j in at]

    def names(self, a, b):
        return [clip(str(k)) for k in self.keys[a:b]] if self.keys else [""]

    def dtypes(self, a, b):
        return [kind_of(self.values(i, slice(0, SNIFF))) for i in range(a, min(b, self.shape[1]))]

    def values(self, i, at):
        items = self.part(at)
        if not self.keys:
            return list(items)
        key = self.keys[i]
        return [cell_of(x, key) for x in items]

    def memory(self):
        return memory(self.v, type(self.v), "") or footprint(self.v)


def cell_of(x, key):
    if type(x) is dict:
        return x.get(key)
    return x[key] if type(x) in (list, tuple) and type(key) is int and key < len(x) else None


def kind_of(values):
    """Returns the common type of values, and its kind."""
    kinds = {type(v) for v in values if not absent(v)}
    name = ", ".join(sorted({of(t, "__name__") for t in kinds}))
    if kinds and kinds <= {int, float, decimal.Decimal}:
        return clip(name, 40), "number"
    kind = {frozenset([bool]): "bool", frozenset([str]): "text", frozenset([datetime.datetime]): "date", frozenset([datetime.date]): "date"}
    return clip(name, 40), kind.get(frozenset(kinds), "other")


class DictSource(ListSource):
    """A dict: a row for each key, or a column for each if all have lists of one length."""

    def __init__(self, v):
        self.v, self.by = v, list(dict.keys(v))
        lists = list(dict.values(v))
        self.columns = lists if lists and len(lists) <= WIDE and all(type(x) in (list, tuple) and len(x) > 0 for x in lists) \
            and len({len(x) for x in lists}) == 1 and all(type(k) is str for k in self.by) else None
        self.lists = lists
        self.shape = (len(lists[0]), len(lists)) if self.columns else (len(lists), 1)

    def names(self, a, b):
        return [clip(k) for k in self.by[a:b]] if self.columns else [""]

    def values(self, i, at):
        values = self.columns[i] if self.columns else self.lists
        return list(values[at]) if type(at) is slice else [values[int(j)] for j in at]

    def index(self, at):
        if self.columns:
            return None
        return [inner_text(k) for k in (self.by[at] if type(at) is slice else [self.by[int(j)] for j in at])]


class XarraySource(Source):
    """A DataArray or Dataset of xarray. One with two dimensions is a matrix; others have a row for each combination of coordinates."""

    def __init__(self, v):
        self.array = known_name(v, "DataArray")
        self.v = v
        self.dims = dict(v.sizes)
        self.matrix = self.array and len(v.dims) == 2
        if self.matrix:
            self.rows = (v.dims[0],)
            self.shape = tuple(int(n) for n in v.shape)
        else:
            self.rows = tuple(v.dims) if self.array else tuple(self.dims)
            self.vars = [v] if self.array else [v[n] for n in v.data_vars]
            self.shape = math.prod(self.dims[d] for d in self.rows), len(self.vars)

    def names(self, a, b):
        if self.matrix:
            d = self.v.dims[1]
            marks = self.v.coords[d].values[a:b] if d in self.v.coords else range(a, min(b, self.shape[1]))
            return [inner_text(x) for x in marks]
        return [clip(str(x.name or "")) for x in self.vars[a:b]]

    def dtypes(self, a, b):
        types_ = [self.v.dtype] * (min(b, self.shape[1]) - a) if self.matrix else [x.dtype for x in self.vars[a:b]]
        return [(str(d), ARRAY_KINDS.get(d.kind, "other")) for d in types_]

    def where(self, at):
        np = np_()
        if not self.rows:
            return {}
        at = np.arange(*at.indices(self.shape[0])) if type(at) is slice else np.asarray(at)
        return dict(zip(self.rows, np.unravel_index(at, [self.dims[d] for d in self.rows])))

    def column(self, i, at):
        np, where = np_(), self.where(at)
        if self.matrix:
            return np.asarray(self.v.variable[where[self.rows[0]], i].values)
        x = self.vars[i].variable
        if not x.dims:
            return np.repeat(np.asarray(x.values), len(next(iter(where.values()), [0])))
        if type(x._data) is np.ndarray:
            return x._data[tuple(where[d] for d in x.dims)]
        first = {d: slice(int(where[d].min()), int(where[d].max()) + 1) if len(where[d]) else slice(0, 0) for d in x.dims}
        part = np.asarray(x[tuple(first[d] for d in x.dims)].values)  # of a file or dask, only what is shown
        return part[tuple(where[d] - first[d].start for d in x.dims)]

    def values(self, i, at):
        arr = self.column(i, at)
        return list(arr) if arr.dtype.kind in "Mm" else arr.tolist()

    def index(self, at):
        texts = []
        for d, n in self.where(at).items():
            coord = self.v.coords[d].values if d in self.v.coords else None
            texts.append([inner_text(coord[j]) if coord is not None else str(j) for j in n.tolist()])
        return [", ".join(x) for x in zip(*texts)]

    def index_names(self):
        return [clip(str(d)) for d in self.rows]

    def memory(self):
        return int(self.v.nbytes)

    def numbers(self, i):
        np = np_()
        held = self.v.variable if self.matrix else self.vars[i].variable
        if type(held._data) is not np.ndarray or held.dtype.kind not in "biufMm":
            return None
        arr = self.column(i, slice(None))
        return arr, np.isnan(arr) if arr.dtype.kind == "f" else np.isnat(arr) if arr.dtype.kind in "Mm" else np.zeros(len(arr), dtype=bool)


def known_name(v, name):
    return any(known(b) and of(b, "__name__") == name for b in of(type(v), "__mro__"))


SOURCES = {
    ("pandas", "DataFrame"): PandasSource, ("pandas", "Series"): PandasSource, ("pandas", "Index"): lambda v: PandasSource(index_series(v)),
    ("polars", "DataFrame"): PolarsSource, ("polars", "Series"): PolarsSource,
    ("pyarrow", "Table"): ArrowSource, ("pyarrow", "RecordBatch"): ArrowSource,
    ("numpy", "ndarray"): ArraySource, ("xarray", "DataArray"): XarraySource, ("xarray", "Dataset"): XarraySource,
}


def index_series(v):
    import pandas as pd

    return pd.Series(pd.Index(v, copy=False).array, name=v.name)


def source(v):
    """Returns v as a table, or None. A user's class may derive from a library's."""
    if type(v) is range:
        return ListSource(v)
    for base, make in ((dict, DictSource), (list, ListSource), (tuple, ListSource)):
        if issubclass(type(v), base):
            return make(v)
    for base in of(type(v), "__mro__"):
        make = SOURCES.get((known(base), of(base, "__name__")))
        if make and not (make is ArraySource and np_().ndarray.ndim.__get__(v) == 0):
            return make(v)
    return None
