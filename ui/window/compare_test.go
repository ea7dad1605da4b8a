package window

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// compared waits until the compared images are shown.
func (w *world) compared() []string {
	w.t.Helper()
	w.q.Until(w.t, "what is compared", w.app.shell.gallery.versus.Settled)
	return w.app.shell.gallery.versus.IDs()
}

func TestTheSelectionIsCompared(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	c := w.app.shell.gallery
	w.app.typedRune('c') // nothing is selected
	w.settled()
	if c.comparing {
		t.Fatal("nothing is selected, and it is compared")
	}
	w.call(t, "select_file", `{"paths": ["img00003", "img00007"]}`)
	w.app.typedRune('c')
	w.settled()
	if got := w.compared(); !slices.Equal(got, []string{"img00003", "img00007"}) || !c.versus.Visible() || c.grid.Visible() {
		t.Fatalf("compared %v; visible: %v, the grid: %v", got, c.versus.Visible(), c.grid.Visible())
	}
	w.app.navigate.ToggleFullscreen()
	w.settled()
	if !w.app.shell.full || w.app.shell.top.root.Visible() {
		t.Error("the comparison does not fill the screen")
	}
	w.key(fyne.KeyEscape)
	if w.app.shell.full || !c.comparing {
		t.Errorf("after Escape: full screen %v, comparing %v", w.app.shell.full, c.comparing)
	}
	w.key(fyne.KeyEscape)
	if c.comparing || !c.grid.Visible() {
		t.Error("Escape did not go back to the grid")
	}
	if got := w.selection(); len(got) != 2 {
		t.Errorf("after comparing, %v is selected", got)
	}
}

func TestWhatAnAssistantShowsEndsTheComparison(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.app.shell.gallery.compare([]string{"img00003", "img00007"})
	w.compared()
	w.call(t, "show_image_viewer", `{"path": "img00002"}`)
	c := w.app.shell.gallery
	if c.comparing || !c.view.Visible() {
		t.Errorf("comparing: %v, viewer: %v", c.comparing, c.view.Visible())
	}
}

func TestTheVersionsOfAFigureAreCompared(t *testing.T) {
	lib := galleryOf(t, 2)
	id := lib.Add(0, "Sine", sineCode)
	lib.Change(id, func(im *library.Image) { im.Replaces = "jupyter://sessions/s/images/img00001.png" })
	w := newWorld(t, wide, lib, busy)
	w.app.navigate.Open(id)
	w.settled()
	w.app.typedRune('c')
	if got := w.compared(); !slices.Equal(got, []string{"img00001", id}) {
		t.Errorf("compared %v, want the old version and the new", got)
	}
}

func TestThePresenterShowsWhatIsSelected(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Current, s.Selection = "img00004", "img00002", []string{"img00002"}
	})
	w.app.present.toggle()
	p := w.app.present
	shows := func(id string) {
		t.Helper()
		w.q.Until(t, "the presenter to show "+id, func() bool { return p.screen.Shown() == id })
	}
	shows("img00002")
	w.store.Update(func(s *state.Snapshot) { s.Current, s.Selection = "img00001", []string{"img00001"} })
	shows("img00001")
	w.arrive("New", func(s *state.Snapshot, _ string) { s.FollowLatest = false })
	w.settled()
	shows("img00001")
	w.arrive("Newer", func(s *state.Snapshot, _ string) { s.FollowLatest = true })
	w.settled()
	shows("img00001") // it was chosen
	id := w.arrive("Newest", func(s *state.Snapshot, _ string) { s.SelectedBy = catalog.ByFollow })
	shows(id)
}

func TestThePresenterFollowsTheNewestPlot(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), func(s *state.Snapshot) {
		busy(s)
		s.Newest = "img00003"
	})
	w.app.present.toggle()
	p := w.app.present
	shows := func(id string) {
		t.Helper()
		w.q.Until(t, "the presenter to show "+id, func() bool { return p.screen.Shown() == id })
	}
	shows("img00003")
	w.app.Hide() // the comparison continues
	id := w.arrive("New", nil)
	shows(id)
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	w.q.Until(t, "the dark presenter", func() bool { return p.k.P.Dark && p.screen.Shown() == id })
	p.key(&fyne.KeyEvent{Name: fyne.KeyF11})
	if !p.win.FullScreen() {
		t.Error("F11 did not fill the screen")
	}
	p.key(&fyne.KeyEvent{Name: fyne.KeyEscape})
	p.key(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if w.app.present.open() || w.app.closed {
		t.Error("Escape did not close the presenter alone")
	}
}

func TestTheFilmstripIsHiddenAndStaysSo(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.app.navigate.Open("img00005")
	w.settled()
	c := w.app.shell.gallery
	if !c.stripShown() {
		t.Fatal("no filmstrip in a large window")
	}
	w.app.typedRune('g')
	w.settled()
	if c.stripShown() || w.store.Snapshot().Settings.Layout.Strip != state.Hidden {
		t.Errorf("shown: %v, kept: %q", c.stripShown(), w.store.Snapshot().Settings.Layout.Strip)
	}
}

// placeOf returns where the grid shows an image.
func (w *world) placeOf(id string) fyne.Position {
	return fyne.CurrentApp().Driver().AbsolutePositionForObject(w.app.shell.gallery.grid.CellOf(id))
}

// TestPlotsThatArriveMoveNothingUnderTheHand covers a user who is looking further down, or
// has zoomed in, while plots keep arriving.
func TestPlotsThatArriveMoveNothingUnderTheHand(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 60), busy)
	c := w.app.shell.gallery
	w.key(fyne.KeyEnd, fyne.KeyUp, fyne.KeyUp)
	at, top := c.grid.Cursor(), c.grid.TopID()
	place := w.placeOf(at)
	for range 3 {
		id := w.arrive("New", nil)
		w.q.Until(t, "the new plot to be listed", func() bool { return slices.Contains(c.ids, id) })
		w.settled()
		if got := w.placeOf(at); c.grid.Cursor() != at || c.grid.TopID() != top || got != place {
			t.Fatalf("a plot came: the cursor is on %s (was %s), %s is at %v (was at %v), the first in sight %s (was %s)",
				c.grid.Cursor(), at, at, got, place, c.grid.TopID(), top)
		}
	}
	if want := "3 new plots · follow again"; !c.pill.Visible() || c.pill.Text() != want {
		t.Errorf("the pill is there: %v, and says %q; want %q", c.pill.Visible(), c.pill.Text(), want)
	}
	c.pill.Tapped(nil)
	w.settled()
	if c.pill.Visible() || c.grid.TopID() != c.ids[0] || w.store.Snapshot().Unseen != 0 {
		t.Errorf("after a click on the pill: it is there %v, %s in sight first, %d unseen", c.pill.Visible(), c.grid.TopID(), w.store.Snapshot().Unseen)
	}
}
