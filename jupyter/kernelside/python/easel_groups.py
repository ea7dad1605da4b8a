"""Reads groups of artists: bars, error bars, stems, boxes and pies."""

import sys

import easel_numbers as numbers
from easel_series import Series, common, hexed, labelled

SLACK = 1e-6  # of a bar's width, by which adjacent bars of a histogram may differ


def rectangles(patches):
    """Returns left, bottom, width and height of rectangles."""
    numpy = sys.modules["numpy"]
    found = [[vars(p)[k] for k in ("_x0", "_y0", "_width", "_height")] for p in patches]
    for row in found:
        for v in row:
            if type(v) not in (int, float) and type(v).__module__ != "numpy":
                raise TypeError
    return numpy.array(found, dtype=float).reshape(-1, 4).T


def bars(r, container):
    """Yields the bars of a container, as a histogram if they are adjacent."""
    kind = sys.modules["matplotlib.patches"].Rectangle
    patches = [p for p in r.take(vars(container).get("patches") or container) if isinstance(p, kind)]
    if not patches or not all(vars(p).get("_transform") is r.data for p in patches):
        return
    horizontal = vars(container).get("orientation") == "horizontal"
    colour = common({hexed(vars(p)["_facecolor"]) or hexed(vars(p)["_edgecolor"]) for p in patches})
    s = barred(*rectangles(patches), horizontal, patches[0], colour, labelled(container), categories(r.ax, horizontal))
    if not s.label and len(patches) == 1:
        s.label = labelled(patches[0])
    yield s


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
    columns = [(across, x + width / 2, across), (along, y + height, along), ("width", numpy.abs(width), "d" + across), ("base", y, along)]
    return Series("barsh" if horizontal else "bars", [numbers.Column(n, v, dim=d) for n, v, d in columns], artist, colour, label=label)


def boxes(r, lines):
    return ()


def pies(r, wedges):
    return ()


CONTAINERS = {"BarContainer": bars}
