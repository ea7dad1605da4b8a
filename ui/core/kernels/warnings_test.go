package kernels

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

func TestMissingGlyphs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "",
		"x.py:1: UserWarning: Glyph 26376 (\\N{CJK UNIFIED IDEOGRAPH-6708}) missing from font(s) DejaVu Sans.\n":                      "月",
		"UserWarning: Glyph 26376 (\\N{A}) missing from current font.\nGlyph 12398 (b) missing from …\nGlyph 26376 (c) missing from ": "月の",
		"Font 'rm' does not have a glyph for '\\u6708' [U+6708], substituting with a dummy symbol.":                                   "",
		"Glyph 99999999999999 (x) missing from y": "",
	} {
		if got := string(missingGlyphs(text)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestGlyphAdvice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		missing string
		font    font
		says    []string
	}{
		"found":       {"月次", font{Name: "IPAGothic", Has: 2}, []string{"“月次”", "IPAGothic has them", "rcParams['font.family'] = ['IPAGothic', 'DejaVu Sans']"}},
		"some of it":  {"月☃", font{Name: "IPAGothic", Has: 1}, []string{"has 1 of the 2"}},
		"a file":      {"月", font{Name: "Noto", Has: 1, File: `C:\a 'b'.otf`}, []string{`addfont("C:\\a 'b'.otf")`, "['Noto', 'DejaVu Sans']"}},
		"none":        {"月", font{}, []string{"install one"}},
		"a long list": {strings.Repeat("月", 12), font{}, []string{"“" + strings.Repeat("月", 10) + "” and 2 more"}},
	} {
		got := glyphAdvice([]rune(c.missing), c.font)
		for _, says := range c.says {
			if !strings.Contains(got, says) {
				t.Errorf("%s: %q does not say %q", name, got, says)
			}
		}
	}
}
