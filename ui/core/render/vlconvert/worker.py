"""Draws charts of Vega and Vega-Lite, and SVG, for Easel.

It reads requests from standard input and writes the answers to standard output. Each is a
frame: the length of its JSON head and that of its bytes (4 bytes each, big-endian), the
head, the bytes. It ends with its input. Nothing that it draws may read a file or reach the
network.
"""

import json
import re
import struct
import sys

MOST_EDGE = 8192
MOST_PIXELS = 40_000_000


def read(n):
    data = sys.stdin.buffer.read(n)
    if len(data) < n:
        sys.exit()
    return data


def receive():
    head, size = struct.unpack(">II", read(8))
    return json.loads(read(head)), read(size)


def send(head, data=b""):
    head = json.dumps(head).encode()
    sys.stdout.buffer.write(struct.pack(">II", len(head), len(data)) + head + data)
    sys.stdout.buffer.flush()


HREF = re.compile(r"""((?:[\w.-]+:)?href)\s*=\s*("[^"]*"|'[^']*')""", re.IGNORECASE)


def closed(svg, blocked):
    """svg without what it would load: resvg reads files that an image names."""

    def check(match):
        value = match[2][1:-1].strip()
        if value == "" or value.startswith("#") or value.lower().startswith("data:"):
            return match[0]
        if value not in blocked:
            blocked.append(value)
        return match[1] + '=""'

    return HREF.sub(check, svg)


def fitting(svg, scale):
    """The largest scale up to the given one with which the picture is not too large."""
    root = re.search(r"<svg\b[^>]*>", svg)
    if not root:
        return scale
    edges = []
    for name in ("width", "height"):
        edge = re.search(r"\s%s\s*=\s*[\"']\s*([0-9.]+)" % name, root[0])
        edges.append(float(edge[1]) if edge else 0)
    box = re.search(r"\sviewBox\s*=\s*[\"']\s*\S+?[\s,]+\S+?[\s,]+([0-9.]+)[\s,]+([0-9.]+)", root[0])
    w, h = edges if all(edges) else map(float, box.groups()) if box else (0, 0)
    if w <= 0 or h <= 0:
        return scale
    return min(scale, MOST_EDGE / max(w, h), (MOST_PIXELS / (w * h)) ** 0.5)


def title_of(spec):
    title = spec.get("title", "")
    if isinstance(title, dict):
        title = title.get("text", "")
    if isinstance(title, list):
        title = " ".join(map(str, title))
    return title if isinstance(title, str) else ""


def sized(spec, head):
    """spec with the size that it leaves to its container."""
    for name, default in (("width", 500), ("height", 300)):
        if spec.get(name) == "container":
            spec[name] = head.get(name) or default
    return spec


def version(mime, spec):
    """The newest version of Vega-Lite that the chart is written for, of those that are here."""
    said = re.search(r"/vega-lite/v(\d+)", str(spec.get("$schema", ""))) or re.search(r"\.v(\d+)\+json", mime)
    versions = [v for v in vl_convert.get_vegalite_versions() if said and v.split(".")[0] == said[1]]
    return versions[-1] if versions else None


def draw(head, data):
    mime, blocked, title = head["mime"], [], ""
    if mime == "image/svg+xml":
        svg = data.decode("utf-8", "replace")
    else:
        spec = json.loads(data)
        if not isinstance(spec, dict):
            raise ValueError("the chart's data is no JSON object")
        title = title_of(spec)
        if mime.startswith("application/vnd.vegalite."):
            svg = vl_convert.vegalite_to_svg(sized(spec, head), vl_version=version(mime, spec), allowed_base_urls=[])
        else:
            svg = vl_convert.vega_to_svg(spec, allowed_base_urls=[])
    svg = closed(svg, blocked)
    png = vl_convert.svg_to_png(svg, scale=fitting(svg, head["scale"]))
    return {"title": title, "blocked": blocked}, png


try:
    import resource
except ImportError:  # Windows
    pass
else:  # where nothing else ends an endless chart after Easel's own end, this does
    resource.setrlimit(resource.RLIMIT_CPU, (600, 600))

try:
    import vl_convert
except ImportError as error:
    send({"missing": str(error)})
    sys.exit()

for directory in sys.argv[1:]:
    vl_convert.register_font_directory(directory)
send({"version": getattr(vl_convert, "__version__", "")})
while True:
    request, payload = receive()
    try:
        answer, picture = draw(request, payload)
    except Exception as error:  # whatever a chart makes it raise, the next one is drawn
        answer, picture = {"refused": str(error) or type(error).__name__}, b""
    send(answer, picture)
