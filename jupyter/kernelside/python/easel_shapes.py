"""Reads single artists: lines, points, areas, images and meshes."""

import sys

import easel_numbers as numbers
from easel_looks import colour_of, look_of, marker_of, style_of
from easel_numbers import attributes
from easel_series import MOST_COLOURS, MOST_PATHS, UNREAD, Series, common, faces, hexed, labelled, within


def points_of(line):
    """Returns the data of a line as it was drawn; None if it has none."""
    have = attributes(line)
    return None if have["_invalidx"] or have["_invalidy"] else numbers.pairs(have["_xy"])


def line(r, artist):
    found, transform = points_of(artist), attributes(artist).get("_transform")
    marker, drawn = style_of(artist)
    if found is None or not marker and not drawn:
        return
    data, colour = found[0], colour_of(artist, not drawn)
    if transform is r.data:
        yield Series(
            "line" if drawn and len(data) > 1 else "points",
            [numbers.Column("x", data[:, 0], dim="x"), numbers.Column("y", data[:, 1], dim="y")],
            artist,
            colour,
            look_of(artist),
        )
    elif transform is attributes(r.ax).get("_yaxis_transform") or transform is attributes(r.ax).get("_xaxis_transform"):
        i = 1 if transform is attributes(r.ax).get("_yaxis_transform") else 0
        if len(data) == 2 and data[0, i] == data[1, i]:
            yield Series("rules", [numbers.Column("xy"[i], data[:1, i], dim="xy"[i])], artist, colour, drawn)
    elif within(transform, r.data) and type(artist).__name__ == "Line2D":
        yield UNREAD


def offsets(artist):
    """Returns the places of a collection's members and the transform that places them."""
    have = attributes(artist)
    return numbers.pairs(have.get("_offsets")), have.get("_offset_transform", have.get("_transOffset"))


def scatter(r, artist):
    found, transform = offsets(artist)
    if transform is not r.data or found is None:
        if transform is not None and within(transform, r.data):
            yield UNREAD
        return
    (data, mask), have = found, attributes(artist)
    if mask is not None:
        mask = mask.any(axis=1)
    n = len(data)
    columns = [numbers.Column("x", data[:, 0], mask, "x"), numbers.Column("y", data[:, 1], mask, "y")]
    sizes = numbers.column("size", have.get("_sizes"))
    if sizes is not None and len(sizes.data) == n > 1 and sizes.data.min() != sizes.data.max():
        columns.append(sizes)
    mapped = numbers.column("value", have.get("_A"))
    if mapped is not None and len(mapped.data) == n:
        yield Series("points", columns + [mapped], artist, style=marker_of(artist), mappable=artist)
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
        yield Series("points", columns, artist, common(colours) if len(kinds) == 1 else "", marker_of(artist))
        return
    which, marker = which.reshape(-1), marker_of(artist)
    for k in numpy.argsort(first):
        at = (which == k).nonzero()[0]
        some = [numbers.Column(c.name, c.data[at], None if c.mask is None else c.mask[at], c.dim) for c in columns]
        yield Series("points", some, artist, colours[k], marker)


def image(r, artist):
    have = attributes(artist)
    found = numbers.parts(have.get("_A"))
    if found is None:
        yield UNREAD
        return
    data, extent = found[0], have.get("_extent")
    rows, across = data.shape[:2]
    s = Series(
        "image", [numbers.column("value", have["_A"])] if data.ndim == 2 else [], artist, shape=[rows, across], mappable=artist
    )
    s.count = rows * across
    if type(extent) in (list, tuple) and len(extent) == 4:
        left, right, bottom, top = map(float, extent)
        s.more["extent"] = [left, right, top, bottom] if have.get("origin") == "upper" else [left, right, bottom, top]
    elif type(artist).__name__ == "AxesImage":
        s.more["extent"] = [-0.5, across - 0.5, -0.5, rows - 0.5]
    yield s


def vertices(artist):
    """Returns the vertices of each path of a collection; None if there are too many."""
    paths = attributes(artist).get("_paths")
    if type(paths) is not list or len(paths) > MOST_PATHS:
        return None
    found = [numbers.pairs(attributes(p)["_vertices"]) for p in paths]
    return None if None in found else [data for data, _ in found]


