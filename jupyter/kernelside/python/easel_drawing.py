"""Measures what is wrong with the places of texts and legends in a drawn figure.

Texts have their places in the picture only while matplotlib draws it, as axes do (see easel_axes).
Nothing is drawn for it. What is measured is what overlaps in pixels; Easel judges what matters.
"""

import contextlib
import math
import sys
import time

import easel_axes
import easel_series
from easel_numbers import attributes

MOST_SECONDS = 0.015  # of processor time for measuring texts; what is found until then is right
MOST_TEXTS = 800
# What the layout of a text depends on, but for its place.
LAYOUT = (
    *("_text", "_rotation", "_horizontalalignment", "_verticalalignment", "_multialignment", "_rotation_mode", "_linespacing"),
    *("_usetex", "_fontproperties"),
)
MOST_FOUND = 60
MOST_OF_ONE = 12  # places of one kind between the same groups of texts
LONGEST = 60  # characters of a text
DEPTH = 0.25  # of the height of a text, by which it has to overlap another one
SLACK = 2.0  # pixels by which a text may leave the picture
SMALL = 12.0  # pixels of text that is worth mentioning, in a picture that is shrunk to EDGE
EDGE = 1568.0  # pixels of the long edge of the picture that models get
PLACES = 400  # of a series, that a legend may cover
POINTS = 72.0


class Text:
    """A text as it was drawn: its box, and its own size if it is rotated."""

    def __init__(self, artist, box, owner, number, size, height):
        self.artist, self.owner, self.number, self.height = artist, owner, number, height
        self.text = " ".join(artist.get_text().split())[:LONGEST]
        self.box, self.size = box, size  # x0, y0, x1, y1 from the bottom; width, height, angle

    def middle(self):
        x0, y0, x1, y1 = self.box
        return (x0 + x1) / 2, (y0 + y1) / 2


class Watch:
    """Measures the texts and legends, each time that a figure is drawn."""

    def __init__(self, canvas):
        self.found, self.canvas, self.cid = [], canvas, None
        with contextlib.suppress(Exception):
            self.cid = canvas.mpl_connect("draw_event", self.drawn)

    def drawn(self, event):
        with contextlib.suppress(Exception):
            if "draw_text" not in attributes(event.renderer):  # matplotlib computes a layout
                with sys.modules["numpy"].errstate(all="ignore"):
                    self.found = measured(event.canvas.figure, event.renderer)

    def end(self):
        with contextlib.suppress(Exception):
            self.canvas.mpl_disconnect(self.cid)


def measured(figure, renderer):
    """Returns what is wrong in a figure that was just drawn."""
    until = time.thread_time() + MOST_SECONDS
    every = [
        (n, ax) for n, (ax, _) in enumerate(easel_axes.every(figure), 1) if easel_series.known(ax) and easel_series.visible(ax)
    ]
    width, height = float(figure.bbox.width), float(figure.bbox.height)
    texts, layouts = [], {}
    for owner, number, artist in artists(figure, every):
        if len(texts) == MOST_TEXTS or time.thread_time() > until:
            break
        with contextlib.suppress(Exception):
            t = placed(artist, owner, number, renderer, layouts)
            if t is not None:
                texts.append(t)
    found = small(texts, max(width, height)) + cut(texts, width, height) + overlapping(texts) + astray(texts, every)
    for n, ax in every:
        with contextlib.suppress(Exception):
            if time.thread_time() < until + MOST_SECONDS:
                found[:0] = covered(ax, n, renderer)  # first: there may be too many of the others
    for f in found:
        x0, y0, x1, y1 = f["box"]
        f["box"] = [round(v, 1) for v in (x0, height - y1, x1, height - y0)]
        f["share"] = round(float(f["share"]), 3)
    return found[:MOST_FOUND]


