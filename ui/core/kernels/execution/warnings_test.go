package execution

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCondense(t *testing.T) {
	t.Parallel()
	glyph := func(code, name string) string {
		return `/lib/IPython/core/pylabtools.py:158: UserWarning: Glyph ` + code + ` (\N{` + name + `}) missing from font(s) DejaVu Sans.` + "\n  fig.canvas.print_figure(bytes_io, **kw)\n"
	}
	first := strings.SplitAfter(glyph("26376", "CJK UNIFIED IDEOGRAPH-6708"), "\n")
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":        {"", ""},
		"no warning":     {"a 1\na 2\na 3\n", "a 1\na 2\na 3\n"},
		"without an end": {"WARNING:root:a 1", "WARNING:root:a 1"},
		"one":            {glyph("1", "A"), glyph("1", "A")},
		"glyphs": {
			glyph("26376", "CJK UNIFIED IDEOGRAPH-6708") + glyph("27425", "CJK UNIFIED IDEOGRAPH-6B21") + "between\n" + glyph("12398", "HIRAGANA LETTER NO"),
			strings.TrimSuffix(first[0], "\n") + " [3 times, with different numbers or characters]\n" + first[1] + "between\n",
		},
		"the same again": {strings.Repeat("findfont: Font family 'Nope' not found.\n", 180), "findfont: Font family 'Nope' not found. [180 times]\n"},
		"another family": {"findfont: Font family 'A b' not found.\nfindfont: Font family 'C d' not found.\n", "findfont: Font family 'A b' not found.\nfindfont: Font family 'C d' not found.\n"},
		"in formulas": {
			"Font 'rm' does not have a glyph for '\\u6708' [U+6708], substituting with a dummy symbol.\nFont 'rm' does not have a glyph for '\\u5e74' [U+5e74], substituting with a dummy symbol.\n",
			"Font 'rm' does not have a glyph for '\\u6708' [U+6708], substituting with a dummy symbol. [2 times, with different numbers or characters]\n",
		},
		"logged": {"WARNING:root:retry 1\nWARNING:root:retry 2\nERROR:root:gone 1\nERROR:root:gone 2\n", "WARNING:root:retry 1 [2 times, with different numbers or characters]\nERROR:root:gone 1\nERROR:root:gone 2\n"},
		"other words": {
			"a.py:1: UserWarning: x too large\n  f(x)\na.py:1: UserWarning: y is too large\n  f(x)\n",
			"a.py:1: UserWarning: x too large\n  f(x)\na.py:1: UserWarning: y is too large\n  f(x)\n",
		},
		"one character": {
			"a.py:1: UserWarning: no column 'x' in 1.5e-3\n  f(x)\na.py:2: UserWarning: no column 'y' in 20,000\n  f(x)\n",
			"a.py:1: UserWarning: no column 'x' in 1.5e-3 [2 times, with different numbers or characters]\n  f(x)\n",
		},
		"of several lines": {
			"a.py:1: UserWarning: multi\nline 3\n  f(x)\na.py:9: UserWarning: multi\nline 4\n  f(x)\nrest\n",
			"a.py:1: UserWarning: multi [2 times, with different numbers or characters]\nline 3\n  f(x)\nrest\n",
		},
		"the last without an end": {"WARNING:root:a 1\nWARNING:root:a 1", "WARNING:root:a 1 [2 times]\n"},
		"a traceback":             {"Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: 1\n", "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: 1\n"},
		"a bar of progress":       {"\r 10%|# | 1/10\r 20%|## | 2/10\n", "\r 10%|# | 1/10\r 20%|## | 2/10\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, condense(tt.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