def placed(r, artist):
    """Reports whether the paths of a collection are in data coordinates; None if it draws no data."""
    found, transform = offsets(artist)
    shifted = found is not None and transform is not None and within(transform, r.data) and bool(found[0].any())
    if r.in_data(artist) and not shifted:
        return True
    return False if shifted or within(attributes(artist).get("_transform"), r.data) else None


def segments(r, artist):
    """Yields lines of a collection: as bars if each of them is straight along the same axis, else as lines."""
    numpy, lines = sys.modules["numpy"], vertices(artist) if placed(r, artist) else None
    if lines is None:
        if placed(r, artist) is not None:
            yield UNREAD
        return
    lines = [x for x in lines if len(x) > 1]
    colours = faces(attributes(artist).get("_edgecolors", attributes(artist).get("_colors")))
    colour = common(colours) if attributes(artist).get("_A") is None else ""
    if lines and all(len(x) == 2 for x in lines):
        ends = numpy.stack(lines)
        for across in 0, 1:
            if bool((ends[:, 0, across] == ends[:, 1, across]).all()):
                low, high = ends[:, :, 1 - across].min(axis=1), ends[:, :, 1 - across].max(axis=1)
                at, along = "xy"[across], "yx"[across]
                columns = [(at, ends[:, 0, across], at), ("low", low, along), ("high", high, along)]
                yield Series("errorbars", [numbers.Column(n, v, dim=d) for n, v, d in columns], artist, colour)
                return
        if len(lines) > 1 and bool((ends[1:, 0] == ends[:-1, 1]).all()):  # one line in pieces of several colours
            lines = [numpy.concatenate([ends[:1, 0], ends[:, 1]])]
    if len(lines) > MOST_COLOURS:
        yield UNREAD
        return
    for n, x in enumerate(lines):
        own = colours[n % len(colours)] if colours and attributes(artist).get("_A") is None else ""
        yield Series("line", [numbers.Column("x", x[:, 0], dim="x"), numbers.Column("y", x[:, 1], dim="y")], artist, own, "-")


def polygons(r, artist):
    """Yields the polygons of a collection: areas, bars, or the cells of a hexagonal grid."""
    numpy, have = sys.modules["numpy"], attributes(artist)
    mapped = numbers.column("value", have.get("_A"))
    found, transform = offsets(artist)
    if mapped is not None and found is not None and len(found[0]) == len(mapped.data) > 1 and within(transform, r.data):
        data = found[0]
        yield Series(
            "mesh",
            [mapped, numbers.Column("x", data[:, 0], dim="x"), numbers.Column("y", data[:, 1], dim="y")],
            artist,
            mappable=artist,
        )
        return
    shapes = vertices(artist) if placed(r, artist) else None
    if shapes is None:
        if placed(r, artist) is not None:
            yield UNREAD
        return
    colours = faces(have.get("_facecolors")) or faces(have.get("_edgecolors"))
    boxes = numpy.array([b for b in map(box, shapes) if b is not None])
    if mapped is not None:
        s = Series("mesh", [mapped], artist, mappable=artist)
        yield s
    elif len(boxes) and len(boxes) == len(shapes):
        yield UNREAD if nested(boxes) else barlike(r, artist, boxes, common(colours))
    else:
        yield from areas(artist, [x for x in shapes if len(x)], colours)


def box(shape):
    """Returns left, bottom, width and height of a rectangle; None if a polygon is none."""
    if len(shape) not in (4, 5) or len(shape) == 5 and not bool((shape[0] == shape[4]).all()):
        return None
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = shape[:4].tolist()
    if not (x0 == x1 and y1 == y2 and x2 == x3 and y3 == y0 or y0 == y1 and x1 == x2 and y2 == y3 and x3 == x0):
        return None
    return min(x0, x2), min(y0, y2), abs(x2 - x0), abs(y2 - y0)


def nested(boxes):
    """Reports whether rectangles of several widths lie along a line through their middles, as a letter-value plot has them."""
    for place, size in (boxes[:, 0], boxes[:, 2]), (boxes[:, 1], boxes[:, 3]):
        middle, slack = place + size / 2, abs(size).max() * 1e-6
        if len(boxes) > 2 and bool((abs(middle - middle[0]) <= slack).all()) and bool((abs(size - size[0]) > slack).any()):
            return True
    return False


