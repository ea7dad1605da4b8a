# What the window asks about a table. The order of rows is remembered while no code runs, which the epoch tells; the values
# of the variable are not, since R would copy them when the user changes it.

SPAN <- 0.15 # seconds that an answer may compute; the next one continues
BINS <- 24L # of a histogram
TOP <- 4L # most frequent values of a column
KEPT <- 4L # tables whose order is remembered
BLOCK <- 200000L # cells that a search reads at once, or that are copied at most

views <- new.env(parent = emptyenv())

# A variable as a table: a frame, a matrix or another array, a vector, or a list. NULL if it is none.
as_table <- function(v) {
  if (inherits(v, "POSIXlt")) v <- as.POSIXct(v)
  d <- attr(v, "dim", exact = TRUE)
  if (is_frame(v)) {
    columns <- unclass(v)
    return(list(rows = .row_names_info(v, 2L), columns = length(columns), column = function(i) plain_column(columns[[i]]),
      names = function(at) column_names(v)[at], labels = function(at) row_labels(v, at)))
  }
  if (isS4(v) || !(is.atomic(v) || is.list(v)) || is.null(v)) return(NULL)
  if (length(d) > 1L) {
    per <- d[[1L]]
    labels <- attr(v, "dimnames", exact = TRUE)
    return(list(rows = per, columns = prod(d[-1L]), column = function(i) .subset(v, seq_len(per) + per * (i - 1)),
      names = function(at) if (length(d) == 2L && !is.null(labels[[2L]])) clip(labels[[2L]][at], CELL) else sprintf("[,%d]", as.integer(at)),
      labels = function(at) if (is.null(labels[[1L]])) NULL else labels[[1L]][at]))
  }
  names <- attr(v, "names", exact = TRUE)
  if (length(d) == 1L) names <- attr(v, "dimnames", exact = TRUE)[[1L]]
  plain <- if (length(d)) all_of(v) else v
  list(rows = count(v), columns = 1L, column = function(i) plain, names = function(at) rep("value", length(at)),
    labels = function(at) if (is.null(names)) NULL else as.character(names[at]))
}

# The positions of the rows that filters leave, in their order; NULL for all, as they are.
positions <- function(t, q) {
  if (!length(q$sort) && !length(q$filters)) return(NULL)
  kept <- views[[q$name]]
  if (is.null(kept) || !identical(kept$epoch, q$epoch)) {
    while (length(ls(views)) >= KEPT) rm(list = ls(views)[[1L]], envir = views)
    kept <- new.env(parent = emptyenv())
    kept$epoch <- q$epoch
    assign(q$name, kept, envir = views)
  }
  sorted <- json(lapply(q$sort, unlist))
  if (length(q$sort) && !identical(kept$sorted, sorted)) {
    keys <- lapply(q$sort, function(by) sort_key(t$column(by$column + 1)))
    kept$order <- do.call(order, c(unname(keys), list(decreasing = vapply(q$sort, function(by) isTRUE(by$down), NA), na.last = TRUE, method = "radix")))
    kept$sorted <- sorted
  }
  at <- if (length(q$sort)) kept$order else NULL
  if (!length(q$filters)) return(at)
  filtered <- paste(if (length(q$sort)) sorted, json(lapply(q$filters, unlist)))
  if (identical(kept$filtered, filtered)) return(kept$rows)
  hits <- rep(TRUE, t$rows)
  for (f in q$filters) hits <- hits & passes(t$column(f$column + 1), f)
  kept$rows <- if (is.null(at)) which(hits) else at[hits[at]]
  kept$filtered <- filtered
  kept$rows
}

