package window

import (
	"context"
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

func TestAPinIsAskedForOnTheBus(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
		busy(s)
		s.Sessions[0].Owner, s.Sessions[1].Owner, s.Sessions[1].Pinned = "easel", "easel", true
	})
	asked := make(chan command.PinSessionIn, 2)
	command.PinSession.Handle(w.app.cfg.Bus, func(_ context.Context, in command.PinSessionIn) (struct{}, error) {
		asked <- in
		return struct{}{}, nil
	}, nil)
	for i, want := range []bool{true, false} { // the other one is pinned
		id := uitest.SessionID(i)
		items := w.app.sessions.Items(id)
		n := slices.IndexFunc(items, func(x *fyne.MenuItem) bool { return x.Label == "Pin session" })
		if n < 0 || items[n].Checked == want {
			t.Fatalf("session %d: the menu has %v", i, items)
		}
		items[n].Action()
		if got := <-asked; got != (command.PinSessionIn{SessionID: id, Pinned: want}) {
			t.Errorf("session %d: asked for %+v", i, got)
		}
	}
	w.app.cfg.Store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[0].Owner, s.Sessions[1].NotebookPath = "other", "a.ipynb"
	})
	for i := range 2 { // these are not ended anyway
		if slices.ContainsFunc(w.app.sessions.Items(uitest.SessionID(i)), func(x *fyne.MenuItem) bool { return x.Label == "Pin session" }) {
			t.Errorf("session %d can be pinned", i)
		}
	}
}

// TestASessionIsRenamed: the dialog has its name, which is asked for on the bus. What is not changed is not asked for.
func TestASessionIsRenamed(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	asked := make(chan command.RenameSessionIn, 2)
	command.RenameSession.Handle(w.app.cfg.Bus, func(_ context.Context, in command.RenameSessionIn) (struct{}, error) {
		asked <- in
		return struct{}{}, nil
	}, nil)
	id := uitest.SessionID(0)
	rename := func() {
		items := w.app.sessions.Items(id)
		items[slices.IndexFunc(items, func(x *fyne.MenuItem) bool { return x.Label == "Rename…" })].Action()
	}
	was := w.app.shell.sessionName(id)
	rename()
	uitest.Golden(t, "rename_session", w.app.win.Canvas())
	w.press("Rename")
	rename()
	w.typeInto(was, "  Board meeting ")
	w.press("Rename")
	if got, want := <-asked, (command.RenameSessionIn{SessionID: id, Name: "Board meeting"}); got != want {
		t.Errorf("asked for %+v, want %+v", got, want)
	}
	w.settled()
	if len(asked) != 0 {
		t.Errorf("asked again for %+v", <-asked)
	}
}

// TestF2RenamesTheSessionThatIsShown while no plot is selected, and otherwise the plot.
func TestF2RenamesTheSessionThatIsShown(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	id := uitest.SessionID(0)
	w.app.navigate.OpenSession(id)
	w.settled()
	dialog := func() bool { return w.app.win.Canvas().Overlays().Top() != nil }
	w.key(fyne.KeyF2)
	if !dialog() {
		t.Error("F2 does not rename the session")
	}
	w.press("Cancel")
	w.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00001"}, "img00001" })
	w.settled()
	w.key(fyne.KeyF2)
	if dialog() {
		t.Error("F2 renames the session instead of the plot")
	}
}

func TestRenamingASessionInJapanese(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(t, 1), func(s *state.Snapshot) {
		busy(s)
		s.Settings.Language, s.Settings.Theme = "ja", "dark"
	})
	w.app.sessions.Rename(uitest.SessionID(0))
	uitest.Golden(t, "rename_session_dark_ja_narrow", w.app.win.Canvas())
}
