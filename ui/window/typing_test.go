package window

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// typeAt types in a field that has, or gets, the focus.
func (w *world) typeAt(placeholder, text string) *kit.Field {
	w.t.Helper()
	f := w.field(placeholder)
	w.app.win.Canvas().Focus(f)
	for _, r := range text {
		f.TypedRune(r)
	}
	return f
}

// note returns the note of the oldest plot.
func (w *world) note() string { return w.first().Note }

const noteField, tagField = "Add a note…", "Add a tag…"

// TestANoteIsStoredWhileItIsTyped: without leaving the field, and as one change.
func TestANoteIsStoredWhileItIsTyped(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	w.app.edits.Rate([]string{"img00001"}, 4)
	f := w.typeAt(noteField, "look")
	w.q.Until(t, "the first part to be stored", func() bool { return w.note() == "look" })
	w.settled()
	w.typeAt(noteField, " at the peak")
	w.q.Until(t, "the rest to be stored", func() bool { return w.note() == "look at the peak" })
	w.settled()
	if w.field(noteField) != f || f.Text != "look at the peak" || w.app.win.Canvas().Focused() != f {
		t.Fatalf("the field has %q", f.Text)
	}
	w.app.win.Canvas().Unfocus()
	w.said("Note saved")
	w.settled()
	w.app.shortcut(&fyne.ShortcutUndo{})
	w.said("Undid: note on “Sine”")
	w.settled()
	if w.note() != "" || w.field(noteField).Text != "" || w.first().Rating != 4 {
		t.Errorf("after Ctrl+Z: note %q, field %q, %d stars", w.note(), w.field(noteField).Text, w.first().Rating)
	}
	w.app.shortcut(&fyne.ShortcutRedo{})
	w.said("Redid: note on “Sine”")
	w.settled()
	if w.note() != "look at the peak" || w.field(noteField).Text != w.note() {
		t.Errorf("after Ctrl+Y: note %q, field %q", w.note(), w.field(noteField).Text)
	}
}

// TestWhatIsTypedIsStoredAtOnce when the window is hidden, and when Easel quits: the UI
// goroutine may have ended then.
func TestWhatIsTypedIsStoredAtOnce(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	w.typeAt(noteField, "half a sent")
	w.app.Save(t.Context())
	if got := w.note(); got != "half a sent" {
		t.Errorf("after quitting the note is %q", got)
	}
	w.typeAt(noteField, "ence")
	w.app.Hide()
	w.q.Until(t, "the note", func() bool { return w.note() == "half a sentence" })
	w.app.Show()
	w.settled()
	w.app.win.Canvas().Unfocus()
	w.key(fyne.KeyF2)
	f, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok {
		t.Fatal("F2 does not let the title be edited")
	}
	f.SetText("Peaks")
	w.app.Save(t.Context())
	if got := w.first().Title; got != "Peaks" {
		t.Errorf("after quitting while the title is edited it is %q", got)
	}
}

// TestAFieldKeepsItsPlot: while a field has the focus, neither new plots nor an assistant's
// selection move the panel to another plot.
func TestAFieldKeepsItsPlot(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	f := w.typeAt(noteField, "the first")
	w.call(t, "select_file", `{"path": "img00003"}`)
	w.call(t, "set_rating", `{"rating": 2, "path": "img00003"}`)
	if w.field(noteField) != f || f.Text != "the first" || w.app.win.Canvas().Focused() != f {
		t.Fatal("the field is gone")
	}
	w.typeAt(noteField, " plot")
	w.app.win.Canvas().Unfocus()
	w.said("Note saved")
	w.q.Until(t, "the panel of the other plot", func() bool {
		return w.app.shell.props.Settled() && w.field(noteField) != f
	})
	if got := w.note(); got != "the first plot" || w.field(noteField).Text != "" {
		t.Errorf("the note of the first is %q, of the other %q", got, w.field(noteField).Text)
	}
	im, err := w.lib.Image(t.Context(), "img00003")
	if err != nil || im.Note != "" {
		t.Errorf("the other plot has the note %q, %v", im.Note, err)
	}
}

// TestAnUnfinishedTagStaysInItsField, also while another plot is shown.
func TestAnUnfinishedTagStaysInItsField(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	w.typeAt(tagField, "pea")
	w.app.win.Canvas().Unfocus()
	pick := func(id string) {
		t.Helper()
		w.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{id}, id })
		w.settled()
	}
	pick("img00002")
	if got := w.field(tagField).Text; got != "" {
		t.Errorf("another plot has the tag %q", got)
	}
	pick("img00001")
	f := w.typeAt(tagField, "k")
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	w.q.Until(t, "the tag", func() bool { return slices.Contains(w.first().Tags, "peak") })
}

