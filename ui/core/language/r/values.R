# The user's variables.

# A value's class as the user knows it, without asking its methods.
class_of <- function(v) {
  own <- oldClass(v)
  if (length(own)) return(as.character(own)[1L])
  d <- attr(v, "dim", exact = TRUE)
  if (length(d) == 2L) return("matrix")
  if (length(d)) return("array")
  basic(typeof(v))
}

basic <- function(type) {
  switch(type, double = "numeric", closure = , builtin = , special = "function", symbol = "name", language = "call", type)
}

is_frame <- function(v) is.list(v) && inherits(v, "data.frame")

# How many elements a value has, without a method of its class.
count <- function(v) {
  if (isS4(v) || is.function(v) || is.symbol(v)) return(NA)
  if (is.object(v)) v <- unclass(v)
  length(v)
}

extent <- function(v) {
  if (is_frame(v)) return(sprintf("%d rows × %d cols", .row_names_info(v, 2L), length(unclass(v))))
  d <- attr(v, "dim", exact = TRUE)
  if (is.numeric(d)) return(sprintf("(%s%s)", paste(d, collapse = ", "), if (length(d) == 1L) "," else ""))
  n <- count(v)
  if (is.na(n)) return(NULL)
  sprintf("%.0f item%s", n, if (n == 1) "" else "s")
}

MEASURED <- 100000L # elements of lists that are measured one by one
TEXTS <- 2000000L # texts that are

# What a value holds in bytes, as object.size says; estimated where that would take long. NULL if it is not known.
held <- function(v, depth = 0L) {
  if (is.environment(v) || typeof(v) == "externalptr") return(NULL)
  if (is.character(v) && length(v) > TEXTS) {
    some <- unique(.subset(v, seq.int(1L, length(v), length.out = 1000L)))
    each <- as.numeric(utils::object.size(some)) - 8 * length(some) - 48
    return(8 * length(v) + 48 + each * (if (length(some) > 900L) length(v) / 1000 else 1))
  }
  if (is.list(v) && depth < 4L) {
    if (!is_frame(v) && count(v) > MEASURED) return(NULL)
    parts <- lapply(unclass(v), held, depth = depth + 1L)
    if (any(vapply(parts, is.null, NA))) return(NULL)
    hollow <- rep(list(NULL), length(parts))
    attributes(hollow) <- attributes(v)
    return(sum(as.numeric(unlist(parts)), as.numeric(utils::object.size(hollow))))
  }
  as.numeric(utils::object.size(v))
}

signature <- function(f) {
  a <- names(formals(args(f)))
  sprintf("function(%s)", paste(a, collapse = ", "))
}

# What is shown of a value, and whether that is all; NULL for nothing.
preview <- function(v) {
  if (is.null(v) || is.environment(v) || isS4(v) || is_frame(v) || !is.null(attr(v, "dim", exact = TRUE))) return(NULL)
  if (is.function(v)) return(list(signature(v), FALSE))
  if (is.language(v)) return(list(paste(deparse(v, width.cutoff = 60L, nlines = 1L), collapse = ""), FALSE))
  if (!is.atomic(v) || count(v) == 0L) return(NULL)
  n <- count(v)
  if (n == 1L && !is.object(v)) {
    if (is.character(v) && !is.na(v)) return(list(.subset(v, 1L), FALSE))
    if ((is.numeric(v) || is.logical(v)) && !is.na(v) && is.finite(v)) return(list(.subset2(v, 1L), FALSE))
    return(list(if (identical(.subset2(v, 1L), NaN)) "NaN" else if (is.numeric(v) && !is.na(v)) if (v > 0) "Infinity" else "-Infinity" else plainly(v, 1L), FALSE))
  }
  some <- plainly(v, seq_len(min(n, 5L)))
  list(paste(c(some, if (n > 5L) "…"), collapse = ", "), FALSE)
}

nothing <- function(e) NULL

# Calls a function of a value; NULL if that fails.
guarded <- function(f, v) tryCatch(f(v), error = nothing)

describe_value <- function(name, v) {
  out <- list(name = name, type = class_of(v))
  out$size <- guarded(extent, v)
  out$memory_bytes <- guarded(held, v)
  if (is.null(out$size) && !is.null(out$memory_bytes)) out$size <- sprintf("%.0f bytes", out$memory_bytes)
  if (!is.null(out$memory_bytes)) out$memory_bytes <- ready(sprintf("%.0f", out$memory_bytes))
  got <- guarded(preview, v)
  if (!is.null(got)) {
    out$value <- got[[1L]]
    if (is.character(got[[1L]]) && nchar(utf8(got[[1L]])) > TEXT) {
      out$value <- substr(utf8(got[[1L]]), 1L, TEXT)
      out$truncated <- TRUE
    }
  }
  out
}

# Which names of the user's environment are bound to code that would run if they were read.
lazy_names <- function(names) {
  env <- globalenv()
  active <- vapply(names, bindingIsActive, NA, env = env)
  lazy <- rep(FALSE, length(names))
  if (length(names) && requireNamespace("rlang", quietly = TRUE)) lazy[!active] <- rlang::env_binding_are_lazy(env, names[!active])
  ifelse(active, "active binding", ifelse(lazy, "promise", ""))
}

variables <- function(wanted, limit) {
  env <- globalenv()
  names <- ls(env, sorted = FALSE)
  unread <- lazy_names(names)
  wanted <- tolower(wanted)
  found <- list()
  for (i in seq_along(names)) {
    if (length(found) >= limit) break
    name <- names[[i]]
    if (nzchar(unread[[i]])) {
      entry <- list(name = name, type = unread[[i]])
      type <- unread[[i]]
    } else {
      type <- guarded(class_of, get(name, envir = env, inherits = FALSE))
      if (is.null(type)) next # it was removed, or is the missing argument
    }
    if (nzchar(wanted) && !grepl(wanted, tolower(name), fixed = TRUE) && !grepl(wanted, tolower(type), fixed = TRUE)) next
    found[[length(found) + 1L]] <- if (nzchar(unread[[i]])) entry else describe_value(name, get(name, envir = env, inherits = FALSE))
  }
  by <- utf8(vapply(found, function(e) e$name, "")) # parse() marks no encoding, and order() then refuses
  found[order(tolower(by), by, method = "radix")]
}
