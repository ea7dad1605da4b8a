# Runs after variables.py, in the same temporary namespace. Describes a DataFrame with
# vectorised operations only, within a time limit, and returns values that JSON can encode.
import datetime, decimal, time

BUDGET = 3.0  # time limit for the statistics, in seconds
MANY = 500  # largest number of columns to describe
CELL = 500  # largest number of characters of a value


def safe(v):
    t = type(v)
    if v is None or t is bool:
        return v
    if t is int:
        return v if -(2**53) <= v <= 2**53 else str(v)
    if t is float:
        return v if math.isfinite(v) else (None if v != v else ("Infinity" if v > 0 else "-Infinity"))
    if t is str:
        s = v.encode("utf-8", "backslashreplace").decode("utf-8")
        return s if len(s) <= CELL else s[:CELL] + "…"
    if isinstance(v, (datetime.datetime, datetime.date, datetime.time)):
        s = v.isoformat()
        return None if s == "NaT" else s
    if isinstance(v, datetime.timedelta):
        s = str(v)
        return None if s == "NaT" else s
    if isinstance(v, decimal.Decimal):
        return str(v)
    root = family(t)
    if root == "numpy" and hasattr(v, "item"):
        item = v.item()
        return safe(item) if type(item) is not t else str(v)
    if root in ("pandas", "polars"):
        s = str(v)
        return None if s in ("NaT", "<NA>") else s[:CELL]
    if t in (list, tuple, dict, set, bytes):
        s = repr(v) if len(v) < 100 else "%s of %d items" % (t.__name__, len(v))
        return safe(s)
    return "<%s>" % t.__name__


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
    return c if type(c) is str else (", ".join(map(str, c)) if type(c) is tuple else str(c))


def pandas_column(s):
    import pandas as pd

    out = {"count": int(s.count())}
    types_ = pd.api.types
    if types_.is_bool_dtype(s.dtype) or not (types_.is_numeric_dtype(s.dtype) or types_.is_datetime64_any_dtype(s.dtype) or types_.is_timedelta64_dtype(s.dtype)):
        if len(s) <= 1000000:
            try:
                counts = s.value_counts()
                out["unique"] = int(len(counts))
                if len(counts):
                    out["top"], out["freq"] = safe(counts.index[0]), int(counts.iloc[0])
            except TypeError:  # unhashable values
                pass
        return out
    if types_.is_complex_dtype(s.dtype) or not out["count"]:
        return out
    d = s.dropna()
    if types_.is_numeric_dtype(s.dtype):
        out["mean"], out["std"] = safe(float(d.mean())), safe(float(d.std())) if len(d) > 1 else None
    else:
        out["mean"] = safe(d.mean())
    q = d.quantile([0.25, 0.5, 0.75])
    out["min"] = safe(d.min())
    for label, v in zip(("25%", "50%", "75%"), q):
        out[label] = safe(v)
    out["max"] = safe(d.max())
    return out


def polars_column(s):
    out = {"count": int(len(s) - s.null_count())}
    if s.dtype.is_numeric() and out["count"]:
        out["mean"], out["std"], out["min"] = safe(s.mean()), safe(s.std()), safe(s.min())
        for label, p in (("25%", 0.25), ("50%", 0.5), ("75%", 0.75)):
            out[label] = safe(s.quantile(p, interpolation="linear"))
        out["max"] = safe(s.max())
    elif out["count"]:
        try:
            out["unique"] = int(s.n_unique())
        except Exception:
            pass
    return out


def dataframe(ns, name, head):
    if name not in ns:
        return {"missing": True}
    v = ns[name]
    t = type(v)
    if not frame(t):
        return {"wrong": type.__getattribute__(t, "__name__")}
    is_pandas = family(t) == "pandas" or any(family(b) == "pandas" and b.__name__ == "DataFrame" for b in t.__mro__)
    names = [column_name(c) for c in v.columns]
    keys = unique(names)
    rows, cols = (int(n) for n in v.shape)
    dtypes = [str(d) for d in v.dtypes]
    out = {
        "name": name, "type": "%s.%s" % (family(t) or "pandas", t.__name__), "shape": [rows, cols],
        "columns": names, "dtypes": dict(zip(keys, dtypes)), "describe": {}, "notes": [],
    }
    out["memory_bytes"] = int(v.memory_usage(index=True, deep=rows <= 100000).sum()) if is_pandas else int(v.estimated_size())
    if is_pandas and rows > 100000 and "object" in dtypes:
        out["notes"].append("memory_bytes leaves out what object columns point to")
    if head:
        part = v.head(head)
        columns = [[safe(x) for x in (part.iloc[:, i] if is_pandas else part[:, i])] for i in range(min(cols, MANY))]
        out["head"] = [dict(zip(keys, row)) for row in zip(*columns)] if columns else []
    end = time.monotonic() + BUDGET
    for i in range(min(cols, MANY)):
        if time.monotonic() > end:
            out["notes"].append("describe has the first %d columns only: the rest would take long" % i)
            break
        try:
            out["describe"][keys[i]] = pandas_column(v.iloc[:, i]) if is_pandas else polars_column(v[:, i])
        except Exception as e:
            out["notes"].append("column %s could not be described: %s" % (keys[i], type(e).__name__))
    if cols > MANY:
        out["notes"].append("head and describe have the first %d of %d columns" % (MANY, cols))
    return out
