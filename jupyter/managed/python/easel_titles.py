"""Tells the title of a matplotlib figure beside its picture.

A PNG does not say what its figure is called. IPython lets a formatter give
metadata with its data: there the title goes, as {"easel": {"title": …}}. The
picture stays the same to the byte.
"""

import sys

from easel_fonts import AfterImport

LONGEST = 200  # characters


def install():
    """Extends IPython in this process, once it draws figures."""
    if "IPython.core.pylabtools" not in sys.modules:
        sys.meta_path.insert(0, AfterImport({"IPython.core.pylabtools": extend}))


def extend(module):
    """Wraps what select_figure_formats registers for figures."""
    plain, retina = getattr(module, "print_figure", None), getattr(module, "retina_figure", None)

    def print_figure(fig, fmt="png", bbox_inches="tight", base64=False, **kwargs):
        data = plain(fig, fmt=fmt, bbox_inches=bbox_inches, base64=base64, **kwargs)
        return titled(fig, data) if base64 else data  # others than formatters want the bare bytes

    def retina_figure(fig, base64=False, **kwargs):
        data = retina(fig, base64=base64, **kwargs)
        return titled(fig, data) if base64 else data

    if plain is not None:
        module.print_figure = print_figure
    if retina is not None:
        module.retina_figure = retina_figure


def titled(fig, data):
    """Puts the figure's title into the metadata of data, if it has one."""
    name = title(fig)
    if not name or data is None:
        return data
    picture, metadata = data if isinstance(data, tuple) else (data, {})
    return picture, {**metadata, "easel": {"title": name}}


def title(fig):
    """What the figure is called: its own title, or the first of its axes."""
    try:
        texts = [fig._suptitle] if getattr(fig, "_suptitle", None) is not None else []
        for ax in fig.axes:
            texts += [ax.title, ax._left_title, ax._right_title]
        names = (" ".join(str(t.get_text()).split()) for t in texts)
        return next((n for n in names if n), "")[:LONGEST]
    except Exception:  # a figure of an unknown kind is drawn all the same
        return ""