// TestALanguageChangesWhileSomebodyTypes: the window is built again, and the user types on.
func TestALanguageChangesWhileSomebodyTypes(t *testing.T) {
	for name, c := range map[string]struct {
		open func(w *world)
		text func(w *world) string
	}{
		"a note":  {func(w *world) { w.typeAt(noteField, "") }, func(w *world) string { return w.note() }},
		"a title": {func(w *world) { w.key(fyne.KeyF2) }, func(w *world) string { return w.first().Title }},
		"a tag":   {func(w *world) { w.typeAt(tagField, "") }, func(w *world) string { return strings.Join(w.first().Tags, " ") }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 4), one)
			w.call(t, "set_rating", `{"rating": 1, "path": "img00001"}`)
			focused := func() *kit.Field {
				t.Helper()
				f, ok := w.app.win.Canvas().Focused().(*kit.Field)
				if !ok {
					t.Fatal("no field has the focus")
				}
				return f
			}
			c.open(w)
			f := focused()
			f.SetText("")
			test.Type(f, "ab")
			w.store.Update(func(s *state.Snapshot) {
				s.Settings.Theme, s.Settings.Language = "dark", "ja"
				s.Selection, s.Current = []string{"img00004"}, "img00004" // as another plot that arrives
			})
			w.settled()
			w.q.Until(t, "another field with the focus", func() bool { return w.app.win.Canvas().Focused() != nil })
			if now := focused(); now == f || now.Text != "ab" || now.CursorColumn != 2 {
				t.Fatalf("the field has %q, cursor at %d", now.Text, now.CursorColumn)
			}
			f = focused()
			f.TypedRune('c')
			if name == "a note" {
				w.app.win.Canvas().Unfocus()
			} else {
				f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			}
			w.q.Until(t, "the text to be stored", func() bool { return c.text(w) == "abc" })
			w.app.win.Canvas().Unfocus()
			w.settled()
			w.q.Until(t, "the panel of the plot that is selected", func() bool {
				return w.app.shell.props.Settled() && w.app.shell.props.Draft() != nil
			})
		})
	}
}

// TestAnAssistantDoesNotCloseThePanelUnderAHand checks that the keys stay in a note when an assistant
// hides its panel, and that the panel is hidden when the user has finished.
func TestAnAssistantDoesNotCloseThePanelUnderAHand(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	w.typeAt(noteField, "ab")
	w.call(t, "toggle_properties_panel", `{"on": false}`)
	f, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok || !w.app.shell.panel || f.Text != "ab" {
		t.Fatalf("the focus is on %T, the panel shown: %v", w.app.win.Canvas().Focused(), w.app.shell.panel)
	}
	f.TypedRune('c')
	w.app.win.Canvas().Unfocus()
	w.settled()
	if w.app.shell.panel {
		t.Error("the panel stays")
	}
	w.q.Until(t, "the note to be stored", func() bool { return w.first().Note == "abc" })
	w.call(t, "toggle_properties_panel", `{"on": true}`)
	if !w.app.shell.panel {
		t.Error("the panel does not come back")
	}
}

// TestKeysGoToTheGalleryWhenTheirFieldIsGone: a rating after edited code was approved, and
// after the panel or the page with the field was closed.
func TestKeysGoToTheGalleryWhenTheirFieldIsGone(t *testing.T) {
	for name, gone := range map[string]func(w *world){
		"the panel is closed": func(w *world) {
			w.typeAt(noteField, "x")
			w.app.togglePanel()
		},
		"another page was open": func(w *world) {
			w.typeAt(noteField, "x")
			w.app.shell.open(pageSettings)
			w.app.shell.open(pageGallery)
		},
		"an assistant opens the viewer in full screen": func(w *world) {
			w.typeAt(noteField, "x")
			w.call(w.t, "show_image_viewer", `{"path": "img00001"}`)
			w.call(w.t, "toggle_fullscreen", `{"on": true}`)
		},
		"the edits of a question are discarded": func(w *world) {
			w.store.Update(func(s *state.Snapshot) { s.Approvals = []catalog.Approval{question("1", "c", "x = 1\n")} })
			w.settled()
			w.app.shell.asks.ToggleEdit()
			w.editor()
			w.app.shell.asks.ToggleEdit()
		},
		"the edited code was answered": func(w *world) {
			w.store.Update(func(s *state.Snapshot) { s.Approvals = []catalog.Approval{question("1", "c", "x = 1\n")} })
			w.settled()
			w.app.shell.asks.ToggleEdit()
			w.editor()
			w.store.Update(func(s *state.Snapshot) { s.Approvals = nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 4), one)
			gone(w)
			w.settled()
			if f := w.app.win.Canvas().Focused(); f != nil {
				t.Fatalf("the focus is on %T", f)
			}
			w.app.typedRune('5')
			w.q.Until(t, "five stars", func() bool { return w.first().Rating == 5 })
		})
	}
}
