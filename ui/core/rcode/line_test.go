package rcode

import "testing"

// TestWhere has tracebacks as IRkernel writes them.
func TestWhere(t *testing.T) {
	const defined = "f <- function(a) {\n  b <- a\n  g(b)\n}\ng <- function(b) stop('bad ', b)\n"
	const inG = "1. f(3)\n2. g(b)   # at line 3 of file <text>\n3. stop(\"bad \", b)   # at line 5 of file <text>"
	for name, c := range map[string]struct{ code, message, traceback, want string }{
		"same cell": {
			defined + "y <- f(3)", "Error in g(b): bad 3\n", inG,
			"The error is in line 5 of the code: g <- function(b) stop('bad ', b)\nIt was called from line 6 of the code: y <- f(3)",
		},
		"earlier cell": {
			"1\ny <- f(3)", "Error in g(b): bad 3\n", inG,
			"The error is in the function g, line 5 of the cell that defined it\nIt was called from line 2 of the code: y <- f(3)",
		},
		"earlier cell, unlike lines of this one": {
			"f <- 1\n\n\n\nstop <- 2; y <- f(3)", "Error in g(b): bad 3\n", inG,
			"The error is in the function g, line 5 of the cell that defined it\nIt was called from line 5 of the code: stop <- 2; y <- f(3)",
		},
		"without a name": {
			"sapply(1:2, function(i) {\n  if (i == 2) stop('two')\n})", "Error in FUN(X[[i]], ...): two\n",
			"1. sapply(1:2, function(i) {\n .     if (i == 2) \n .         stop(\"two\")\n . })\n2. lapply(X = X, FUN = FUN, ...)\n3. FUN(X[[i]], ...)\n4. stop(\"two\")   # at line 2 of file <text>",
			"The error is in line 2 of the code: if (i == 2) stop('two')\nIt was called from line 1 of the code: sapply(1:2, function(i) {",
		},
		"a file": {
			"source('a.R')\nh(2)", "Error in h(2): no\n", "1. h(2)\n2. stop(\"no\")   # at line 3-4 of file a.R",
			"The error is in line 3 of a.R\nIt was called from line 2 of the code: h(2)",
		},
		"several lines": {"h(\n  9\n)", "Error in h(9): no\n", "1. h(9)", "The error is in line 1 of the code: h("},
		"unknown":       {"f(3)\nf(3)", "Error in f(3): bad\n", "1. f(3)", ""},
	} {
		if got := Where(c.code, c.message, c.traceback); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestStatement has errors as IRkernel reports them.
func TestStatement(t *testing.T) {
	const calls = "x <- 1\n\nf <- function(a) {\n  g(a)\n}\ng <- function(b) stop(\"bad \", b)\ny <- f(3)\nz <- 2"
	for _, c := range []struct {
		code, message, traceback string
		line                     int
	}{
		{calls, "Error in g(a): bad 3\n", "Error in g(a): bad 3\nTraceback:\n\n1. f(3)\n2. g(a)   # at line 4 of file <text>\n3. stop(\"bad \", b)   # at line 6 of file <text>", 7},
		{"a <- 1\nlog( \"x\" )", "Error in log(\"x\"): non-numeric argument to mathematical function\n", "", 2},
		{"1\n\nlibrary(notthere)", "Error in library(notthere): there is no package called ‘notthere’\n", "1. library(notthere)", 3},
		{"for (i in 1:3) {\n  if (i == 2) undefined_thing\n}", "Error in eval(expr, envir, enclos): object 'undefined_thing' not found\n", "", 2},
		{"a <- nope + 1\nnope", "Error in eval(expr, envir, enclos): object 'nope' not found\n", "", 0},
		{"f(3)\nf(3)", "Error in f(3): bad\n", "1. f(3)", 0},
		{"x |>\n  unheard()", "Error in unheard(x): could not find function \"unheard\"\n", "", 2},
		{"x <- 1", "", "", 0},
	} {
		if line := statement(c.code, c.message, c.traceback); line != c.line {
			t.Errorf("%q, %s: got %d, want %d", c.code, c.message, line, c.line)
		}
	}
}

// FuzzWhere: no code and no traceback makes the reader of errors panic.
func FuzzWhere(f *testing.F) {
	f.Add("f <- function(a) {\n  g(a)\n}\nf(3)", "Error in g(b): bad 3\n", "1. f(3)\n2. g(b)   # at line 3 of file <text>\n3. stop(\"bad \", b)   # at line 5-7 of file a.R")
	f.Add("sapply(1:2, \\(i) {\n  stop('two')\n})", "object 'x' not found", "1. FUN(X[[i]], ...)\n .  x\n2. stop()   # at line 99999999999999999999 of file <text>")
	f.Fuzz(func(_ *testing.T, code, message, traceback string) { Where(code, message, traceback) })
}
