# Runs in the user's kernel, in its own namespace. It reads, but never writes.
# It calls no code of user-defined classes: no repr, no len, no attribute of an unknown
# type. So slow or hostile classes have no effect. It reads attributes of a library's
# object through the library's own class, bypassing overrides in the user's subclasses.
import builtins, collections, json, math, sys, types

SKIP = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset, range, collections.deque, memoryview)
MEASURED = SIZED + (int, float, complex)
KNOWN = {
    "numpy", "pandas", "polars", "xarray", "torch", "tensorflow", "jax", "jaxlib",
    "scipy", "pyarrow", "PIL", "dask",
}
TEXT = 200
BITS = 8192


def of(t, name):  # bypasses a metaclass with its own attribute access
    return type.__dict__[name].__get__(t)


def home(base):
    """Returns the package that defines a class, or "". Does not trust __module__ alone, which any class can set."""
    try:
        module, name = of(base, "__module__"), of(base, "__name__")
    except AttributeError:  # a class made by type() in a namespace without a name
        return ""
    found = sys.modules.get(module) if type(module) is str else None
    if not issubclass(type(found), types.ModuleType):
        return ""
    return module.partition(".")[0] if types.ModuleType.__dict__["__dict__"].__get__(found).get(name) is base else ""


def known(base):
    root = home(base)
    return root if root in KNOWN else ""


def family(t):
    for base in of(t, "__mro__"):
        root = known(base)
        if root:
            return root
    return ""


def read(v, name, default=None):
    """Returns an attribute of v as the library's own class defines it, or default."""
    found = False
    for base in of(type(v), "__mro__"):
        found = found or known(base) != ""
        space = of(base, "__dict__")
        if found and name in space:
            how = space[name]
            return how.__get__(v, base) if hasattr(type(how), "__get__") else how
    return default


def frame(t):
    return any(of(b, "__name__") == "DataFrame" and family(b) in ("pandas", "polars") for b in of(t, "__mro__"))


def items_of(v):
    for base in SIZED:
        if issubclass(type(v), base):
            n = base.__len__(v)
            return "%d item%s" % (n, "" if n == 1 else "s")
    return None


def size(v, t, root):
    """Returns the shape or the length of v or, if it has neither, the size of the object in bytes."""
    got = extent(v, t, root) if root else items_of(v)
    return got or "%d bytes" % footprint(v)


def extent(v, t, root):
    if root == "PIL":
        width, height = read(v, "size")
        return "%d×%d px" % (width, height)
    shape = read(v, "shape")
    if shape is None:
        return None
    if frame(t) and len(shape) == 2:
        return "%d rows × %d cols" % tuple(shape)
    shape = tuple(int(n) for n in shape)
    return "(%s)" % (", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")) if shape else None


def footprint(v):
    for base in MEASURED:
        if issubclass(type(v), base):
            return base.__sizeof__(v)
    if of(type(v), "__itemsize__"):  # generators have items but no item count, so __sizeof__ would return garbage
        return of(type(v), "__basicsize__")
    return object.__sizeof__(v)


def weigh(some, n):
    """Estimates from some of n objects how many bytes they take; None if they are not Python's own."""
    if not some:
        return 0
    if not all(type(x) in MEASURED or x is None or type(x) is bool for x in some):
        return None
    return sum(map(sys.getsizeof, some)) * n // len(some)


