package checks

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var field = regexp.MustCompile(`\{[a-z]+\}`)

func TestEveryCheckHasATitleAndSentencesWithTheSameFields(t *testing.T) {
	for _, c := range All {
		if en, ja := c.Title("en"), c.Title("ja"); en == string(c) || ja == en {
			t.Errorf("%s: titles %q, %q", c, en, ja)
		}
		if short[string(c)] == "" {
			t.Errorf("%s has no text", c)
		}
	}
	for variant, text := range english {
		fields := func(s string) []string {
			return slices.Compact(slices.Sorted(slices.Values(field.FindAllString(s, -1))))
		}
		if a, b := fields(text), fields(japanese[variant]); !slices.Equal(a, b) {
			t.Errorf("%s: %v in English, %v in Japanese", variant, a, b)
		}
		if short[variant] == "" {
			t.Errorf("%s has no text for the model", variant)
		}
		// About 4 characters a token; numbers and labels are longer than their fields.
		if n := len(short[variant]); n > 110 {
			t.Errorf("%s: the text for the model has %d characters", variant, n)
		}
	}
}

func TestASentenceSaysWhatWasCounted(t *testing.T) {
	f := Finding{Check: Repeats, Counts: Counts{Axis: "y", N: 19, Of: 260, Value: 8.45, Next: 3}}
	for lang, want := range map[string]string{
		"en": "19 of 260 y values are exactly 8.45. The next most frequent value occurs 3 times.",
		"ja": "260 個の y の値のうち 19 個がちょうど 8.45 です。次に多い値は 3 回です。",
	} {
		if got := f.Sentence(lang); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
	if got := f.Text(); got != "19 of 260 y values are exactly 8.45; next most frequent: 3×" {
		t.Error(got)
	}
}

func TestALabelCannotFillASentence(t *testing.T) {
	f := Finding{Check: Same, Series: []int{0, 1}, Counts: Counts{N: 9, A: strings.Repeat("あ", 300), B: "{n} {of}"}}
	if got := f.Text(); len([]rune(got)) > 80 || !strings.Contains(got, "{n} {of}") {
		t.Error(got)
	}
}

func TestAValueBesideDatesIsNoDate(t *testing.T) {
	f := Finding{Check: Flat, Counts: Counts{Axis: "y", N: 35, Value: 20.58, From: 1772582400, To: 1772586000, DateX: true}}
	if got, want := f.Text(), "y is exactly 20.58 for 35 neighbours, x 2026-03-04–2026-03-04 01:00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f = Finding{Check: Wall, Counts: Counts{Axis: "y", N: 4, Of: 9, Next: 2, Value: 17.5, DateX: true}}
	if got, want := f.Text(), "4 of 9 y values are exactly 17.5, a limit of the data; next most frequent: 2×"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f = Finding{Check: Empty, Counts: Counts{From: 1772582400, To: 1772668800, Low: 3, High: 1772668800, Next: 9, DateX: true}}
	if got, want := f.Text(), "no point in x 2026-03-04–2026-03-05, y 3–1.7727e+09; equal areas beside it have 9 or more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f = Finding{Check: Repeats, Counts: Counts{Axis: "x", N: 4, Of: 9, Next: 1, Value: 1772582400, DateX: true}}
	if got, want := f.Sentence("en"), "4 of 9 x values are exactly 2026-03-04. The next most frequent value occurs once."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
