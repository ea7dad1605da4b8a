# Describes a data frame: what get_dataframe_info returns. What fails costs one column, never the table.

BUDGET <- 3 # seconds for the statistics
MANY <- 500L # columns that are described
CELL <- 500L # characters of a value
HEAD <- 1000000 # characters of all values together

unique_keys <- function(names) {
  seen <- list()
  taken <- unique(names)
  keys <- names
  for (i in which(duplicated(names))) {
    n <- names[[i]]
    k <- if (is.null(seen[[paste0("=", n)]])) 1L else seen[[paste0("=", n)]]
    while (paste0(n, ".", k) %in% taken) k <- k + 1L
    keys[[i]] <- paste0(n, ".", k)
    taken <- c(taken, keys[[i]])
    seen[[paste0("=", n)]] <- k + 1L
  }
  keys
}

column_names <- function(v) {
  names <- attr(v, "names", exact = TRUE)
  if (is.null(names)) names <- rep("", length(unclass(v)))
  clip(as.character(ifelse(is.na(names), "NA", names)), CELL)
}

# The names of rows; NULL if they are only counted.
row_labels <- function(v, at) {
  if (.row_names_info(v) <= 0L) return(NULL)
  as.character(attr(v, "row.names")[at])
}

frame_type <- function(v) {
  own <- oldClass(v)
  if ("data.table" %in% own) return("data.table")
  if ("tbl_df" %in% own) return(if ("grouped_df" %in% own) "grouped tibble" else "tibble")
  own[[1L]]
}

describe_column <- function(v) {
  v <- plain_column(v)
  gone <- absent(v)
  n <- sum(!gone)
  out <- list(count = n, nulls = sum(gone))
  k <- kind(v)
  if (k == "number" && n > 0L) {
    x <- as.numeric(part(v, which(!gone)))
    q <- as.numeric(stats::quantile(x, c(0.25, 0.5, 0.75), names = FALSE, type = 7))
    out$mean <- mean(x)
    out$std <- if (n > 1L) stats::sd(x) else NA
    return(c(out, list(min = min(x), "25%" = q[[1L]], "50%" = q[[2L]], "75%" = q[[3L]], max = max(x))))
  }
  if (k %in% c("date", "duration") && n > 0L) {
    x <- part(v, which(!gone))
    ends <- texts(v, which(!gone)[c(which.min(x), which.max(x))], CELL)
    return(c(out, list(min = ends[[1L]], max = ends[[2L]])))
  }
  if (NROW_of(v) > 1000000L && !inherits(v, "factor")) return(out)
  top <- commonest(v, NULL, 1L, TRUE)
  if (!is.null(top)) {
    out$unique <- top$unique
    if (length(top$values)) {
      out$top <- ready(top$values[[1L]])
      out$freq <- top$counts[[1L]]
    }
  }
  out
}

# The most frequent values of a column at positions (NULL: all) as JSON, their counts, and how many there are. NULL if
# counting them would take long or say nothing.
commonest <- function(v, at, most, all = FALSE) {
  if (length(attr(v, "dim", exact = TRUE)) || is_frame(v) || typeof(v) %in% c("list", "complex", "raw")) return(NULL)
  x <- if (is.null(at)) all_of(v) else .subset(v, at)
  x <- x[!is.na(x)]
  if (!all && is.character(x) && length(x) > 100000L) {
    some <- x[seq.int(1L, length(x), length.out = 5000L)]
    if (length(unique(some)) > 4500L) return(NULL)
  }
  if (!length(x)) return(list(values = character(), counts = integer(), unique = 0L))
  each <- unique(x)
  n <- tabulate(match(x, each), length(each))
  first <- order(-n, seq_along(n), method = "radix")[seq_len(min(most, length(n)))]
  own <- attributes(v)
  shown <- each[first]
  attributes(shown) <- own[intersect(names(own), c("levels", "class", "tzone", "units"))]
  list(values = cells(shown, seq_along(first)), counts = n[first], unique = length(each))
}

