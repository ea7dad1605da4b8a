#!/usr/bin/env python3
"""Make the fonts of this directory from Noto Sans CJK (Debian: fonts-noto-cjk).

    python3 subset.py /usr/share/fonts/opentype/noto $(go list -m -f '{{.Dir}}' fyne.io/fyne/v2)/theme/font .

Each has the characters of Windows-31J (cp932) that the font behind it (Fyne's) has
not, and the space: text shaping leaves a space in the font of the word before it.
There is no Latin: the fonts stand in front of others, whose Latin must stay. The vertical metrics and the
space are those of the font behind: Noto Sans, and for Mono DejaVu Sans Mono, whose
cell is 0.602 em wide; there a wide character takes two cells exactly, so that code
with Japanese in it stays in columns.

Needs fontTools.
"""
import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

FACE = "Noto Sans CJK JP"
CELL = 602  # of DejaVu Sans Mono: 1233 of 2048 units


def characters(behind):
    chars = set(range(0x3000, 0x3100)) | set(range(0xFF00, 0xFFF0))
    for lead in range(0x81, 0x100):
        for trail in range(0x40, 0x100):
            try:
                chars.update(map(ord, bytes([lead, trail]).decode("cp932")))
            except UnicodeDecodeError:
                pass
    theirs = set(TTFont(behind).getBestCmap())
    return {c for c in chars if c >= 0x2000 and c not in theirs} | {0x20, 0xA0}


def make(source, behind, target, ascent, descent, space, cells):
    font = next(f for f in TTCollection(source).fonts if f["name"].getDebugName(4).startswith(FACE))
    options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, glyph_names=False, name_IDs=["*"])
    options.drop_tables += ["GSUB", "GPOS", "VORG", "vhea", "vmtx", "BASE"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters(behind))
    subsetter.subset(font)
    font.save(target)

    font = TTFont(target)
    font["hhea"].ascent, font["hhea"].descent, font["hhea"].lineGap = ascent, descent, 0
    os2 = font["OS/2"]
    os2.sTypoAscender, os2.sTypoDescender, os2.sTypoLineGap = ascent, descent, 0
    os2.usWinAscent, os2.usWinDescent = ascent, -descent
    widths, names = font["hmtx"].metrics, font.getBestCmap()
    if cells:
        for name, (width, left) in widths.items():
            widths[name] = (CELL if width <= 600 else 2 * CELL, left)
    for c in (0x20, 0xA0):
        widths[names[c]] = (space, 0)
    if cells:
        centre(font, names)
    font.save(target)


def centre(font, names):
    """Put each glyph into the middle of its cells."""
    from fontTools.pens.t2CharStringPen import T2CharStringPen
    from fontTools.pens.transformPen import TransformPen

    glyphs = font.getGlyphSet()
    cff = font["CFF "].cff
    top = cff.topDictIndex[0]
    strings = top.CharStrings
    drawn = {}
    for name in font.getGlyphOrder():
        width = font["hmtx"].metrics[name][0]
        shift = (width - (500 if width == CELL else 1000)) / 2
        pen = T2CharStringPen(width, glyphs)
        glyphs[name].draw(TransformPen(pen, (1, 0, 0, 1, shift, 0)))
        private = strings[name].private
        drawn[name] = pen.getCharString(private=private, globalSubrs=strings[name].globalSubrs)
    for name, string in drawn.items():
        strings[name] = string


if __name__ == "__main__":
    noto, fyne, out = map(pathlib.Path, sys.argv[1:4])
    regular, bold = noto / "NotoSansCJK-Regular.ttc", noto / "NotoSansCJK-Bold.ttc"
    make(regular, fyne / "NotoSans-Regular.ttf", out / "NotoSansCJKjp-Regular-subset.otf", 1069, -293, 260, False)
    make(bold, fyne / "NotoSans-Bold.ttf", out / "NotoSansCJKjp-Bold-subset.otf", 1069, -293, 260, False)
    make(regular, fyne / "DejaVuSansMono-Powerline.ttf", out / "NotoSansCJKjp-Mono-subset.otf", 928, -236, CELL, True)
