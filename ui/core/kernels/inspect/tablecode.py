# Runs after ordering.py: writes the code that makes a view of a frame, with the names that the columns
# have in the code. Where the code would leave other rows than the view, there is none.


class NoCode(Exception):
    """A view that cannot be written as code."""


def literal(v, number):
    """Returns a value of a cell, as the window has it, as Python."""
    if type(v) is str and number:
        return 'float("%s")' % v if v in ("NaN", "Infinity", "-Infinity") else repr(int(v))
    return repr(v)


def typed(text):
    """Returns the end of a range that the user has typed as Python."""
    try:
        return repr(int(text))
    except ValueError:
        return repr(float(text))


def moments(low, high):
    """Returns the times from which on, and before which, the values of a range of times are; "" for none."""
    np = np_()
    full = lambda t: str(t if np.datetime_data(t.dtype)[0] in ("s", "ms", "us", "ns") else t.astype("M8[s]"))
    return full(np.datetime64(low)) if low else "", full(np.datetime64(high) + 1) if high else ""


def spelled(label):
    """Reports whether a column's name can be written as a literal."""
    return type(label) in (str, int) or type(label) is tuple and all(type(x) in (str, int) for x in label)


def same_text(f, kind, value):
    """Returns f's text if the code finds what the view finds by it. A library writes other values in its own way."""
    if kind != "text" and not (kind == "number" and set(f["value"]) <= set("0123456789") and value == "int"):
        raise NoCode
    return f["value"]


def pandas_code(df, name, frame, sort, filters):
    """Returns an expression with the methods of pandas: of a frame, or a series, which df has as its column. A
    column whose name is not its own, or no plain value, is taken by its position, and cannot be sorted by."""
    counts = collections.Counter(x for x in df.columns if spelled(x))

    def column(i):
        if not frame:
            return name
        return "%s[%r]" % (name, df.columns[i]) if alone(i) else "%s.iloc[:, %d]" % (name, i)

    def alone(i):
        return spelled(df.columns[i]) and counts[df.columns[i]] == 1

    try:
        code = name
        if filters:
            code += "[%s]" % " & ".join(pandas_condition(df.iloc[:, f["column"]], column(f["column"]), f) for f in filters)
        if not sort:
            return code
        if frame and not all(alone(x["column"]) for x in sort) or not all(sortable(df.iloc[:, x["column"]]) for x in sort):
            return ""
    except NoCode:
        return ""
    if not frame:
        return code + ".sort_values(ascending=%s, kind=\"stable\")" % (not sort[0]["down"])
    by, up = [df.columns[x["column"]] for x in sort], [not x["down"] for x in sort]
    more = "" if all(up) else ", ascending=%s" % (up[0] if len(up) == 1 else up)
    return code + ".sort_values(%r%s, kind=\"stable\")" % (by[0] if len(by) == 1 else by, more)


def sortable(s):
    """Reports whether pandas sorts a column, and as the view does."""
    if s.dtype == object:
        return not {type(v) for v in s if not absent(v)} - {str} or {type(v) for v in s if not absent(v)} <= {int, float, bool}
    return not hasattr(s.dtype, "pyarrow_dtype") or pandas_kind(s.dtype) != "other"