# The positions of the columns whose names or patterns are wanted.
chosen <- function(names, wanted) {
  hits <- lapply(wanted, function(w) which(names == w | grepl(utils::glob2rx(w), names)))
  found <- if (length(wanted)) sort(unique(unlist(hits))) else seq_along(names)
  lost <- unlist(wanted)[lengths(hits) == 0L]
  list(found, if (length(lost)) paste("no column is named", clip(paste(lost, collapse = ", "), 200L)))
}

dataframe <- function(name, head, wanted) {
  got <- variable(name)
  if (!is.null(got$problem)) return(got$problem)
  v <- got$value
  if (!is_frame(v)) return(list(wrong = class_of(v)))
  rows <- .row_names_info(v, 2L)
  columns <- lapply(unclass(v), plain_column)
  names <- column_names(v)
  keys <- unique_keys(names)
  picked <- chosen(names, wanted)
  some <- picked[[1L]][seq_len(min(length(picked[[1L]]), MANY))]
  notes <- c(character(), picked[[2L]])
  if (length(picked[[1L]]) > MANY) notes <- c(notes, sprintf("head and describe have the first %d of %d columns", MANY, length(picked[[1L]])))
  n <- min(head, rows)
  out <- list(name = name, type = frame_type(v), shape = array_of(c(rows, length(columns))), columns = array_of(names), keys = array_of(keys),
    shown = array_of(keys[some]), dtypes = object_of(keys, lapply(columns, dtype)))
  size <- held(v)
  out$memory_bytes <- ready(sprintf("%.0f", if (is.null(size)) 0 else size))
  labels <- row_labels(v, seq_len(n))
  if (!is.null(labels)) out$index <- list(names = array_of(""), dtypes = array_of("character"), head = array_of(labels))
  if (head > 0) {
    first <- first_rows(columns, keys, some, n)
    out$head <- first[[1L]]
    notes <- c(notes, first[[2L]])
  }
  told <- statistics(columns, keys, some)
  out$describe <- told[[1L]]
  out$notes <- array_of(c(notes, told[[2L]]))
  out
}

object_of <- function(keys, values) if (length(keys)) structure(values, names = keys) else empty_object

statistics <- function(columns, keys, some) {
  end <- proc.time()[[3L]] + BUDGET
  told <- list()
  notes <- character()
  for (done in seq_along(some)) {
    if (proc.time()[[3L]] > end) {
      notes <- c(notes, sprintf("describe has the first %d columns only: the rest would take long", done - 1L))
      break
    }
    i <- some[[done]]
    got <- tryCatch(describe_column(columns[[i]]), error = function(e) NULL)
    if (is.null(got)) notes <- c(notes, sprintf("column %s could not be described", keys[[i]])) else told[[keys[[i]]]] <- got
  }
  list(if (length(told)) told else empty_object, notes)
}

# The first rows as objects.
first_rows <- function(columns, keys, some, n) {
  rows <- rep("", n)
  left <- HEAD
  notes <- character()
  for (i in some) {
    got <- tryCatch(cells(columns[[i]], seq_len(n), CELL), error = function(e) NULL)
    if (is.null(got)) {
      notes <- c(notes, sprintf("column %s could not be read", keys[[i]]))
      next
    }
    rows <- paste0(rows, ifelse(nzchar(rows), ",", ""), json_text(keys[[i]]), ":", got)
    left <- left - sum(nchar(got))
    if (left < 0) {
      notes <- c(notes, sprintf("head has the columns up to %s only: their values are long", keys[[i]]))
      break
    }
  }
  list(if (n) listed(paste0("{", rows, "}")) else listed(character()), notes)
}

# The value of a variable of the user's, or why it has none that can be read.
variable <- function(name) {
  env <- globalenv()
  if (!exists(name, envir = env, inherits = FALSE)) return(list(problem = list(missing = TRUE)))
  lazy <- lazy_names(name)
  if (nzchar(lazy)) return(list(problem = list(wrong = paste(lazy, "that was not read yet"))))
  list(value = get(name, envir = env, inherits = FALSE))
}
