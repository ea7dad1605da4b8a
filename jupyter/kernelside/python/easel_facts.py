"""Reads what a matplotlib figure shows in numbers, and sends it with the figure's picture.

The facts travel in the transient data of the display, which no document stores. They are read
after the figure was drawn, from its artists. A failure never fails a display.
"""

import collections
import json
import sys
import threading
import time

import easel_axes
import easel_numbers as numbers
import easel_series
import easel_unseen
from easel_numbers import attributes

VERSION = 1
MOST_AXES = 64
MOST_BYTES = 64 << 10  # without the numbers
MOST_NUMBERS = (4 << 20) // 8
MOST_SECONDS = 0.1  # after which no more axes are read
MOST_NAMES = 200  # of an axis
SAMPLES = (numbers.SAMPLE, 1000, 100, 10, 0)
SHOWN, SHOWN_BYTES = 16, 16 << 20  # pictures that were formatted, but not published yet


def read(figure, drawing=None, most=MOST_NUMBERS):
    """Returns the facts of a figure as JSON-like data, with at most so many numbers; None if it has no axes."""
    numpy = sys.modules["numpy"]
    with numpy.errstate(all="ignore"):
        until, found, more = time.thread_time() + MOST_SECONDS, [], 0
        every = easel_axes.every(figure)
        known = {id(ax): n for n, (ax, _) in enumerate(every, 1)}
        bars = {}  # what colorbars say, by what they map
        for ax, parent in every:
            if not easel_series.known(ax) or not easel_series.visible(ax):
                more += not easel_series.known(ax)
                continue
            bar = attributes(ax).get("_colorbar")
            if bar is not None or attributes(ax).get("_label") == "<colorbar>":  # matplotlib 3.3 has only the label
                bars[id(attributes(bar).get("mappable") if bar else None)] = ax.get_xlabel() or ax.get_ylabel()
            elif parent is None or attributes(ax).get("_orientation") is None:
                if len(found) == MOST_AXES or time.thread_time() > until:
                    more += 1
                    continue
                try:
                    described = axes(ax, known)
                except Exception:  # another version of matplotlib, or an axes of another kind
                    more += 1
                    continue
                found.append(described)
        if not found and not more:
            return None
        return packed(found, more, bars, drawing or [], most)


def axes(ax, known):
    """Returns the description of an axes, with its series as they were read."""
    d = {"n": known[id(ax)], "of": ax}
    titles = [attributes(ax).get(k) for k in ("title", "_left_title", "_right_title")]
    title = " ".join(t.get_text() for t in titles if t is not None and t.get_text())
    if title:
        d["title"] = short(title)
    legends = [attributes(ax).get("legend_"), *ax.figure.legends]
    if any(easel_series.visible(legend) for legend in legends if legend is not None):
        d["legend"] = True
    twins = [known[id(o)] for o in ax._twinned_axes.get_siblings(ax) if id(o) in known]
    if twins and min(twins) < d["n"]:
        d["twin"] = min(twins)
        if not ax.axison:
            pass  # nobody sees on which side it is
        elif ax.yaxis.get_ticks_position() == "right":
            d["side"] = "right"
        elif ax.xaxis.get_ticks_position() == "top":
            d["side"] = "top"
    if ax.name != "rectilinear":
        d["projection"] = str(ax.name)[:40]
    flat = ax.name in ("rectilinear", "polar")
    for key in "xy":
        d[key] = axis(ax, key, flat)
    d["series"], d["more"] = [], 0
    if flat:
        reader = easel_series.Reader(ax)
        series = reader.read()
        d["series"], d["more"] = series[: easel_series.MOST], reader.unread + len(series[easel_series.MOST :])
        unseen = easel_unseen.found(reader)
        if unseen:
            d["unseen"] = unseen
    return d


def short(text, longest=easel_axes.LONGEST):
    return " ".join(text.split())[:longest]


def axis(ax, key, flat):
    """Returns the label, the limits and the scale of an axis."""
    d, of = {}, getattr(ax, key + "axis")
    label = of.label.get_text()
    if type(label) is str and label.strip():
        d["label"] = short(label)
    if not flat or ax.name == "polar" and key == "x":
        return d
    lim = tuple(map(float, getattr(ax, "get_%slim" % key)()))
    scaled = easel_axes.scaled(ax, of, lim, MOST_NAMES)
    scale = scaled.get("scale", "")
    if scale == "empty":
        return d
    d["lim"] = [number(v) for v in scaled.get("lim", lim)]
    if scale:
        d["scale"] = scale if scale in ("log", "symlog", "logit", "date", "category") else "other"
    pairs = scaled.get("names")
    if pairs:
        d["names"] = [name for _, name in pairs]
        at = [place for place, _ in pairs]
        if at != list(range(len(at))):
            d["at"] = at
    return d


def number(value):
    """Returns a number for JSON, which has no infinite ones."""
    return float(value) if numbers.finite(value) else None


