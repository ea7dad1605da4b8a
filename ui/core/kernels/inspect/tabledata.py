# Runs after plainsources.py, in a module that stays in the kernel: answers what the window asks about a
# table. The order of rows is kept here as long as the variable lives and no code runs.
import re, weakref

SPAN = 0.15  # seconds that an answer may compute; the next one continues
BINS = 24  # of a histogram
KEPT = 4  # tables whose order is remembered
BLOCK = 200000  # cells that a search reads at once
CELLS = 200000  # cells that are copied at most

views = {}  # by the name of the variable


class View:
    """A variable as a table. It is valid until code runs, which the epoch tells, or the variable has another value."""

    def __init__(self, name, v, epoch):
        self.id, self.epoch, self.orders, self.masks, self.rows = id(v), epoch, {}, {}, {}
        try:
            self.ref = weakref.ref(v, lambda _: views.pop(name, None) if views.get(name) is self else None)
        except TypeError:  # a list: its epoch says enough
            self.ref = None

    def valid(self, v, epoch):
        return self.epoch == epoch and self.id == id(v) and (self.ref is None or self.ref() is v)

    def positions(self, src, sort, filters):
        """Returns the positions of the rows that the filters leave, in their order; None for all, as they are."""
        if not sort and not filters:
            return None
        key = json.dumps([sort, filters])
        if key not in self.rows:
            if len(self.rows) >= 2:
                self.rows.clear()
            self.rows[key] = self.compute(src, sort, filters)
        return self.rows[key]

    def compute(self, src, sort, filters):
        np, order, mask = np_(), None, None
        if sort:
            key = json.dumps(sort)
            if key not in self.orders:
                self.orders.clear()
                for by in reversed(sort):
                    order = src.order(by["column"], by["down"], order)
                self.orders[key] = order
            order = self.orders[key]
        for f in filters:
            key = json.dumps(f)
            if key not in self.masks:
                if len(self.masks) > 6:
                    self.masks.clear()
                self.masks[key] = matching(src, f)
            some = self.masks[key]
            mask = some if mask is None else mask & some if np else [x and y for x, y in zip(mask, some)]
        if mask is None:
            return order
        if order is None:
            return np.flatnonzero(mask) if np else [j for j, yes in enumerate(mask) if yes]
        return order[mask[order]] if np else [j for j in order if mask[j]]


def parsed(text, arr):
    """Returns what the user has typed, or a cell's value, as a value to compare an array with."""
    np, kind = np_(), arr.dtype.kind
    if kind == "M":
        at, sign, offset = re.fullmatch(r"(.*?)(?:Z|([+-])(\d\d:\d\d(?::\d\d)?))?", text[10:]).groups() if len(text) > 10 else ("", None, None)
        at = np.datetime64(text[:10] + at)
        if not offset:
            return at
        seconds = sum(int(n) * s for n, s in zip(offset.split(":"), (3600, 60, 1)))
        return at - np.timedelta64(-seconds if sign == "-" else seconds, "s")
    if kind == "m":
        return np.timedelta64(0, "ns") if type(text) is not str else None
    if kind == "b":
        return text if type(text) is bool else str(text).lower() == "true"
    if type(text) is str:
        try:
            return int(text)
        except ValueError:
            return float(text)
    return text


def matching(src, f):
    """Returns for each row whether it passes a filter."""
    np, i, op = np_(), f["column"], f["op"]
    hits = src.passes(i, f)
    if hits is not None:
        return hits
    got = src.numbers(i) if op != "contains" else None
    if got is None or got[0].dtype.kind == "m" and op in ("is", "not", "range"):
        test = tester(f)
        hits = [test(v) for v in src.values(i, slice(None))]
        return np.fromiter(hits, dtype=bool, count=len(hits)) if np else hits
    arr, missing = got
    if op in ("missing", "present"):
        return missing if op == "missing" else ~missing
    if op == "is":
        return (arr == parsed(f["value"], arr)) & ~missing
    if op == "not":
        return (arr != parsed(f["value"], arr)) | missing
    shown = src.clock(i)
    arr, hits = arr if shown is None else shown, ~missing
    low, high = f.get("low") or "", f.get("high") or ""
    if arr.dtype.kind == "M":
        return hits & between(arr, low, high)
    if low:
        hits = hits & (arr >= parsed(low, arr))
    if high:
        hits = hits & (arr <= parsed(high, arr))
    return hits


