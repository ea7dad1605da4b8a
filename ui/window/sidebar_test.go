package window

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// TestSessionsOfTheSameNameAreToldApart covers live sessions with notebooks of one file name, in
// several folders and on several servers, and one that has ended.
func TestSessionsOfTheSameNameAreToldApart(t *testing.T) {
	session := func(n int, notebook, server string) state.Session {
		x := state.Session{Client: "claude-code 2.1.0", Colour: n}
		x.SessionID, x.KernelID, x.KernelName, x.Status, x.Server = uitest.SessionID(n), uitest.SessionID(n), "python3", "idle", server
		x.NotebookPath = notebook
		return x
	}
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
		s.Sessions = []state.Session{session(0, "work/売上.ipynb", "managed"), session(1, "work/other.ipynb", "managed")}
	})
	for _, step := range []struct {
		more state.Session
		want []string // the names in the sidebar
	}{
		{session(2, "work/only.ipynb", "gpu"), []string{"only.ipynb", "other.ipynb", "売上.ipynb"}},
		{session(3, "old/売上.ipynb", "managed"), []string{"old/売上.ipynb", "only.ipynb", "other.ipynb", "work/売上.ipynb"}},
		{session(4, "work/other.ipynb", "gpu"), []string{"old/売上.ipynb", "only.ipynb", "other.ipynb · gpu", "other.ipynb · managed", "work/売上.ipynb"}},
	} {
		w.store.Update(func(s *state.Snapshot) { s.Sessions = append(slices.Clone(s.Sessions), step.more) })
		w.settled()
		var got []string
		for _, line := range uitest.Texts(w.app.win.Canvas()) {
			if strings.Contains(line, ".ipynb") {
				got = append(got, line)
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, step.want) {
			t.Errorf("the sidebar has %q, want %q", got, step.want)
		}
	}
}

// TestAnEndedSessionHasItsNameAndAMenu, but nothing that needs its kernel.
func TestAnEndedSessionHasItsNameAndAMenu(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 2), nil)
	w.settled()
	w.sideRow("analysis").Tapped(nil)
	w.settled()
	if got := w.app.shell.gallery.bar.title.Full(); got != "analysis" {
		t.Errorf("the heading is %q", got)
	}
	w.sideRow("analysis").TappedSecondary(&fyne.PointEvent{})
	var items []string
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Overlays().Top()) {
		if item, ok := o.(menuItem); ok {
			items = append(items, item.Label())
		}
	}
	if want := []string{"Show plots", "Rename…", "Save as notebook…", "Export plots…"}; !slices.Equal(items, want) {
		t.Errorf("the menu has %q, want %q", items, want)
	}
}
