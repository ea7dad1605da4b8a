package asking

import (
	"strings"
	"testing"
)

func TestNothingHidesInTheCode(t *testing.T) {
	for code, want := range map[string]string{
		"a\r\nb":                     "a\nb",
		"# safe\rimport os":          "# safe\nimport os",
		"x = \"\u202e1\u2066\"":      "x = \"[U+202E]1[U+2066]\"",
		"a\u200bb\x1b[2K":            "a[U+200B]b[U+001B][2K",
		"\t売上 = 1":                   "\t売上 = 1",
		"x = 1\u00a0+\u3164 2\ufe0f": "x = 1[U+00A0]+[U+3164] 2[U+FE0F]",
		"x = 1" + strings.Repeat(" ", 3000) + "; import os": "x = 1 [3000 spaces] ; import os",
		"x = 1" + strings.Repeat("\t", 300) + "; y = 2":     "x = 1 [1200 spaces] ; y = 2",
		strings.Repeat(" ", 400) + "rm()":                   " [400 spaces] rm()",
		strings.Repeat(" ", 24) + "nested()  # as it is":    strings.Repeat(" ", 24) + "nested()  # as it is",
		"'売上\u3000計'":                                       "'売上\u3000計'",
		"a" + strings.Repeat("\n \t", 5000) + "\nb":         "a\n[5000 blank lines]\nb",
		"a\n\n\nb":                                        "a\n\n\nb",
		"x\fimport os\u2028y\u0085z\v":                    "x[U+000C]import os[U+2028]y[U+0085]z[U+000B]",
		"a" + strings.Repeat("\u200b", 5000) + "b":        "a[5000 × U+200B]b",
		"a\u200b\u200b\u200c":                             "a[U+200B][U+200B][U+200C]",
		"\U000e0041\ufff0\u2065\ufffe\U0001d159":          "[U+E0041][U+FFF0][U+2065][U+FFFE][U+1D159]",
		"e" + strings.Repeat("\u0301", 40):                "e\u0301\u0301\u0301[37 × U+0301]",
		"s\u0336a\u20ddf":                                 "s[U+0336]a[U+20DD]f",
		"\u0301x \u0301y":                                 "[U+0301]x [U+0301]y",
		"'か\u3099 กำ นี้ é हिन्दी'":                       "'か\u3099 กำ นี้ é हिन्दी'",
		"x = 'שלום' # مرحبا":                              "x = 'שלום' # مرحبا",
		strings.Repeat("\u3000\n", 60) + "rm()":           "[60 blank lines]\nrm()",
		"x = 1 #" + strings.Repeat(" \t\u3000", 40) + "y": "x = 1 # [280 spaces] y",
	} {
		if got := VisibleCode(code); got != want {
			t.Errorf("%q is shown as %q, want %q", code, got, want)
		}
	}
}

func TestAFolderCannotHideItsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"/home/ann/売上 2026":                        "/home/ann/売上 2026",
		"/tmp/x\nPython: safe/.venv":               "/tmp/x[U+000A]Python: safe/.venv",
		"/tmp/\u202egnp.\u202c\tx\u200b":           "/tmp/[U+202E]gnp.[U+202C][U+0009]x[U+200B]",
		"/home/ann/か\u3099 and /home/ann/re\u0301": "/home/ann/か\u3099 and /home/ann/re\u0301",
	} {
		if got := VisibleName(name); got != want {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
}

// TestReasonsNameTheLinesThatAreShown checks that the numbers are those beside the code, although blank lines are folded.
func TestReasonsNameTheLinesThatAreShown(t *testing.T) {
	t.Parallel()
	code := "a = 1\r\n" + strings.Repeat("\n", 30) + "b = 2\n\nos.remove(x)\n"
	shown := strings.Split(VisibleCode(code), "\n")
	for line, want := range map[int]string{1: "a = 1", 32: "b = 2", 34: "os.remove(x)"} {
		if got := shown[ShownLine(code, line)-1]; got != want {
			t.Errorf("line %d is shown as %q, want %q", line, got, want)
		}
	}
	if got := ShownLine(code, 1000); got != len(shown) {
		t.Errorf("a line after the end: %d of %d", got, len(shown))
	}
}
