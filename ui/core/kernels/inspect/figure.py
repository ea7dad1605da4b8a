# Runs inside the user's kernel, in a namespace of its own, behind variables.py: draws a figure
# again that easel_figures keeps. It leaves rcParams, pyplot and the user's names as they are.
import base64, contextlib, io, logging, sys, warnings

RASTER = ("png", "jpeg")
LEAST = 0.6  # inches that are enough for axes
MARGIN = 0.06  # inches around a figure that arranges itself up to its edge


def keeper():
    """What keeps the figures of this kernel; None if nothing does."""
    return getattr(sys.modules.get("easel_figures"), "keeper", None)


def switch(sources, on):
    """Makes this kernel keep its figures, or release them and stop. sources are modules by name."""
    import importlib

    if on and keeper() is None and "IPython.core.formatters" in sys.modules:
        finder = Sources(sources)
        sys.meta_path.insert(0, finder)
        try:
            for name in sources:
                importlib.import_module(name)
        finally:
            sys.meta_path.remove(finder)
        sys.modules["easel_figures"].extend(sys.modules["IPython.core.formatters"])
    if keeper() is not None:
        keeper().switch(on)
    return on


class Sources:
    """Imports modules from their sources, by name."""

    def __init__(self, sources):
        self.sources = sources

    def find_spec(self, name, path=None, target=None):
        import importlib.util

        return importlib.util.spec_from_loader(name, self) if name in self.sources else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self.sources[module.__name__], module.__name__ + ".py", "exec"), module.__dict__)


def draw(names, format, width, height, dpi, scale, theme, within, roomy, most, part=None, look=0):
    """Draws the figure of a picture again: names are hashes of the picture's forms.

    Width and height are inches of the new picture; 0 means as displayed. A figure that took more
    than within seconds of the processor is not drawn, since the user's code would wait; 0 means any. The answer
    has the picture in base64, or tells why there is none. With roomy, a figure for which the size
    has too little room is laid out for a larger one, and drawn smaller. part is a part of the picture
    as displayed: its left, top, right and bottom edge as fractions; None means the whole.
    With look, the answer also has a PNG of what was drawn, with a long edge of about so many pixels, and what
    is wrong with the places of its texts and legends.
    """
    k = keeper()
    if k is None or not k.on:
        return {"missing": "off"}
    f = k.find(names)
    if f is not None and f.live is not None and not f.fixed:
        k.freeze(f)
        f = k.find(names)
    if f is None:
        return {"missing": k.why(names)}
    if within and f.seconds > within:
        return {"missing": "slow"}
    if scale:
        dpi = f.options["dpi"] * scale
    if f.live is not None and theme:
        return {"missing": "fixed"}
    with quiet(), settings(f.rc, format):
        shares = parts(f, k, width, height) if roomy else [1]
        for share in shares:
            asked = (width, height, dpi) if share == 1 else (width / share, height / share, (dpi or f.options["dpi"]) * share)
            data, (inches_wide, inches_high), crowded = printed(f, f.live or k.load(f), format, *asked, theme, share != shares[-1], part)
            if not crowded:
                break
        seen = looked(f, f.live or k.load(f), *asked, theme, look) if look else {}
    if len(data) > most:
        return {"missing": "answer"}
    return {**seen, "data": base64.b64encode(data).decode("ascii"), "width": inches_wide, "height": inches_high, "dpi": float(dpi or f.options["dpi"]), "seconds": f.seconds, "crowded": crowded}


def looked(f, figure, width, height, dpi, theme, look):
    """Returns a preview of a figure at a size, and what is wrong with the places of its texts and legends."""
    try:
        import easel_drawing

        size = (width or 0, height or 0)
        if not all(size):
            box = extent(figure, {k: v for k, v in f.options.items() if v is not None})
            size = (width or box.width * (height / box.height if height else 1), height or box.height * (width / box.width if width else 1))
        dots = min(look / max(size), 600)
        watch = easel_drawing.Watch(figure.canvas)
        try:
            data, _, _ = printed(f, figure, "png", width, height, dots, theme, False)
        finally:
            watch.end()
        return {"preview": base64.b64encode(data).decode("ascii"), "preview_dpi": dots, "drawing": watch.found}
    except Exception:  # the file counts
        return {}


def has(names):
    """Tells why there is no figure that draw could draw; nothing if there is one."""
    k = keeper()
    if k is None or not k.on:
        return {"missing": "off"}
    f = k.find(names)
    if f is not None and f.live is not None and not f.fixed:
        k.freeze(f)
        f = k.find(names)
    return {"missing": "" if f is not None else k.why(names)}