# For each row, whether it passes a filter.
passes <- function(v, f) {
  gone <- absent(v)
  if (f$op == "missing") return(gone)
  if (f$op == "present") return(!gone)
  if (f$op == "contains") {
    if (kind(v) != "text" && !inherits(v, "factor")) return(!gone & contains(searched(v, seq_len(NROW_of(v))), f$value))
    x <- all_of(v)
    each <- if (inherits(v, "factor")) seq_along(attr(v, "levels")) else unique(x)
    hit <- contains(tolower(if (inherits(v, "factor")) utf8(attr(v, "levels")) else utf8(each)), f$value)
    return(!gone & hit[match(x, each)] %in% TRUE)
  }
  if (f$op == "range") return(!gone & within(v, f$low, f$high))
  same <- equals(v, f$value)
  if (f$op == "is") !gone & same else gone | !same
}

# Texts in which a search looks: in lower case, with times as cells show them.
searched <- function(v, at) {
  s <- tolower(texts(v, at, if (kind(v) == "text") LONG else SHORT))
  if (kind(v) == "number") s <- sub("inf", "infinity", s, fixed = TRUE)
  if (inherits(v, "POSIXct")) sub("t", " ", s, fixed = TRUE) else s
}

contains <- function(s, text) !is.na(s) & (grepl(tolower(text), s, fixed = TRUE) | grepl(gsub("([0-9])t([0-9])", "\\1 \\2", tolower(text)), s, fixed = TRUE))

equals <- function(v, value) {
  all <- seq_len(NROW_of(v))
  k <- kind(v)
  x <- part(v, all)
  if (k == "number") {
    if (is.character(value)) value <- c(Infinity = Inf, "-Infinity" = -Inf)[[value]]
    return(!is.na(x) & x == value)
  }
  if (k == "bool") return(!is.na(x) & x == (if (is.logical(value)) value else tolower(value) == "true"))
  if (inherits(v, "POSIXct")) {
    want <- moment(value, "UTC")
    return(!is.na(x) & abs(x - want) < 1e-6)
  }
  if (inherits(v, "factor")) return(x %in% which(clip(attr(v, "levels"), SHORT) == value))
  s <- texts(v, all)
  !is.na(s) & s == value
}

# A time in seconds, from the text of a cell or what the user has typed, in a zone if it names none.
moment <- function(text, zone) {
  rest <- substring(text, 11L)
  m <- regmatches(rest, regexec("^(.*?)(Z|([+-])([0-9]{2}):?([0-9]{2}))?$", rest))[[1L]]
  clock <- sub("^[T ]", "", m[[2L]])
  parts <- as.numeric(c(strsplit(clock, ":", fixed = TRUE)[[1L]], 0, 0, 0)[1:3])
  lt <- as.POSIXlt(substr(text, 1L, 10L), format = "%Y-%m-%d", tz = if (nzchar(m[[3L]])) "UTC" else zone)
  lt$hour <- as.integer(parts[[1L]])
  lt$min <- as.integer(parts[[2L]])
  lt$sec <- parts[[3L]]
  off <- if (nzchar(m[[4L]])) (as.numeric(m[[5L]]) * 3600 + as.numeric(m[[6L]]) * 60) * (if (m[[4L]] == "-") -1 else 1) else 0
  as.numeric(as.POSIXct(lt)) - off
}

# Which values are in a range. Its end is meant to the end of the year, month, day, hour, minute or second that it names.
within <- function(v, low, high) {
  x <- part(v, seq_len(NROW_of(v)))
  hits <- rep(TRUE, length(x))
  if (kind(v) != "date") {
    if (kind(v) != "number" && !inherits(v, c("difftime", "integer64"))) {
      s <- texts(v, seq_along(x))
      return(!is.na(s) & (!nzchar(low) | s >= low) & (!nzchar(high) | substr(s, 1L, nchar(high)) <= high))
    }
    if (inherits(v, "integer64")) x <- sort_key(v)
    if (nzchar(low)) hits <- hits & x >= as.numeric(low)
    if (nzchar(high)) hits <- hits & x <= as.numeric(high)
    return(hits & !is.na(x))
  }
  zone <- zone_of(v)
  ends <- list(full(low, FALSE), full(high, TRUE))
  scale <- function(text) if (inherits(v, "Date")) moment(text, "UTC") / 86400 else moment(text, zone)
  if (nzchar(low)) hits <- hits & x >= scale(ends[[1L]])
  if (nzchar(high)) hits <- hits & x < scale(ends[[2L]])
  hits & !is.na(x)
}

