"""Adds the title of a matplotlib figure to its picture's metadata.

A picture does not contain its figure's title as text. IPython lets a formatter return
metadata with its data. The title goes there, as {"easel": {"title": …}}. The picture
does not change by a single byte.
"""

import sys

from easel_fonts import AfterImport

LONGEST = 200  # characters
MOST = 4  # axes whose titles are listed


def install():
    """Extends IPython in this process, once it draws figures."""
    if "IPython.core.pylabtools" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"IPython.core.pylabtools": extend}))


def extend(module):
    """Makes the formatters that select_figure_formats registers for figures return titles."""
    plain, retina = getattr(module, "print_figure", None), getattr(module, "retina_figure", None)
    select = getattr(module, "select_figure_formats", None)
    if plain is None or "base64" not in plain.__code__.co_varnames:
        return  # an old IPython

    def print_figure(fig, fmt="png", bbox_inches="tight", base64=False, **kwargs):
        data = plain(fig, fmt=fmt, bbox_inches=bbox_inches, base64=base64, **kwargs)
        return titled(fig, data) if base64 else data  # callers other than formatters expect only the bytes

    def retina_figure(fig, base64=False, **kwargs):
        data = retina(fig, base64=base64, **kwargs)
        return titled(fig, data) if base64 else data

    def select_figure_formats(shell, *args, **kwargs):
        result = select(shell, *args, **kwargs)
        entitle_svg(shell)
        return result

    module.print_figure = print_figure
    if retina is not None:
        module.retina_figure = retina_figure
    if select is not None:
        module.select_figure_formats = select_figure_formats


def entitle_svg(shell):
    """Makes the formatter for SVG, which does not request base64, return titles as well."""
    try:
        from matplotlib.figure import Figure

        formatter = shell.display_formatter.formatters["image/svg+xml"]
        draw = formatter.lookup_by_type(Figure)
        if not getattr(draw, "easel_titled", False):
            entitled = lambda fig: titled(fig, draw(fig))  # noqa: E731
            entitled.easel_titled = True
            formatter.for_type(Figure, entitled)
    except Exception:  # none is registered, or another version of IPython: no title
        pass


def titled(fig, data):
    """Puts the figure's title into the metadata of data, if it has one."""
    name = title(fig)
    if not name or data is None:
        return data
    picture, metadata = data if isinstance(data, tuple) else (data, {})
    return picture, {**metadata, "easel": {"title": name}}


def title(fig):
    """Returns the figure's own title, or those of its parts."""
    try:
        name = own(fig)
        if name:
            return name[:LONGEST]
        names = list(dict.fromkeys(n for n in parts(fig) if n))
        more = len(names) - MOST
        if more > 0:
            names[MOST:] = ["+%d" % more]
        return " · ".join(names)[:LONGEST]
    except Exception:  # a figure of an unknown kind must still be drawn
        return ""


def own(fig):
    """Returns the title of a figure or subfigure."""
    return text(getattr(fig, "_suptitle", None))


def parts(fig):
    """Yields the titles within a figure, in order."""
    for part in getattr(fig, "subfigs", ()):
        if own(part):
            yield own(part)
        else:
            yield from parts(part)
    local = getattr(fig, "_localaxes", None)  # no list in old versions
    for ax in local if isinstance(local, list) and local else fig.axes:
        if ax.figure is fig:
            yield " ".join(n for n in map(text, (ax.title, ax._left_title, ax._right_title)) if n)


def text(artist):
    """Returns the content of a matplotlib text on one line."""
    return " ".join(str(artist.get_text()).split()) if artist is not None else ""
