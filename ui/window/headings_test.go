package window

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// weekOf returns a library with plots of two sessions on several days, and today of several hours.
func weekOf(t *testing.T) *uitest.Library {
	t.Helper()
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "analysis", "claude-code 2.1.0")
	lib.AddSession(1, "売上.ipynb", "Cursor 1.9")
	for i, n := range []int{7, 4, 0, 2, 5} {
		for j := range n {
			at := uitest.Start.AddDate(0, 0, i-4).Add(time.Duration(j) * time.Minute)
			lib.AddAt(i%2, []string{"Sine", "Revenue"}[j%2], sineCode, at)
		}
	}
	return lib
}

func TestHeadingsGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
	}{
		"headings":                {wide, busy},
		"headings_dark_ja_narrow": {narrowed, func(s *state.Snapshot) { busy(s); s.Settings.Language, s.Settings.Theme = "ja", "dark" }},
		"headings_sessions":       {wide, func(s *state.Snapshot) { busy(s); s.Query.SortBy = "session" }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, weekOf(t), c.edit)
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

// TestHeadingsCanBeTurnedOff, and there are none if the gallery is sorted otherwise.
func TestHeadingsCanBeTurnedOff(t *testing.T) {
	w := newWorld(t, wide, weekOf(t), busy)
	headed := func() bool {
		return slices.ContainsFunc(uitest.Texts(w.app.win.Canvas()), func(s string) bool { return strings.Contains(s, "Yesterday") })
	}
	if !headed() {
		t.Fatalf("the window shows %q", uitest.Texts(w.app.win.Canvas()))
	}
	for _, c := range []struct {
		edit func(*state.Snapshot)
		want bool
	}{
		{func(s *state.Snapshot) { s.Settings.Layout.Headings = state.Hidden }, false},
		{func(s *state.Snapshot) { s.Settings.Layout.Headings = state.Shown }, true},
		{func(s *state.Snapshot) { s.Query.SortBy = "rating" }, false},
		{func(s *state.Snapshot) { s.Query.SortBy = "modified" }, true},
	} {
		w.store.Update(c.edit)
		if w.settled(); headed() != c.want {
			t.Errorf("%+v: there are headings: %v", w.store.Snapshot().Query, headed())
		}
	}
}
