package window

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// TestASearchIsSaved with a name, opened in the sidebar, renamed and removed.
func TestASearchIsSaved(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	save := w.app.shell.gallery.bar.save
	if w.types("Sine"); save.Visible() {
		t.Error("a search for a word can be saved without room for the button")
	}
	w.types(" client:claude-code")
	w.presses(fyne.KeyReturn)
	if !save.Visible() {
		t.Fatal("the search cannot be saved")
	}
	test.Tap(save)
	w.settled()
	name, ok := w.app.win.Canvas().Focused().(interface {
		SetText(text string)
		TypedKey(e *fyne.KeyEvent)
	})
	if !ok {
		t.Fatalf("%v has the focus", w.app.win.Canvas().Focused())
	}
	name.SetText("Claude's sines")
	name.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	w.settled()
	want := state.SavedSearch{Name: "Claude's sines", Text: "Sine client:claude-code"}
	if all := w.store.Snapshot().Settings.Searches.All(); !slices.Equal(all, []state.SavedSearch{want}) || save.Visible() || !w.inSight(want.Name) {
		t.Fatalf("saved: %q; it can be saved again: %v; the window shows %q", all, save.Visible(), uitest.Texts(w.app.win.Canvas()))
	}
	uitest.Golden(t, "search_saved", w.app.win.Canvas())

	w.app.shell.top.searcher.leave()
	if w.settled(); w.store.Snapshot().Query.Text != "" || len(w.app.shell.gallery.ids) != 12 {
		t.Errorf("all plots are still filtered by %q", w.store.Snapshot().Query.Text)
	}
	w.app.shell.top.searcher.open(want.Text)
	w.q.Until(t, "the saved search", func() bool { return len(w.app.shell.gallery.ids) == 6 })
	if w.settled(); w.app.shell.top.search.Text != want.Text {
		t.Errorf("the field has %q", w.app.shell.top.search.Text)
	}
}

// TestAReplacedSearchComesBack: another search is saved by its name.
func TestAReplacedSearchComesBack(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	f := w.app.shell.top.searcher
	saved := func() []state.SavedSearch { return w.store.Snapshot().Settings.Searches.All() }
	with := func(x state.SavedSearch) {
		f.keep(x.Name, "", func(s state.Searches) state.Searches { return s.With(x) })
		w.settled()
	}
	first := state.SavedSearch{Name: "mine", Text: "stars:5"}
	with(first)
	with(state.SavedSearch{Name: "mine", Text: "stars:1"})
	if !w.inSight("Replaced the search “mine”") || !w.inSight("Undo") {
		t.Fatalf("the window shows %q", uitest.Texts(w.app.win.Canvas()))
	}
	w.app.shell.messages.Accept()
	if w.settled(); !slices.Equal(saved(), []state.SavedSearch{first}) {
		t.Errorf("after Undo: %q", saved())
	}
	for i := range 49 {
		with(state.SavedSearch{Name: strconv.Itoa(i), Text: "stars:" + strconv.Itoa(i)})
	}
	with(state.SavedSearch{Name: "one more", Text: "stars:2"})
	if newest, _ := w.app.shell.messages.Newest(); len(saved()) != 50 || newest != "There are 50 saved searches, and no more fit. Remove one in the sidebar first." {
		t.Errorf("%d searches; the window shows %q", len(saved()), uitest.Texts(w.app.win.Canvas()))
	}
}

// TestWhatArrivesAfterTheLastLookIsNew: the end of a look is when the window loses the focus.
func TestWhatArrivesAfterTheLastLookIsNew(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 6), func(s *state.Snapshot) {
		busy(s)
		s.Settings.Looks.Left = uitest.Start.Add(3*time.Minute + time.Second)
	})
	if w.inSight("New") {
		t.Errorf("before the user has looked, the window shows %q", uitest.Texts(w.app.win.Canvas()))
	}
	look, leave := w.app.cfg.App.Lifecycle().(interface{ OnEnteredForeground() func() }), w.app.cfg.App.Lifecycle().(interface{ OnExitedForeground() func() })
	look.OnEnteredForeground()()
	w.q.Until(t, "the new plots", func() bool { return w.inSight("New") })
	if !w.store.Snapshot().Focused {
		t.Error("the user is said to look elsewhere")
	}
	w.app.shell.top.searcher.open("is:new")
	w.q.Until(t, "only the new plots", func() bool { return len(w.app.shell.gallery.ids) == 3 })
	w.q.Until(t, "its chip", func() bool { return slices.Equal(w.chips(), []string{"New since you last looked"}) })
	leave.OnExitedForeground()()
	if got := w.store.Snapshot().Settings.Looks.Left; !got.Equal(w.app.cfg.Now()) {
		t.Errorf("the user left at %v", got)
	}
	if w.store.Snapshot().Focused {
		t.Error("the user is said to look at the window still")
	}
}

// TestPresetsAreChipsAboveTheGrid: a click begins a search, another one ends it; where there is no room, there are none.
func TestPresetsAreChipsAboveTheGrid(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 60), func(s *state.Snapshot) {
		busy(s)
		s.Settings.Searches = s.Settings.Searches.With(state.SavedSearch{Name: "Mine", Text: "client:cursor has:tags"})
	})
	tap := func(name string) {
		t.Helper()
		for _, o := range w.app.shell.gallery.bar.chips.Objects {
			if c := o.(*kit.Chip); c.Text() == name {
				test.Tap(c)
				w.settled()
				return
			}
		}
		t.Fatalf("there is no chip %q among %q", name, w.chips())
	}
	all := []string{"Last hour", "Today", "Yesterday", "New since you last looked", "Mine"}
	if got := w.chips(); !slices.Equal(got, all) {
		t.Fatalf("the chips are %q", got)
	}
	uitest.Golden(t, "presets", w.app.win.Canvas())
	for _, x := range []struct{ chip, search string }{
		{"Yesterday", "on:yesterday"}, {"Today", "on:today"}, {"Today", ""}, {"Mine", "client:cursor has:tags"}, {"Mine", ""},
	} {
		tap(x.chip)
		if got := w.store.Snapshot().Query.Text; got != x.search {
			t.Errorf("after %s, the search is %q, want %q", x.chip, got, x.search)
		}
	}
	w.types("sine")
	tap("Today")
	if got := w.store.Snapshot().Query.Text; got != "sine on:today" {
		t.Errorf("beside a word, the search is %q", got)
	}
	if got := w.chips(); !slices.Equal(got, append(slices.Clone(all), "“sine”")) {
		t.Errorf("the chips are %q", got)
	}
	w.app.win.Resize(fyne.NewSize(760, 500))
	if w.settled(); !slices.Equal(w.chips(), []string{"“sine”", "Today"}) {
		t.Errorf("in a small window, the chips are %q", w.chips())
	}
}
