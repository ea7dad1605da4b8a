# Runs after ordering.py: writes the code that makes a view of a frame, with the names that the columns
# have in the code. It reads types and names, no values.


def literal(v):
    """Returns a value of a cell, as the window has it, as Python."""
    if type(v) is str and v in ("NaN", "Infinity", "-Infinity"):
        return 'float("%s")' % v
    return repr(v)


def typed(text):
    """Returns the end of a range that the user has typed as Python."""
    try:
        return repr(int(text))
    except ValueError:
        return repr(float(text))


def spelled(label):
    """Reports whether a column's name can be written as a literal."""
    return type(label) in (str, int) or type(label) is tuple and all(type(x) in (str, int) for x in label)


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

    def condition(f):
        i, op = f["column"], f["op"]
        d, c = df.dtypes.iloc[i], column(i)
        kind = pandas_kind(d)
        if op in ("missing", "present"):
            return "%s.%s()" % (c, "isna" if op == "missing" else "notna")
        if op == "contains":
            if kind == "text":
                return "%s.str.contains(%r, case=False, regex=False, na=False)" % (c, f["value"])
            return "%s.notna() & %s.astype(str).str.contains(%r, case=False, regex=False)" % (c, c, f["value"])
        if op == "range":
            low, high = f.get("low"), f.get("high")
            if kind == "date":
                whole = "%s.dt.normalize()" % c if high and len(high) == 10 else c
                return " & ".join(x for x in (low and "(%s >= %r)" % (c, low), high and "(%s <= %r)" % (whole, high)) if x)
            return " & ".join(x for x in (low and "(%s >= %s)" % (c, typed(low)), high and "(%s <= %s)" % (c, typed(high))) if x)
        test = "%s %s %s" % (c, "==" if op == "is" else "!=", literal(f["value"]))
        return "(%s)" % test if isinstance(d, sys.modules["numpy"].dtype) else "(%s).fillna(%s)" % (test, op == "not")

    code = name
    if filters:
        code += "[%s]" % " & ".join(map(condition, filters))
    if not sort:
        return code
    if not frame:
        return code + ".sort_values(ascending=%s, kind=\"stable\")" % (not sort[0]["down"])
    if not all(alone(x["column"]) for x in sort):
        return ""
    by, up = [df.columns[x["column"]] for x in sort], [not x["down"] for x in sort]
    more = "" if all(up) else ", ascending=%s" % (up[0] if len(up) == 1 else up)
    return code + ".sort_values(%r%s, kind=\"stable\")" % (by[0] if len(by) == 1 else by, more)


def polars_code(df, name, sort, filters):
    """Returns an expression with the methods of polars, whose names are all texts."""

    def column(i):
        return "pl.col(%r)" % df.columns[i]

    def value(v, d):
        if type(v) is str and polars_kind(d) == "date":
            return "pl.lit(%r).str.%s()" % (v, "to_date" if str(d) == "Date" else "to_datetime")
        return literal(v)

    def condition(f):
        i, op = f["column"], f["op"]
        c, d = column(i), df.dtypes[i]
        kind, gone = polars_kind(d), "%s.is_null()" % c
        if d.is_float():
            gone = "(%s.is_null() | %s.is_nan())" % (c, c)
        if op in ("missing", "present"):
            return gone if op == "missing" else "~" + gone
        if op == "contains":
            text = c if kind == "text" else c + ".cast(pl.String)"
            return "%s.str.to_lowercase().str.contains(%r, literal=True)" % (text, f["value"].lower())
        if op == "range":
            low, high = f.get("low"), f.get("high")
            top = c
            if kind == "date":
                top = c + ".dt.date()" if high and len(high) == 10 and str(d) != "Date" else c
                low = low and value(low if len(low) > 10 or str(d) == "Date" else low + "T00:00:00", d)
                high = high and ("pl.lit(%r).str.to_date()" % high if len(high) == 10 else value(high, d))
            else:
                low, high = low and typed(low), high and typed(high)
            return " & ".join(x for x in (low and "(%s >= %s)" % (c, low), high and "(%s <= %s)" % (top, high)) if x)
        return "(%s.%s(%s))" % (c, "eq_missing" if op == "is" else "ne_missing", value(f["value"], d))

    code = name
    if filters:
        code += ".filter(%s)" % " & ".join(map(condition, filters))
    if sort:
        by = [column(x["column"]) + (".fill_nan(None)" if df.dtypes[x["column"]].is_float() else "") for x in sort]
        down = [x["down"] for x in sort]
        more = ", descending=%s" % (down[0] if len(down) == 1 else down) if any(down) else ""
        code += ".sort(%s%s, nulls_last=True, maintain_order=True)" % (", ".join(by), more)
    return code
