package i18n

import (
	"testing"

	"easel/mcphost/catalog"
)

// TestEachToolHasATitleInJapanese: in the status bar, and nowhere is one too many.
func TestEachToolHasATitleInJapanese(t *testing.T) {
	en, ja := New("en"), New("ja")
	titles := make(map[string]bool)
	for _, x := range catalog.All() {
		title := x.Spec().Title
		titles[title] = true
		if by := "a · b · " + title; ja.Action(by) != "a · b · "+titlesJa[title] || titlesJa[title] == "" || en.Action(by) != by {
			t.Errorf("%q is %q in Japanese, %q in English", by, ja.Action(by), en.Action(by))
		}
	}
	for title := range titlesJa {
		if !titles[title] {
			t.Errorf("no tool is called %q", title)
		}
	}
	for _, by := range []string{"", "someone", "Select files", "someone · Fly"} {
		if got := ja.Action(by); got != by {
			t.Errorf("%q became %q", by, got)
		}
	}
}
