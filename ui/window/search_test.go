package window

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// inSight reports whether the window shows a text.
func (w *world) inSight(text string) bool {
	w.settled()
	return slices.ContainsFunc(uitest.Texts(w.app.win.Canvas()), func(line string) bool { return strings.Contains(line, text) })
}

// TestTheKeysOfTheSearchField: Enter and Down search at once and select the first result;
// Escape first only leaves the field.
func TestTheKeysOfTheSearchField(t *testing.T) {
	for name, c := range map[string]struct {
		key  fyne.KeyName
		mode state.Mode
	}{"Enter": {fyne.KeyReturn, state.Grid}, "Down": {fyne.KeyDown, state.Grid}, "Enter over the viewer": {fyne.KeyReturn, state.Viewer}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 12), func(s *state.Snapshot) {
				busy(s)
				s.Mode, s.Selection, s.Current, s.SelectedBy = c.mode, []string{"img00001"}, "img00001", catalog.ByUser
			})
			canvas, field := w.app.win.Canvas(), w.app.shell.top.search
			canvas.Focus(field)
			test.Type(field, "売上")
			field.TypedKey(&fyne.KeyEvent{Name: c.key})
			w.settled()
			if n := w.store.Snapshot(); canvas.Focused() != nil || n.Mode != state.Grid || !slices.Equal(n.Selection, []string{"img00011"}) || n.Query.Text != "売上" {
				t.Fatalf("focused: %v, %v selected in the %s, search %q", canvas.Focused(), n.Selection, n.Mode, n.Query.Text)
			}
			w.key(fyne.KeyRight)
			if got := w.selection(); !slices.Equal(got, []string{"img00007"}) {
				t.Errorf("→ selects %v, want the second result", got)
			}
			canvas.Focus(field)
			field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
			w.settled()
			if canvas.Focused() != nil || field.Text != "売上" || !slices.Equal(w.selection(), []string{"img00007"}) {
				t.Errorf("Escape in the field: focused %v, it has %q, %v selected", canvas.Focused(), field.Text, w.selection())
			}
			w.key(fyne.KeyEscape, fyne.KeyEscape) // deselects, and then ends the search
			if n := w.store.Snapshot(); field.Text != "" || n.Query.Text != "" || len(n.Selection) != 0 {
				t.Errorf("the field has %q, the search is %q, %v selected", field.Text, n.Query.Text, n.Selection)
			}
		})
	}
}

func TestASearchWithoutResultsCanBeCorrected(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 6), busy)
	canvas, field := w.app.win.Canvas(), w.app.shell.top.search
	for _, text := range []string{"nowhere", "nothing"} {
		canvas.Focus(field)
		field.SetText(text)
		field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if !w.inSight("“"+text+"”") || canvas.Focused() != fyne.Focusable(field) {
			t.Errorf("the window shows %q", uitest.Texts(canvas))
		}
	}
}

// TestTheHeaderCountsWhatIsThere: also plots that arrive outside of the filter.
func TestTheHeaderCountsWhatIsThere(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(t, 12), func(s *state.Snapshot) { busy(s); s.Query.Rating, s.Query.RatingOp = 5, ">=" })
	if count := w.app.shell.gallery.bar.count; !w.inSight("4 of 12 plots") || !count.Visible() {
		t.Fatalf("it says %q", count.Full())
	}
	w.draw(2)
	if !w.inSight("4 of 14 plots") {
		t.Errorf("it says %q", w.app.shell.gallery.bar.count.Full())
	}
}

// TestAGalleryWhosePlotsAreInTheTrashSaysSo, and while many are being moved, that, too.
func TestAGalleryWhosePlotsAreInTheTrashSaysSo(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 120), busy)
	selectAll(w.app)
	w.settled()
	w.key(fyne.KeyEscape)
	selectAll(w.app)
	w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	if text := w.message(); text != "Moving 120 plots to the trash…" {
		t.Errorf("while they are moved, it says %q", text)
	}
	w.q.Until(t, "the empty gallery", func() bool { return len(w.app.shell.gallery.ids) == 0 })
	if !w.inSight("All plots are in the trash") || w.inSight("Ready for the first plot") {
		t.Errorf("it shows %q", uitest.Texts(w.app.win.Canvas()))
	}
	w.app.navigate.OpenTrash()
	w.q.Until(t, "the plots in the trash", func() bool { return len(w.app.shell.gallery.ids) == 120 })
}

// TestTheDockIsDrawnWhenItAppears: after another page, after a change of theme or language
// on that page, after Ctrl+J.
func TestTheDockIsDrawnWhenItAppears(t *testing.T) {
	for name, away := range map[string]func(w *world){
		"another page": func(*world) {},
		"a theme":      func(w *world) { w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" }) },
		"a language":   func(w *world) { w.store.Update(func(s *state.Snapshot) { s.Settings.Language = "ja" }) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 2), busy)
			catalog.Activities.Notify(w.bus, catalog.Activity{
				ID: 1, Transport: "mcp", Client: "visitor 1", Tool: "get_variables", Began: w.app.cfg.Now(), Ended: w.app.cfg.Now(), Status: "ok",
			})
			w.q.Until(t, "the call in the log", func() bool { return w.inSight("visitor") })
			w.app.shell.open(pageSettings)
			w.settled()
			away(w)
			w.settled()
			w.app.shell.open(pageGallery)
			if texts := uitest.Texts(w.app.win.Canvas()); !slices.ContainsFunc(texts, func(line string) bool { return strings.Contains(line, "visitor") }) {
				t.Errorf("it shows %q", texts)
			}
		})
	}
}

// TestASearchEndsInEveryField: the window was built again after the last key, and then the user
// has removed the search. The former field does not bring it back.
func TestASearchEndsInEveryField(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), nil)
	former := w.app.shell.top
	w.app.win.Canvas().Focus(former.search)
	test.Type(former.search, "売上")
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	w.settled()
	w.app.win.Canvas().Unfocus()
	if w.settled(); !w.app.leaveSearch() {
		t.Fatal("there is no search")
	}
	former.searcher.searchFor("売上") // as its timer does
	if w.settled(); w.store.Snapshot().Query.Text != "" {
		t.Errorf("the search is %q", w.store.Snapshot().Query.Text)
	}
}

// TestWhatASearchHidesIsDeselectedByANewShell: a shell that has listed nothing yet, after a change
// of the theme.
func TestWhatASearchHidesIsDeselectedByANewShell(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), one)
	w.app.rebuild(w.store.Snapshot())
	w.app.navigate.Search("売上")
	if w.settled(); slices.Contains(w.selection(), "img00001") {
		t.Error("a plot that is hidden is selected")
	}
}