def artists(figure, every):
    """Yields the texts of a figure with whom they belong to: titles and labels first, ticks last."""
    have = attributes(figure)
    for key in "_suptitle", "_supxlabel", "_supylabel":
        if have.get(key) is not None:
            yield ("figure", 0), 0, have[key]
    for t in figure.texts:
        if all(t is not have.get(key) for key in ("_suptitle", "_supxlabel", "_supylabel")):
            yield ("text", 0), 0, t
    for n, ax in every:
        own = attributes(ax)
        for key in "title", "_left_title", "_right_title":
            yield ("title", n), n, own[key]
        legend = own.get("legend_")
        if legend is not None:
            for t in attributes(legend).get("texts", ()):
                yield ("legend", n), n, t
        for t in ax.texts:
            yield ("text", n), n, t
        for key in "xy":
            yield (key + " label", n), n, getattr(ax, key + "axis").label
    for n, ax in every:
        if ax.name != "rectilinear":
            continue
        for key in "xy":
            axis = attributes(getattr(ax, key + "axis"))
            yield (key + " ticks", n), n, axis["offsetText"]
            for tick in (*axis.get("majorTicks", ()), *axis.get("minorTicks", ())):
                for label in attributes(tick).get("label1"), attributes(tick).get("label2"):
                    yield (key + " ticks", n), n, label


def layout(artist, have, renderer, layouts):
    """Returns the box of a text that is drawn at the origin, and its lines. Many ticks of a figure have the same text."""
    if have.get("_wrap") or have.get("_transform_rotates_text") or not all(name in have for name in LAYOUT):
        return artist._get_layout(renderer)[:2]
    key = (have.get("_parse_math"), *(have[name] for name in LAYOUT))
    if key not in layouts:
        layouts[key] = artist._get_layout(renderer)[:2]
    return layouts[key]


def placed(artist, owner, number, renderer, layouts):
    """Returns a text that was drawn; None if it was not."""
    if artist is None or not easel_series.known(artist):
        return None
    have = attributes(artist)
    text = have.get("_text")
    if type(text) is not str or not text.strip() or not easel_series.visible(artist) or have.get("_renderer") is not renderer:
        return None
    if "arrow_patch" in have and not artist._check_xy(renderer):
        return None  # an annotation of a place beyond the axes
    bbox, lines = layout(artist, have, renderer, layouts)
    x, y = artist.get_transform().transform(artist.get_unitless_position())
    x0, y0, x1, y1 = (float(v) for v in bbox.translated(x, y).extents)
    if not all(map(math.isfinite, (x0, y0, x1, y1))) or x1 - x0 < 1 or y1 - y0 < 1:
        return None
    clip = have.get("clipbox")
    if have.get("_clipon") and clip is not None:
        a, b, c, d = clip.extents
        if not (a <= x0 and x1 <= c and b <= y0 and y1 <= d):
            return None  # its axes cut it on purpose
    angle, high = (
        float(artist.get_rotation()) % 180,
        float(have["_fontproperties"].get_size_in_points()) * renderer.points_to_pixels(1.0),
    )
    size = None
    if angle % 90:
        if len(lines) != 1:
            return None
        wide, tall, _ = renderer.get_text_width_height_descent(text.strip(), have["_fontproperties"], False)
        size = float(wide), float(tall), math.radians(angle)
    return Text(artist, (x0, y0, x1, y1), owner, number, size, high)


def shared(a, b):
    """Returns how far two texts overlap, in their heights; 0 or less if they do not."""
    if a.size is None and b.size is None:
        deep = min(min(a.box[2 + i], b.box[2 + i]) - max(a.box[i], b.box[i]) for i in (0, 1))
        return deep / min(a.height, b.height)
    (ax, ay), (bx, by), least = a.middle(), b.middle(), math.inf
    for t in a, b:
        angle = t.size[2] if t.size else 0.0
        for turn in angle, angle + math.pi / 2:
            u, v = math.cos(turn), math.sin(turn)
            between = abs((bx - ax) * u + (by - ay) * v)
            least = min(least, reach(a, u, v) + reach(b, u, v) - between)
    return least / min(a.height, b.height)


def reach(t, u, v):
    """Returns half of a text's length in a direction."""
    x0, y0, x1, y1 = t.box
    wide, high, angle = t.size or (x1 - x0, y1 - y0, 0.0)
    across = abs(math.cos(angle) * u + math.sin(angle) * v)
    along = abs(math.cos(angle) * v - math.sin(angle) * u)
    return (wide * across + high * along) / 2


