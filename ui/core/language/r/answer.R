# Runs in the user's kernel, in an environment of its own below that of package base: encodes answers as JSON and hands
# them over. All of this code reads, but never writes. It calls no methods of the user's classes, forces no promise, and
# runs no active binding.

TEXT <- 200L # characters of a value

json_text <- function(s) {
  s <- utf8(s)
  out <- gsub("\"", "\\\"", gsub("\\", "\\\\", s, fixed = TRUE), fixed = TRUE)
  odd <- grep("[\001-\037]", out, useBytes = TRUE)
  if (length(odd)) {
    part <- gsub("\t", "\\t", gsub("\r", "\\r", gsub("\n", "\\n", out[odd], fixed = TRUE), fixed = TRUE), fixed = TRUE)
    for (n in setdiff(1:31, c(9L, 10L, 13L))) part <- gsub(intToUtf8(n), sprintf("\\u%04x", n), part, fixed = TRUE)
    out[odd] <- part
  }
  ifelse(is.na(s), "null", paste0("\"", out, "\""))
}

# Texts as UTF-8. What cannot be is escaped.
utf8 <- function(s) {
  if (!is.character(s)) s <- as.character(s) # of nothing
  bytes <- Encoding(s) == "bytes"
  if (any(bytes)) s[bytes] <- iconv(s[bytes], "UTF-8", "UTF-8", sub = "byte")
  s <- enc2utf8(s)
  bad <- !validUTF8(s)
  if (any(bad)) s[bad] <- iconv(s[bad], "UTF-8", "UTF-8", sub = "byte")
  s
}

# Numbers with all their digits. NA and NaN are null, as in the tables of other languages.
json_number <- function(x) {
  if (is.integer(x)) return(ifelse(is.na(x), "null", sprintf("%d", x)))
  out <- sprintf("%.15g", x)
  more <- which(is.finite(x) & suppressWarnings(as.numeric(out)) != x)
  if (length(more)) out[more] <- sprintf("%.17g", x[more])
  out[is.na(x)] <- "null"
  out[which(x == Inf)] <- "\"Infinity\""
  out[which(x == -Inf)] <- "\"-Infinity\""
  out
}

json_atoms <- function(v) {
  switch(typeof(v),
    logical = ifelse(is.na(v), "null", ifelse(v, "true", "false")),
    integer = , double = json_number(v),
    character = json_text(v),
    json_text(as.character(v)))
}

# Text that is JSON already.
ready <- function(s) structure(paste(s, collapse = ""), class = "easel_json")

listed <- function(texts) ready(c("[", paste(texts, collapse = ","), "]"))

array_of <- function(v) listed(json_atoms(v))

# A named list is an object, another list an array, and a vector of one element a value.
json <- function(v) {
  if (is.null(v)) return("null")
  if (inherits(v, "easel_json")) return(unclass(v))
  if (is.list(v)) {
    parts <- vapply(v, json, "")
    if (is.null(names(v))) return(paste0("[", paste(parts, collapse = ","), "]"))
    return(paste0("{", paste0(json_text(names(v)), ":", parts, collapse = ","), "}"))
  }
  if (length(v) == 1L) json_atoms(v) else unclass(array_of(v))
}

empty_object <- ready("{}")

# Calls one of the functions of these files and returns its answer as JSON.
answer <- function(what, args) {
  tryCatch(suppressMessages(suppressWarnings(json(do.call(what, args, quote = TRUE)))),
    error = function(e) json(list(error = conditionMessage(e))))
}
