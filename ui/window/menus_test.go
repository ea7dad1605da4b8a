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
