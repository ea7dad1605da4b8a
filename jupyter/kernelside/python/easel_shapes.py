"""Reads single artists: lines, points, areas, images and meshes."""

import sys

import easel_numbers as numbers
from easel_series import MOST_COLOURS, MOST_PATHS, UNREAD, Series, common, hexed, within

NOT_DRAWN = ("None", "none", " ", "", None)


def style_of(line):
    """Returns the marker and the line style of a line as in format strings, and whether it has a line."""
    have = vars(line)
    marker = vars(have["_marker"]).get("_marker_type", vars(have["_marker"]).get("_marker"))
    marker = marker if type(marker) is str and len(marker) < 3 and marker not in NOT_DRAWN else ""
    drawn = have["_linestyle"] if have["_linestyle"] not in NOT_DRAWN and have["_linewidth"] > 0 else ""
    return marker, drawn


def colour_of(line, bare):
    have = vars(line)
    face = have.get("_markerfacecolor")
    if bare and not (type(face) is str and face in ("auto", "none")):
        return hexed(face) or hexed(have["_color"])
    return hexed(have["_color"])


def points_of(line):
    """Returns the data of a line as it was drawn; None if it has none."""
    have = vars(line)
    return None if have["_invalidx"] or have["_invalidy"] else numbers.pairs(have["_xy"])


def line(r, artist):
    found, transform = points_of(artist), vars(artist).get("_transform")
    marker, drawn = style_of(artist)
    if found is None or not marker and not drawn:
        return
    data, colour = found[0], colour_of(artist, not drawn)
    if transform is r.data:
        yield Series(
            "line" if drawn else "points", [numbers.Column("x", data[:, 0], dim="x"), numbers.Column("y", data[:, 1], dim="y")],
            artist, colour, marker + drawn,
        )
    elif transform is vars(r.ax).get("_yaxis_transform") or transform is vars(r.ax).get("_xaxis_transform"):
        i = 1 if transform is vars(r.ax).get("_yaxis_transform") else 0
        if len(data) == 2 and data[0, i] == data[1, i]:
            yield Series("rules", [numbers.Column("xy"[i], data[:1, i], dim="xy"[i])], artist, colour, drawn)
    elif within(transform, r.data) and type(artist).__name__ == "Line2D":
        yield UNREAD


def offsets(artist):
    """Returns the places of a collection's members and the transform that places them."""
    have = vars(artist)
    return numbers.pairs(have.get("_offsets")), have.get("_offset_transform", have.get("_transOffset"))


def scatter(r, artist):
    found, transform = offsets(artist)
    if transform is not r.data or found is None:
        if transform is not None and within(transform, r.data):
            yield UNREAD
        return
    (data, mask), have = found, vars(artist)
    if mask is not None:
        mask = mask.any(axis=1)
    n = len(data)
    columns = [numbers.Column("x", data[:, 0], mask, "x"), numbers.Column("y", data[:, 1], mask, "y")]
    sizes = numbers.column("size", have.get("_sizes"))
    if sizes is not None and len(sizes.data) == n > 1 and sizes.data.min() != sizes.data.max():
        columns.append(sizes)
    mapped = numbers.column("value", have.get("_A"))
    if mapped is not None and len(mapped.data) == n:
        yield Series("points", columns + [mapped], artist, mappable=artist)
        return
    rows = have.get("_facecolors")
    if rows is None or not len(rows):
        rows = have.get("_edgecolors")
    yield from by_colour(artist, columns, rows, n)


def by_colour(artist, columns, rows, n):
    """Yields points of each colour as a series of their own, if they have few colours."""
    numpy = sys.modules["numpy"]
    found = numbers.parts(rows)
    if found is None or found[0].ndim != 2 or found[0].shape[1] != 4 or len(found[0]) not in (1, n) or n > MOST_PATHS * 10:
        yield Series("points", columns, artist)
        return
    codes = numpy.ascontiguousarray((found[0] * 255).round().astype(numpy.uint8)).view("<u4").reshape(-1)
    kinds, first, which = numpy.unique(codes, return_index=True, return_inverse=True)
    colours = [hexed(tuple(found[0][i].tolist())) for i in first]
    if len(kinds) == 1 or len(kinds) > MOST_COLOURS:
        yield Series("points", columns, artist, common(colours) if len(kinds) == 1 else "")
        return
    which = which.reshape(-1)
    for k in numpy.argsort(first):
        at = (which == k).nonzero()[0]
        some = [numbers.Column(c.name, c.data[at], None if c.mask is None else c.mask[at], c.dim) for c in columns]
        yield Series("points", some, artist, colours[k])


def image(r, artist):
    have = vars(artist)
    found = numbers.parts(have.get("_A"))
    if found is None:
        yield UNREAD
        return
    data, extent = found[0], have.get("_extent")
    rows, across = data.shape[:2]
    s = Series("image", [numbers.column("value", have["_A"])] if data.ndim == 2 else [], artist, shape=[rows, across], mappable=artist)
    s.count = rows * across
    if type(extent) in (list, tuple) and len(extent) == 4:
        left, right, bottom, top = map(float, extent)
        s.more["extent"] = [left, right, top, bottom] if have.get("origin") == "upper" else [left, right, bottom, top]
    elif type(artist).__name__ == "AxesImage":
        s.more["extent"] = [-0.5, across - 0.5, -0.5, rows - 0.5]
    yield s


READERS = {"Line2D": line, "PathCollection": scatter, "AxesImage": image}
