package window

import (
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// TestTheChipsSayWhatFits checks that nothing in the top bar is cut off if there is a
// shorter form.
func TestTheChipsSayWhatFits(t *testing.T) {
	named := func(name, notebook string) func(*state.Snapshot) {
		return func(s *state.Snapshot) {
			busy(s)
			s.Sessions = s.Sessions[:1]
			s.Sessions[0].Name, s.Sessions[0].NotebookPath = name, notebook
		}
	}
	for _, c := range []struct {
		width          float32
		name, notebook string
		session, place string
	}{
		{1280, "", "", "python3 · 5ab000", "127.0.0.1:5149"},
		{900, "", "", "python3 · 5ab000", ":5149"},
		{760, "", "", "python3 · 5ab000", ":5149"},
		{640, "", "", "5ab000", ":5149"},
		{1280, "", "work/sales.ipynb", "sales.ipynb", "127.0.0.1:5149"},
		{640, "", "work/q1 sales.ipynb", "q1 sales", ":5149"},
		{900, "analysis", "", "analysis", "127.0.0.1:5149"},
	} {
		w := newWorld(t, fyne.NewSize(c.width, 600), galleryOf(t, 1), named(c.name, c.notebook))
		top := w.app.shell.top
		if got := top.session.Full(); got != c.session {
			t.Errorf("at %v the session is %q, want %q", c.width, got, c.session)
		}
		if got := top.address.Full(); got != c.place {
			t.Errorf("at %v the address is %q, want %q", c.width, got, c.place)
		}
		if top.session.PreferredWidth() > top.session.Size().Width+0.5 {
			t.Errorf("at %v %q is cut: %v of %v", c.width, top.session.Full(), top.session.Size().Width, top.session.PreferredWidth())
		}
		w.app.win.Close()
	}
}

// TestTheSessionStaysWhenTheLanguageChanges covers a session that the user has not
// picked.
func TestTheSessionStaysWhenTheLanguageChanges(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	if got := w.app.shell.top.chosen; got != uitest.SessionID(0) {
		t.Fatalf("shows %s, want the one that runs", got)
	}
	w.works() // nothing runs any more, and the other one is newer
	w.store.Update(func(s *state.Snapshot) { s.Sessions = []state.Session{s.Sessions[1], s.Sessions[0]} })
	w.settled()
	w.store.Update(func(s *state.Snapshot) { s.Settings.Language = "ja" })
	w.settled()
	if got := w.app.shell.top.chosen; got != uitest.SessionID(0) {
		t.Errorf("in Japanese it shows %s", got)
	}
}

// TestASearchHasRoomWhileItIsTyped, also beside a session with a long name.
func TestASearchHasRoomWhileItIsTyped(t *testing.T) {
	w := newWorld(t, fyne.NewSize(900, 600), galleryOf(t, 1), busy)
	top := w.app.shell.top
	was := top.search.Size().Width
	w.app.focus(top.search)
	if got := top.search.Size().Width; got < was+40 {
		t.Errorf("the field is %v wide, %v before", got, was)
	}
	for _, o := range top.row.Objects {
		if at := o.Position().X; o != fyne.CanvasObject(top.search) && at < top.search.Position().X && at+o.Size().Width > top.search.Position().X {
			t.Errorf("it covers %T", o)
		}
	}
	kit.Unfocus(top.search)
	if got := top.search.Size().Width; got != was {
		t.Errorf("the field stays %v wide, not %v", got, was)
	}
}
