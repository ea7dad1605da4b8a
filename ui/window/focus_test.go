package window

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// inFocus opens a plot, img00005, in the focus view.
func (w *world) inFocus() {
	const id = "img00005"
	w.t.Helper()
	w.call(w.t, "select_file", `{"path": "`+id+`"}`)
	w.app.typedRune('h')
	w.settled()
	if n := w.store.Snapshot(); !w.app.shell.full || n.Mode != state.Viewer || n.Current != id {
		w.t.Fatalf("H shows %s in mode %s; it fills the window: %v", n.Current, n.Mode, w.app.shell.full)
	}
}

// hovers moves the pointer over the large picture.
func (w *world) hovers(x, y float32) {
	w.t.Helper()
	test.MoveMouse(w.app.win.Canvas(), fyne.NewPos(x, y))
	w.settled()
}

func TestOneKeyLetsThePlotFillTheWindow(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	s := w.app.shell
	w.inFocus()
	if s.top.root.Visible() || s.side.Object().Visible() || s.props.Object().Visible() || s.dock.Object().Visible() || s.status.root.Visible() {
		t.Error("something is beside the plot")
	}
	if got := s.gallery.view.Size(); got != w.app.win.Canvas().Size() {
		t.Errorf("the plot has %v of %v", got, w.app.win.Canvas().Size())
	}
	if w.app.win.FullScreen() {
		t.Error("the window fills the screen")
	}
	w.app.typedRune('p')
	w.settled()
	if !s.props.Object().Visible() || s.gallery.view.Size() != w.app.win.Canvas().Size() {
		t.Errorf("P: the properties are over the plot: %v; the plot has %v", s.props.Object().Visible(), s.gallery.view.Size())
	}
	w.key(fyne.KeyEscape)
	if s.props.Object().Visible() || !s.full {
		t.Errorf("Escape hides the properties: %v; the plot still fills the window: %v", !s.props.Object().Visible(), s.full)
	}
	w.key(fyne.KeyEscape)
	if s.full || !s.top.root.Visible() || w.store.Snapshot().Mode != state.Viewer {
		t.Errorf("Escape: full %v, the bar is back: %v, mode %s", s.full, s.top.root.Visible(), w.store.Snapshot().Mode)
	}
	if !s.props.Object().Visible() {
		t.Error("the properties are not back")
	}
	w.key(fyne.KeyEscape)
	if w.store.Snapshot().Mode != state.Grid {
		t.Error("Escape does not lead back to the grid")
	}
	w.app.navigate.Open("img00002")
	w.settled()
	if s.full {
		t.Error("the next plot fills the window, although that was ended")
	}
}

func TestTheBarAndTheFilmstripAppearOverThePlot(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.inFocus()
	c := w.app.shell.gallery
	has := func(high float32) bool {
		return slices.ContainsFunc(c.view.Over(), func(o fyne.CanvasObject) bool { return o.Size().Height == high })
	}
	title, bar, film := func() bool { return has(30) }, func() bool { return has(42) }, func() bool { return has(84) && c.view.Foot() > 0 }
	if w.hovers(600, 300); !title() || bar() || film() {
		t.Fatalf("at first, over the plot: title %v, bar %v, filmstrip %v", title(), bar(), film())
	}
	w.hovers(600, 5)
	if !bar() || title() {
		t.Errorf("the pointer is at the upper edge, and the bar appears: %v; the title stays: %v", bar(), title())
	}
	w.hovers(600, 55) // near the bar
	if !bar() {
		t.Error("the bar goes while the pointer is at it")
	}
	w.hovers(600, 300)
	if bar() || film() {
		t.Error("the pointer has left the bar, and it stays")
	}
	w.hovers(600, c.view.Size().Height-3)
	if !film() {
		t.Error("the pointer is at the lower edge, and no filmstrip appears")
	}
	w.hovers(600, 300)
	w.app.typedRune('g')
	if !film() || w.store.Snapshot().Settings.Layout.Strip != state.Undecided {
		t.Errorf("G: the filmstrip is shown: %v, and kept as %q", film(), w.store.Snapshot().Settings.Layout.Strip)
	}
	w.settled()
	w.app.typedRune('g')
	if film() {
		t.Error("G does not hide the filmstrip")
	}
}

func TestInterruptStaysInReach(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	o := w.app.shell.gallery.corner
	if o.root.Visible() {
		t.Fatal("Interrupt is over the grid")
	}
	w.inFocus()
	if o.button() == nil {
		t.Fatal("code runs, and no Interrupt is in reach")
	}
	end := o.root.Position().X + o.root.Size().Width
	if end > w.app.win.Canvas().Size().Width {
		t.Errorf("Interrupt ends at %v", end)
	}
	w.app.typedRune('p')
	w.settled()
	if end := o.root.Position().X + o.root.Size().Width; end > w.app.shell.props.Object().Position().X {
		t.Errorf("Interrupt ends at %v, under the properties at %v", end, w.app.shell.props.Object().Position().X)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[0].Running, s.Sessions[0].Status = nil, "idle"
	})
	w.settled()
	if o.button() != nil {
		t.Error("nothing runs, and Interrupt is shown")
	}
}

