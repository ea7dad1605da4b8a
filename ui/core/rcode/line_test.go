package rcode

import "testing"

// TestLine has errors as IRkernel reports them.
func TestLine(t *testing.T) {
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
		if line, text := Line(c.code, c.message, c.traceback); line != c.line {
			t.Errorf("%q, %s: got %d (%s), want %d", c.code, c.message, line, text, c.line)
		}
	}
}