class Dates:
    """Converts numbers of an axis to seconds since 1970, if it has dates."""

    def __init__(self, ax):
        self.by = {}
        for key in "xy":
            axis = getattr(ax, key + "axis")
            if ax.name == "rectilinear" and easel_axes.seconds(ax, axis, (0.0, 1.0)):
                formatter = axis.get_major_formatter()
                periods = getattr(ax, "freq", None) is not None and type(formatter).__name__ == "TimeSeries_DateFormatter"
                self.by[key] = self.periods(ax.freq) if periods else self.days
                self.by["d" + key] = (lambda v: v) if periods else (lambda v: v * 86400)

    def days(self, values):
        epoch = float(sys.modules["numpy"].datetime64(sys.modules["matplotlib.dates"].get_epoch(), "s").astype("int64"))
        return values * 86400 + epoch

    def periods(self, freq):
        numpy = sys.modules["numpy"]

        def convert(values):
            """pandas counts periods, which have different lengths."""
            found, back = numpy.unique(values, return_inverse=True)
            times = [easel_axes.period(freq, v) if numbers.finite(v) else numpy.nan for v in found.tolist()[:2000]]
            times += [numpy.nan] * (len(found) - len(times))
            return numpy.array(times, dtype=float)[back.reshape(-1)]

        return convert

    def convert(self, values, dim):
        return self.by[dim](values) if dim in self.by else values


def packed(found, more, bars, drawing, most_numbers):
    """Returns the facts with encoded numbers, within the bounds."""
    every = [s for d in found for s in d["series"]]
    most = sample(every, most_numbers)
    for d in found:
        dates = Dates(d["of"])
        lims = {key: d[key].get("lim") if d["of"].name == "rectilinear" or key == "y" else None for key in "xy"}
        del d["of"]
        read = []
        for s in d["series"]:
            try:
                read.append(series(s, most, dates, lims, bars))
            except Exception:  # broken data
                d["more"] += 1
        d["series"] = read
    facts = {"v": VERSION, "axes": found, "more": more, "drawing": drawing}
    return bounded(facts)


def sample(every, most):
    """Returns how many points of a series are sent at most."""
    sizes = sorted((s.count * len(s.columns) for s in every), reverse=True)
    if sum(sizes) <= most:
        return {}
    for limit in SAMPLES:
        cut, left = {}, sum(sizes)
        for s in sorted(every, key=lambda s: -s.count * len(s.columns)):
            if left <= most:
                break
            if s.count > limit:
                cut[id(s)] = limit
                left -= (s.count - limit) * len(s.columns)
        if left <= most:
            return cut
    return {id(s): 0 for s in every}


def series(s, most, dates, lims, bars):
    """Returns the JSON of a series."""
    d = {"kind": s.kind, "count": s.count}
    for key, value in ("label", s.label), ("colour", s.colour[:7]), ("style", s.style):
        if value:
            d[key] = value
    if s.colour[7:]:
        d["alpha"] = round(int(s.colour[7:], 16) / 255, 3)
    if s.kind in ("line", "points") and s.artist is not None and attributes(s.artist).get("_clipon") is False:
        d["spills"] = True
    mapped = bars.get(id(s.more["mappable"])) if "mappable" in s.more else None
    if type(mapped) is str and mapped.strip():
        d["values"] = short(mapped)
    for key in "names", "shape", "extent":
        if key in s.more:
            d[key] = s.more[key]
    whole = None
    at = slice(None)
    if id(s) in most:
        at, shape = places(s, most[id(s)])
        whole = complete(s, dates, lims)
        if shape:
            whole["shape"] = shape
    elif s.ends:
        whole = s.ends
    d["columns"] = [{"name": c.name, "numbers": numbers.encoded(dates.convert(c.take(at), c.dim))} for c in s.columns]
    if whole:
        d["whole"] = whole
    return d


