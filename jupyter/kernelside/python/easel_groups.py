"""Reads groups of artists: bars, error bars, stems, boxes and pies."""

import sys

import easel_numbers as numbers
import easel_series
import easel_shapes
from easel_numbers import attributes
from easel_series import Series, common, hexed, known, labelled

SLACK = 1e-6  # of a bar's width, by which adjacent bars of a histogram may differ


def rectangles(patches):
    """Returns left, bottom, width and height of rectangles."""
    numpy = sys.modules["numpy"]
    found = [[attributes(p)[k] for k in ("_x0", "_y0", "_width", "_height")] for p in patches]
    for row in found:
        for v in row:
            if type(v) not in (int, float) and type(v).__module__ != "numpy":
                raise TypeError
    return numpy.array(found, dtype=float).reshape(-1, 4).T


def bars(r, container):
    """Yields the bars of a container, as a histogram if they are adjacent."""
    kind = sys.modules["matplotlib.patches"].Rectangle
    patches = [p for p in r.take(attributes(container).get("patches") or container) if known(p) and isinstance(p, kind)]
    if not patches or not all(attributes(p).get("_transform") is r.data for p in patches):
        return
    horizontal = lying(attributes(container).get("orientation"), patches)
    faces = [hexed(attributes(p)["_facecolor"]) for p in patches]
    colour = common({face or hexed(attributes(p)["_edgecolor"]) for face, p in zip(faces, patches)})
    s = barred(*rectangles(patches), horizontal, patches[0], colour, labelled(container), categories(r.ax, horizontal))
    s.style = common({str(attributes(p).get("_hatch") or "") for p in patches})
    if not all(faces):
        s.style = (s.style + " hollow").strip()
    if not s.label and len(patches) == 1:
        s.label = labelled(patches[0])
    yield s


def lying(orientation, patches):
    """Reports whether bars are horizontal. Before matplotlib 3.4, only their places tell."""
    if orientation is not None:
        return orientation == "horizontal"
    x, y, _, _ = rectangles(patches)
    return len(x) > 1 and bool((x == x[0]).all()) and not bool((y == y[0]).all())


def categories(ax, horizontal):
    axis = ax.yaxis if horizontal else ax.xaxis
    return type(axis.units).__name__ == "UnitData"


def barred(x, y, width, height, horizontal, artist, colour, label, named):
    """Returns the series of bars."""
    numpy = sys.modules["numpy"]
    if horizontal:
        x, y, width, height = y, x, height, width
    slack = numpy.abs(width).max() * SLACK
    adjacent = len(x) > 2 and not named and bool((numpy.abs(x[1:] - x[:-1] - width[:-1]) <= slack).all())
    if adjacent and not horizontal and bool((width > 0).all()):
        columns = [("x", x, "x"), ("width", width, "dx"), ("y", height, "y")]
        return Series("histogram", [numbers.Column(n, v, dim=d) for n, v, d in columns], artist, colour, label=label)
    across, along = ("y", "x") if horizontal else ("x", "y")
    columns = [
        (across, x + width / 2, across),
        (along, y + height, along),
        ("width", numpy.abs(width), "d" + across),
        ("base", y, along),
    ]
    return Series(
        "barsh" if horizontal else "bars", [numbers.Column(n, v, dim=d) for n, v, d in columns], artist, colour, label=label
    )


def errorbars(r, container):
    """Yields the points of error bars, and the bars of each direction."""
    data, caps, bars = attributes(container).get("lines") or container
    label = labelled(container)
    r.take(caps)
    for main in r.take([data]):
        for s in easel_shapes.line(r, main):
            if s is not easel_series.UNREAD:
                s.label = label
            yield s
    for c in r.take(bars):
        for s in easel_shapes.segments(r, c):
            if s is not easel_series.UNREAD:
                s.label = label
            yield s


def stems(r, container):
    have = attributes(container)
    lines = have.get("stemlines")
    r.take([have.get("baseline"), *(lines if type(lines) in (list, tuple) else [lines])])
    for main in r.take([have.get("markerline")]):
        for s in easel_shapes.line(r, main):
            if s is not easel_series.UNREAD:
                s.label = labelled(container)
            yield s


def straight(line, data):
    """Returns the ends of a line of two points along an axis: 0 for x or 1 for y, its place on the other axis, and the ends."""
    found = easel_shapes.points_of(line) if attributes(line).get("_transform") is data else None
    if found is None or len(found[0]) != 2 or not easel_shapes.style_of(line)[1]:
        return None
    (x0, y0), (x1, y1) = found[0].tolist()
    if x0 == x1:
        return 1, x0, y0, y1
    return (0, y0, x0, x1) if y0 == y1 else None


def boxes(r, lines):
    """Yields the boxes of box plots, which are lines in a certain order: whiskers, caps and the median of each box."""
    found, i = {}, 0  # by direction and colour
    while i < len(lines) - 2:
        box, used = boxed(r, lines, i)
        if box is None:
            i += 1
            continue
        found.setdefault((box["along"], box["colour"]), []).append(box)
        r.take(lines[i : i + used])
        i += used
    colours = {colour for _, colour in found}
    if len(colours) > 1 and sum(map(len, found.values())) == len(found):  # each box has its own
        found = {(along, ""): [b for (a, _), some in found.items() for b in some if a == along] for along in (0, 1)}
    for (along, colour), some in found.items():
        if some:
            yield from boxes_of(some, along, colour)


