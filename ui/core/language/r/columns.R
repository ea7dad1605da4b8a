# Columns of tables, in plain vectors, without methods of their classes.

SHORT <- 200L # characters of a cell in a page
LONG <- 100000L # of a cell that is asked for alone
FEW <- 6L # elements of a collection that are shown

clip <- function(s, n) {
  s <- utf8(s)
  long <- which(nchar(s) > n)
  if (length(long)) s[long] <- paste0(substr(s[long], 1L, n), "…")
  s
}

# The kind of a column: number, bool, date, duration, text or other.
kind <- function(v) {
  if (!is.null(attr(v, "dim", exact = TRUE)) || is_frame(v)) return("other")
  if (inherits(v, c("Date", "POSIXct"))) return("date")
  if (inherits(v, "difftime")) return("duration")
  if (inherits(v, c("factor", "integer64", "nanotime"))) return("other")
  switch(typeof(v), integer = , double = "number", logical = "bool", character = "text", "other")
}

dtype <- function(v) {
  own <- setdiff(class_of(v), "AsIs")
  if (!length(own)) own <- basic(typeof(v))
  zone <- zone_of(v)
  if (inherits(v, "POSIXct") && nzchar(zone)) paste0(own, ", ", zone) else own
}

zone_of <- function(v) {
  z <- attr(v, "tzone", exact = TRUE)
  if (is.character(z) && length(z)) z[[1L]] else ""
}

# POSIXlt is a list of parts; the columns of a data frame seldom are.
plain_column <- function(v) if (inherits(v, "POSIXlt")) as.POSIXct(v) else v

# All values of a column, without attributes.
all_of <- function(v) {
  if (is.object(v)) v <- unclass(v)
  attributes(v) <- NULL
  v
}

# Values of a column at positions, without attributes.
part <- function(v, at) {
  d <- attr(v, "dim", exact = TRUE)
  if (is_frame(v)) return(lapply(at, function(j) lapply(unclass(v), part, at = j)))
  if (length(d)) {
    per <- prod(d[-1L])
    v <- unclass(v)
    attributes(v) <- NULL
    return(lapply(at, function(j) v[j + d[[1L]] * (seq_len(per) - 1)]))
  }
  .subset(v, at)
}

# Times as ISO 8601 with their offset.
stamps <- function(x, zone) {
  whole <- floor(x + 5e-7)
  lt <- as.POSIXlt(structure(whole, class = c("POSIXct", "POSIXt")), tz = zone)
  out <- format.POSIXlt(lt, "%Y-%m-%dT%H:%M:%S")
  micro <- round((x - whole) * 1e6)
  out <- ifelse(is.finite(micro) & micro > 0, paste0(out, sprintf(".%06.0f", pmax(micro, 0))), out)
  off <- sub("^(...)(..)$", "\\1:\\2", format.POSIXlt(lt, "%z"))
  ifelse(is.finite(x), paste0(out, off), NA_character_)
}

integers64 <- function(x) {
  if (!isNamespaceLoaded("bit64")) return(rep("<integer64>", length(x)))
  get("as.character.integer64", asNamespace("bit64"))(structure(x, class = "integer64"))
}

# Values of a column at positions as texts; NA where they are missing. Lists are written in short.
texts <- function(v, at, most = SHORT) {
  x <- part(v, at)
  if (inherits(v, "factor")) return(clip(as.character(attr(v, "levels"))[x], most))
  if (inherits(v, "Date")) return(ifelse(is.finite(x), format.Date(structure(as.numeric(x), class = "Date")), NA_character_))
  if (inherits(v, "POSIXct")) return(stamps(as.numeric(x), zone_of(v)))
  if (inherits(v, "difftime")) return(ifelse(is.na(x), NA_character_, paste(trimmed(x), attr(v, "units"))))
  if (inherits(v, "integer64")) return(integers64(x))
  switch(typeof(x),
    integer = , double = ifelse(is.na(x), NA_character_, trimmed(x)),
    logical = ifelse(is.na(x), NA_character_, ifelse(x, "TRUE", "FALSE")),
    character = clip(x, most),
    list = vapply(x, function(e) if (is.null(e)) NA_character_ else clip(alone(e, most), most), ""),
    ifelse(is.na(x), NA_character_, as.character(x)))
}