def overlapping(texts):
    """Returns the pairs of texts that overlap: the worst of each two groups of texts, such as the labels of one axis."""
    numpy = sys.modules["numpy"]
    if len(texts) < 2:
        return []
    x0, y0, x1, y1 = numpy.array([t.box for t in texts]).T
    touch = (x0[:, None] < x1) & (x0 < x1[:, None]) & (y0[:, None] < y1) & (y0 < y1[:, None])
    found = {}
    for i, j in zip(*(part.tolist() for part in numpy.triu(touch, 1).nonzero())):
        a, b = texts[i], texts[j]
        if a.text == b.text and max(abs(p - q) for p, q in zip(a.box, b.box)) < 2:
            continue  # twins draw the labels of their common axis twice
        if a.owner == b.owner == ("legend", a.number):
            continue
        deep = shared(a, b)
        if deep > DEPTH:
            box = max(x0[i], x0[j]), max(y0[i], y0[j]), min(x1[i], x1[j]), min(y1[i], y1[j])
            area = (box[2] - box[0]) * (box[3] - box[1]) / min((t.box[2] - t.box[0]) * (t.box[3] - t.box[1]) for t in (a, b))
            found.setdefault((a.owner, b.owner), []).append((area, a, b, tuple(map(float, box))))
    return [
        {"kind": "text_over_text", "axes": a.number or b.number, "a": a.text, "b": b.text, "box": box, "share": min(1.0, area), **more}
        for (area, a, b, box), more in worst(found)
    ]


def astray(texts, every):
    """Returns the texts that reach into the frame of other axes, as labels do without a layout: the worst of each axes."""
    numpy = sys.modules["numpy"]
    frames = {n: tuple(map(float, ax.bbox.extents)) for n, ax in every if ax.axison}
    texts = [t for t in texts if t.number in frames and t.owner[0] not in ("text", "legend") and t.size is None]
    if len(frames) < 2 or not texts:
        return []
    numbers, boxes = list(frames), numpy.array([t.box for t in texts])
    others = numpy.array([frames[n] for n in numbers])
    homes = numpy.array([frames[t.number] for t in texts])
    deep = common(boxes, others).min(axis=0)
    deep[common(homes, others).min(axis=0) > 0] = 0  # its own axes, twins and insets
    found = {}
    for i, j in zip(*(part.tolist() for part in (deep > DEPTH * numpy.array([t.height for t in texts])[:, None]).nonzero())):
        wide, high = common(boxes[i : i + 1], others[j : j + 1])[:, 0, 0].tolist()
        x0, y0, x1, y1 = texts[i].box
        found.setdefault(texts[i].number, {})[i] = min(1.0, wide * high / ((x1 - x0) * (y1 - y0)))
    return [
        {"kind": "text_over_axes", "axes": t.number, "a": t.text, "box": t.box, "share": share, **more}
        for (share, t), more in worst({n: [(share, texts[i]) for i, share in some.items()] for n, some in found.items()})
    ]


def common(a, b):
    """Returns how wide and how high the common part of each two boxes is; 0 or less if they have none."""
    numpy = sys.modules["numpy"]
    return numpy.array([numpy.minimum(a[:, None, k + 2], b[:, k + 2]) - numpy.maximum(a[:, None, k], b[:, k]) for k in (0, 1)])


def worst(groups):
    """Yields the worst of each group, at most MOST_OF_ONE, and how many others the group has."""
    for some in groups.values():
        some.sort(key=lambda f: -f[0])
        for n, f in enumerate(some[:MOST_OF_ONE]):
            yield f, {"more": len(some) - MOST_OF_ONE} if n == 0 and len(some) > MOST_OF_ONE else {}