def barlike(r, artist, boxes, colour):
    """Returns rectangles that stand on a line as bars."""
    import easel_groups

    x, y, width, height = boxes.T
    if bool((y == y[0]).all()) and (len(x) > 1 or not y[0]):
        horizontal = False
    elif bool((x == x[0]).all()):
        horizontal = True
    else:
        horizontal = not bool((abs(width - width[0]) <= 1e-6 * abs(width[0])).all())
    return easel_groups.barred(
        x, y, width, height, horizontal, artist, colour, labelled(artist), easel_groups.categories(r.ax, horizontal)
    )


def areas(artist, shapes, colours):
    """Yields areas between two lines over the same places, one for all parts of an area with gaps."""
    numpy, found = sys.modules["numpy"], {}
    for n, shape in enumerate(shapes):
        a = between(shape)
        if a is None:
            yield UNREAD
            continue
        colour = colours[n % len(colours)] if colours else ""
        found.setdefault((a[0], colour), []).append(a[1:])
    for (across, colour), some in found.items():
        at, low, high = (numpy.concatenate([a[i] for a in some]) for i in range(3))
        along = "yx"["xy".index(across)]
        columns = [(across, at, across), ("low", low, along), ("high", high, along)]
        yield Series("area", [numbers.Column(n, v, dim=d) for n, v, d in columns], artist, colour)


def between(shape):
    """Returns the axis along which a polygon lies, its places there and its ends; None if it is no such polygon."""
    numpy = sys.modules["numpy"]
    if len(shape) > 2 and bool((shape[0] == shape[-1]).all()):
        shape = shape[:-1]
    for fringe in 1, 0:  # fill_between adds the corners
        n = len(shape) // 2 - fringe
        if n < 2 or len(shape) % 2:
            continue
        there, back = shape[fringe : fringe + n], shape[n + 2 * fringe :][::-1]
        for i in 0, 1:
            if bool((there[:, i] == back[:, i]).all()):
                steps = numpy.diff(there[:, i])
                if bool((steps >= 0).all()) or bool((steps <= 0).all()):
                    return (
                        "xy"[i],
                        there[:, i],
                        numpy.fmin(there[:, 1 - i], back[:, 1 - i]),
                        numpy.fmax(there[:, 1 - i], back[:, 1 - i]),
                    )
    return None


def mesh(r, artist):
    """Yields the cells of a pcolormesh."""
    numpy, have = sys.modules["numpy"], attributes(artist)
    corners, values = numbers.parts(have.get("_coordinates")), numbers.column("value", have.get("_A"))
    if corners is None or not r.in_data(artist) or corners[0].ndim != 3:
        yield UNREAD
        return
    data = corners[0]
    rows, across = data.shape[0] - 1, data.shape[1] - 1
    found = numbers.parts(have["_A"]) if values is not None else None
    if found is None or found[0].ndim == 3:  # colours
        s = Series("mesh", [], artist, shape=[rows, across])
        s.count = rows * across
        yield s
        return
    if len(values.data) == (rows + 1) * (across + 1):  # gouraud: the values are at the corners
        rows, across = rows + 1, across + 1
        x, y = data[0, :, 0], data[:, 0, 1]
    else:
        x, y = (data[0, :-1, 0] + data[0, 1:, 0]) / 2, (data[:-1, 0, 1] + data[1:, 0, 1]) / 2
    if len(values.data) != rows * across:
        yield UNREAD
        return
    s = Series("mesh", [values], artist, shape=[rows, across], mappable=artist)
    grid = bool((data[0, :, 0] == data[-1, :, 0]).all()) and bool((data[:, 0, 1] == data[:, -1, 1]).all())
    if grid and numbers.finite(float(data.sum())):
        if even(data[0, :, 0]) and even(data[:, 0, 1]):
            s.more["extent"] = [float(data[0, 0, 0]), float(data[0, -1, 0]), float(data[0, 0, 1]), float(data[-1, 0, 1])]
        else:
            s.columns += [
                numbers.Column("x", numpy.tile(x, rows), dim="x"),
                numbers.Column("y", numpy.repeat(y, across), dim="y"),
            ]
    yield s


