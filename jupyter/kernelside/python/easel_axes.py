"""Describes the axes of a matplotlib figure in its picture, so that a place in the picture has coordinates.

The description is JSON in a text chunk of the PNG, which travels with the picture and changes no
pixel. Boxes are pixels of this picture: matplotlib moves the axes when it cuts a figure to its
content, so the boxes are read while the figure is drawn.
"""

import contextlib
import json
import math
import struct
import sys
import zlib

KEYWORD = b"easel:axes"
MOST = 4096  # bytes of the chunk
MOST_AXES = 128
MOST_NAMES = 48  # labelled positions of an axis
LONGEST = 100  # characters of a title or label
LONGEST_NAME = 100  # of a category; more would make two of them look like one
DATES = ("DateConverter", "ConciseDateConverter", "_SwitchableDateConverter", "DatetimeConverter")


class Watch:
    """Reads where the axes are, each time that a figure is drawn."""

    def __init__(self, canvas):
        self.boxes, self.canvas, self.cid = {}, canvas, None
        with contextlib.suppress(Exception):
            self.cid = canvas.mpl_connect("draw_event", self.drawn)

    def drawn(self, event):
        with contextlib.suppress(Exception):
            self.boxes = {id(ax): ax.bbox.extents for ax, _ in every(event.canvas.figure)}

    def end(self):
        with contextlib.suppress(Exception):
            self.canvas.mpl_disconnect(self.cid)

    def add(self, file):
        """Adds the description to the picture in file, unless that is no PNG."""
        view = file.getbuffer()
        size = struct.unpack(">II", view[16:24]) if view[1:4] == b"PNG" and view[-8:-4] == b"IEND" else None
        view.release()
        if size and self.boxes:
            data = chunk(self.canvas.figure, self.boxes, size)
            if data:
                end = file.getvalue()[-12:]
                file.seek(-12, 2)
                file.write(data + end)


def every(figure):
    """Returns the axes of a figure, each with its parent: first those of fig.axes, then those within."""
    found = [(ax, None) for ax in figure.axes[:MOST_AXES]]
    for ax, _ in found:
        found += [(child, ax) for child in getattr(ax, "child_axes", ())]
        if len(found) > MOST_AXES:
            break
    return found


