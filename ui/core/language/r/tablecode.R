# Writes the code that makes a view of a data frame. Where the code would leave other rows than the view, there is none.

table_code <- function(v, q) {
  name <- if (make.names(q$name) == q$name) q$name else paste0("`", q$name, "`")
  if (!is_frame(v) || any(duplicated(attr(v, "names")))) return("")
  drop <- if (length(unclass(v)) == 1L && !inherits(v, c("data.table", "tbl_df"))) " , drop = FALSE" else " "
  column <- function(i, of) {
    own <- attr(v, "names")[[i + 1]]
    if (make.names(own) == own) paste0(of, "$", own) else paste0(of, "[[", encodeString(own, quote = "\""), "]]")
  }
  tests <- vapply(q$filters, function(f) condition(plain_column(unclass(v)[[f$column + 1]]), column(f$column, name), f), "")
  plain <- vapply(q$sort, function(by) kind(unclass(v)[[by$column + 1]]) != "other" || inherits(unclass(v)[[by$column + 1]], "factor"), NA)
  if (anyNA(tests) || !all(plain)) return("")
  code <- if (length(tests)) sprintf("%s[which(%s),%s]", name, paste(tests, collapse = " & "), drop) else name
  if (length(q$sort)) {
    of <- if (length(tests)) "d" else name
    down <- vapply(q$sort, function(by) isTRUE(by$down), NA)
    ordered <- sprintf("%s[order(%s%s, method = \"radix\"),%s]", of, paste(vapply(q$sort, function(by) column(by$column, of), ""), collapse = ", "),
      if (!any(down)) "" else if (length(down) == 1L) ", decreasing = TRUE" else sprintf(", decreasing = c(%s)", paste(down, collapse = ", ")), drop)
    code <- if (length(tests)) sprintf("local({d <- %s; %s})", code, ordered) else ordered
  }
  code
}

# A condition as R, or NA.
condition <- function(v, c, f) {
  quoted <- function(s) encodeString(s, quote = "\"")
  k <- kind(v)
  if (f$op == "missing") return(if (is.list(v)) NA_character_ else sprintf("is.na(%s)", c))
  if (f$op == "present") return(if (is.list(v)) NA_character_ else sprintf("!is.na(%s)", c))
  if (f$op == "contains") {
    if (k != "text" && !inherits(v, "factor")) return(NA_character_)
    return(sprintf("grepl(%s, tolower(%s), fixed = TRUE)", quoted(tolower(f$value)), c))
  }
  if (f$op == "range") {
    if (k != "number") return(NA_character_)
    ends <- c(if (nzchar(f$low)) sprintf("%s >= %s", c, f$low), if (nzchar(f$high)) sprintf("%s <= %s", c, f$high))
    return(paste(ends, collapse = " & "))
  }
  value <- switch(k,
    number = if (is.character(f$value)) c(Infinity = "Inf", "-Infinity" = "-Inf")[[f$value]] else json_number(f$value),
    bool = if (isTRUE(f$value)) "TRUE" else "FALSE",
    text = if (grepl("\u2026", f$value, fixed = TRUE)) NA_character_ else quoted(f$value),
    date = if (inherits(v, "Date")) sprintf("as.Date(%s)", quoted(f$value)) else NA_character_,
    if (inherits(v, "factor")) quoted(f$value) else NA_character_)
  if (is.na(value)) return(NA_character_)
  if (f$op == "is") sprintf("%s == %s", c, value) else sprintf("(%s != %s | is.na(%s))", c, value, c)
}
