"""Reads and changes Vega and Vega-Lite specifications."""

import re
import urllib.parse

_FORMATS = {"text/csv": "csv", "text/tab-separated-values": "tsv"}


def block(spec, blocked):
    """Replaces data that would be loaded by empty data, and adds its addresses to blocked.
    Replaces data: URLs by their data. Returns the number of sources with data of their own."""
    inline = 0
    waiting = [spec]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(x for x in item if isinstance(x, (dict, list)))
            continue
        for key, value in item.items():
            if key == "data":
                for source in value if isinstance(value, list) else [value]:
                    inline += _source(source, blocked)
            if key in ("values", "datasets"):
                continue  # rows, not specifications
            if isinstance(value, (dict, list)):
                waiting.append(value)
    return inline


def _source(source, blocked):
    if not isinstance(source, dict):
        return 0
    url = source.get("url")
    if not isinstance(url, str):
        # The loader refuses a computed url.
        return int(any(k in source for k in ("values", "name", "sequence", "sphere", "graticule")))
    del source["url"]
    if url[:5].lower() == "data:":
        kind, text = _data(url)
        form = source.setdefault("format", {})
        if isinstance(form, dict):
            form.setdefault("type", _FORMATS.get(kind, "json"))
        source["values"] = text
        return 1
    source.pop("format", None)
    source["values"] = []
    if url not in blocked:
        blocked.append(url)
    return 0


def _data(url):
    head, _, body = url[5:].partition(",")
    raw = urllib.parse.unquote_to_bytes(body)
    if head.endswith(";base64"):
        import base64

        raw = base64.b64decode(raw)
    return head.partition(";")[0].strip().lower(), raw.decode(errors="replace")


def contain(spec, width, height):
    """Gives a chart that fills its container that size, or a default one."""
    fit = []
    for key, given, usual, axis in (("width", width, 400, "x"), ("height", height, 300, "y")):
        if spec.get(key) == "container":
            spec[key] = given or usual
            fit.append(axis)
    if fit and "autosize" not in spec:
        spec["autosize"] = {
            "type": "fit" if len(fit) == 2 else "fit-" + fit[0],
            "contains": "padding",
        }


def version(major, spec, bundled):
    """Returns the newest bundled version with the major version of the MIME type or, if it has
    none, of $schema. If there is none, returns the nearest version."""
    if not major:
        found = re.search(r"/vega-lite/v(\d+)", str(spec.get("$schema")))
        major = found[1] if found else ""
    known = sorted(bundled, key=lambda v: [int(n) for n in v.split(".")])
    if not major:
        return known[-1]
    same = [v for v in known if v.split(".")[0] == major]
    if same:
        return same[-1]
    return known[0] if int(major) < int(known[0].split(".")[0]) else known[-1]


def title(spec):
    found = spec.get("title")
    layers = spec.get("layer")
    if not found and isinstance(layers, list):
        return next((t for t in map(title, (x for x in layers if isinstance(x, dict))) if t), "")
    if isinstance(found, dict):
        found = found.get("text")
    if isinstance(found, list):
        found = " ".join(line for line in found if isinstance(line, str))
    return " ".join(found.split()) if isinstance(found, str) else ""
