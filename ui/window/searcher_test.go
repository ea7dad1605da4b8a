package window

import (
	"image"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// types types in the search field, and waits for the search.
func (w *world) types(text string) {
	w.t.Helper()
	field := w.app.shell.top.search
	w.app.win.Canvas().Focus(field)
	test.Type(field, text)
	w.app.shell.top.searcher.searchFor(field.Text)
	w.settled()
}

// presses presses keys in the search field.
func (w *world) presses(names ...fyne.KeyName) {
	w.t.Helper()
	for _, name := range names {
		w.app.shell.top.search.TypedKey(&fyne.KeyEvent{Name: name})
	}
	w.settled()
}

// chips returns the texts of the chips above the grid.
func (w *world) chips() (texts []string) {
	for _, o := range w.app.shell.gallery.bar.chips.Objects {
		texts = append(texts, o.(*kit.Chip).Text())
	}
	return texts
}

// TestATermIsCompletedByKeys: the arrows move, Enter chooses; then Enter goes to the results.
func TestATermIsCompletedByKeys(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.types("cl")
	w.presses(fyne.KeyDown, fyne.KeyReturn)
	field := w.app.shell.top.search
	if field.Text != "client:" || !w.inSight("client:Cursor") {
		t.Fatalf("the field has %q, the window shows %q", field.Text, uitest.Texts(w.app.win.Canvas()))
	}
	w.types("cur")
	w.presses(fyne.KeyDown, fyne.KeyReturn)
	if field.Text != "client:Cursor " || w.app.win.Canvas().Focused() != fyne.Focusable(field) {
		t.Fatalf("the field has %q, focused %v", field.Text, w.app.win.Canvas().Focused())
	}
	w.types("売上")
	w.presses(fyne.KeyReturn)
	ids := w.app.shell.gallery.ids
	if len(ids) != 0 { // those of Cursor have other titles
		t.Errorf("it lists %v", ids)
	}
	if got := w.chips(); !slices.Equal(got, []string{"“売上”", "client:Cursor"}) {
		t.Errorf("the chips are %q", got)
	}
	test.Tap(w.app.shell.gallery.bar.chips.Objects[0].(*kit.Chip))
	w.app.win.Canvas().Unfocus()
	w.settled()
	if n := w.store.Snapshot(); n.Query.Text != "client:Cursor" || field.Text != "client:Cursor" || len(w.app.shell.gallery.ids) != 6 {
		t.Errorf("after the chip of the word: search %q, field %q, %d plots", n.Query.Text, field.Text, len(w.app.shell.gallery.ids))
	}
}

// TestAnEmptyFieldOffersTimes: a preset is a click, and leaves the field.
func TestAnEmptyFieldOffersTimes(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	hints := w.app.shell.top.searcher.hints
	w.app.win.Canvas().Focus(w.app.shell.top.search)
	if w.settled(); !hints.Shown() || !w.inSight("Yesterday") {
		t.Fatalf("the window shows %q", uitest.Texts(w.app.win.Canvas()))
	}
	w.presses(fyne.KeyDown, fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
	if n := w.store.Snapshot(); n.Query.Text != "on:yesterday" || hints.Shown() || w.app.win.Canvas().Focused() != nil {
		t.Errorf("search %q, hints %v, focused %v", n.Query.Text, hints.Shown(), w.app.win.Canvas().Focused())
	}
	if got := w.chips(); !slices.Equal(got, []string{"Yesterday"}) || len(w.app.shell.gallery.ids) != 0 {
		t.Errorf("the chips are %q, %d plots", got, len(w.app.shell.gallery.ids))
	}
	w.app.navigate.ClearFilters()
	if w.settled(); w.app.shell.top.search.Text != "" || len(w.app.shell.gallery.ids) != 12 {
		t.Errorf("without filters: field %q, %d plots", w.app.shell.top.search.Text, len(w.app.shell.gallery.ids))
	}
}

// TestAWrongTermSaysSo, and the rest is found.
func TestAWrongTermSaysSo(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.types("売上 after:soon ")
	if !w.inSight("“after:soon” has no time that Easel knows") || len(w.app.shell.gallery.ids) != 3 {
		t.Errorf("the window shows %q, %d plots", uitest.Texts(w.app.win.Canvas()), len(w.app.shell.gallery.ids))
	}
	w.presses(fyne.KeyReturn)
	if w.app.shell.top.searcher.hints.Shown() || !w.inSight("“after:soon” has no time that Easel knows") {
		t.Errorf("after Enter, the window shows %q", uitest.Texts(w.app.win.Canvas()))
	}
	if got := w.chips(); !slices.Equal(got, []string{"“売上”", "after:soon"}) {
		t.Errorf("the chips are %q", got)
	}
}

func TestHintsGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
		text string
	}{
		"search_offers":         {wide, busy, ""},
		"search_offers_narrow":  {narrowed, func(s *state.Snapshot) { busy(s); s.Settings.Language, s.Settings.Theme = "ja", "dark" }, ""},
		"search_clients":        {wide, busy, "客 client:"},
		"search_problem":        {wide, busy, "Sine tag:keep -has:note on:25-99 client:"},
		"search_problem_narrow": {narrowed, func(s *state.Snapshot) { busy(s); s.Settings.Language, s.Settings.Theme = "ja", "dark" }, "Sine on:25-99 "},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 12), c.edit)
			w.types(c.text)
			w.app.win.Canvas().Focus(w.app.shell.top.search)
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