def some_of(values, n):
    """Returns some items of a sequence of n."""
    return list(values[:: max(n // 500, 1)])


def pandas_memory(v, t):
    """Estimates what a frame or a series takes, without asking the user's classes."""
    pd = sys.modules["pandas"]
    v = pd.DataFrame(v, copy=False) if frame(t) else pd.Series(v, copy=False).to_frame()  # as pandas' own class: a user's may override methods
    n, columns = v.shape
    if columns > 1000:
        return n * sum(int(m) * d.itemsize for d, m in v.dtypes.value_counts().items() if hasattr(d, "itemsize"))
    # Without what an index remembers once it was searched: to look at a frame must not make it larger.
    index = v.index
    rows = [*index.levels, *index.codes] if isinstance(index, pd.MultiIndex) else [index]
    total = int(v.memory_usage(index=False, deep=False).sum()) + sum(int(r.nbytes) for r in rows)
    objects = [i for i, d in enumerate(v.dtypes) if d == object]
    some = objects[:: max(len(objects) // 50, 1)]
    held = sum(weigh(list(v.iloc[:: max(n // 500, 1), i]), n) or 0 for i in some)
    return total + held * len(objects) // max(len(some), 1)


def memory(v, t, root):
    if t in (list, tuple, dict):
        n = len(v)
        held = weigh(some_of(list(v.values()) if t is dict else v, n), n)
        return None if held is None else sys.getsizeof(v) + held
    if t in MEASURED or t is bool:
        return sys.getsizeof(v)
    if root == "pandas" and any(known(b) and of(b, "__name__") in ("DataFrame", "Series") for b in of(t, "__mro__")):
        return pandas_memory(v, t)
    if root == "numpy" and read(v, "dtype") is not None and read(v, "dtype").hasobject:
        flat = sys.modules["numpy"].asarray(v).reshape(-1)
        held = weigh(some_of(flat, len(flat)), len(flat))
        return None if held is None else int(read(v, "nbytes")) + held
    if root == "polars" and read(v, "estimated_size") is not None:
        return int(read(v, "estimated_size")())
    n = read(v, "nbytes") if root else None
    return int(n) if isinstance(n, int) else None


def value(v, t, root):
    if root == "numpy" and of(t, "__name__") in ("bool", "bool_", "float64", "float32", "float16", "str_") or \
            root == "numpy" and of(t, "__name__").startswith(("int", "uint")):
        v = read(v, "item")()
        t = type(v)
    if t is bool:
        return v, False
    if t is int:
        if -(2**53) <= v <= 2**53:
            return v, False
        if v.bit_length() > BITS:
            return "an integer of %d bits" % v.bit_length(), True
        return str(v), False
    if t is float:
        if math.isfinite(v):
            return v, False
        return "NaN" if v != v else ("Infinity" if v > 0 else "-Infinity"), False
    if t is str:
        s = v[:TEXT].encode("utf-8", "backslashreplace").decode("utf-8")
        return s, len(v) > TEXT
    return None, False


def describe(name, v):
    t = type(v)
    tname = of(t, "__name__")
    entry = {"name": name, "type": tname}
    root = family(t)
    for key, f in (("size", size), ("memory_bytes", memory)):
        try:
            got = f(v, t, root)
        except Exception:
            got = None
        if got is not None:
            entry[key] = got
    try:
        got, cut = value(v, t, root)
    except Exception:
        got, cut = None, False
    if got is not None:
        entry["value"] = got
    if cut:
        entry["truncated"] = True
    return entry


def items(ns):
    for _ in range(20):
        try:
            return list(ns.items())
        except RuntimeError:  # the main thread is adding a name
            continue
    return []


def variables(ns, wanted, limit):
    hidden = {"In", "Out", "exit", "quit", "get_ipython", "open"}
    ipython = ns.get("get_ipython")
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        hidden_ns = shell.user_ns_hidden
    else:
        hidden_ns = {}
    found = []
    wanted = wanted.lower()
    for name, v in items(ns):
        if type(name) is not str or name.startswith("_"):
            continue
        if name in hidden and (name in hidden_ns and hidden_ns[name] is v or v is ipython or name in ("In", "Out")):
            continue
        if name in hidden_ns and hidden_ns[name] is v:
            continue
        if issubclass(type(v), SKIP):
            continue
        tname = of(type(v), "__name__")
        if wanted and wanted not in name.lower() and wanted not in tname.lower():
            continue
        found.append(describe(name, v))
        if len(found) >= limit:
            break
    found.sort(key=lambda e: (e["name"].lower(), e["name"]))
    return found


class Answer:
    def __init__(self, v):
        # Text as it is, because "\\u3042" costs a model four times as much. What UTF-8 cannot encode is escaped.
        self.json = json.dumps(v, allow_nan=False, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")

    def __repr__(self):
        return "easel"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {MIME: self.json}
