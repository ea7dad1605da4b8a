  # The answer is a page of the reply, which only who asked gets. IRkernel's object is looked for among the callers.
  for (f in sys.frames()) {
    self <- get0(".self", envir = parent.env(f), inherits = FALSE)
    if (is.environment(self) && inherits(self, "Executor")) break
    self <- NULL
  }
  if (is.null(self)) stop("this R kernel is not IRkernel")
  kept <- get("runtime_env", asNamespace("IRkernel"))
  easel <- kept[[at]]
  if (is.null(easel) && !is.null(defined)) {
    easel <- new.env(parent = baseenv())
    eval(parse(text = defined, keep.source = FALSE, encoding = "UTF-8"), easel)
    assign(at, easel, envir = kept)
  }
  if (!is.null(easel)) assign("self", self, envir = easel)
  said <- if (is.null(easel)) "{\"unloaded\":true}" else easel$answer(what, args)
  self$page(list(data = list("application/vnd.easel.answer" = said)))
  invisible()