// TestThePanelSaysWhereASearchHit, unless the title does.
func TestThePanelSaysWhereASearchHit(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00001"}, "img00001"
	})
	for text, want := range map[string]string{
		"linspace": "Found in the code, line 4", "0.43": "Found in the output", "client:claude linspace": "Found in the code, line 4", "Sine": "", "keep": "",
	} {
		w.app.shell.top.searcher.set(text)
		w.settled()
		w.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00001"}, "img00001" })
		if w.settled(); want != "" && !w.inSight(want) || want == "" && w.inSight("Found in") {
			t.Errorf("%s: the window shows %q", text, uitest.Texts(w.app.win.Canvas()))
		}
	}
	w.app.shell.top.searcher.set("linspace")
	w.settled()
	uitest.Golden(t, "search_hit", w.app.win.Canvas())
}

// TestAnExcludedWordHasAChipOfItsOwn, without quotation marks: it is no part of a phrase.
func TestAnExcludedWordHasAChipOfItsOwn(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.types("one -zzz two")
	w.presses(fyne.KeyReturn)
	if got := w.chips(); !slices.Equal(got, []string{"“one two”", "-zzz"}) {
		t.Errorf("the chips are %q", got)
	}
	test.Tap(w.app.shell.gallery.bar.chips.Objects[1].(*kit.Chip))
	if w.settled(); w.store.Snapshot().Query.Text != "one two" {
		t.Errorf("after its chip, the search is %q", w.store.Snapshot().Query.Text)
	}
}

// TestALongSearchDoesNotCoverItsIcon: the text scrolls below the icon, without a scroll bar or a shadow.
func TestALongSearchDoesNotCoverItsIcon(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(t, 1), nil)
	field := w.app.shell.top.search
	left := func() image.Image {
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(field).AddXY(3, 3)
		size := fyne.NewSize(22, field.Size().Height-6)
		return w.app.win.Canvas().Capture().(interface {
			SubImage(r image.Rectangle) image.Image
		}).SubImage(image.Rect(int(at.X), int(at.Y), int(at.X+size.Width), int(at.Y+size.Height)))
	}
	w.app.focus(field)
	was := left()
	w.types(strings.Repeat("▓▓▓▓ ", 30))
	now := left()
	b := was.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if was.At(x, y) != now.At(x, y) {
				t.Fatalf("at %d, %d beside the icon: %v, %v before", x, y, now.At(x, y), was.At(x, y))
			}
		}
	}
}
