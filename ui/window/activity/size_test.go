package activity

import (
	"testing"

	"easel/ui/window/i18n"
)

func TestSizesAreInTheWindowsLanguage(t *testing.T) {
	for _, c := range []struct{ size, en, ja string }{
		{"1000 rows × 5 cols", "1,000 rows × 5 columns", "1,000 行 × 5 列"},
		{"12 items", "12 items", "12 個"},
		{"1 item", "1 item", "1 個"},
		{"1234567 items", "1,234,567 items", "1,234,567 個"},
		{"48 bytes", "48 B", "48 B"},
		{"12345 bytes", "12 kB", "12 kB"},
		{"(60000, 28, 28)", "60,000 × 28 × 28", "60,000 × 28 × 28"},
		{"(1500,)", "1,500", "1,500"},
		{"1920×1080 px", "1,920 × 1,080 px", "1,920 × 1,080 px"},
		{"something else", "something else", "something else"},
		{"", "", ""},
	} {
		if got := sizeText(i18n.New("en"), c.size); got != c.en {
			t.Errorf("%q in English: %q, want %q", c.size, got, c.en)
		}
		if got := sizeText(i18n.New("ja"), c.size); got != c.ja {
			t.Errorf("%q in Japanese: %q, want %q", c.size, got, c.ja)
		}
	}
	for text, want := range map[string]string{
		"df (DataFrame, 1000 rows × 5 cols)": "df (DataFrame, 1,000 行 × 5 列)",
		"a (ndarray, (3, 4))":                "a (ndarray, 3 × 4)",
		"total (int)":                        "total (int)",
		"and 12 more":                        "ほか 12 個",
	} {
		if got := VariableText(i18n.New("ja"), text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
