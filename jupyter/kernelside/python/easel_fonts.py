"""Lets matplotlib draw the characters that its own fonts lack.

EASEL_PLOT_FONTS lists font files, separated as in PATH. They are used, in that
order, for characters that no font of the text itself has. Text that those fonts can
draw is drawn exactly as without this module. rcParams, warnings and the list of
fonts do not change, and without the variable nothing changes at all. So no rc file,
style or seaborn theme removes the characters again, and pictures with Latin text are
identical to the byte to those of a matplotlib without Easel.

The module acts when matplotlib's modules are imported, at no cost until then. It does
not touch a matplotlib that lacks what it extends.
"""

import contextlib
import importlib.util
import os
import sys


def install():
    """Extends matplotlib in this process, once it is imported."""
    files = os.environ.get("EASEL_PLOT_FONTS", "").split(os.pathsep)
    files = [f for f in files if os.path.isfile(f)]
    if files and "matplotlib.font_manager" not in sys.modules:
        fallback = _Fallback(files)
        sys.meta_path.insert(0, AfterImport({
            "matplotlib.font_manager": fallback.extend_font_manager,
            "matplotlib._text_helpers": fallback.extend_text_helpers,
            "matplotlib._mathtext": fallback.extend_mathtext,
        }))


class AfterImport:
    """Runs a function for each of some modules after its first import."""

    def __init__(self, after):
        self.after = after

    def find_spec(self, name, path=None, target=None):
        after = self.after.pop(name, None)
        if after is None:
            return None
        if not self.after:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                with contextlib.suppress(Exception):  # another version: it stays as it is
                    after(module)

            spec.loader.exec_module = exec_module
        return spec


class _Fallback:
    def __init__(self, files):
        self.files = files
        self.paths = files

    def fonts(self):
        from matplotlib.font_manager import get_font

        return [get_font(p) for p in self.paths]

    def extend_font_manager(self, module):
        """Adds the files to the end of every list of fonts."""
        find = getattr(module.FontManager, "_find_fonts_by_props", None)
        if find is None:
            return
        if hasattr(module, "FontPath"):  # matplotlib 3.11
            self.paths = [module.FontPath(f, 0) for f in self.files]

        def _find_fonts_by_props(manager, prop, fontext="ttf", *args, **kwargs):
            found = find(manager, prop, fontext, *args, **kwargs)
            if fontext != "ttf":
                return found
            return found + [p for p in self.paths if p not in found]

        module.FontManager._find_fonts_by_props = _find_fonts_by_props

    def extend_text_helpers(self, module):
        """Omits the files from the warning about a glyph that no font has."""
        warn = getattr(module, "warn_on_missing_glyph", None)
        if warn is None:
            return

        def own(names):
            extra = {font.family_name for font in self.fonts()}
            return ", ".join(n for n in names.split(", ") if n not in extra) or names

        # matplotlib attributes the warning to the first frame outside of itself, so this one has to
        # look like its own.
        source = "def extended(codepoint, fontnames): warn(codepoint, own(fontnames))"
        scope = {"__name__": module.__name__, "warn": warn, "own": own}
        exec(compile(source, module.__file__, "exec"), scope)
        module.warn_on_missing_glyph = scope["extended"]

    def extend_mathtext(self, module):
        """Draws East Asian characters also in strings with formulas."""
        get_glyph = getattr(getattr(module, "UnicodeFonts", None), "_get_glyph", None)
        if get_glyph is None:
            return

        def _get_glyph(fonts, fontname, font_class, sym):
            if len(sym) == 1 and _east_asian(ord(sym)):
                stock = fonts._get_font(fontname)
                if stock is None or not stock.get_char_index(ord(sym)):
                    for font in self.fonts():
                        if font.get_char_index(ord(sym)):
                            return font, ord(sym), False
            return get_glyph(fonts, fontname, font_class, sym)

        module.UnicodeFonts._get_glyph = _get_glyph


def _east_asian(c):
    return 0x2E80 <= c < 0xD800 or 0xF900 <= c < 0xFB00 or 0xFE30 <= c < 0xFE50 or 0xFF00 <= c < 0xFFF0 or 0x20000 <= c < 0x40000
