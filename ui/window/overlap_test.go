//go:build !race

package window

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// TestNoTextOverlapsAnother checks every view at every size and in both languages. It draws
// many windows, so the phase pure runs it without the race detector, in a quarter of the time.
func TestNoTextOverlapsAnother(t *testing.T) {
	narrows := func(s *state.Snapshot) {
		s.Query.Text, s.Query.Tags = "distribution of residuals", []string{"feature-sweep-1", "second-pass-run2", longWord[:40]}
		s.Query.Rating, s.Query.RatingOp = 1, ">="
	}
	one := func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00002"}, "img00002" }
	viewing := func(s *state.Snapshot) { s.Mode = state.Viewer }
	asking := func(s *state.Snapshot) {
		s.Approvals = []catalog.Approval{{
			ApprovalID: "a", ExecutionID: "a", SessionID: uitest.SessionID(0), Client: longWord, Holder: "process", Code: "# " + longJapanese + "\n" + sineCode,
		}}
		s.Paused, s.PortNote = true, "5149 is taken"
		s.Notices = []state.Notice{{ID: "n", Level: state.LevelWarning, Text: longWord + " " + longJapanese, Hint: strings.Repeat("a hint ", 40)}}
	}
	many := func(s *state.Snapshot) { s.Selection = []string{"img00002", "img00003", "img00004"} }
	page := func(p page) func(*world) { return func(w *world) { w.app.shell.open(p) } }
	views := map[string]struct {
		plots int
		edit  []func(*state.Snapshot)
		then  func(*world)
	}{
		"empty":    {0, nil, nil},
		"gallery":  {12, []func(*state.Snapshot){busy, one}, nil},
		"filtered": {12, []func(*state.Snapshot){busy, narrows}, nil},
		"several":  {12, []func(*state.Snapshot){busy, many}, nil},
		"viewer":   {12, []func(*state.Snapshot){busy, one, viewing}, nil},
		"laid out": {12, []func(*state.Snapshot){busy, one, viewing}, func(w *world) { w.app.shell.gallery.view.ToggleLayout() }},
		"compare":  {12, []func(*state.Snapshot){busy}, func(w *world) { w.app.shell.gallery.compare([]string{"img00002", "img00003"}) }},
		"asking":   {12, []func(*state.Snapshot){busy, asking}, nil},
		"connect":  {2, []func(*state.Snapshot){busy}, page(pageConnect)},
		"settings": {2, []func(*state.Snapshot){busy}, page(pageSettings)},
		"keys":     {2, []func(*state.Snapshot){busy}, func(w *world) { w.app.shell.showKeys() }},
		"confirm":  {2, []func(*state.Snapshot){busy}, func(w *world) { w.app.sessions.ConfirmRestart(uitest.SessionID(0)) }},
	}
	// Units, not pixels: 1280 × 800 at scale 2 is 640 × 400.
	sizes := []fyne.Size{{Width: 900, Height: 600}, {Width: 640, Height: 400}, {Width: 1280, Height: 800}, {Width: 1920, Height: 1080}}
	if testing.Short() {
		sizes = sizes[:2] // make nightly has all
	}
	for _, size := range sizes {
		for _, language := range []string{"en", "ja"} {
			for name, view := range views {
				t.Run(fmt.Sprintf("%s %s %v", name, language, size.Width), func(t *testing.T) {
					w := newWorld(t, size, wordy(t, view.plots), func(s *state.Snapshot) {
						s.Settings.Language = language
						for _, f := range view.edit {
							f(s)
						}
					})
					if view.then != nil {
						view.then(w)
						w.settled()
					}
					for _, f := range faults(t, w.app.win.Canvas()) {
						t.Error(f)
					}
				})
			}
		}
	}
}