# Numbers with as many digits as tell them apart.
trimmed <- function(x) {
  if (is.integer(x)) return(sprintf("%d", x))
  x <- as.numeric(x)
  out <- sprintf("%.15g", x)
  more <- which(is.finite(x) & suppressWarnings(as.numeric(out)) != x)
  if (length(more)) out[more] <- sprintf("%.17g", x[more])
  out
}

plainly <- function(v, at) {
  out <- texts(v, at)
  x <- part(v, at)
  if (is.double(x)) out[is.nan(x) & !inherits(v, c("Date", "POSIXct", "difftime", "integer64"))] <- "NaN"
  out[is.na(out)] <- "NA"
  out
}

# A value of a list: a text as it is.
alone <- function(v, most) if (is.character(v) && !is.object(v) && length(v) == 1L && !is.na(v)) v else written(v, most)

# A value of a list as R would write it, in short.
written <- function(v, most = SHORT, depth = 0L) {
  if (is.null(v)) return("NULL")
  if (is_frame(v)) return(sprintf("<%s %d × %d>", class_of(v), .row_names_info(v, 2L), length(unclass(v))))
  d <- attr(v, "dim", exact = TRUE)
  if (is.function(v) || is.environment(v) || isS4(v) || is.language(v)) return(sprintf("<%s>", class_of(v)))
  if (length(d)) return(sprintf("<%s of %s %s>", class_of(v), paste(d, collapse = "×"), basic(typeof(v))))
  if (!is.atomic(v) && !is.list(v)) return(sprintf("<%s>", class_of(v)))
  n <- count(v)
  shown <- if (most > SHORT) min(n, 10000L) else min(n, FEW)
  at <- seq_len(shown)
  if (is.list(v)) {
    if (depth > 3L) return(sprintf("<%s>", class_of(v)))
    parts <- vapply(lapply(at, function(j) .subset2(v, j)), written, "", most = most, depth = depth + 1L)
  } else {
    parts <- plainly(v, at)
    if (is.character(v) || inherits(v, "factor")) parts[!is.na(part(v, at))] <- encodeString(parts[!is.na(part(v, at))], quote = "\"")
  }
  named <- attr(v, "names", exact = TRUE)
  if (is.character(named)) parts <- ifelse(nzchar(named[at]), paste(named[at], "=", parts), parts)
  if (n > shown) parts <- c(parts, sprintf("… %.0f items", n))
  if (n == 1L && !is.list(v)) return(parts[[1L]])
  sprintf("%s(%s)", if (is.list(v)) "list" else "c", paste(parts, collapse = ", "))
}

# Values of a column at positions, each as JSON.
cells <- function(v, at, most = SHORT) {
  switch(kind(v),
    number = json_number(part(v, at)),
    bool = json_atoms(as.logical(part(v, at))),
    json_text(texts(v, at, most)))
}

# Which values of a column are missing.
absent <- function(v) {
  if (is_frame(v) || length(attr(v, "dim", exact = TRUE))) return(rep(FALSE, NROW_of(v)))
  x <- all_of(v)
  if (is.list(x)) return(vapply(x, is.null, NA))
  if (inherits(v, "integer64")) return(is.na(integers64(x)) & isNamespaceLoaded("bit64"))
  if (kind(v) == "date") return(!is.finite(as.numeric(x)))
  is.na(x)
}

NROW_of <- function(v) {
  if (is_frame(v)) return(.row_names_info(v, 2L))
  d <- attr(v, "dim", exact = TRUE)
  if (length(d)) d[[1L]] else length(v)
}

# A column as a vector that order() sorts.
sort_key <- function(v) {
  x <- part(v, seq_len(NROW_of(v)))
  if (inherits(v, "integer64") && isNamespaceLoaded("bit64")) return(get("as.double.integer64", asNamespace("bit64"))(structure(x, class = "integer64")))
  if (is.list(x) || is.complex(x) || is.raw(x)) return(texts(v, seq_along(x)))
  x
}
