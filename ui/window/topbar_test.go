package window

import (
	"slices"
	"strings"
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
		if at := o.Position().X; o != top.box && at < top.box.Position().X && at+o.Size().Width > top.box.Position().X {
			t.Errorf("it covers %T", o)
		}
	}
	kit.Unfocus(top.search)
	if got := top.search.Size().Width; got != was {
		t.Errorf("the field stays %v wide, not %v", got, was)
	}
}

// TestTheTopBarHasAMenuForWhatHasNoRoom: each button is in the bar or in the menu, in both languages,
// and nothing covers another.
func TestTheTopBarHasAMenuForWhatHasNoRoom(t *testing.T) {
	for _, c := range []struct {
		width    float32
		language string
		menu     bool
	}{
		{1280, "en", false}, {760, "en", false}, {760, "ja", false}, {640, "en", true}, {640, "ja", true}, {520, "ja", true},
	} {
		w := newWorld(t, fyne.NewSize(c.width, 500), galleryOf(t, 1), func(s *state.Snapshot) {
			busy(s)
			s.Settings.Language = c.language
			s.Sessions[0].Name = "Churn analysis for May, region north"
		})
		top := w.app.shell.top
		if top.more.Visible() != c.menu {
			t.Errorf("%+v: the menu is there: %v", c, top.more.Visible())
		}
		var labels []string
		for _, x := range top.more.Items() {
			labels = append(labels, x.Label)
		}
		for _, b := range []*kit.Button{top.interrupt, top.restart, top.pause, top.follow, top.side, top.dock, top.panel} {
			inMenu := slices.ContainsFunc(labels, func(s string) bool { return strings.HasPrefix(b.Tip(), s) })
			if b.Visible() == inMenu {
				t.Errorf("%+v: %q is in the bar: %v, in the menu: %v", c, b.Tip(), b.Visible(), inMenu)
			}
		}
		end := float32(0)
		for _, o := range top.row.Objects {
			if !o.Visible() {
				continue
			}
			if o.Position().X < end {
				t.Errorf("%+v: %T begins at %v, the one before ends at %v", c, o, o.Position().X, end)
			}
			end = o.Position().X + o.Size().Width
		}
		if end > c.width {
			t.Errorf("%+v: the bar ends at %v", c, end)
		}
		w.app.win.Close()
	}
}