def places(s, most):
    """Returns the places of a sample that is evenly spaced, and its shape if the series has one."""
    numpy = sys.modules["numpy"]
    if "shape" not in s.more:
        return numpy.linspace(0, s.count - 1, most).astype(int), None
    rows, across = s.more["shape"]
    step = 1
    while -(-rows // step) * -(-across // step) > most:
        step += 1
    down, right = numpy.arange(0, rows, step), numpy.arange(0, across, step)
    return (down[:, None] * across + right).reshape(-1), [len(down), len(right)]


def complete(s, dates, lims):
    """Returns exact figures of all values of a series."""
    by = {c.name: c for c in s.columns}
    horizontal = s.kind == "barsh" or s.kind in ("area", "errorbars", "box") and "y" in by
    grid = s.kind in ("image", "mesh", "pie")
    across = None if grid else by.get("y" if horizontal else "x")
    names = ("value",) if grid else ("high", "max", "x" if horizontal else "y")
    along = next((by[k] for k in names if k in by), s.columns[0])
    broken, outside = None, None
    for c in {id(c): c for c in (across, along) if c is not None}.values():
        broken, outside = either(broken, missing(c)), either(outside, beyond(c, lims.get(c.dim), dates))

    def point(at):
        one = slice(at, at + 1)
        x = float(dates.convert(across.take(one), across.dim)[0]) if across is not None else float(at)
        found = [number(x), number(float(dates.convert(along.take(one), along.dim)[0]))]
        return found[::-1] if horizontal else found

    d = {"nan": 0 if broken is None else int(broken.sum()), "outside": 0 if outside is None else int(outside.sum())}
    ends = along.ends()
    if ends is not None:
        d["min"], d["max"] = point(ends[2]), point(ends[3])
    if s.count and not grid:
        d["last"] = point(s.count - 1)
    return d


def either(a, b):
    return a if b is None else b if a is None else a | b


def beyond(c, lim, dates):
    """Returns which numbers of a column are beyond the axes; None if none are."""
    ends = c.ends() if lim and None not in lim else None
    if ends is None:
        return None
    low, high = sorted(lim)
    span = dates.convert(sys.modules["numpy"].array(ends[:2]), c.dim)
    if span[0] >= low and span[1] <= high:
        return None
    values = dates.convert(c.take(slice(None)), c.dim)
    return (values < low) | (values > high)


def missing(c):
    """Returns which numbers of a column are missing; None if none are."""
    if c.data.dtype.kind != "f" and c.mask is None:
        return None
    if c.mask is None and numbers.finite(float(c.data.min())) and numbers.finite(float(c.data.max())):
        return None
    return ~c.finite()


def bounded(facts):
    """Leaves out what exceeds the bound of a description: names first, then series, then axes."""
    numbers_of = lambda a: sum(len(c["numbers"]) for s in a["series"] for c in s["columns"])  # noqa: E731
    size = lambda a: len(json.dumps(a, ensure_ascii=False).encode("utf-8", "replace")) - numbers_of(a)  # noqa: E731
    sizes = [size(a) for a in facts["axes"]]
    if sum(sizes) > MOST_BYTES:
        for a in facts["axes"]:
            for part in (a["x"], a["y"], *a["series"]):
                part.pop("names", None)
                part.pop("at", None)
        sizes = [size(a) for a in facts["axes"]]
    while sum(sizes) > MOST_BYTES and sizes:
        i = sizes.index(max(sizes))
        a = facts["axes"][i]
        if len(a["series"]) > 8:
            half = len(a["series"]) // 2
            a["more"] += len(a["series"]) - half
            a["series"] = a["series"][:half]
            sizes[i] = size(a)
        else:
            facts["axes"].pop()
            facts["more"] += 1
            sizes.pop()
    room = MOST_BYTES // 4
    for n, part in enumerate(facts["drawing"]):
        room -= len(json.dumps(part))
        if room < 0:
            del facts["drawing"][n:]
            break
    return facts


class Shown:
    """The facts of pictures that are about to be published. A picture is known by its object."""

    def __init__(self):
        self.lock = threading.Lock()
        self.facts = collections.OrderedDict()  # (picture, facts) by the picture's id

    def add(self, bundle, facts):
        with self.lock:
            for kind, picture in bundle.items():
                if type(kind) is str and kind.startswith("image/") and type(picture) in (str, bytes):
                    self.facts[id(picture)] = picture, facts
            while len(self.facts) > SHOWN or len(self.facts) > 2 and sum(len(p) for p, _ in self.facts.values()) > SHOWN_BYTES:
                self.facts.popitem(last=False)

    def of(self, bundle):
        """Returns the facts of the picture in a bundle, once; None if there are none."""
        if type(bundle) is not dict:
            return None
        found = None
        with self.lock:
            for kind, picture in bundle.items():
                if type(kind) is str and kind.startswith("image/"):
                    known = self.facts.get(id(picture))
                    if known is not None and known[0] is picture:
                        del self.facts[id(picture)]
                        found = known[1]
        return found


shown = Shown()


def extend_kernel():
    """Makes the kernel's displays send the facts of their pictures."""
    publisher = getattr(sys.modules.get("ipykernel.zmqshell"), "ZMQDisplayPublisher", None)
    hook = getattr(sys.modules.get("ipykernel.displayhook"), "ZMQShellDisplayHook", None)
    if publisher is None or hook is None or hasattr(publisher.publish, "easel_plain"):
        return
    plain, write = publisher.publish, hook.write_format_data

    def publish(self, data, metadata=None, *args, **kwargs):
        facts = shown.of(data)
        if facts is not None and not args and type(kwargs.get("transient")) in (dict, type(None)):
            kwargs["transient"] = {**(kwargs.get("transient") or {}), "easel": facts}
        return plain(self, data, metadata, *args, **kwargs)

    def write_format_data(self, format_dict, *args, **kwargs):
        result = write(self, format_dict, *args, **kwargs)
        facts = shown.of(format_dict)
        content = self.msg.get("content") if facts is not None and type(self.msg) is dict else None
        if type(content) is dict:
            content["transient"] = {"easel": facts}
        return result

    publish.easel_plain, write_format_data.easel_plain = plain, write
    publisher.publish, hook.write_format_data = publish, write_format_data
