"""Reads what the artists of an axes draw: lines, points, bars and the like, as series of numbers.

Only artists of matplotlib and of libraries that draw with it are read, by their attributes. What
cannot be read is counted, not guessed.
"""

import sys

import easel_numbers as numbers
from easel_numbers import attributes

MOST = 100  # series of an axes
MOST_PATHS = 20000  # of a collection
MOST_COLOURS = 20  # groups of points in one collection
LONGEST = 100  # characters of a label
LIBRARIES = ("matplotlib", "mpl_toolkits", "seaborn", "plotnine", "pandas", "cartopy", "mizani")
UNREAD = object()  # an artist with data that cannot be read


class Series:
    """What one artist or group of artists draws."""

    def __init__(self, kind, columns, artist=None, colour="", style="", label=None, **more):
        self.kind, self.colour, self.style = kind, colour, style
        self.columns = [c for c in columns if c is not None]
        self.label = labelled(artist) if label is None else label
        self.count = len(self.columns[0].data) if self.columns else 0
        self.more = more  # names, shape, extent
        self.artist = artist
        self.ends = None  # of values that are in no column


def known(value):
    """Reports whether an object is of a library, not of the user."""
    return type(value).__module__.partition(".")[0] in LIBRARIES


def visible(artist):
    """Reports whether an artist is drawn."""
    have = attributes(artist)
    alpha = have.get("_alpha")
    return bool(have.get("_visible", True)) and not (type(alpha) in (int, float) and alpha == 0)


def labelled(artist):
    """Returns the label of an artist for the legend."""
    label = attributes(artist).get("_label") if artist is not None else None
    return "" if type(label) is not str or label.startswith("_") else " ".join(label.split())[:LONGEST]


def hexed(value, alpha=None):
    """Returns a colour as #rrggbb, or as #rrggbbaa if it is not wholly opaque; empty if nobody can see it."""
    numpy = sys.modules["numpy"]
    if type(value) in (tuple, list):
        if not all(type(v) in (int, float) or type(v).__module__ == "numpy" for v in value):
            return ""
    elif type(value) not in (str, numpy.ndarray):
        return ""
    try:
        rgba = sys.modules["matplotlib.colors"].to_rgba(value, alpha if type(alpha) in (int, float) else None)
    except (ValueError, TypeError):
        return ""
    found = "#%02x%02x%02x%02x" % tuple(int(round(float(v) * 255)) for v in rgba)
    return "" if found[7:] == "00" else found[:7] if found[7:] == "ff" else found


def common(values):
    """Returns the colour that all have in common; empty if they have several."""
    found = {v for v in values if v}
    return found.pop() if len(found) == 1 else ""


def within(transform, wanted, depth=8):
    """Reports whether a transform contains another one."""
    if transform is wanted:
        return True
    parts = attributes(transform) if depth and known(transform) else {}
    return any(within(parts[k], wanted, depth - 1) for k in ("_a", "_b", "_x", "_y", "_child", "_base_transform") if k in parts)


class Reader:
    """Reads the series of an axes."""

    def __init__(self, ax):
        self.ax, self.data = ax, ax.transData
        self.found = []  # [place, series]
        children = attributes(ax).get("_children")
        if type(children) is not list:  # before matplotlib 3.5
            children = [a for name in ("collections", "patches", "lines", "images") for a in getattr(ax, name)]
        self.unread = sum(not known(a) and within(attributes(a).get("_transform"), ax.transData) for a in children)
        self.children = [a for a in children if known(a) and visible(a)]
        self.place = {id(a): n for n, a in enumerate(self.children)}
        self.taken = set()

    def read(self):
        """Returns the series in the order in which they were made, and how many cannot be read."""
        import easel_groups

        for container in self.ax.containers:
            if known(container):
                self.attempt(easel_groups.CONTAINERS.get(type(container).__name__), container)
        self.attempt(easel_groups.boxes, self.rest("lines", "Line2D"))
        self.attempt(easel_groups.pies, self.rest("patches", "Wedge"))
        for artist in self.children:
            if len(self.found) > MOST * 2:
                self.unread += 1
            elif id(artist) not in self.taken:
                self.attempt(self.single, artist, own=artist)
        self.found.sort(key=lambda f: f[0])
        categories = any(type(axis.units).__name__ == "UnitData" for axis in (self.ax.xaxis, self.ax.yaxis))
        return self.named(merged([s for _, s in self.found], categories))

    def attempt(self, read, of, own=None):
        """Adds the series that a function reads. A failure leaves them out."""
        if read is None:
            return
        try:
            found = read(of) if own is not None else read(self, of)
            for s in found:
                if s is UNREAD:
                    self.unread += 1
                elif s.count or s.ends:
                    self.found.append((self.place.get(id(s.artist), len(self.place)), s))
        except Exception:  # an artist with broken data, or another version of matplotlib
            self.unread += 1

    def rest(self, module, name):
        """Returns the artists of a class that belong to no group yet."""
        kind = getattr(sys.modules["matplotlib." + module], name)
        return [a for a in self.children if known(a) and isinstance(a, kind) and id(a) not in self.taken]

    def take(self, artists):
        """Marks artists as read, and returns those that are drawn."""
        artists = [a for a in artists if a is not None]
        self.taken.update(map(id, artists))
        return [a for a in artists if id(a) in self.place]

    def single(self, artist):
        """Returns the series of an artist that belongs to no group."""
        import easel_shapes

        for kind in type(artist).__mro__:
            read = easel_shapes.READERS.get(kind.__name__)
            if read is not None and kind.__module__.startswith("matplotlib."):
                return list(read(self, artist))
        return []

    def in_data(self, artist):
        return attributes(artist).get("_transform") is self.data

    def named(self, series):
        """Names series without a label as the legend of the axes, or one of the figure, names their colour."""
        for legend in (attributes(self.ax).get("legend_"), *attributes(self.ax.figure).get("legends", ())):
            if legend is None or not visible(legend) or all(s.label for s in series):
                continue
            names, used = colours_of(legend), {s.label for s in series}
            for s in series:
                fits = names.get(s.colour[:7], ())
                if not s.label and len(fits) == 1 and fits[0] not in used:
                    s.label = fits[0]
        return series


