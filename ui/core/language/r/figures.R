# Keeps the plots that the kernel displays, so that Easel can draw them again, and says their titles. A plot is found by the
# SHA-256 of its picture. What is kept is what IRkernel has recorded anyway.

MOST <- 32L # plots
MOST_BYTES <- 48 * 2^20 # of all plots together

kept <- new.env(parent = emptyenv())
kept$on <- FALSE
kept$plots <- list() # oldest first
kept$gone <- character() # why a plot is not kept, by hash

# Makes the kernel keep its plots, or release them and stop. self is IRkernel's object that runs code.
keep <- function(on) {
  if (!on) kept$plots <- list()
  env <- as.environment(self)
  if (on && is.null(kept$original)) {
    kept$original <- get("send_plot", envir = env)
    hooked <- function(plotobj) shown(plotobj)
    unlockBinding("send_plot", env)
    assign("send_plot", hooked, envir = env)
    lockBinding("send_plot", env)
  }
  kept$on <- on
  on
}

# Displays a plot as IRkernel does, and notes the hashes of its pictures.
shown <- function(plot) {
  if (!kept$on || is.null(plot)) return(kept$original(plot))
  display <- getOption("jupyter.base_display_func")
  if (!is.function(display)) return(kept$original(plot))
  began <- proc.time()[[1L]]
  named <- tryCatch(title_of(plot), error = nothing)
  options(jupyter.base_display_func = function(data, metadata = NULL) {
    tryCatch(remember(plot, data, proc.time()[[1L]] - began), error = nothing)
    for (mime in if (length(named)) intersect(names(metadata), names(data))) metadata[[mime]]$easel <- list(title = named)
    display(data, metadata)
  })
  on.exit(options(jupyter.base_display_func = display))
  kept$original(plot)
}

# The title of a plot of base graphics, lattice or ggplot2; NULL if it has none.
title_of <- function(plot) {
  titles <- character()
  for (step in plot[[1L]]) {
    call <- step[[2L]]
    name <- if (is.list(call) || is.pairlist(call)) call[[1L]]$name
    if (identical(name, "C_title") && is.character(call[[2L]]) && length(call[[2L]])) titles <- c(titles, paste(call[[2L]], collapse = " "))
  }
  if (length(plot) > 2L) titles <- c(titles, tryCatch(title_of_grid(plot[[3L]]), error = nothing))
  if (!any(nzchar(titles))) return(NULL)
  each <- unique(gsub("[[:space:]]+", " ", titles[nzchar(titles)]))
  if (length(each) > 4L) each <- c(each[1:4], paste0("+", length(each) - 4L))
  substr(paste(each, collapse = " \u00b7 "), 1L, 200L)
}

# The title in the list of what package grid has drawn.
title_of_grid <- function(state) {
  for (g in state[[1L]]) {
    if (inherits(g, "gtable")) {
      for (i in which(g$layout$name == "title")) for (child in g$grobs[[i]]$children) if (is.character(child$label)) return(paste(child$label, collapse = " "))
    }
    if (inherits(g, "text") && is.character(g$label) && grepl("\\.main$", g$name)) return(paste(g$label, collapse = " "))
  }
  NULL
}

remember <- function(plot, data, seconds) {
  pictures <- grep("^image/", names(data), value = TRUE)
  if (!length(pictures)) return()
  names <- vapply(pictures, function(mime) {
    raw <- data[[mime]]
    digest::digest(if (is.raw(raw)) raw else charToRaw(enc2utf8(raw)), algo = "sha256", serialize = FALSE)
  }, "")
  size <- as.numeric(utils::object.size(plot))
  if (size > MOST_BYTES) return(forget(names, "large"))
  setting <- function(name) {
    v <- getOption(name)
    if (is.null(v)) get("repr_option_defaults", asNamespace("repr"))[[name]] else v
  }
  scale <- getOption("jupyter.plot_scale")
  kept$plots <- c(kept$plots, list(list(names = unname(names), plot = plot, size = size, seconds = seconds,
    width = attr(plot, ".irkernel_width"), height = attr(plot, ".irkernel_height"), dpi = attr(plot, ".irkernel_ppi") * (if (is.null(scale)) 2 else scale),
    points = setting("repr.plot.pointsize"), bg = setting("repr.plot.bg"), family = setting("repr.plot.family"), antialias = setting("repr.plot.antialias"))))
  while (length(kept$plots) > MOST || sum(vapply(kept$plots, function(f) f$size, 0)) > MOST_BYTES) {
    forget(kept$plots[[1L]]$names, "old")
    kept$plots <- kept$plots[-1L]
  }
}

forget <- function(names, why) {
  kept$gone[names] <- why
  kept$gone <- utils::tail(kept$gone, 512L)
}

find_plot <- function(names) {
  for (f in rev(kept$plots)) if (any(f$names %in% names)) return(f)
  NULL
}

why_not <- function(names) {
  if (!kept$on) return("off")
  said <- kept$gone[intersect(unlist(names), names(kept$gone))]
  if (length(said)) said[[1L]] else "unknown"
}

has <- function(names) list(missing = if (is.null(find_plot(names))) why_not(names) else "")

# Draws a plot again: width and height in inches, 0 as displayed. It uses a device of its own, and the user's devices stay as they are.
draw <- function(names, format, width, height, dpi, scale, theme, within, most, whole, look) {
  f <- find_plot(names)
  if (is.null(f)) return(list(missing = why_not(names)))
  if (nzchar(theme)) return(list(missing = "fixed"))
  if (within > 0 && f$seconds > within || !whole) return(list(missing = "slow"))
  if (width == 0 && height == 0) {
    width <- f$width
    height <- f$height
  }
  if (width == 0) width <- height * f$width / f$height
  if (height == 0) height <- width * f$height / f$width
  if (scale > 0) dpi <- f$dpi * scale
  if (dpi == 0) dpi <- f$dpi
  data <- drawn(f, format, width, height, dpi)
  if (length(data) > most) return(list(missing = "answer"))
  out <- list(data = base64enc::base64encode(data), width = width, height = height, dpi = dpi, seconds = f$seconds)
  if (look > 0) {
    dots <- min(look / max(width, height), 600)
    out$preview <- base64enc::base64encode(drawn(f, "png", width, height, dots))
    out$preview_dpi <- dots
  }
  out
}

drawn <- function(f, format, width, height, dpi) {
  file <- tempfile(fileext = paste0(".", format))
  on.exit(unlink(file))
  before <- grDevices::dev.cur()
  switch(format,
    png = grDevices::png(file, width, height, "in", f$points, f$bg, dpi, antialias = f$antialias, family = f$family),
    jpeg = grDevices::jpeg(file, width, height, "in", f$points, 90, f$bg, dpi, antialias = f$antialias, family = f$family),
    svg = grDevices::svg(file, width, height, f$points, FALSE, f$family, f$bg, f$antialias),
    pdf = if (capabilities("cairo")) grDevices::cairo_pdf(file, width, height, f$points, family = f$family, bg = f$bg, antialias = f$antialias) else
      grDevices::pdf(file, width, height, family = f$family, bg = f$bg, pointsize = f$points))
  own <- grDevices::dev.cur()
  tryCatch(grDevices::replayPlot(f$plot), finally = {
    grDevices::dev.off(own)
    if (before > 1L) grDevices::dev.set(before)
  })
  readBin(file, "raw", file.size(file))
}
