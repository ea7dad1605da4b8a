package window

import (
	"image"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// captured returns what the window shows.
func (w *world) captured() []uint8 {
	m := w.app.win.Canvas().Capture()
	out := image.NewNRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	return out.Pix
}

// escape presses Escape where the focus is.
func (w *world) escape() {
	if f := w.app.win.Canvas().Focused(); f != nil {
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		return
	}
	w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
}

// TestADialogOutlivesAChangeOfTheTheme: it stays as it is, and so does the window under it. When
// Escape has closed it, the window is built in the new language and colours.
func TestADialogOutlivesAChangeOfTheTheme(t *testing.T) {
	dir := t.TempDir()
	for name, open := range map[string]func(*world){
		"export":   func(w *world) { w.exporting("1920 × 1440 px") },
		"keys":     func(w *world) { w.key(fyne.KeyF1) },
		"quit":     func(w *world) { w.app.CloseRequested() },
		"question": func(w *world) { w.app.shell.dialogs.Confirm("Delete?", "It is gone then.", "Delete", func() {}) },
		"sheet":    func(w *world) { w.app.shell.dialogs.Sheet("Licences", w.app.shell.k.LongCode("MIT")) },
		"save": func(w *world) {
			w.app.export.SaveAs([]string{"img00001"})
			w.q.Until(t, "the folder", func() bool {
				_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
				return is
			})
		},
		"menu": func(w *world) { w.app.shell.imageMenu("img00001", fyne.NewPos(300, 200)) },
		"a second": func(w *world) {
			w.app.shell.showKeys()
			w.app.shell.dialogs.Last().Hide()
			w.app.shell.showKeys()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) {
				busy(s)
				s.Settings.SaveDir = dir
			})
			w.redraws("")
			open(w)
			w.settled()
			shell, before := w.app.shell, w.captured()
			w.store.Update(func(s *state.Snapshot) { s.Settings.Theme, s.Settings.Language = "dark", "ja" })
			w.settled()
			if w.app.shell != shell || !slices.Equal(before, w.captured()) {
				t.Fatal("the dialog or the window under it has changed")
			}
			w.escape()
			w.q.Until(t, "the dialog to close", func() bool { return w.app.win.Canvas().Overlays().Top() == nil })
			w.q.Until(t, "the new theme", func() bool { return w.app.appearance.dark && w.app.shell.k.P.Dark })
			if title := w.app.shell.k.T("rail.keys"); title == shell.k.T("rail.keys") {
				t.Errorf("the window is in the former language: %q", title)
			}
		})
	}
}

// TestAHiddenWindowIsNotBuiltAgain when its dialog is closed, because that would decode its pictures.
func TestAHiddenWindowIsNotBuiltAgain(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), nil)
	shell := w.app.shell
	shell.showKeys()
	w.settled()
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	w.settled()
	w.app.Hide()
	shell.dialogs.Last().Hide()
	w.app.updateAppearance() // as the dialog asks for
	if w.app.shell != shell {
		t.Error("it was built again")
	}
	w.app.Show()
	w.q.Until(t, "the new theme", func() bool { return w.app.shell != shell && w.app.shell.k.P.Dark })
}

// TestNewTheme shows that a dialog has it that follows one in which the theme changed. The test's name is short: it is in the path of the
// folder, which scrolls in its field if it is too long.
func TestNewTheme(t *testing.T) {
	dir := t.TempDir()
	saving := func(before, after string) []uint8 {
		w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) { s.Settings.SaveDir, s.Settings.Theme = dir, before })
		w.redraws("")
		w.exporting("1920 × 1440 px")
		w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = after })
		w.q.Until(t, "the theme", func() bool { return w.app.snap.Settings.Theme == after })
		w.settled()
		w.press(w.app.shell.k.T("redraw.save"))
		w.q.Until(t, "the folder", func() bool {
			_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
			return is
		})
		w.settled()
		return w.captured()
	}
	if !slices.Equal(saving("light", "dark"), saving("dark", "dark")) {
		t.Error("the dialog that asks for the place has colours of the former theme")
	}
}

// TestWhatIsTypedIntoADialogStays while the theme changes.
func TestWhatIsTypedIntoADialogStays(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), nil)
	w.redraws("")
	w.exporting("1920 × 1440 px")
	w.press("mm")
	w.typeInto("162.6", "80")
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	w.settled()
	if _, is := seek(w, func(f *kit.Field) bool { return f.Text == "80" }); !is {
		t.Error("what was typed is gone")
	}
	w.shows("80 × 60 mm")
}

// TestFyneDoesNotFollowTheSystem by itself, which would recolour half of an open dialog.
func TestFyneDoesNotFollowTheSystem(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) { s.Settings.Theme = "system" })
	for _, name := range []string{"system", "dark", "system", "light"} {
		w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = name })
		w.settled()
		set, _ := w.app.cfg.App.Settings().Theme().(*theme.Theme)
		if set == nil || set.Variant != "light" && set.Variant != "dark" || set.Variant == "dark" != w.app.appearance.dark {
			t.Errorf("for %q, the theme is %+v, and the window dark: %v", name, set, w.app.appearance.dark)
		}
	}
}

// TestThePanelIsUpToDateAfterAChangeOfTheTheme: it was still reading what had changed.
func TestThePanelIsUpToDateAfterAChangeOfTheTheme(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	w.click("img00002", 0)
	w.q.Until(t, "the panel", w.app.shell.props.Settled)
	if _, err := w.lib.Mark(t.Context(), []library.Target{{ID: "img00002"}}, func(_ int, m *library.Marks) error { return m.SetTags([]string{"late"}, nil) }); err != nil {
		t.Fatal(err)
	}
	now := w.lib.Changes().Last()
	w.app.shell.props.Select([]string{"img00002"}, now)
	w.store.Update(func(s *state.Snapshot) { s.Revision, s.Settings.Theme = now, "dark" })
	w.q.Until(t, "the other theme", func() bool { return w.app.appearance == w.app.appearanceOf(w.store.Snapshot()) })
	w.q.Until(t, "the new panel", w.app.shell.props.Settled)
	if seen := written(w.app.shell.props.Object()); !strings.Contains(seen, "late") {
		t.Errorf("the panel shows %q without the new tag", seen)
	}
}
