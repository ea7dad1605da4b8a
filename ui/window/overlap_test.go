//go:build !race

package window

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

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
	focus := func(s *state.Snapshot) { s.Focus = true }
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
		"focus":    {12, []func(*state.Snapshot){busy, one, viewing, focus}, nil},
		"focus and properties": {12, []func(*state.Snapshot){busy, one, viewing, focus}, func(w *world) {
			w.app.togglePanel()
			w.settled()
			w.app.shell.messages.Clear() // they cover the panel
		}},
		"table": {2, []func(*state.Snapshot){busy}, openTables},
		"trash": {12, []func(*state.Snapshot){busy, one}, func(w *world) {
			w.app.edits.Trash([]string{"img00002", "img00003"})
			w.app.navigate.OpenTrash()
			w.q.Until(t, "the trash", func() bool { return w.store.Snapshot().Folder.Kind == state.Trash && len(w.app.shell.gallery.ids) == 2 })
		}},
		"palette":   {12, []func(*state.Snapshot){busy, one}, func(w *world) { w.app.palette.Open() }},
		"activity":  {12, []func(*state.Snapshot){busy, one}, dockAt(0)},
		"variables": {12, []func(*state.Snapshot){busy, one}, dockAt(1)},
		"console":   {12, []func(*state.Snapshot){busy, one}, dockAt(2)},
		"menu":      {12, []func(*state.Snapshot){busy, one}, func(w *world) { w.app.shell.menuOfPlot() }},
		"keys":      {2, []func(*state.Snapshot){busy}, func(w *world) { w.app.shell.showKeys() }},
		"confirm":   {2, []func(*state.Snapshot){busy}, func(w *world) { w.app.sessions.ConfirmRestart(uitest.SessionID(0)) }},
	}
	// Units, not pixels: 900 × 600 at scale 1.5 is 600 × 400.
	sizes := []fyne.Size{
		{Width: 900, Height: 600}, {Width: 760, Height: 500}, {Width: 1280, Height: 800}, {Width: 600, Height: 400}, {Width: 1920, Height: 1080},
	}
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
					if n := w.cards(); w.store.Snapshot().Matching > 1 && n < 2 {
						t.Errorf("the gallery has room for %d cards", n)
					}
				})
			}
		}
	}
}

// dockAt returns what opens a tab of the dock, with calls and variables that have long names.
func dockAt(tab int) func(*world) {
	return func(w *world) {
		catalog.GetVariables.Handle(w.bus, func(context.Context, catalog.GetVariablesIn) (catalog.GetVariablesOut, error) {
			return catalog.GetVariablesOut{Variables: []catalog.Variable{
				{Name: longWord, Type: longWord, Size: "1000000 rows × 40 cols", Value: longJapanese, MemoryBytes: 1 << 40}, {Name: "n", Type: "int", Value: 3},
			}}, nil
		}, nil)
		for i, session := range []string{uitest.SessionID(0), uitest.SessionID(1)} {
			args, _ := json.Marshal(map[string]string{"code": longWord + longJapanese, "session_id": session}) // cannot fail for strings
			catalog.Activities.Notify(w.bus, catalog.Activity{
				ID: uint64(i + 1), Began: uitest.Start, Ended: uitest.Start.Add(time.Hour), Transport: "mcp", Client: longWord, Tool: "execute_code",
				Status: "ok", Args: args, Detail: longJapanese,
			})
		}
		openTab(tab)(w.app)
		if tab == 1 {
			w.q.Until(w.t, "the variables", func() bool { return w.row("n") != nil })
		}
	}
}

// openTables opens more tables than there is room for.
func openTables(w *world) {
	for i := range 14 {
		w.app.shell.data.Open(uitest.SessionID(i%2), fmt.Sprintf("sales_of_the_year_%d", 2010+i))
	}
	w.app.shell.open(pageData)
}

// cards returns how many plots the grid shows; 2 if it is not in sight.
func (w *world) cards() (n int) {
	c := w.app.shell.gallery
	if w.app.shell.page != pageGallery || c.mode != state.Grid || c.comparing {
		return 2
	}
	for _, id := range c.ids {
		if c.grid.CellOf(id) != nil {
			n++
		}
	}
	return n
}
