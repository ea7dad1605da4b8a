package approvals

import "testing"

func TestNothingHidesInTheCode(t *testing.T) {
	for code, want := range map[string]string{
		"a\r\nb":                "a\nb",
		"# safe\rimport os":     "# safe\nimport os",
		"x = \"\u202e1\u2066\"": "x = \"[U+202E]1[U+2066]\"",
		"a\u200bb\x1b[2K":       "a[U+200B]b[U+001B][2K",
		"\t売上 = 1":              "\t売上 = 1",
	} {
		if got := visibleCode(code); got != want {
			t.Errorf("%q is shown as %q, want %q", code, got, want)
		}
	}
}
