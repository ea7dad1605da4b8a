package approvals

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
		"a\n\n\nb": "a\n\n\nb",
	} {
		if got := visibleCode(code); got != want {
			t.Errorf("%q is shown as %q, want %q", code, got, want)
		}
	}
}
