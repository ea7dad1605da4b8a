"""Makes Vega say what its marks show.

Each group of marks gets a line without a length, whose label says the values of the data that the marks are drawn
from, after all transforms, and what the scales are. It is in the SVG at the place of its group, and nobody sees it."""

import json
import re
from xml.parsers import expat

MOST_MARKS = 2000
MOST_LABELS = 500
MOST_TEXT = 24 << 20
_PART, _ITEM = "\ue000", "\ue001"
_SIGN = "easel\ue000"
_PLACES = ("x", "x2", "xc", "y", "y2", "yc", "startAngle", "endAngle", "size")
_COLOURS = ("fill", "stroke")
_MOVE = re.compile(r"translate\(\s*([-+.\deE]+)[\s,]*([-+.\deE]*)\s*\)")
# From where bars go if 0 is not on the axis: they would begin at 0, and are drawn from its first value.
_BASE = re.compile(r"""(inrange\(0,[^?]*\?\s*0\s*:\s*)?domain\(["'][^"']+["']\)\[0\]$""")
_SCALED = re.compile(r"""scale\(\s*["']([^"']+)["']\s*,(.*)\)""", re.DOTALL)


def add(spec):
    """Adds the lines to a Vega specification. Returns what they say in which order, or None if there are no marks."""
    plan = _Plan(spec)
    plan.scope(spec, {}, [])
    return plan if plan.scopes else None


class _Plan:
    def __init__(self, spec):
        self.scopes = []
        self.marks = 0
        self.titles = {}
        self.legend = False
        self.guides(spec)

    def guides(self, scope):
        self.legend = self.legend or bool(scope.get("legends"))
        for axis in scope.get("axes") or []:
            title = _text(axis.get("title"))
            known = self.titles.setdefault(axis.get("scale"), {"title": "", "orient": ""})
            if not axis.get("grid") or title:
                known["title"] = known["title"] or title
                known["orient"] = known["orient"] or str(axis.get("orient", ""))
        for mark in scope.get("marks") or []:
            if mark.get("type") == "group":
                self.guides(mark)

    def scope(self, scope, scales, keys):
        scales = dict(scales)
        scales.update((s["name"], s) for s in scope.get("scales") or [] if isinstance(s.get("name"), str))
        said = _Scope(scope, scales, _text(scope.get("title")), keys)
        for mark in list(scope.get("marks") or []):
            if mark.get("type") == "group":
                facet = (mark.get("from") or {}).get("facet") or {}
                by = facet.get("groupby") or []
                by = [by] if isinstance(by, str) else [k for k in by if isinstance(k, str)]
                own = by if mark.get("title") or mark.get("style") == "cell" else []
                self.scope(mark, scales, own or (keys if "path" in str(mark.get("name")) else []))
            elif not mark.get("role") and self.marks < MOST_MARKS and said.mark(mark):
                self.marks += 1
        if said.marks:
            said.write(len(self.scopes))
            self.scopes.append(said)


