"""Reads what distinguishes lines and points from others: colour, marker, dashes."""

import sys

import easel_numbers as numbers
from easel_numbers import attributes
from easel_series import hexed

NOT_DRAWN = ("None", "none", " ", "", None)
FILLED, UNFILLED, MARKERS = "os^vD<>dpPhH*X8.", "+x|_1234,", {}


def style_of(line):
    """Returns the marker and the line style of a line as in format strings, and whether it has a line."""
    have = attributes(line)
    marker = attributes(have["_marker"]).get("_marker_type", attributes(have["_marker"]).get("_marker"))
    marker = marker if type(marker) is str and len(marker) < 3 and marker not in NOT_DRAWN else ""
    drawn = have["_linestyle"] if have["_linestyle"] not in NOT_DRAWN and have["_linewidth"] > 0 else ""
    return marker, drawn


def look_of(line):
    """Returns the style of a line in words of format strings: a hollow marker and dashes of its own, too."""
    have, (marker, drawn) = attributes(line), style_of(line)
    face, dashes = have.get("_markerfacecolor"), have.get("_unscaled_dash_pattern")
    own = ""
    if drawn == "--" and type(dashes) is tuple and len(dashes) == 2 and type(dashes[1]) in (tuple, list):
        if list(dashes[1]) != list(sys.modules["matplotlib"].rcParams["lines.dashed_pattern"]):
            own = "(" + " ".join("%g" % v for v in dashes[1]) + ")"
    hollow = " hollow" if marker and marker in FILLED and type(face) is str and face.lower() == "none" else ""
    return marker + drawn + own + hollow


def marker_of(artist):
    """Returns the marker of a collection of points; empty if it has several or one of the user's."""
    have = attributes(artist)
    paths = have.get("_paths")
    if type(paths) not in (list, tuple) or len(paths) != 1:
        return ""
    if not MARKERS:
        style = sys.modules["matplotlib.markers"].MarkerStyle
        for name in FILLED + UNFILLED:
            m = style(name)
            MARKERS.setdefault(m.get_path().transformed(m.get_transform()).vertices.tobytes(), name)
    found = numbers.pairs(attributes(paths[0]).get("_vertices"))
    marker = MARKERS.get(found[0].tobytes(), "") if found is not None else ""
    rows = numbers.parts(have.get("_facecolors"))
    hollow = marker in FILLED and marker and rows is not None and have.get("_A") is None
    return marker + (" hollow" if hollow and (rows[0].ndim != 2 or not (rows[0][:, 3] > 0).any()) else "")


def colour_of(line, bare):
    have = attributes(line)
    face, alpha = have.get("_markerfacecolor"), have.get("_alpha")
    if bare and not (type(face) is str and face in ("auto", "none")):
        return hexed(face, alpha) or hexed(have["_color"], alpha)
    return hexed(have["_color"], alpha)