def pandas_condition(s, c, f):
    op, d, kind = f["op"], s.dtype, pandas_kind(s.dtype)
    own = not hasattr(d, "pyarrow_dtype") and d.kind != "c"
    if op in ("missing", "present"):
        return "%s.%s()" % (c, "isna" if op == "missing" else "notna")
    if op == "contains":
        texts = d == object and all(type(x) is str for x in s if not absent(x))
        text = same_text(f, "text" if texts else kind, "int" if own and d.kind in "iu" else "")
        if kind == "text":
            return "%s.str.contains(%r, case=False, regex=False, na=False)" % (c, text)
        return "%s.notna() & %s.astype(str).str.contains(%r, case=False, regex=False)" % (c, c, text)
    if op == "range":
        low, high = f.get("low") or "", f.get("high") or ""
        if not own:
            raise NoCode
        ends = (">= %r", "< %r") if kind == "date" else (">= %s", "<= %s")
        low, high = moments(low, high) if kind == "date" else (low and typed(low), high and typed(high))
        return " & ".join("(%s %s)" % (c, end % x) for x, end in zip((low, high), ends) if x)
    v = f["value"]
    if kind == "text" and cut(v):
        test = "(%s.str.startswith(%r, na=False) & (%s.str.len() > %d))" % (c, v[:SHORT], c, SHORT)
        return test if op == "is" else "~" + test
    plain_type = {str} if type(v) is str else {int, float, bool}
    if d == object and {type(x) for x in s if not absent(x)} - plain_type or kind == "other" and d != object and not plain_categories(d, plain_type):
        raise NoCode
    if not own and kind not in ("text", "bool") and not (kind == "number" and type(v) is not str) or kind != "text" and shortened(v):
        raise NoCode
    test = "%s %s %s" % (c, "==" if op == "is" else "!=", literal(v, kind == "number"))
    return "(%s)" % test if isinstance(d, np_().dtype) else "(%s).fillna(%s)" % (test, op == "not")


def plain_categories(d, plain_type):
    return type(d).__name__ == "PeriodDtype" or type(d).__name__ == "CategoricalDtype" and {type(x) for x in d.categories.tolist()} <= plain_type


def polars_code(df, name, sort, filters):
    """Returns an expression with the methods of polars, whose names are all texts."""
    try:
        code = name
        if filters:
            code += ".filter(%s)" % " & ".join(polars_condition(df.dtypes[f["column"]], "pl.col(%r)" % df.columns[f["column"]], f) for f in filters)
        if any(df.dtypes[x["column"]].is_nested() or str(df.dtypes[x["column"]]) == "Object" for x in sort):
            return ""
    except NoCode:
        return ""
    if sort:
        by = ["pl.col(%r)" % df.columns[x["column"]] + (".fill_nan(None)" if df.dtypes[x["column"]].is_float() else "") for x in sort]
        down = [x["down"] for x in sort]
        more = ", descending=%s" % (down[0] if len(down) == 1 else down) if any(down) else ""
        code += ".sort(%s%s, nulls_last=True, maintain_order=True)" % (", ".join(by), more)
    return code


def polars_condition(d, c, f):
    op, kind, gone = f["op"], polars_kind(d), "%s.is_null()" % c
    day, zone = str(d) == "Date", getattr(d, "time_zone", None)
    if d.is_float():
        gone = "(%s.is_null() | %s.is_nan())" % (c, c)
    if op in ("missing", "present"):
        return gone if op == "missing" else "~" + gone
    if op == "contains":
        text = same_text(f, kind, "int" if d.is_integer() else "").lower()
        return "%s.str.to_lowercase().str.contains(%r, literal=True)" % (c if kind == "text" else c + ".cast(pl.String)", text)
    if op == "range" and kind == "date":
        if str(d) == "Time":
            raise NoCode
        low, high = moments(f.get("low"), f.get("high"))
        c = c + ".cast(pl.Datetime)" if day else c + ".dt.replace_time_zone(None)" if zone else c
        return " & ".join("(%s %s pl.lit(%r).str.to_datetime())" % (c, sign, t) for t, sign in ((low, ">="), (high, "<")) if t)
    if op == "range":
        low, high = f.get("low"), f.get("high")
        return " & ".join("(%s %s %s)" % (c, sign, typed(t)) for t, sign in ((low, ">="), (high, "<=")) if t)
    v = f["value"]
    if kind == "duration" or d.is_nested() or str(d) in ("Time", "Binary", "Object"):
        raise NoCode
    if cut(v):
        test = "(%s.str.starts_with(%r) & (%s.str.len_chars() > %d)).fill_null(False)" % (c, v[:SHORT], c, SHORT)
        return test if op == "is" else "~" + test
    if kind == "date":
        value = "pl.lit(%r).str.%s" % (v, "to_date()" if day else "to_datetime(time_zone=%r)" % zone if zone else "to_datetime()")
    else:
        value = literal(v, kind == "number" and not d.is_decimal())
    return "(%s.%s(%s))" % (c, "eq_missing" if op == "is" else "ne_missing", value)