class _Scope:
    """The marks of a group, and the expression that says their values."""

    def __init__(self, scope, scales, title, keys):
        self.spec, self.scales, self.title, self.keys = scope, scales, title, keys
        self.marks, self.used, self.parts = [], {}, []
        for key in keys:
            self.parts.append(f"(''+{_parent(key)})")

    def mark(self, mark):
        """Adds a mark. Returns False if its places are no values of scales."""
        encode = {}
        for stage in ("enter", "update"):
            encode.update((mark.get("encode") or {}).get(stage) or {})
        data = (mark.get("from") or {}).get("data")
        if mark.get("transform") or mark.get("type") in ("text", "image") and not encode.get("x"):
            return False
        kept = {}
        derived = []
        for name in _PLACES + _COLOURS + ("strokeDash", "shape", "opacity", "fillOpacity"):
            channel = self.channel(encode.get(name), data, derived)
            if channel:
                kept[name] = channel
                offset = _last(encode.get(name)).get("offset")
                if name in ("x", "xc", "y", "yc") and isinstance(offset, dict) and "scale" in offset:
                    offset = self.channel(offset, data, derived)
                    if offset:
                        kept[name + "Offset"] = offset
        if not any("scale" in kept.get(name, {}) for name in _PLACES[:8]) and mark.get("type") != "arc":
            return False
        # Vega keeps a list of all rows in a set of data of its own only: in others, those that a filter removed may be null.
        if not derived and any(d.get("name") == data and d.get("transform") for d in self.spec.get("data") or []):
            derived = [{"type": "filter", "expr": "true"}]
        if derived:
            made = f"easel_{len(self.marks)}_{data}"
            self.spec.setdefault("data", []).append({"name": made, "source": data, "transform": derived})
            data = made
        style = mark.get("style") or []
        sort = mark.get("sort") or {}
        self.marks.append({
            "type": mark.get("type"), "style": [style] if isinstance(style, str) else style, "clip": bool(mark.get("clip")),
            "sort": str(sort.get("field") or "") if isinstance(sort, dict) else "", "channels": kept,
            "interpolate": str(_last(encode.get("interpolate")).get("value") or ""), "name": str(mark.get("name") or ""),
        })
        for channel in kept.values():
            if "scale" in channel:
                self.used[channel["scale"]] = None
            field = channel.pop("expr", None)
            if field is not None:
                channel["at"] = len(self.parts)
                self.parts.append(f"join(pluck(data({_quoted(data)}),{_quoted(field)}),SEP)")
            elif "signal" in channel:
                channel["at"] = len(self.parts)
                self.parts.append(f"(''+({channel.pop('signal')}))")
        return True

    def channel(self, entry, data, derived):
        """Returns from which values a channel of a mark comes; None if that is not known."""
        entry = _last(entry)
        if not isinstance(entry, dict):
            return None
        scale, field, signal = entry.get("scale"), entry.get("field"), entry.get("signal")
        if not isinstance(scale, str):
            scale = None
        found = _SCALED.fullmatch(signal.strip()) if isinstance(signal, str) and not scale else None
        if found:
            scale, signal = found[1], found[2]
            if _BASE.match(signal.strip()) and self.scales.get(scale, {}).get("type") == "linear":
                signal = "0"
        if scale is not None and scale not in self.scales:
            return None
        out = {"scale": scale} if scale else {}
        if isinstance(field, str) and data:
            return {**out, "field": field, "expr": field}
        if isinstance(signal, str):
            if "datum" not in signal:
                return {**out, "signal": signal}
            if not data:
                return None
            name = f"easel_{len(derived)}"
            derived.append({"type": "formula", "expr": signal, "as": name})
            return {**out, "field": name, "expr": name}
        if entry.get("value") is not None and (not isinstance(entry["value"], (dict, list))):
            return {**out, "value": str(entry["value"]), "sure": entry.get("test") is None and not entry.get("several")}
        return None

    def write(self, n):
        """Adds the line to the group."""
        self.said = {}
        for name in self.used:
            q = _quoted(name)
            kind = str(self.scales[name].get("type") or "linear")
            said = {"type": kind, "domain": len(self.parts), "range": len(self.parts) + 1}
            dated = kind in ("time", "utc")
            domain = f"toNumber(domain({q})[0])+SEP+toNumber(peek(domain({q})))" if dated else f"join(domain({q}),SEP)"
            self.parts += [f"({domain})", f"join(range({q}),SEP)"]
            if kind in ("band", "point"):
                said["ends"] = len(self.parts)
                self.parts.append(
                    f"(scale({q},domain({q})[0])+bandwidth({q})/2)+SEP+(scale({q},peek(domain({q})))+bandwidth({q})/2)+SEP+bandwidth({q})"
                )
            self.said[name] = said
        parts = f"+{_quoted(_PART)}+".join(p.replace("SEP", _quoted(_ITEM)) for p in self.parts)
        line = {"type": "rule", "name": "easel", "interactive": False, "aria": True, "encode": {"update": {
            "opacity": {"value": 0}, "x": {"value": 0}, "y": {"value": 0}, "strokeWidth": {"value": 0},
            "description": {"signal": f"{_quoted(_SIGN + str(n) + _PART)}+{parts}"},
        }}}
        self.spec["marks"].append(line)


def _last(entry):
    """Returns what a channel is unless an exception holds."""
    if not isinstance(entry, list):
        return entry if isinstance(entry, dict) else {}
    rules = [e for e in entry if isinstance(e, dict)]
    with_scale = [e for e in rules if "field" in e or "scale" in e]
    chosen = dict((with_scale or rules or [{}])[-1])
    if len(rules) > 1 and not with_scale:
        chosen["several"] = True
    return chosen


def _quoted(text):
    return json.dumps(str(text))


def _parent(key):
    path = re.split(r"(?<!\\)\.", re.sub(r"\[['\"]?([^\]'\"]*)['\"]?\]", r".\1", key))
    return "parent" + "".join(f"[{_quoted(p.replace(chr(92), ''))}]" for p in path)


def _text(title):
    if isinstance(title, dict):
        title = title.get("text")
    if isinstance(title, list):
        title = " ".join(str(t) for t in title)
    return title if isinstance(title, str) else ""


def read(svg, plan):
    """Returns what the lines in an SVG say, with the places of their groups in pixels."""
    found, places = [], [(0.0, 0.0)]

    def start(_, attributes):
        x, y = places[-1]
        label = attributes.get("aria-label")
        if label and label.startswith(_SIGN) and len(found) < MOST_LABELS:
            found.append((x, y, label))
        move = _MOVE.fullmatch(attributes.get("transform", "").strip())
        if move:
            x, y = x + float(move[1]), y + float(move[2] or 0)
        places.append((x, y))

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: places.pop()
    parser.Parse(svg, True)
    groups, left = [], MOST_TEXT
    for x, y, label in found:
        left -= len(label)
        if left < 0:
            break
        _, n, *parts = label.split(_PART)
        scope = plan.scopes[int(n)]
        titles = parts[: len(scope.keys)]
        values = [p.split(_ITEM) for p in parts]
        groups.append({
            "at": [x, y], "title": scope.title or ", ".join(titles), "marks": scope.marks,
            "scales": {k: {**v, **plan.titles.get(k, {})} for k, v in scope.said.items()}, "values": values,
        })
    return {"legend": plan.legend, "groups": groups}
