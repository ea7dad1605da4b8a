"""Tells the title of a matplotlib figure beside its picture.

A picture does not say what its figure is called. IPython lets a formatter give
metadata with its data: there the title goes, as {"easel": {"title": …}}. The
picture stays the same to the byte.
"""

import sys

from easel_fonts import AfterImport

LONGEST = 200  # characters
MOST = 4  # axes that are named


def install():
    """Extends IPython in this process, once it draws figures."""
    if "IPython.core.pylabtools" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"IPython.core.pylabtools": extend}))


def extend(module):
    """Has the formatters that select_figure_formats registers for figures give titles."""
    plain, retina = getattr(module, "print_figure", None), getattr(module, "retina_figure", None)
    select = getattr(module, "select_figure_formats", None)

    def print_figure(fig, fmt="png", bbox_inches="tight", base64=False, **kwargs):
        data = plain(fig, fmt=fmt, bbox_inches=bbox_inches, base64=base64, **kwargs)
        return titled(fig, data) if base64 else data  # others than formatters want the bare bytes

    def retina_figure(fig, base64=False, **kwargs):
        data = retina(fig, base64=base64, **kwargs)
        return titled(fig, data) if base64 else data

    def select_figure_formats(shell, *args, **kwargs):
        result = select(shell, *args, **kwargs)
        entitle_svg(shell)
        return result

    if plain is not None:
        module.print_figure = print_figure
    if retina is not None:
        module.retina_figure = retina_figure
    if select is not None:
        module.select_figure_formats = select_figure_formats


def entitle_svg(shell):
    """Has the formatter for SVG, which asks for no base64, give titles as well."""
    try:
        from matplotlib.figure import Figure

        formatter = shell.display_formatter.formatters["image/svg+xml"]
        draw = formatter.lookup_by_type(Figure)
        if not getattr(draw, "easel_titled", False):
            entitled = lambda fig: titled(fig, draw(fig))  # noqa: E731
            entitled.easel_titled = True
            formatter.for_type(Figure, entitled)
    except Exception:  # none is registered, or IPython is another: there is no title then
        pass


def titled(fig, data):
    """Puts the figure's title into the metadata of data, if it has one."""
    name = title(fig)
    if not name or data is None:
        return data
    picture, metadata = data if isinstance(data, tuple) else (data, {})
    return picture, {**metadata, "easel": {"title": name}}


def title(fig):
    """What the figure is called: its own title, or those of its parts."""
    try:
        name = own(fig)
        if name:
            return name[:LONGEST]
        names = list(dict.fromkeys(n for n in parts(fig) if n))
        more = len(names) - MOST
        if more > 0:
            names[MOST:] = ["+%d" % more]
        return " · ".join(names)[:LONGEST]
    except Exception:  # a figure of an unknown kind is drawn all the same
        return ""


def own(fig):
    """The title of a figure, or of a part of one that is a figure itself."""
    return text(getattr(fig, "_suptitle", None))


def parts(fig):
    """The titles within a figure, as they come."""
    for part in getattr(fig, "subfigs", ()):
        if own(part):
            yield own(part)
        else:
            yield from parts(part)
    for ax in getattr(fig, "_localaxes", None) or fig.axes:
        if ax.figure is fig:
            yield " ".join(n for n in map(text, (ax.title, ax._left_title, ax._right_title)) if n)


def text(artist):
    """What a text of matplotlib says, in one line."""
    return " ".join(str(artist.get_text()).split()) if artist is not None else ""
