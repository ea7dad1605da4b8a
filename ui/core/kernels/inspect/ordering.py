# Runs after sources.py: the order of values, and how often they occur. It calls no code of user-defined classes, either.
import collections

TOP = 4  # most frequent values of a column

NUMBERS = (int, float, bool, decimal.Decimal)
DATES = (datetime.date, datetime.datetime)
HASHED = {"Timestamp", "Timedelta", "NaTType", "NAType", "Period", "Interval"}  # of pandas
ORDERED = ({int, float, bool}, {datetime.date}, {datetime.datetime}, {datetime.time}, {datetime.timedelta}, {decimal.Decimal, int}, {bytes})


def number_of(v):
    """Returns v as a number of Python, also if it is one of numpy; None if it is none."""
    t = type(v)
    if t not in NUMBERS and known(t) == "numpy" and issubclass(t, (np_().number, np_().bool_)):
        v = v.item()
    return v if type(v) in NUMBERS else None


def sort_key(v):
    """Returns what values of different types are sorted by: numbers, then times, durations and texts, then others by their text."""
    t = type(v)
    n = number_of(v)
    if n is not None:
        return 0, n
    if t is datetime.timedelta or of(t, "__name__") == "Timedelta" and known(t):
        return 2, v
    if t is str:
        return 3, v
    text = str(safe(v))
    return (1, text) if t in DATES or of(t, "__name__") == "Timestamp" and known(t) else (4, (of(t, "__name__"), text))


def stable(arr, down):
    """Returns the positions that sort an array without missing values. Equal ones stay in their order."""
    np = np_()
    if arr.dtype.kind in "iub" and len(arr):
        low, high = int(arr.min()), int(arr.max())
        if high - low < 65536:  # numpy sorts these in linear time
            codes = arr.astype("int64") - low if arr.dtype.kind != "u" else arr - arr.min()
            return np.argsort((high - low - codes if down else codes).astype("uint16"), kind="stable")
        if arr.dtype.kind == "i" and (high - low) * len(arr) < 2**62:  # with its position, each value is another one
            codes = arr.astype("int64")
            return np.sort((high - codes if down else codes - low) * len(arr) + np.arange(len(arr))) % len(arr)
    order = np.argsort(arr)  # several times as fast as a stable sort
    by = arr[order]
    differ = by[1:] != by[:-1]
    if differ.all():
        return order[::-1] if down else order
    groups = np.concatenate([np.zeros(1, dtype="int64"), np.cumsum(differ)])
    return np.sort((groups[-1] - groups if down else groups) * len(arr) + order) % len(arr)


def ordered(values, down):
    there = [j for j, v in enumerate(values) if not absent(v)]
    rest = [j for j, v in enumerate(values) if absent(v)] if len(there) < len(values) else []
    kinds = {type(values[j]) for j in there}
    np = np_()
    if kinds == {str} and np:
        texts = [values[j] for j in there]
        each = set(texts)
        if "pyarrow" in sys.modules and len(each) > 50000:
            import pyarrow as pa, pyarrow.compute as pc

            try:
                codes = pc.rank(pa.array(texts), tiebreaker="dense").to_numpy()  # does not hold the interpreter's lock
            except Exception:  # text that UTF-8 cannot encode
                codes = None
        else:
            codes = None
        if codes is None:
            rank = {v: n for n, v in enumerate(sorted(each))}
            codes = np.fromiter((rank[v] for v in texts), dtype=np.int64, count=len(texts))
        return np.concatenate([np.array(there, dtype=np.int64)[stable(codes, down)], np.array(rest, dtype=np.int64)])
    key = values.__getitem__
    if kinds != {str} and not any(kinds <= some for some in ORDERED):
        key = lambda j: sort_key(values[j])
    try:
        there.sort(key=key, reverse=down)
    except TypeError:  # times with and without a zone
        there.sort(key=lambda j: str(safe(values[j])), reverse=down)
    there += rest
    return np.array(there, dtype=np.int64) if np else there


def commonest(values):
    """Returns the most frequent values with their counts, and how many different ones there are."""
    kinds = set(map(type, values))
    if mostly_different(values) or not all(t in PLAIN or of(t, "__name__") in HASHED and known(t) for t in kinds):
        return None
    counts = collections.Counter(v for v in values if not absent(v))
    return [[brief(v), n] for v, n in counts.most_common(TOP)], len(counts)


def mostly_different(values):
    """Reports whether counting values would take long and say nothing, as for names or texts."""
    some = values[:: max(len(values) // 5000, 1)]
    return len(values) > 100000 and all(type(v) is str for v in some) and len(set(some)) > 0.9 * len(some)
