"""Rewrites an SVG without anything that it would load, with fonts that exist, and determines
its size. The renderer parses only this output, without a doctype, entities, or addresses
outside the document."""

import re
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_MAX_ELEMENTS = 2_000_000
_MAX_DEPTH = 512

_UNITS = {"": 1, "px": 1, "pt": 96 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "em": 16, "ex": 8}
# A tag up to its ">". Attributes may contain ">" as well.
_TAG = re.compile(r"""<(?:[^>"'/]|"[^"]*"|'[^']*')*""")
# The last parts of the declarations of a style that name fonts.
_FONTS = re.compile(r"""(\bfont(?:-family)?\s*:\s*)((?:'[^']*'|"[^"]*"|[^;}'"])+)""", re.IGNORECASE)
_ATTRIBUTE = re.compile(r'font-family="([^"]*)"')
_FAMILIES = {"serif", "sans-serif", "monospace"}
_SPECIAL = {"", "inherit", "initial", "unset", "revert"}
_LENGTH = re.compile(r"\s*\+?([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*([a-z]*)\s*")


class Malformed(Exception):
    """The data is not valid SVG. The message says why."""


class _Writer:
    def __init__(self, blocked):
        self.blocked = blocked
        self.out = []
        self.open = []
        self.elements = 0
        self.title = []
        self.titled = False

    def start(self, name, attributes):
        self.elements += 1
        if self.elements > _MAX_ELEMENTS or len(self.open) >= _MAX_DEPTH:
            raise Malformed("it has too many elements, or nests them too deeply")
        attributes = dict(zip(attributes[::2], attributes[1::2]))
        if not self.open:
            self.root(name, attributes)
        self.open.append(name)
        self.out.append("<" + name)
        for key, value in attributes.items():
            if key.rpartition(":")[2] in ("href", "src") and not self.inside(name, value):
                continue
            if key == "font-family":
                value = _families(value)
            elif key == "style":
                value = _styled(value)
            self.out.append(f" {key}={quoteattr(value)}")
        self.out.append(">")

    def root(self, name, attributes):
        prefix, _, local = name.rpartition(":")
        if local != "svg":
            raise Malformed(f"its root element is {name[:40]}")
        attributes.setdefault("xmlns:" + prefix if prefix else "xmlns", _SVG)
        attributes.setdefault("xmlns:xlink", _XLINK)
        attributes.setdefault("font-family", "serif")

    def inside(self, name, value):
        value = value.strip()
        if value.startswith("#") or value[:5].lower() == "data:":
            return True
        # Links are not loaded, so they are not reported as blocked.
        if value and name.rpartition(":")[2] != "a" and value not in self.blocked:
            self.blocked.append(value[:500])
        return False

    def end(self, name):
        self.open.pop()
        self.titled = self.titled or len(self.open) == 1 and name == "title"
        self.out.append(f"</{name}>")

    def text(self, data):
        if len(self.open) == 2 and self.open[1] == "title" and not self.titled:
            self.title.append(data)
        if self.open and self.open[-1].rpartition(":")[2] == "style":
            data = _styled(data)
        self.out.append(escape(data))


def _families(value):
    """Adds a generic font family to a list of families that ends without one. The renderer
    leaves out text if it finds none of its families, where browsers use another font."""
    text, important, _ = value.partition("!")
    last = text.rpartition(",")[2].strip().strip("'\"").lower()
    if last in _SPECIAL or last.split()[-1] in _FAMILIES:
        return value
    names = text.lower()
    if any(word in names for word in ("mono", "courier", "consolas", "menlo")):
        generic = "monospace"
    elif any(word in names for word in ("times", "serif", "roman", "georgia", "garamond", "mincho")) and "sans" not in names:
        generic = "serif"
    else:
        generic = "sans-serif"
    return f"{text.rstrip()}, {generic}{' !' + value.partition('!')[2] if important else ''}"


def _styled(text):
    """Adds generic font families to the declarations of a style."""
    return _FONTS.sub(lambda found: found[1] + _families(found[2]), text)


def faceless(svg):
    """Reports whether an SVG of Vega's names font families without a generic one."""
    return any(_families(value) != value for value in set(_ATTRIBUTE.findall(svg)))


def clean(data, blocked):
    """Returns the rewritten SVG and its title, and adds the addresses that it would load to blocked."""
    writer = _Writer(blocked)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 1 << 20  # a style in one piece
    parser.ordered_attributes = True
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as e:
        raise Malformed(str(e)) from None
    return "".join(writer.out), " ".join("".join(writer.title).split())


def sized(svg, width, height):
    """Returns the SVG with a size in pixels, and that size. It is the SVG's own or, if it has
    none, that of the available space, with the aspect ratio of its viewBox."""
    name, attributes = _root(svg)
    w, h = _length(attributes.get("width")), _length(attributes.get("height"))
    box = [_number(n) for n in re.split(r"[\s,]+", attributes.get("viewBox", "").strip())]
    if len(box) == 4 and box[2] > 0 and box[3] > 0:
        if not w and not h:
            w = width or (height * box[2] / box[3] if height else box[2])
        w = w or h * box[2] / box[3]
        h = h or w * box[3] / box[2]
    w, h = _whole(w or width or 300), _whole(h or height or 150)
    attributes["width"], attributes["height"] = f"{w:.10g}", f"{h:.10g}"
    tag = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"<{name}{tag}{svg[_TAG.match(svg).end():]}", w, h


class _Found(Exception):
    pass


def zoomed(svg, width, height):
    """Returns an SVG of sized at another size."""
    name, attributes = _root(svg)
    attributes.setdefault("viewBox", f"0 0 {attributes['width']} {attributes['height']}")
    attributes["width"], attributes["height"] = f"{width:.10g}", f"{height:.10g}"
    tag = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"<{name}{tag}{svg[_TAG.match(svg).end():]}"


def _root(svg):
    """Returns the name and attributes of the root element, with which the text must begin."""
    found = []

    def start(name, attributes):
        found[:] = name, attributes
        raise _Found

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    try:
        parser.Parse(svg.encode(), True)
    except _Found:
        pass
    return found


def _whole(n):
    """Rounds an almost whole number: 288pt is 384 pixels."""
    return round(n) if abs(n - round(n)) < 1e-3 else n


def _number(text):
    try:
        n = float(text)
    except ValueError:
        return 0.0
    return n if 0 < abs(n) < 1e9 else 0.0


def _length(text):
    found = _LENGTH.fullmatch(text or "")
    if not found or found[2] not in _UNITS:
        return 0.0
    n = float(found[1]) * _UNITS[found[2]]
    return n if 0 < n < 1e9 else 0.0