def between(arr, low, high):
    """Returns which times are in a range. Its end is meant to the end of the year, month, day, minute or second that it names."""
    np = np_()
    low, high = (np.datetime64(t) if t else None for t in (low, high))
    hits = np.ones(len(arr), dtype=bool)
    unit = np.datetime_data(arr.dtype)[0]
    reach = 2**63 // 10**9 - 1 if unit == "ns" else 2**62  # seconds from 1970 that the array can have
    for t, side in (low, 1), (high + 1 if high is not None else None, -1):
        if t is None:
            continue
        seconds = int(t.astype("M8[s]").astype("int64"))
        if abs(seconds) > reach:
            hits &= seconds * side < 0
        else:
            hits &= arr >= t if side > 0 else arr < t
    return hits


def tester(f):
    op, value = f["op"], f.get("value")
    if op == "missing":
        return absent
    if op == "present":
        return lambda v: not absent(v)
    if op == "contains":
        text = value.lower()
        other = spaced(text)
        return lambda v: text in v.lower() if type(v) is str else other in lower(v)
    if op == "range":
        return inside(f.get("low") or "", f.get("high") or "")
    if shortened(value):
        same = lambda v: v == value if type(v) is str and not cut(value) else not absent(v) and brief(v) == value
        return same if op == "is" else lambda v: not same(v)
    if type(value) is str:
        same = lambda v: v == value if type(v) is str else safe(v) == value
    else:
        same = lambda v: type(v) is not str and safe(v) == value
    return same if op == "is" else lambda v: not same(v)


def inside(low, high):
    """Returns a test for a range of values that numpy cannot compare: numbers by value, dates and times as far as the range names them."""
    numbers = []
    for text in low, high:
        try:
            numbers.append(decimal.Decimal(text) if text else None)
        except decimal.InvalidOperation:  # a date
            numbers.append(None)
    low, high = low.replace(" ", "T"), high.replace(" ", "T")

    def test(v):
        if absent(v):
            return False
        n = number_of(v)
        if n is not None:
            return not (numbers[0] is not None and n < numbers[0] or numbers[1] is not None and n > numbers[1])
        text = str(safe(v))
        return text >= low and (not high or text[: len(high)] <= high)

    return test


def head(src, i, at):
    """Summarises a column: how many values are missing, and a histogram or the most frequent values."""
    got = src.numbers(i)
    if got is not None and got[0].dtype.kind != "b":
        shown = src.clock(i)
        arr, missing = (x if type(at) is slice else x[at] for x in (got[0] if shown is None else shown, got[1]))
        out = {"missing": int(missing.sum()), "count": len(arr)}
        return histogram(arr[~missing] if out["missing"] else arr, out)
    gone = src.missing(i, at)
    if gone is not None:
        out, top = {"missing": gone, "count": src.shape[0] if type(at) is slice else len(at)}, src.top(i, at)
    else:
        values = src.values(i, at)
        out, top = {"missing": sum(map(absent, values)), "count": len(values)}, commonest(values)
    if top:
        out["top"], out["unique"] = top
    return out


def histogram(arr, out):
    np = np_()
    kind = arr.dtype.kind
    low, high = (arr.min(), arr.max()) if len(arr) else (None, None)
    if low is None:
        return out
    out["min"], out["max"] = told(low), told(high)
    x = arr.view("int64") if kind in "Mm" else arr.astype("float64", copy=False) if kind == "f" else arr  # half the range of float16 is too wide for it
    if kind == "f":
        x = x[np.isfinite(x)] if not np.isfinite(low) or not np.isfinite(high) else x
        if not len(x):
            return out
    a, b = float(x.min()), float(x.max())
    if kind not in "Mm":
        mean = float(x.mean(dtype="float64"))
        out["mean"] = mean if math.isfinite(mean) else None
    n = BINS if kind not in "iu" or b - a >= BINS else int(b - a) + 1
    if b > a:
        wide = (b - a + 1) / n if n < BINS else (b - a) / n
        at = ((x.astype("float64", copy=False) - a) / wide).astype("int64") if math.isfinite(b - a) else None
        out["bins"] = np.bincount(np.minimum(at, n - 1), minlength=n).tolist() if at is not None else []
    else:
        out["bins"] = [len(x)]
    return out


def told(v):
    return safe(v.astype("M8[us]").item()) if v.dtype.kind == "M" else brief(v)


