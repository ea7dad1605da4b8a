"""Finds artists that draw data, but nothing that anybody can see."""

import sys

import easel_numbers as numbers
import easel_series
import easel_shapes
from easel_numbers import attributes

MOST = 20  # of an axes
PLAIN = ("Line2D", "PathCollection", "Text", "Annotation")  # artists that hardly hide what is behind them
KINDS = {"Line2D": "line", "PathCollection": "points"}


def found(reader):
    """Returns the artists of an axes that nobody can see, and why. It comes after the series were read, of which they are none."""
    ax, every = reader.ax, attributes(reader.ax).get("_children")
    if type(every) is not list:
        return []
    bars = {}  # containers, by their members
    for container in ax.containers:
        if easel_series.known(container) and type(container).__name__ == "BarContainer":
            bars.update((id(p), container) for p in attributes(container).get("patches") or container)
    ground, unseen, told = Ground(reader, bars), [], set()
    for artist in every:
        if len(unseen) == MOST:
            break
        container = bars.get(id(artist))
        if type(artist).__name__ not in KINDS and container is None or not easel_series.known(artist):
            continue
        if id(artist) in reader.taken and container is None or container is not None and id(container) in told:
            continue
        told.add(id(container))
        try:
            d = one(ax, artist, container, ground)
        except Exception:  # another version of matplotlib
            continue
        if d:
            unseen.append(d)
    return unseen


def one(ax, artist, container, ground):
    """Returns the description of an artist that nobody can see; None if somebody can."""
    reason = why(artist, ground) if attributes(artist).get("_visible", True) else ""
    if not reason:
        return None
    if container is not None:
        patches = attributes(container).get("patches") or container
        if not all(why(p, ground) == reason and attributes(p).get("_transform") is ax.transData for p in patches):
            return None
        kind, count, label = "bars", len(patches), easel_series.labelled(container)
        if len(ax.containers) > 1 or not label and reason == "alpha":
            return None  # bars that carry others are invisible on purpose
    else:
        kind, label = KINDS[type(artist).__name__], easel_series.labelled(artist)
        count = shown(ax, artist, kind)
        if not label and reason == "alpha":
            return None  # only the limits of the axes need it
    if not count:
        return None
    d = {"kind": kind, "why": reason, "count": count}
    if label:
        d["label"] = label
    return d


def shown(ax, artist, kind):
    """Returns how many points of an artist lie within the axes."""
    numpy = sys.modules["numpy"]
    if kind == "line":
        data = easel_shapes.points_of(artist)
        if attributes(artist).get("_transform") is not ax.transData:
            return 0
    else:
        data, transform = easel_shapes.offsets(artist)
        data = None if transform is not ax.transData else (data[0], data[1]) if data is not None else None
    if data is None or not len(data[0]):
        return 0
    inside = numpy.isfinite(data[0]).all(axis=1)
    for i, lim in enumerate((ax.get_xlim(), ax.get_ylim())):
        inside &= (data[0][:, i] >= min(lim)) & (data[0][:, i] <= max(lim))
    return int(inside.sum())


def why(artist, ground):
    """Returns why nobody can see an artist; empty if somebody can."""
    have = attributes(artist)
    if not easel_series.visible(artist):
        return "alpha"
    if have.get("_A") is not None:
        return ""
    if "_xy" in have and "_linestyle" in have and "_marker" in have:
        marker, drawn = easel_shapes.style_of(artist)
        if not marker and not drawn:
            return "width"
        alpha, own = have.get("_alpha"), have["_color"]
        colours = [easel_series.hexed(own, alpha)] if drawn else []
        if marker:
            for key in "_markerfacecolor", "_markeredgecolor":
                value = have.get(key)
                colours.append(easel_series.hexed(own if type(value) is str and value == "auto" else value, alpha))
    else:
        colours = []
        for key in "_facecolors", "_facecolor", "_edgecolors", "_edgecolor":
            if key in have and not ("edge" in key and not edged(have)):
                value = have[key]
                colours += easel_series.faces(value) if getattr(value, "ndim", 1) == 2 else [easel_series.hexed(value)]
    if not any(colours):
        return "alpha"
    return "ground" if all(not c or ground.has(c) for c in colours) else ""


def edged(have):
    """Reports whether an artist has edges with a width."""
    width = have.get("_linewidths", have.get("_linewidth"))
    found = numbers.parts(width)
    return found is None or bool((found[0] > 0).any())


class Ground:
    """What is behind the data of an axes."""

    def __init__(self, reader, bars):
        self.reader, self.bars, self.colour = reader, bars, None

    def has(self, colour):
        """Reports whether all of it is of a colour."""
        if self.colour is None:
            self.colour = self.behind(self.reader)
        return colour == self.colour

    def behind(self, reader):
        ax = reader.ax
        for artist in reader.children:
            if type(artist).__name__ not in PLAIN and id(artist) not in self.bars:
                return ""
        for patch in ax.patch, ax.figure.patch:
            if easel_series.known(patch) and easel_series.visible(patch):
                colour = easel_series.hexed(attributes(patch).get("_facecolor"))
                if colour:
                    return colour
        return ""
