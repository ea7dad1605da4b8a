# Runs after sources.py: values that are copied or shown alone, with all that is in them.
LONG = 100000  # characters of a cell that is asked for alone, or copied
AROUND = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}


def whole(v):
    """Returns v without what brief and safe leave out of it, up to LONG characters."""
    if type(v) is str:
        return clip(v, LONG)
    parts = []
    try:
        write(v, parts, [LONG], 20)
    except Exception:  # a library's array that is damaged
        return safe(v)
    return clip("".join(parts), LONG) if parts else safe(v)


def write(v, parts, left, depth):
    """Appends the text of a collection or of bytes to parts, until it has as many characters as are left. It adds nothing for other values."""
    t = type(v)
    if known(t) == "numpy" and of(t, "__name__") == "ndarray" and v.ndim and v.size <= LONG and not v.dtype.hasobject:
        v = [x if x.ndim else x[()] for x in map(np_().asarray, v)] if v.dtype.kind in "Mm" else v.tolist()
    elif known(t) == "polars" and of(t, "__name__") == "Series":
        v = v.head(LONG).to_list()
    elif known(t) == "pyarrow" and hasattr(v, "as_py"):
        v = v.as_py()
    t = type(v)
    if t in (bytes, bytearray):
        parts.append(repr(v[:LONG]))
        return
    if t not in AROUND or depth == 0:
        return
    first, last = AROUND[t]
    parts.append(first)
    for n, x in enumerate(v):
        n and parts.append(", ")
        if t is dict:
            parts.append(inner(x) + ": ")
            x = v[x]
        before = len(parts)
        write(x, parts, left, depth - 1)
        if len(parts) == before:
            parts.append(json.dumps(clip(x, LONG), ensure_ascii=False) if type(x) is str else inner(x))
        left[0] -= len(parts[-1]) + 2
        if left[0] < 0:
            break
    parts.append(last)