# A date and time from the beginning of one, such as 2026-03; its end if it is the end of a range.
full <- function(text, end) {
  text <- sub(" ", "T", trimws(text), fixed = TRUE)
  if (!nzchar(text)) return(text)
  whole <- paste0(text, substring("0000-01-01T00:00:00", nchar(text) + 1L))
  if (!end) return(whole)
  lt <- as.POSIXlt(whole, format = "%Y-%m-%dT%H:%M:%OS", tz = "UTC")
  switch(as.character(nchar(text)), "4" = lt$year <- lt$year + 1L, "7" = lt$mon <- lt$mon + 1L, "10" = lt$mday <- lt$mday + 1L,
    "13" = lt$hour <- lt$hour + 1L, "16" = lt$min <- lt$min + 1L, lt$sec <- lt$sec + 1)
  format.POSIXct(as.POSIXct(lt), "%Y-%m-%dT%H:%M:%OS6", tz = "UTC")
}

head_of <- function(v, at) {
  gone <- absent(v)
  if (!is.null(at)) gone <- gone[at]
  out <- list(missing = sum(gone), count = length(gone))
  if (kind(v) %in% c("number", "date", "duration")) {
    all <- if (is.null(at)) seq_len(NROW_of(v)) else at
    return(c(out, histogram(v, all[!gone])))
  }
  top <- commonest(v, at, TOP)
  if (is.null(top)) return(out)
  out$top <- listed(sprintf("[%s,%d]", top$values, as.integer(top$counts)))
  out$unique <- top$unique
  out
}

histogram <- function(v, at) {
  if (!length(at)) return(NULL)
  x <- part(v, at)
  ends <- at[c(which.min(x), which.max(x))]
  out <- list(min = ready(cells(v, ends[[1L]])), max = ready(cells(v, ends[[2L]])))
  x <- as.numeric(x)
  x <- x[is.finite(x)]
  if (!length(x)) return(out)
  low <- min(x)
  high <- max(x)
  if (kind(v) == "number" && is.finite(mean(x))) out$mean <- mean(x)
  n <- if (is.integer(part(v, 1L)) && high - low < BINS) high - low + 1 else BINS
  if (high > low && is.finite(high - low)) {
    wide <- if (n < BINS) (high - low + 1) / n else (high - low) / n
    out$bins <- array_of(tabulate(pmin(floor((x - low) / wide), n - 1) + 1L, n))
  } else if (high == low) out$bins <- array_of(length(x))
  out
}

table <- function(text) {
  q <- jsonlite::fromJSON(text, simplifyVector = FALSE)
  q$filters <- lapply(q$filters, function(f) c(f, list(low = "", high = "")[setdiff(c("low", "high"), names(f))]))
  if (q$op == "forget") {
    if (exists(q$name, envir = views, inherits = FALSE)) rm(list = q$name, envir = views)
    return(empty_object)
  }
  got <- variable(q$name)
  if (!is.null(got$problem)) return(got$problem)
  t <- as_table(got$value)
  if (is.null(t)) return(list(wrong = class_of(got$value)))
  t$at <- positions(t, q)
  t$matching <- if (is.null(t$at)) t$rows else length(t$at)
  switch(q$op, shape = table_shape(t, got$value), page = table_page(t, q), heads = table_heads(t, q),
    describe = describe_column(t$column(q$column + 1)), code = list(code = table_code(got$value, q)),
    search = table_search(t, q), stop("no such question: ", q$op))
}