def boxes_of(some, along, colour):
    numpy, (across, main) = sys.modules["numpy"], ("xy" if along else "yx")
    some.sort(key=lambda b: b["at"])
    columns = [numbers.Column(across, numpy.array([b["at"] for b in some]), dim=across)]
    columns += [numbers.Column(k, numpy.array([b[k] for b in some]), dim=main) for k in ("min", "q1", "median", "q3", "max")]
    label = next((b["label"] for b in some if b["label"]), "")
    yield Series("box", columns, some[0]["line"], colour, label=label)
    fliers = [b["fliers"] for b in some if b["fliers"] is not None and len(b["fliers"])]
    if fliers:
        data = numpy.concatenate(fliers)
        yield Series(
            "points",
            [numbers.Column("x", data[:, 0], dim="x"), numbers.Column("y", data[:, 1], dim="y")],
            some[0]["line"],
            colour,
            label="outliers",
        )


def boxed(r, lines, i):
    """Returns the box whose lines begin at i, and how many they are; None if none begins there."""
    frame = framed(lines[i], r.data)
    first = i
    i += frame is not None
    ends = [straight(x, r.data) for x in lines[i : i + 5]]
    if len(ends) < 3 or None in ends[:3]:
        return None, 0
    (along, at, q1, low), (along2, at2, q3, high) = ends[:2]
    if along != along2 or at != at2 or not low <= q1 <= q3 <= high:
        return None, 0
    rest, used = ends[2:], 2
    middle = lambda e: e is not None and e[0] != along and abs((e[2] + e[3]) / 2 - at) <= 1e-6 * max(1, abs(at))  # noqa: E731
    if len(rest) > 2 and middle(rest[0]) and middle(rest[1]) and rest[0][1] == low and rest[1][1] == high and middle(rest[2]):
        rest, used = rest[2:], 4
    if not middle(rest[0]) or not q1 <= rest[0][1] <= q3:
        return None, 0
    median, used = rest[0][1], used + 1
    box = {
        "along": along,
        "at": at,
        "min": low,
        "q1": q1,
        "median": median,
        "q3": q3,
        "max": high,
        "line": lines[first],
        "fliers": None,
    }
    box["colour"], box["label"] = coloured(r, box, lines[first])
    i += used
    while i < len(lines) and i - first < 9:  # means and outliers
        found = easel_shapes.points_of(lines[i]) if attributes(lines[i]).get("_transform") is r.data else None
        marker, drawn = easel_shapes.style_of(lines[i])
        places = found[0][:, 1 - along] if found is not None else ()
        if found is None or drawn or not marker or len(places) and not bool((places == at).all()):
            break
        if not (len(places) == 1 and q1 <= found[0][0, along] <= q3):
            box["fliers"] = found[0]
        i += 1
    return box, i - first


def framed(line, data):
    """Returns the outline of a box if a line is one."""
    found = easel_shapes.points_of(line) if attributes(line).get("_transform") is data else None
    if found is None or len(found[0]) not in (5, 11, 12) or not bool((found[0][0] == found[0][-1]).all()):
        return None
    return found[0]


def coloured(r, box, line):
    """Returns the colour and label of a box: of the patch that fills it, or of its line."""
    numpy = sys.modules["numpy"]
    for p in r.rest("patches", "PathPatch"):
        vertices = attributes(p)["_path"].vertices
        found = numbers.pairs(vertices)
        if found is None or attributes(p).get("_transform") is not r.data:
            continue
        along, across = found[0][:, box["along"]], found[0][:, 1 - box["along"]]
        if (
            numpy.isclose((across.min() + across.max()) / 2, box["at"])
            and numpy.isclose(along.min(), box["q1"])
            and numpy.isclose(along.max(), box["q3"])
        ):
            r.take([p])
            return hexed(attributes(p)["_facecolor"]), labelled(p)
    return hexed(attributes(line)["_color"], attributes(line).get("_alpha")), labelled(line)


def pies(r, wedges):
    """Yields a pie for the wedges of each circle."""
    circles = {}
    for w in wedges:
        if attributes(w).get("_transform") is r.data:
            have = attributes(w)
            circles.setdefault((tuple(map(float, have["center"])), float(have["r"])), []).append(w)
    if len(circles) > 1:  # exploded wedges have centres of their own
        radii = {r for _, r in circles}
        if len(radii) == 1 and all(len(some) <= 2 for some in circles.values()):
            circles = {None: [w for w in wedges if attributes(w).get("_transform") is r.data]}
    for some in circles.values():
        if len(some) < 2:
            continue
        r.take(some)
        shares = [(attributes(w)["theta2"] - attributes(w)["theta1"]) / 360 for w in some]
        s = Series("pie", [numbers.column("value", [float(v) for v in shares])], some[0], label="")
        names = [labelled(w) for w in some]
        if any(names):
            s.more["names"] = names
        yield s


CONTAINERS = {"BarContainer": bars, "ErrorbarContainer": errorbars, "StemContainer": stems}