def even(places):
    steps = sys.modules["numpy"].diff(places)
    return not len(steps) or bool((abs(steps - steps[0]) <= abs(steps[0]) * 1e-6).all())


def contour(r, artist):
    """Yields the levels of a contour. Of its values, only the ends are known."""
    have = attributes(artist)
    low, high = float(have["zmin"]), float(have["zmax"])
    s = Series("mesh", [numbers.column("level", have["levels"])], artist, mappable=artist)
    s.ends = {
        "nan": 0,
        "outside": 0,
        "min": [None, low if numbers.finite(low) else None],
        "max": [None, high if numbers.finite(high) else None],
    }
    yield s


def stairs(r, artist):
    have = attributes(artist)
    edges, values = numbers.column("x", have["_edges"], "x"), numbers.column("y", have["_values"], "y")
    if have.get("orientation") == "horizontal" or not r.in_data(artist):
        yield UNREAD
        return
    at = edges.data.astype(float)
    width = numbers.Column("width", at[1:] - at[:-1], dim="dx")
    yield Series(
        "histogram",
        [numbers.Column("x", at[:-1], dim="x"), width, values],
        artist,
        hexed(have["_edgecolor"]) or hexed(have["_facecolor"]),
    )


def polygon(r, artist):
    """Yields the steps of a histogram or an area. Other polygons draw no data."""
    have = attributes(artist)
    path = have.get("_path")
    found = numbers.pairs(attributes(path)["_vertices"]) if path is not None and r.in_data(artist) else None
    if found is None or len(found[0]) < 6:
        return
    shape, colour = found[0], hexed(have["_facecolor"]) if have.get("_fill", True) else ""
    colour = colour or hexed(have["_edgecolor"])
    x, y = shape[:, 0], shape[:, 1]
    edges = x[::2]
    if not len(x) % 2 and y[0] == y[-1] and bool((x[::2] == x[1::2]).all()) and bool((y[1:-1:2] == y[2:-1:2]).all()):
        columns = [("x", edges[:-1], "x"), ("width", edges[1:] - edges[:-1], "dx"), ("y", y[1:-1:2], "y")]
        yield Series("histogram", [numbers.Column(k, v, dim=d) for k, v, d in columns], artist, colour)
        return
    bins, heights = filled_steps(x, y)
    if bins is not None:
        columns = [("x", bins[:-1], "x"), ("width", bins[1:] - bins[:-1], "dx"), ("y", heights, "y")]
        yield Series("histogram", [numbers.Column(k, v, dim=d) for k, v, d in columns], artist, colour)
    else:
        yield from (s for s in areas(artist, [shape], [colour]) if s is not UNREAD)


def filled_steps(x, y):
    """Returns the edges and heights of hist(histtype="stepfilled"); None, None for other polygons."""
    numpy = sys.modules["numpy"]
    if len(x) % 4 == 1 and x[0] == x[-1] and y[0] == y[-1]:
        x, y = x[:-1], y[:-1]
    n = len(x) // 4 + 1
    bins, tops = x[0 : 2 * n - 1 : 2], y[1 : 2 * n - 1 : 2]
    if len(x) % 4 or n < 3 or not bool((bins[1:] > bins[:-1]).all()):
        return None, None
    if not bool((x[1 : 2 * n - 1 : 2] == bins[:-1]).all() and (tops == y[2 : 2 * n - 1 : 2]).all()):
        return None, None
    return bins, tops - numpy.concatenate([y[:1], y[4 * n - 6 : 2 * n - 1 : -2]])


def unread(r, artist):
    yield UNREAD


READERS = {
    "Line2D": line,
    "AxLine": lambda r, a: (),
    "PathCollection": scatter,
    "AxesImage": image,
    "QuadMesh": mesh,
    "ContourSet": contour,
    "Quiver": unread,
    "Barbs": unread,
    "LineCollection": segments,
    "PolyCollection": polygons,
    "PolyQuadMesh": unread,
    "PatchCollection": polygons,
    "TriMesh": unread,
    "StepPatch": stairs,
    "Polygon": polygon,
}