def chunk(figure, boxes, size):
    """Returns a PNG chunk that describes a figure's axes; None if there are none."""
    axes, numbers = [], {id(ax): n for n, (ax, _) in enumerate(every(figure), 1)}
    for ax, parent in every(figure):
        with contextlib.suppress(Exception):
            if id(ax) in boxes and ax.get_visible():
                axes.append(described(ax, parent, numbers, boxes, size[1]))
    more, slim = 0, 0
    while axes:
        text = {"v": 1, "size": size, "axes": axes, **({"more": more} if more else {})}
        data = zlib.compress(json.dumps(text, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace"), 6)
        body = b"iTXt" + KEYWORD + b"\0\1\0\0\0" + data
        if len(body) + 8 <= MOST:
            return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
        if slim < 2:
            slim += 1
            for a in axes:
                for part in (a.get("x", {}), a.get("y", {})) if slim == 1 else (a,):
                    for key in ("names",) if slim == 1 else ("title", "xlabel", "ylabel"):
                        part.pop(key, None)
        else:
            more += len(axes) - len(axes) // 2
            axes = axes[: len(axes) // 2]
    return None


def described(ax, parent, numbers, boxes, height):
    """Returns the description of one axes: its number, kind, texts, box and the scale of each axis."""
    orientation = getattr(ax, "_orientation", None)  # of a secondary axis, which is only a line
    secondary = parent is not None and orientation in ("x", "y") and "secondary" in type(ax).__module__
    x0, y0, x1, y1 = map(float, boxes[id(parent if secondary else ax)])
    box = min(x0, x1), height - max(y0, y1), max(x0, x1), height - min(y0, y1)
    d = {"n": numbers[id(ax)], "box": [round(v, 2) for v in box]}
    kind, of = "", parent
    bar = getattr(ax, "_colorbar", None)
    if secondary:
        kind = "secondary"
    elif bar is not None:
        kind, of = "colorbar", getattr(bar.mappable, "axes", None)
        orientation = "x" if bar.orientation == "horizontal" else "y"
    elif parent is not None or "inset" in type(ax.get_axes_locator()).__module__:
        kind = "inset"
    else:
        orientation = None
        twins = [numbers[id(o)] for o in ax._twinned_axes.get_siblings(ax) if id(o) in numbers]
        if twins and min(twins) < d["n"]:
            kind, d["of"] = "twin", min(twins)
    if kind:
        d["kind"] = kind
    if of is not None and id(of) in numbers:
        d["of"] = numbers[id(of)]
    title = " ".join(t.get_text() for t in (ax.title, ax._left_title, ax._right_title) if t.get_text()) if not secondary else ""
    for key, value in ("title", title), ("xlabel", ax.get_xlabel()), ("ylabel", ax.get_ylabel()):
        if value:
            d[key] = " ".join(value.split())[:LONGEST]
    if ax.name != "rectilinear" and not secondary or not ax.transData.is_separable:
        d["projection"] = ax.name
        return d
    for key, axis, lim in ("x", ax.xaxis, ax.get_xlim()), ("y", ax.yaxis, ax.get_ylim()):
        if orientation in (None, key):
            d[key] = scaled(ax, axis, tuple(map(float, lim)))
    return d


def scaled(ax, axis, lim, most=MOST_NAMES):
    """Returns the limits of an axis and how values lie between them."""
    scale, transform = axis.get_scale(), axis.get_transform()
    if scale == "symlog":
        d = {"lim": lim, "scale": scale, "args": [float(transform.base), float(transform.linthresh), float(transform.linscale)]}
    elif scale == "asinh":
        d = {"lim": lim, "scale": scale, "args": [float(transform.linear_width)]}
    elif scale in ("log", "logit"):
        d = {"lim": lim, "scale": scale}
    elif scale == "linear" or straight(transform, lim):
        d = {"lim": lim}
        dates = seconds(ax, axis, lim)
        if dates:
            d = {**dates, "scale": "date"}
    else:
        return {"scale": scale}
    if not all(map(math.isfinite, d["lim"])):
        return {"scale": "empty"}
    names = named(axis, most)
    if names is not None:
        d["names"] = names
        if categories(axis):
            d["scale"] = "category"
    return d


def categories(axis):
    """Returns the places of the categories of an axis; None if it has none. An axis that shares others has their formatter."""
    if converter(axis) == "StrCategoryConverter":
        return axis.units._mapping
    formatter = axis.get_major_formatter()
    return formatter._units if type(formatter).__name__ == "StrCategoryFormatter" else None


def straight(transform, lim):
    """Reports whether a function of the user's is linear, such as that from degrees to radians."""
    import numpy

    quarter = (lim[1] - lim[0]) / 4
    a, b, c, d, e = (float(v) for v in transform.transform(numpy.array([lim[0] + quarter * i for i in range(5)])))
    slack = abs(e - a) * 1e-9
    return slack > 0 and all(abs(v - a - (e - a) * i / 4) <= slack for i, v in ((1, b), (2, c), (3, d)))


def converter(axis):
    """Returns the name of what converts the user's values to numbers."""
    get = getattr(axis, "get_converter", None)  # new in matplotlib 3.10
    return type(get() if get else axis.converter).__name__


def seconds(ax, axis, lim):
    """Returns the limits of an axis of dates in seconds since 1970; None if it has no dates."""
    formatter = axis.get_major_formatter()
    if getattr(ax, "freq", None) is not None and type(formatter).__name__ == "TimeSeries_DateFormatter":
        return {"lim": [period(ax.freq, v) for v in lim]}  # pandas counts periods
    if converter(axis) not in DATES and not type(formatter).__name__.endswith("DateFormatter"):
        return None
    dates, numpy = sys.modules["matplotlib.dates"], sys.modules["numpy"]
    epoch = float(numpy.datetime64(dates.get_epoch(), "s").astype("int64"))
    d = {"lim": [round(v * 86400 + epoch, 6) for v in lim]}
    tz = getattr(formatter, "tz", None) or getattr(formatter, "_tz", None)
    if tz is not None:
        offset = dates.num2date(lim[0]).astimezone(tz).utcoffset()
        if offset:
            d["offset"] = offset.total_seconds()
    return d


def period(freq, value):
    """Returns the time of a fractional number of a period, in seconds since 1970."""
    pandas = sys.modules["pandas"]
    whole = math.floor(value)
    begin, end = (pandas.Period(ordinal=whole + i, freq=freq).start_time.timestamp() for i in (0, 1))
    return begin + (value - whole) * (end - begin)


def named(axis, most):
    """Returns the positions that have names, as [position, name]; None if there are none."""
    formatter, locator = axis.get_major_formatter(), axis.get_major_locator()
    known = categories(axis)
    if known:
        pairs = [(at, name) for name, at in known.items()]
    elif type(locator).__name__ != "FixedLocator":
        return None
    elif type(formatter).__name__ == "FixedFormatter":
        pairs = list(zip(locator.locs, formatter.seq))
    elif getattr(getattr(getattr(formatter, "func", None), "func", None), "__name__", "") == "_format_with_dict":
        pairs = list(formatter.func.args[0].items())
    else:
        return None
    pairs = [[float(at), cut_name(" ".join(str(name).split()))] for at, name in pairs if str(name).strip()]
    return pairs if 0 < len(pairs) <= most else None


def cut_name(name):
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