def values(names, most):
    """Returns what a figure shows in numbers: all values, up to so many."""
    k = keeper()
    if k is None or not k.on:
        return {"missing": "off"}
    f = k.find(names)
    if f is not None and f.live is not None and not f.fixed:
        k.freeze(f)
        f = k.find(names)
    if f is None:
        return {"missing": k.why(names)}
    import easel_facts
    import json

    with quiet(), settings(f.rc, "png"):
        return {"facts": json.dumps(easel_facts.read(f.live or k.load(f), None, most))}


def take(received, ends):
    """Hands over a figure to be stored, or says why one cannot be, and whether more are to be pickled.

    received are the names of the figure that Easel has received before. If the kernel ends, figures are pickled now.
    """
    k = keeper()
    if k is None or not k.on or not hasattr(k, "hurry"):  # an older Easel started the kernel
        return {"names": []}
    waits = bool(k.due())
    if waits and ends:
        k.hurry()
    names, packed, why = k.outbox.take(received)
    answer = {"names": names, "why": why, "waits": waits}
    if packed:
        import os

        answer["how"], answer["figure"] = (base64.b64encode(p).decode("ascii") for p in packed)
        answer["path"], answer["directory"] = [p for p in sys.path if isinstance(p, str)], os.getcwd()
        answer.update(versions())
    return answer


def versions():
    """Says what a stored figure depends on."""
    import platform

    return {"python": platform.python_version(), "executable": sys.executable, "matplotlib": sys.modules["matplotlib"].__version__}


def adopt(name, how, figure, path):
    """Keeps a stored figure in this kernel, which does nothing else, so that draw can draw it.

    Loading it runs code, so Easel has checked before that it has stored it itself.
    """
    import pickle
    import zlib

    try:
        import matplotlib.pyplot  # noqa: F401  before rcParams are set
    except Exception as e:
        return {"why": "%s: %s" % (type(e).__name__, str(e)[:300])}
    sys.path.extend(p for p in path if p not in sys.path)
    k = keeper()
    if k is None:
        return {"why": "this environment keeps no figures"}
    module = sys.modules["easel_figures"]
    try:
        options, rc, seconds = pickle.loads(zlib.decompress(base64.b64decode(how)))
        f = module.Figure(None, options, rc)
        f.live, f.data, f.seconds, f.told = None, zlib.decompress(base64.b64decode(figure)), seconds, True
        f.size = len(f.data)
        f.names.add(name)
        if b"cloudpickle" in f.data:
            sys.modules["easel_pickles"].by_value()
        f.done.set()
        k.load(f)
    except Exception as e:
        return {"why": "%s: %s" % (type(e).__name__, str(e)[:300]), **versions()}
    k.on = True
    k.figures = [f]  # in place of the one before
    return versions()


def parts(f, k, width, height):
    """Returns how large the text may be drawn: as displayed, or so that the figure has more of the
    room with which it was displayed."""
    if f.live is not None:
        return [1]
    wide, high = k.load(f).get_size_inches()
    part = min(width / wide, height / high)
    return [1] + [p for p in (2 * part, part) if p < 0.9]


@contextlib.contextmanager
def quiet():
    """Hides what drawing prints, warns and logs: the user has seen it before."""
    log = logging.getLogger("matplotlib")
    disabled, log.disabled = log.disabled, True
    out = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.disabled = disabled


@contextlib.contextmanager
def settings(rc, format):
    """Sets rcParams to what they were when a figure was displayed. Text stays text."""
    params = sys.modules["matplotlib"].rcParams
    before = dict.copy(params)
    try:
        dict.update(params, {k: v for k, v in rc.items() if not k.startswith("backend")})
        dict.update(params, {"svg.fonttype": "none"} if format == "svg" else {"pdf.fonttype": 42} if format == "pdf" else {})
        yield
    finally:
        dict.clear(params)
        dict.update(params, before)


