# Runs inside the user's kernel, in a namespace of its own: reads, never writes.
# It calls nothing of a user's object: no repr, no len, no attribute of a type
# that it does not know, so a slow or hostile class costs nothing.
import builtins, json, math, sys, types

SKIP = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset, range)
KNOWN = {
    "numpy", "pandas", "polars", "xarray", "torch", "tensorflow", "jax", "jaxlib",
    "scipy", "pyarrow", "PIL", "dask",
}
TEXT = 200
BITS = 8192


def of(t, name):  # past a metaclass that answers for itself
    return type.__dict__[name].__get__(t)


def family(t):
    for base in of(t, "__mro__"):
        module = of(base, "__module__")
        if type(module) is str:
            root = module.partition(".")[0]
            if root in KNOWN:
                return root
    return ""


def frame(t):
    return any(of(b, "__name__") == "DataFrame" and family(b) in ("pandas", "polars") for b in of(t, "__mro__"))


def size(v, t, root):
    if t in SIZED:
        return None if t is str else "%d item%s" % (len(v), "" if len(v) == 1 else "s")
    for base in SIZED:
        if issubclass(t, base) and not root:
            return "%d items" % base.__len__(v)
    if not root:
        return None
    shape = getattr(v, "shape", None)
    if frame(t) and len(shape) == 2:
        return "%d rows × %d cols" % shape
    if root == "PIL":
        width, height = v.size
        return "%d×%d px" % (width, height)
    if shape is None:
        return None
    shape = tuple(int(n) for n in shape)
    return None if shape == () else "(%s)" % (", ".join(map(str, shape)) + ("," if len(shape) == 1 else ""))


def memory(v, t, root):
    if t in SIZED or t in (int, float, bool, complex):
        return sys.getsizeof(v)
    if root == "pandas" and frame(t):
        if v.shape[1] > 1000:
            return None
        return int(v.memory_usage(index=False, deep=False).sum())
    if root == "polars" and frame(t):
        return int(v.estimated_size())
    n = getattr(v, "nbytes", None) if root else None
    return int(n) if isinstance(n, int) else None


def value(v, t, root):
    if root == "numpy" and of(t, "__name__") in ("bool", "bool_", "float64", "float32", "float16", "str_") or \
            root == "numpy" and of(t, "__name__").startswith(("int", "uint")):
        v = v.item()
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
        except RuntimeError:  # the main thread adds a name right now
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
        self.json = json.dumps(v, allow_nan=False)

    def __repr__(self):
        return "easel"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {MIME: self.json}
