package rcode

import (
	"slices"
	"testing"
)

func TestTitles(t *testing.T) {
	for code, want := range map[string][]string{
		`plot(1:10, main = "Rain")`:                                                             {"Rain"},
		"hist(x, main='A'); barplot(y, main=\"B\")\nboxplot(z)":                                 {"A", "B", ""},
		"plot(x)\ntitle(\"Later\")":                                                             {"Later"},
		"plot(x)\ntitle(main = 'Later', sub = 'no')":                                            {"Later"},
		"plot(x, main = paste('a', b))":                                                         {""},
		"par(mfrow = c(1, 2))\nplot(x, main='L')\nplot(y,main='R')\nplot(z, main='next')":       {"L · R", "next"},
		"ggplot(df, aes(x, y)) +\n  geom_point() +\n  labs(x = 'km', title = \"Way\", y = 'h')": {"Way"},
		"ggplot2::ggplot(df) + ggplot2::ggtitle('Pkg', subtitle = 's')":                         {"Pkg"},
		"p <- ggplot(df) + ggtitle('Saved')\np":                                                 {"Saved"},
		"p <- ggplot(df) + ggtitle('Saved')\nprint(p)\np + labs(title = 'Other')":               {"Saved", "Other"},
		"p = ggplot(df)\nplot(p)":                                                               {""},
		"lattice::xyplot(y ~ x, data = d, main = 'Lattice')":                                    {"Lattice"},
		"plot(x, main='First'); for (i in 1:3) plot(i, main='no')":                              {"First"},
		"f <- function() plot(x, main='no')\nf()":                                               nil,
		"f <- function(x) x + 1\ng <- \\(y) plot(y)\nplot(2, main = 'After')":                   {"After"},
		"f <- function() plot(1)\nplot(2, main = 'First')\nf()":                                 {"First"},
		"title <- 'x'; main = 'y'":                                                              nil,
		"x <- 3 # plot(main = 'no')":                                                            nil,
		`cat("plot(x, main='no')")`:                                                             nil,
		`plot(x, main = "say \"hi\" 日本")`:                                                       {`say "hi" 日本`},
		"plot(x, main = 'two\\nlines')":                                                         {"two lines"},
		"op <- par(mfrow = c(2, 2))\nplot(x)\npar(op)\nplot(y, main='unsure')":                  {""},
	} {
		if got := Titles(code); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
}

func TestMissing(t *testing.T) {
	for message, want := range map[string]string{
		"Error in library(units): there is no package called ‘units’\n": "units",
		"Error in loadNamespace(x) : there is no package called 'sf'":   "sf",
		"object 'x' not found": "",
	} {
		if got := Missing(message); got != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
}