def printed(f, figure, format, width, height, dpi, theme, choosy, part=None):
    """Prints a figure. Returns the file's content, the picture's size in inches, and whether the
    size has too little room: something is cut off, or axes are far smaller than before. Then, choosy prints nothing."""
    how = {k: v for k, v in f.options.items() if v is not None}
    how["format"] = format
    if dpi:
        how["dpi"] = dpi
    if format != f.options["format"]:
        how.pop("pil_kwargs", None)
    if theme:
        recolour(figure, theme == "dark", how)
    before, dpi_before, box = figure.get_size_inches().copy(), figure.dpi, None
    crowded = False
    try:
        if width or height:
            figure.dpi = how["dpi"]
            room = sizes(figure)
            box, cut = resized(figure, width, height, how, figure is not f.live)
            crowded = cut or any(now < min(LEAST, then / 3) for now, then in zip(sizes(figure), room))
            if crowded and choosy:
                return b"", (0.0, 0.0), True
            how["bbox_inches"] = box
            how.pop("pad_inches", None)
        elif part:
            figure.dpi = f.options["dpi"]  # places of text depend on it
            box = portion(extent(figure, how), part)
            how["bbox_inches"] = box
            how.pop("pad_inches", None)
        elif format not in RASTER:
            box = extent(figure, how)  # the size of a raster picture is in its file
        file = io.BytesIO()
        figure.canvas.print_figure(file, **how)
    finally:
        if figure is f.live:
            figure.dpi = dpi_before
            figure.set_size_inches(before)
    return file.getvalue(), (float(box.width), float(box.height)) if box is not None else (0.0, 0.0), crowded


def portion(box, part):
    """Returns a part of the box of a picture: left, top, right and bottom edge as fractions from its top left corner."""
    from matplotlib.transforms import Bbox

    left, top, right, bottom = part
    return Bbox.from_extents(
        box.x0 + left * box.width, box.y1 - bottom * box.height, box.x0 + right * box.width, box.y1 - top * box.height
    )


def sizes(figure):
    """Returns the widths and heights of a figure's axes in inches."""
    return [side for ax in figure.axes if ax.get_visible() for side in ax.bbox.size / figure.dpi]


def resized(figure, width, height, how, copied):
    """Gives a figure the size with which its picture has a size.

    Returns the picture's box, and whether something is cut off because it does not fit. The
    picture of a figure without a fixed box is larger or smaller than the figure, since it ends
    where the text ends. Only a copy of a figure may be arranged anew.
    """
    now = None if width and height else extent(figure, how)
    want = (width or now.width * height / now.height, height or now.height * width / now.width)
    engine = getattr(figure, "get_layout_engine", lambda: None)()
    arranges = engine is not None and type(engine).__name__ != "PlaceHolderLayoutEngine"
    tight = copied and not arranges and engine is not None and engine.adjust_compatible and tightened(figure)
    fixed = how.get("bbox_inches") != "tight"
    if fixed or arranges or tight:  # then most figures have no text outside of them
        edge = 0 if fixed or tight else MARGIN
        figure.set_size_inches(*(max(side - 2 * edge, side / 2) for side in want))
        if tight:
            tighten(figure)
        if fixed or fits(figure, how):
            return framed(figure.bbox_inches, want, how), False
    now = fitted(figure, want, how, tight)
    if all(got - side < 0.05 for side, got in zip(want, (now.width, now.height))):
        return framed(now, want, how), False
    # The text leaves no room for the axes, so some of it is cut off.
    before = figure.get_size_inches().copy()
    figure.set_size_inches(*want)
    if arranges or copied and tighten(figure):
        return framed(figure.bbox_inches, want, how), not fits(figure, how)
    figure.set_size_inches(*before)
    top = now.frozen()
    top.y0 = max(top.y0, top.y1 - want[1])
    box = framed(top, want, how)
    if not all(within(ax.bbox.transformed(figure.dpi_scale_trans.inverted()), box) for ax in figure.axes):
        figure.set_size_inches(*want)
        box = framed(figure.bbox_inches, want, how)
    return box, True


def within(part, box):
    return box.x0 <= part.x0 and part.x1 <= box.x1 and box.y0 <= part.y0 and part.y1 <= box.y1


def tighten(figure):
    """Calls tight_layout(), and returns whether there was room for it."""
    params = sys.modules["matplotlib"].rcParams  # as when the code called it
    before = sides(figure)
    figure.subplots_adjust(**{side: params["figure.subplot." + side] for side in before})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        figure.tight_layout()
    room = not any("not applied" in str(w.message) for w in said)
    if not room:
        figure.subplots_adjust(**before)
    return room


def sides(figure):
    return {side: getattr(figure.subplotpars, side) for side in ("left", "right", "bottom", "top", "wspace", "hspace")}


def tightened(figure):
    """Whether the code has called tight_layout() without arguments. It fits the axes to one size only."""
    before = sides(figure)
    if tighten(figure) and all(abs(now - then) < 0.01 for now, then in zip(sides(figure).values(), before.values())):
        return True
    figure.subplots_adjust(**before)
    return False


def fits(figure, how):
    """Whether nothing is outside of the figure."""
    box, (width, height) = extent(figure, {**how, "pad_inches": 0}), figure.get_size_inches()
    return min(box.x0, box.y0, width - box.x1, height - box.y1) > -0.02