def colours_of(legend):
    """Returns the names that a legend gives to colours, of which it may show another opacity."""
    have = attributes(legend)
    handles = have.get("legend_handles") or have.get("legendHandles") or ()
    names = {}
    for handle, text in zip(handles, have.get("texts", ())):
        name, colour = text.get_text(), drawn_colour(handle)[:7]
        if colour and type(name) is str:
            names.setdefault(colour, []).append(" ".join(name.split())[:LONGEST])
    return names


def drawn_colour(handle):
    """Returns the colour of what a legend shows; empty if it has several."""
    have = attributes(handle)
    if "_xy" in have or "_xorig" in have:
        face = have.get("_markerfacecolor")
        bare = have.get("_linestyle") in ("None", " ", "")
        return hexed(face if bare and type(face) is not str else have.get("_color"), have.get("_alpha"))
    for key in "_facecolors", "_facecolor", "_edgecolors", "_edgecolor":
        value = have.get(key)
        if value is not None and len(value):
            colour = faces(value) if getattr(value, "ndim", 1) == 2 else [hexed(value)]
            if any(colour):
                return common(colour)
    return ""


def faces(value):
    """Returns the colours of an array of RGBA rows."""
    found = numbers.parts(value)
    if found is None or found[0].ndim != 2:
        return []
    return [hexed(tuple(row)) for row in found[0][:64].tolist()]


def merged(series, categories):
    """Joins series that one call draws with several artists: rules, error bars, and points of categories."""
    numpy, found, parts = sys.modules["numpy"], [], {}
    for s in series:
        key = None if s.label else joint(s, categories)
        if key in parts:
            parts[key].append(s)
        else:
            if key is not None:
                parts[key] = [s]
            found.append(s)
    for (kind, *_), some in parts.items():
        if kind == "line" and len(some) > 1:
            upright(some)
        elif kind != "line":
            for n, c in enumerate(some[0].columns):
                c.mask = (
                    None
                    if all(s.columns[n].mask is None for s in some)
                    else numpy.concatenate([~s.columns[n].finite() for s in some])
                )
                c.data = numpy.concatenate([s.columns[n].data for s in some])
            some[0].count = sum(s.count for s in some)
    return found


def joint(s, categories):
    """Returns what series have in common that belong together; None if a series stands alone."""
    names = tuple(c.name for c in s.columns)
    if s.kind == "rules" or s.kind == "points" and categories and s.colour:
        return (s.kind, names, s.colour, s.style)
    if s.kind == "line" and s.count == 2 and names == ("x", "y") and s.style and s.style[-1] == "-":
        for n, c in enumerate(s.columns):
            if c.mask is None and c.data[0] == c.data[1] and s.columns[1 - n].data[0] != s.columns[1 - n].data[1]:
                return (s.kind, n, s.colour, s.style)
    return None


def upright(some):
    """Makes error bars of lines along one axis, within the first of them."""
    numpy, across = sys.modules["numpy"], 0 if some[0].columns[0].data[0] == some[0].columns[0].data[1] else 1
    at = numpy.array([s.columns[across].data[0] for s in some])
    ends = numpy.array([s.columns[1 - across].data for s in some])
    first, (name, along) = some[0], ("xy" if across == 0 else "yx")
    columns = (name, at, name), ("low", ends.min(axis=1), along), ("high", ends.max(axis=1), along)
    first.kind, first.style, first.count = "errorbars", "", len(some)
    first.columns = [numbers.Column(n, v, dim=d) for n, v, d in columns]
