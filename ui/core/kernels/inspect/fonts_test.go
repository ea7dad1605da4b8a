package inspect

import (
	"strings"
	"testing"
)

func TestMissingGlyphs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "",
		"x.py:1: UserWarning: Glyph 26376 (\\N{CJK UNIFIED IDEOGRAPH-6708}) missing from font(s) DejaVu Sans.\n":                      "月",
		"UserWarning: Glyph 26376 (\\N{A}) missing from current font.\nGlyph 12398 (b) missing from …\nGlyph 26376 (c) missing from ": "月の",
		"Font 'rm' does not have a glyph for '\\u6708' [U+6708], substituting with a dummy symbol.":                                   "",
		"Glyph 99999999999999 (x) missing from y": "",
	} {
		if got := string(MissingGlyphs(text)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestFontAdvice(t *testing.T) {
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
		got := fontAdvice([]rune(c.missing), c.font)
		for _, says := range c.says {
			if !strings.Contains(got, says) {
				t.Errorf("%s: %q does not say %q", name, got, says)
			}
		}
	}
}