def fitted(figure, want, how, tight):
    """Looks for the size with which a figure's picture has a size, and returns the picture's box.
    It is larger if the text is."""
    now = extent(figure, how)
    size = [max(w - o + s, w / 4) for w, o, s in zip(want, (now.width, now.height), figure.get_size_inches())]
    for _ in range(4):
        before, had = figure.get_size_inches().copy(), (now.width, now.height)
        figure.set_size_inches(*size)
        if tight:
            tighten(figure)
        now = extent(figure, how)
        got = (now.width, now.height)
        if all(abs(w - g) < 0.01 for w, g in zip(want, got)):
            break
        for i in 0, 1:
            step = size[i] - before[i]
            slope = (got[i] - had[i]) / step if abs(step) > 1e-6 else 1
            size[i] = min(max(size[i] + (want[i] - got[i]) / min(max(slope, 0.5), 2), want[i] / 4), want[i] * 1.6)
    return now


def framed(box, want, how):
    """Returns a box of a size with the same centre."""
    from matplotlib.transforms import Bbox

    width, height = want
    slack = 1e-3 / how["dpi"] if how["format"] in RASTER else 0  # so that no pixel is lost by rounding
    return Bbox.from_bounds((box.x0 + box.x1 - width) / 2, (box.y0 + box.y1 - height) / 2, width + slack, height + slack)


def extent(figure, how):
    """Returns the box of a figure's picture in inches."""
    from matplotlib.transforms import Bbox

    box = how.get("bbox_inches")
    if box != "tight":
        return Bbox.from_bounds(0, 0, *figure.get_size_inches())
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    pad = how.get("pad_inches")
    if not isinstance(pad, (int, float)):
        pad = sys.modules["matplotlib"].rcParams["savefig.pad_inches"]
    canvas = figure.canvas
    try:
        renderer = FigureCanvasAgg(figure).get_renderer()
        with renderer._draw_disabled():
            figure.draw(renderer)
        return figure.get_tightbbox(renderer).padded(pad)
    finally:
        figure.set_canvas(canvas)


def recolour(figure, dark, how):
    """Exchanges light and dark greys, unless the background already is as wanted."""
    from matplotlib import colors
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    def brightness(color):
        r, g, b, alpha = colors.to_rgba(color)
        return 1 - alpha + alpha * (0.299 * r + 0.587 * g + 0.114 * b)

    def turned(color):
        """Returns a grey's counterpart, which is never quite black; other colours stay."""
        if isinstance(color, str) and color in ("none", "auto"):
            return color
        try:
            r, g, b, alpha = colors.to_rgba(color)
        except ValueError:
            return color
        if max(r, g, b) - min(r, g, b) > 0.12 or not alpha:
            return color
        grey = 1 - (r + g + b) / 3
        return (grey * 0.9 + 0.08,) * 3 + (alpha,) if dark else (grey,) * 3 + (alpha,)

    background = how.get("facecolor", figure.get_facecolor())
    if background == "auto":
        background = figure.get_facecolor()
    transparent = colors.to_rgba(background)[3] == 0
    if not transparent and (brightness(background) < 0.5) == dark:
        return
    params = sys.modules["matplotlib"].rcParams
    for key, value in params.items():
        if key.endswith("color") and isinstance(value, str) and value not in ("auto", "inherit"):
            dict.__setitem__(params, key, turned(value))
    how["facecolor"] = turned("white") if dark and transparent else turned(background)
    how.pop("edgecolor", None)
    for ax in figure.axes:
        for axis in ax.xaxis, ax.yaxis:
            for kw in axis._major_tick_kw, axis._minor_tick_kw:
                for key in [k for k in kw if "color" in k]:
                    kw[key] = turned(kw[key])
    for artist in figure.findobj():
        if isinstance(artist, (Text, Line2D)):
            artist.set_color(turned(artist.get_color()))
        if isinstance(artist, Line2D):
            artist.set_markerfacecolor(turned(artist.get_markerfacecolor()))
            artist.set_markeredgecolor(turned(artist.get_markeredgecolor()))
        elif isinstance(artist, Patch):
            artist.set_edgecolor(turned(artist.get_edgecolor()))
            artist.set_facecolor(turned(artist.get_facecolor()))
        elif isinstance(artist, Collection) and artist.get_array() is None:
            artist.set_facecolor([turned(c) for c in artist.get_facecolor()])
            artist.set_edgecolor([turned(c) for c in artist.get_edgecolor()])