class Query:
    """A question of the window about a variable."""

    def __init__(self, q, v, src):
        self.q, self.v, self.src = q, v, src
        self.view = views.get(q["name"])
        if self.view is None or not self.view.valid(self.v, q["epoch"]):
            while len(views) >= KEPT:
                views.pop(next(iter(views)))
            self.view = views[q["name"]] = View(q["name"], self.v, q["epoch"])
        self.rows, self.columns = self.src.shape
        self.at = self.view.positions(self.src, q.get("sort"), q.get("filters") or [])
        self.matching = self.rows if self.at is None else len(self.at)

    def part(self, a, n):
        a, b = max(a, 0), max(min(a + n, self.matching), 0)
        return slice(a, b) if self.at is None else self.at[a:b]

    def shape(self):
        t = type(self.v)
        return {
            "type": "%s.%s" % (family(t) or "builtins", of(t, "__name__")), "rows": self.rows, "columns": self.columns,
            "index": self.src.index_names(), "memory_bytes": memory(self.v, t, family(t)) or self.src.memory() or 0, "id": id(self.v),
        }

    def page(self):
        q = self.q
        at, a = self.part(q["row"], q["rows"]), max(q["column"], 0)
        b = min(a + q["columns"], self.columns)
        show = brief
        if q.get("whole"):
            show = whole
            n = max(min(q["rows"], CELLS // max(b - a, 1)), 1)
            at = self.part(q["row"], n)
        cells = [[show(v) for v in column] for column in self.src.block(a, b, at)]
        rows = list(range(at.start, at.stop)) if type(at) is slice else [int(j) for j in at]
        return {
            "names": self.src.names(a, b), "dtypes": [{"dtype": d, "kind": k} for d, k in self.src.dtypes(a, b)], "cells": cells,
            "at": rows, "index": self.src.index(at) or [], "matching": self.matching,
        }

    def heads(self):
        end, out = time.monotonic() + SPAN, []
        at = slice(None) if self.at is None else self.at
        for i in range(self.q["column"], min(self.q["column"] + self.q["columns"], self.columns)):
            if out and time.monotonic() > end:
                break
            try:
                out.append(head(self.src, i, at))
            except Exception as e:  # values that cannot be compared, or a library that is damaged
                out.append({"failed": of(type(e), "__name__"), "missing": 0, "count": self.matching})
        return {"heads": out}

    def describe(self):
        t = table(self.v)
        return t.describe(t.column(self.q["column"])) if t else head(self.src, self.q["column"], slice(None))

    def code(self):
        return {"code": self.src.code(self.q["name"], self.v, self.q.get("sort") or [], self.q.get("filters") or [])}

    def column_named(self):
        """Finds a column after a column, or from the first on, whose name has a text."""
        text, first = self.q["text"].lower(), self.q["column"] + 1
        for a, b in ((first, self.columns), (0, first)):
            for at in range(a, b, 1000):
                for i, name in enumerate(self.src.names(at, min(at + 1000, b)), at):
                    if text in name.lower():
                        return {"found": True, "row": self.q["row"], "column": i}
        return {}

    def search(self):
        q, end = self.q, time.monotonic() + SPAN
        if q.get("names"):
            return self.column_named()
        text, row, column, step = q["text"].lower(), q["row"], q["column"], -1 if q.get("back") else 1
        at_once = min(max(BLOCK // max(self.columns, 1), 1), 5000)
        while 0 <= row < self.matching:
            first = row if step > 0 else max(row - at_once + 1, 0)
            n = min(at_once, self.matching - row) if step > 0 else row - first + 1
            hits = [(j, i) for j, i in self.found(text, first, n) if j != row or (i - column) * step > 0]
            if hits:
                at = min(hits) if step > 0 else max(hits)
                return {"found": True, "row": at[0], "column": at[1]}
            row, column = (first + n, -1) if step > 0 else (first - 1, self.columns)
            if time.monotonic() > end:
                break
        return {"row": row, "column": column, "more": 0 <= row < self.matching}

    def found(self, text, first, n):
        """Returns the cells of some rows that have a text."""
        hits, other = [], spaced(text)
        for a in range(0, self.columns, 64):
            b = min(a + 64, self.columns)
            kinds = [k for _, k in self.src.dtypes(a, b)]
            if all(hopeless(text, k) for k in kinds):
                continue
            for i, values in enumerate(self.src.block(a, b, self.part(first, n)), a):
                if hopeless(text, kinds[i - a]):
                    continue
                texts = [v if type(v) is str else str(v) if type(v) is int or type(v) is float and math.isfinite(v) else lower(v) for v in values]
                together = "\0".join(texts).lower()
                if text in together or other in together:
                    hits += [(first + j, i) for j, t in enumerate(texts)
                             if (text if type(values[j]) is str else other) in t.lower() and not absent(values[j])]
        return hits


def hopeless(text, kind):
    """Reports whether no value of a kind has a text."""
    has = {"number": "0123456789.+-einfatyj()", "date": "0123456789-:+.t z"}.get(kind)
    return has is not None and not set(text) <= set(has)


def reply(ns, text):
    q = json.loads(text)
    if q["op"] == "forget":
        views.pop(q["name"], None)
        return Answer({})
    if q["name"] not in ns:
        return Answer({"missing": True})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would name this code, not the user's
        v = ns[q["name"]]
        src = source(v)
        if src is None:
            return Answer({"wrong": of(type(v), "__name__")})
        return Answer(getattr(Query(q, v, src), q["op"])())