# The index is the names of the rows, or their numbers, which R counts from 1.
table_shape <- function(t, v) {
  size <- held(v)
  list(type = if (is_frame(v)) frame_type(v) else class_of(v), rows = t$rows, columns = t$columns,
    index = listed("\"\""), memory_bytes = ready(sprintf("%.0f", if (is.null(size)) 0 else size)),
    id = ready(identity_of(v)))
}

# A number that differs if a variable has got another value.
identity_of <- function(v) {
  at <- if (requireNamespace("rlang", quietly = TRUE)) tryCatch(rlang::obj_address(v), error = nothing)
  if (is.null(at)) "0" else sprintf("%.0f", as.numeric(at))
}

# Positions of a part of the view, from 0.
part_of <- function(t, row, n) {
  first <- max(row, 0)
  n <- max(min(row + n, t$matching) - first, 0)
  if (is.null(t$at)) first + seq_len(n) else t$at[first + seq_len(n)]
}

table_page <- function(t, q) {
  first <- max(q$column, 0)
  some <- first + seq_len(max(min(first + q$columns, t$columns) - first, 0))
  n <- q$rows
  if (isTRUE(q$whole)) n <- max(min(n, BLOCK %/% max(length(some), 1L)), 1)
  at <- part_of(t, q$row, n)
  columns <- lapply(some, t$column)
  labels <- t$labels(at)
  list(names = array_of(t$names(some)), dtypes = lapply(columns, function(v) list(dtype = dtype(v), kind = kind(v))),
    cells = lapply(columns, function(v) listed(cells(v, at, if (isTRUE(q$whole)) LONG else SHORT))),
    at = array_of(at - 1), index = array_of(if (is.null(labels)) sprintf("%.0f", at) else clip(as.character(labels), SHORT)), matching = t$matching)
}

table_heads <- function(t, q) {
  end <- proc.time()[[3L]] + SPAN
  out <- list()
  for (i in q$column + seq_len(max(min(q$columns, t$columns - q$column), 0))) {
    if (length(out) && proc.time()[[3L]] > end) break
    out[[length(out) + 1L]] <- tryCatch(head_of(t$column(i), t$at), error = function(e) list(failed = class(e)[[1L]], missing = 0L, count = t$matching))
  }
  list(heads = out)
}

table_search <- function(t, q) {
  text <- tolower(q$text)
  if (isTRUE(q$names)) {
    order <- c(seq_len(t$columns)[-seq_len(q$column + 1)], seq_len(min(q$column + 1, t$columns)))
    hit <- order[grepl(text, tolower(t$names(order)), fixed = TRUE)]
    return(if (length(hit)) list(found = TRUE, row = q$row, column = hit[[1L]] - 1) else empty_object)
  }
  end <- proc.time()[[3L]] + SPAN
  row <- q$row
  column <- q$column
  back <- isTRUE(q$back)
  step <- max(min(BLOCK %/% max(t$columns, 1L), 5000), 1)
  while (row >= 0 && row < t$matching) {
    first <- if (back) max(row - step + 1, 0) else row
    n <- if (back) row - first + 1 else min(step, t$matching - row)
    at <- part_of(t, first, n)
    hits <- do.call(rbind, lapply(seq_len(t$columns), function(i) {
      j <- which(contains(searched(t$column(i), at), text))
      if (length(j)) cbind(first + j - 1, i - 1) else NULL
    }))
    if (!is.null(hits)) {
      after <- hits[, 1L] != row | (if (back) hits[, 2L] < column else hits[, 2L] > column)
      hits <- hits[after, , drop = FALSE]
      if (nrow(hits)) {
        best <- order(hits[, 1L], hits[, 2L], decreasing = back)[[1L]]
        return(list(found = TRUE, row = hits[best, 1L], column = hits[best, 2L]))
      }
    }
    row <- if (back) first - 1 else first + n
    column <- if (back) t$columns else -1
    if (proc.time()[[3L]] > end) break
  }
  list(row = row, column = column, more = row >= 0 && row < t$matching)
}