func TestAChipSaysHowManyPlotsAreNewer(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	c := w.app.shell.gallery
	w.click("img00005", 0)
	w.app.navigate.Open("img00005")
	w.settled()
	if c.corner.newer.Visible() {
		t.Fatalf("nothing has arrived, and the chip says %q", c.corner.newer.Text())
	}
	var last string
	for range 2 {
		last = w.arrive("New", nil)
		w.q.Until(t, "the new plot to be listed", func() bool { return slices.Contains(c.ids, last) })
		w.settled()
	}
	if !c.corner.newer.Visible() || c.corner.newer.Text() != "2 newer" {
		t.Fatalf("two plots came; the chip is shown: %v, and says %q", c.corner.newer.Visible(), c.corner.newer.Text())
	}
	w.app.navigate.Open(c.ids[1])
	w.settled()
	if got := c.corner.newer.Text(); got != "1 newer" {
		t.Errorf("the last but one is shown; the chip says %q", got)
	}
	w.app.typedRune('h')
	w.settled()
	if !c.corner.root.Visible() || !c.corner.newer.Visible() {
		t.Error("in the focus view, there is no chip")
	}
	c.corner.newer.Tapped(nil)
	w.settled()
	if n := w.store.Snapshot(); n.Current != last || c.corner.newer.Visible() || n.Unseen != 0 {
		t.Errorf("a click on the chip shows %s, not %s; it stays: %v; %d unseen", n.Current, last, c.corner.newer.Visible(), n.Unseen)
	}
}

// TestThePlotsOfOthersAreNotNewer: the chip counts what is in view.
func TestThePlotsOfOthersAreNotNewer(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	c := w.app.shell.gallery
	w.app.navigate.OpenSession(uitest.SessionID(1))
	w.settled()
	w.click(c.ids[3], 0)
	w.app.navigate.Open(c.ids[3])
	w.settled()
	w.arrive("Of another session", nil)
	w.settled()
	if c.corner.newer.Visible() {
		t.Errorf("the chip says %q", c.corner.newer.Text())
	}
}

func TestSmallPlotsAreEnlargedIfTheUserWantsIt(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), nil)
	w.app.navigate.Open("img00002")
	w.settled()
	size := func() fyne.Size { s, _ := w.app.shell.gallery.view.Sights(); return s[0].Size }
	stored := fyne.NewSize(640, 480)
	w.app.typedRune('h')
	w.settled()
	if got := size(); got.Width <= stored.Width {
		t.Errorf("in the focus view, a plot of %v has %v", stored, got)
	}
	w.app.typedRune('e')
	w.settled()
	if got := size(); got != stored || w.store.Snapshot().Settings.Layout.Enlarge != state.EnlargeNever {
		t.Errorf("E: a plot of %v has %v", stored, got)
	}
	w.app.typedRune('e')
	w.settled()
	if got := size(); got.Width <= stored.Width || w.store.Snapshot().Settings.Layout.Enlarge != state.EnlargeAlways {
		t.Errorf("E again: a plot of %v has %v", stored, got)
	}
}

func TestTheWheelDoesWhatTheUserHasChosen(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), nil)
	w.app.navigate.Open("img00002")
	w.settled()
	c := w.app.shell.gallery
	turn := func() {
		test.Scroll(w.app.win.Canvas(), fyne.NewPos(500, 300), 0, 25)
		w.settled()
	}
	if turn(); w.store.Snapshot().Current != "img00003" || c.view.Zoomed() {
		t.Errorf("the wheel shows %s; zoomed: %v", w.store.Snapshot().Current, c.view.Zoomed())
	}
	w.store.Update(func(s *state.Snapshot) { s.Settings.Layout.Wheel = state.WheelZooms })
	w.settled()
	if turn(); w.store.Snapshot().Current != "img00003" || !c.view.Zoomed() {
		t.Errorf("the wheel is to zoom; it shows %s; zoomed: %v", w.store.Snapshot().Current, c.view.Zoomed())
	}
}

func TestTheFocusViewLooksRight(t *testing.T) {
	for name, c := range map[string]struct {
		size        fyne.Size
		lang, theme string
	}{"focus": {wide, "en", "light"}, "focus_dark_ja_narrow": {narrowed, "ja", "dark"}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 12), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Settings.Theme = c.lang, c.theme
			})
			w.inFocus()
			w.arrive("New", nil)
			w.settled()
			w.app.shell.messages.Clear()
			w.app.typedRune('p')
			w.settled()
			w.hovers(300, 5)
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}
