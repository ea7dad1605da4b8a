"""Draws Vega-Lite, Vega, SVG and PDF for Easel, one figure at a time.

A frame on stdin or stdout consists of the length of a JSON object and the length of a body,
each as four bytes, most significant first, followed by the object and the body. The first
frame on stdout says that the worker is ready. Each frame on stdin is a figure. The answer is a
PNG, and behind it what the marks of a chart say; or an object with "error"."""

import json
import math
import os
import re
import signal
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import confine  # noqa: E402
import pdf  # noqa: E402
import probe  # noqa: E402
import safesvg  # noqa: E402
import spec as specs  # noqa: E402

MAX_EDGE = 8192
MAX_PIXELS = 32 << 20
MAX_LOG = 16 << 20
LEAST_SCALE = 0.25  # if a figure needs a smaller scale, it is refused


class Refused(Exception):
    """The figure cannot be drawn. The message says why."""


def read(stream):
    head = stream.read(8)
    if len(head) < 8:
        return None, None
    n, m = struct.unpack(">II", head)
    return json.loads(stream.read(n)), stream.read(m)


def write(stream, header, body=b""):
    text = json.dumps(header).encode()
    stream.write(struct.pack(">II", len(text), len(body)) + text)
    stream.write(body)
    stream.flush()


def main():
    config = json.loads(sys.argv[1])
    stdin = os.fdopen(os.dup(0), "rb")
    stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not get between frames
    try:
        import vl_convert
    except ImportError as e:
        write(stdout, {"missing": str(e)})
        return
    limit(config["memory"])
    held = confine.confine(config["fonts"])
    for directory in config["fonts"]:
        try:
            vl_convert.register_font_directory(directory)
        except Exception as e:
            print("fonts:", directory, e, file=sys.stderr)
    write(stdout, {"version": vl_convert.__version__, "held": held})
    while True:
        request, data = read(stdin)
        if request is None:
            os._exit(0)  # Easel has closed the pipe; skip the cleanup of V8
        # Ends an endless computation if Easel no longer runs.
        alarm(math.ceil(request["limit"]) + 5)
        begin_log()
        header, png = answer(vl_convert, request, data)
        alarm(0)
        write(stdout, header, png)


def limit(memory):
    """Limits memory and the size of the log, which is the only file that is written. V8 reserves
    far more addresses than it uses, so the limit applies only to writable memory, of which it
    initially has about 600 MB."""
    try:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_LOG, MAX_LOG))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (memory + (1 << 30),) * 2)
    except (ImportError, AttributeError, ValueError, OSError):
        pass


def begin_log():
    """Truncates stderr, which is a file. Vega writes errors there, even if it then draws the
    chart or leaves it empty."""
    os.lseek(2, 0, os.SEEK_SET)
    os.ftruncate(2, 0)


def logged_error():
    text = os.pread(2, 1 << 16, 0) if hasattr(os, "pread") else b""
    found = re.search(r"^ERROR (.*)", text.decode(errors="replace"), re.MULTILINE)
    return found and found[1]


def alarm(seconds):
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def answer(vl, request, data):
    try:
        header, png = draw(vl, request, data)
    except Refused as e:
        return {"error": str(e)}, b""
    except RecursionError:
        return {"error": "it is nested too deeply"}, b""
    except MemoryError:
        return {"memory": True, "error": "it takes too much memory"}, b""
    except Exception as e:
        return {"error": said(e)}, b""
    return header, png


def said(error):
    """Returns the message of a library's error, without stack traces."""
    text = re.split(r"\n\s+at |\n\s*Stack backtrace", str(error))[0]
    text = re.sub(r"^[\w -]+ conversion failed:\s*", "", text.strip())
    return " ".join(re.sub(r"^Error: ", "", text).split()) or type(error).__name__