def cut(texts, width, height):
    """Returns the texts that leave the picture, the worst of each group."""
    found = {}
    for t in texts:
        x0, y0, x1, y1 = t.box
        if t.size is not None:  # only its ink
            (x, y), half = t.middle(), (reach(t, 1, 0), reach(t, 0, 1))
            x0, y0, x1, y1 = x - half[0], y - half[1], x + half[0], y + half[1]
        beyond = max(-x0, -y0 - 0.2 * t.height, x1 - width, y1 - height - 0.2 * t.height)
        if beyond > SLACK:
            inside = max(0.0, min(x1, width) - max(x0, 0)) * max(0.0, min(y1, height) - max(y0, 0))
            found.setdefault(t.owner, []).append((1 - inside / ((x1 - x0) * (y1 - y0)), t))
    return [
        {"kind": "text_cut", "axes": t.number, "a": t.text, "box": t.box, "share": share, **more} for (share, t), more in worst(found)
    ]


def small(texts, edge):
    """Returns the smallest text, with its height in pixels and how many others are as small."""
    least = min((t.height for t in texts), default=math.inf)
    if least >= SMALL * max(1.0, edge / EDGE):
        return []
    few = [t for t in texts if t.height < 1.05 * least]
    t = few[0]
    more = {"more": len(few) - 1} if len(few) > 1 else {}
    return [{"kind": "small_text", "axes": t.number, "a": t.text, "box": t.box, "share": t.height, **more}]


def covered(ax, number, renderer):
    """Returns what the legend of an axes covers of its data."""
    legend = attributes(ax).get("legend_")
    if legend is None or not easel_series.known(legend) or not easel_series.visible(legend) or ax.name != "rectilinear":
        return []
    box = attributes(legend)["_legend_box"].get_window_extent(renderer)
    boxes = [box.extents]
    if not legend.get_frame_on():
        boxes = [t.get_window_extent(renderer).extents for t in attributes(legend).get("texts", ())]
    inside = total = 0
    frame = ax.bbox.extents
    reader = easel_series.Reader(ax)
    for s in reader.read()[:20]:
        points = places(s, ax)
        if points is None:
            continue
        seen = within(points, frame, 0)
        total += int(seen.sum())
        under = seen & False
        for b in boxes:
            under |= within(points, b, SLACK)
        inside += int((under & seen).sum())
    if not inside or not total:
        return []
    return [
        {
            "kind": "legend_over_data",
            "axes": number,
            "a": "legend",
            "box": tuple(map(float, box.extents)),
            "share": inside / total,
        }
    ]


def within(points, box, margin):
    x0, y0, x1, y1 = box
    x, y = points.T
    return (x > x0 + margin) & (x < x1 - margin) & (y > y0 + margin) & (y < y1 - margin)


def places(s, ax):
    """Returns where a series has ink, in pixels; None if it is not of points, lines or bars."""
    numpy = sys.modules["numpy"]
    by = {c.name: c for c in s.columns}
    if s.kind in ("line", "points"):
        at = slice(None) if s.count <= PLACES * 4 else numpy.linspace(0, s.count - 1, PLACES * 4).astype(int)
        found = ax.transData.transform(numpy.column_stack([by["x"].take(at), by["y"].take(at)]))
        if s.kind == "line" and 1 < len(found) < PLACES:
            steps = numpy.linspace(0, len(found) - 1, PLACES)
            found = numpy.column_stack([numpy.interp(steps, numpy.arange(len(found)), found[:, i]) for i in (0, 1)])
        return found
    if s.kind not in ("bars", "barsh", "histogram") or s.count > PLACES:
        return None
    x, y, width = (by[k].take(slice(None)) for k in ("x", "y", "width"))
    base = by["base"].take(slice(None)) if "base" in by else numpy.zeros(s.count)
    left, right, low, high = (x, x + width, base, y) if s.kind == "histogram" else (x - width / 2, x + width / 2, base, y)
    if s.kind == "barsh":
        left, right, low, high = base, x, y - width / 2, y + width / 2
    if ax.get_yscale() == "log":
        low = numpy.maximum(low, min(ax.get_ylim()))
    share = numpy.array([0.05, 0.35, 0.65, 0.95])
    across = (left[:, None] + (right - left)[:, None] * share)[:, :, None] + 0 * share
    along = (low[:, None] + (high - low)[:, None] * share)[:, None, :] + 0 * share[:, None]
    return ax.transData.transform(numpy.column_stack([across.reshape(-1), along.reshape(-1)]))