def draw(vl, request, data):
    blocked, marks = [], None
    if request["kind"] == "pdf":
        try:
            return pdf.draw(data, lambda width, height: fitted(request, width, height))
        except pdf.Malformed as e:
            raise Refused(str(e)) from None
    if request["kind"] == "svg":
        try:
            svg, title = safesvg.clean(data, blocked)
        except safesvg.Malformed as e:
            raise Refused(f"it is not valid SVG: {e}") from None
    else:
        svg, title, marks = chart(vl, request, data, blocked)
    svg, width, height = safesvg.sized(svg, request["width"], request["height"])
    header = {"title": title[:300], "blocked": blocked[:20]}
    if request["format"]:
        if width <= 0 or height <= 0:
            raise Refused("it has no size")
        return vector(vl, request, svg, width, height, header)
    png = vl.svg_to_png(svg, scale=fitted(request, width, height), ppi=72)
    if not marks:
        return header, png
    header["picture"], header["size"] = len(png), [width, height]
    return header, png + json.dumps(marks).encode()


def fitted(request, width, height):
    """Returns the scale for a figure of a size in CSS pixels: the requested one, or as much
    of it as the limits permit."""
    if width <= 0 or height <= 0:
        raise Refused("it has no size")
    scale = min(request["scale"], math.sqrt(MAX_PIXELS / (width * height)))
    if scale * max(width, height) > MAX_EDGE:
        scale = (MAX_EDGE - 0.5) / max(width, height)
    if scale < LEAST_SCALE:
        raise Refused(f"it is {width:.0f} by {height:.0f} pixels large, which is too much")
    return scale


def vector(vl, request, svg, width, height, header):
    """Writes a figure as SVG or PDF, as large as the space for it allows."""
    zoom = min((space / size for space, size in ((request["width"], width), (request["height"], height)) if space), default=1)
    header["inches"] = [width * zoom / 96, height * zoom / 96]
    if request["format"] == "svg":
        return header, safesvg.zoomed(svg, width * zoom, height * zoom).encode()
    points = 72 / 96 * zoom  # the page has as many points as the SVG has pixels
    return header, vl.svg_to_pdf(safesvg.zoomed(svg, width * points, height * points))


def chart(vl, request, data, blocked):
    try:
        spec = json.loads(data, parse_constant=lambda _: None)  # NaN
    except ValueError as e:
        raise Refused(f"its data is not JSON: {e}") from None
    if not isinstance(spec, dict):
        raise Refused("its data is not a JSON object")
    lite = request["kind"] == "vegalite"
    inline = specs.block(spec, blocked)
    if blocked and not inline:
        raise Refused(outside(blocked[0]))
    if lite:
        specs.contain(spec, request["width"], request["height"])
    marks = None
    try:
        svg, marks = observed(vl, request, spec) if not request["format"] else (None, None)
        if svg is None:
            svg = plain(vl, request, spec)
    except Exception as e:
        text = said(e)
        url = re.search(r"External data url not allowed: (\S+)", text)
        if url or blocked:
            raise Refused(outside(url[1] if url else blocked[0])) from None
        raise Refused(("Vega-Lite" if lite else "Vega") + " says: " + text) from None
    if error := logged_error():
        raise Refused(outside(blocked[0]) if blocked else "Vega says: " + said(error))
    if "href" in svg or safesvg.faceless(svg):
        svg, _ = safesvg.clean(svg.encode(), blocked)
    return svg, specs.title(spec), marks


def plain(vl, request, spec):
    """Draws a chart as it is."""
    if request["kind"] != "vegalite":
        return vl.vega_to_svg(json.dumps(spec), allowed_base_urls=[])
    return vl.vegalite_to_svg(json.dumps(spec), vl_version=lite_version(vl, request, spec), allowed_base_urls=[])


def lite_version(vl, request, spec):
    return specs.version(request["version"], spec, vl.get_vegalite_versions())


def observed(vl, request, spec):
    """Draws a chart that says what its marks show. Returns None instead of an SVG if it cannot be drawn so, which is no
    reason not to draw it."""
    try:
        if request["kind"] == "vegalite":
            spec = vl.vegalite_to_vega(json.dumps(spec), vl_version=lite_version(vl, request, spec))
        else:
            spec = json.loads(json.dumps(spec))
        plan = probe.add(spec)
        if plan is None:
            return None, None
        svg = vl.vega_to_svg(json.dumps(spec), allowed_base_urls=[])
        if logged_error():
            begin_log()
            return None, None
        return svg, probe.read(svg, plan)
    except Exception:
        begin_log()
        return None, None


def outside(url):
    return (
        f"it loads data from {url[:200]}, which is blocked; the data must be in the chart, "
        "for example as a DataFrame"
    )


if __name__ == "__main__":
    main()
