package window

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/core/state"
)

// TestTheSecondScreenIsClosedByItsOwnKeys also checks that the main window does not
// change.
func TestTheSecondScreenIsClosedByItsOwnKeys(t *testing.T) {
	for name, press := range map[string]func(*presenter){
		"W": func(p *presenter) { p.typedRune('w') },
		"Ctrl+W": func(p *presenter) {
			p.shortcut(&desktop.CustomShortcut{KeyName: fyne.KeyW, Modifier: fyne.KeyModifierControl})
		},
		"Escape": func(p *presenter) { p.key(&fyne.KeyEvent{Name: fyne.KeyEscape}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 2), func(s *state.Snapshot) { busy(s); s.Newest = "img00002" })
			w.app.present.toggle()
			p := w.app.present
			w.q.Until(t, "the second screen", func() bool { return p.screen.Shown() == "img00002" })
			press(p)
			if w.app.present.open() || w.store.Snapshot().Window != state.WindowShown || w.app.closed {
				t.Errorf("the second screen is open: %v; the main window is %s", w.app.present.open(), w.store.Snapshot().Window)
			}
		})
	}
}

// TestTheSecondScreenShowsTheViewersVersion also covers a step to another version while
// the second screen is open, and the return to the newest version when the viewer is
// closed.
func TestTheSecondScreenShowsTheViewersVersion(t *testing.T) {
	lib := galleryOf(t, 2)
	versions := []string{lib.Add(0, "figure", "")}
	for len(versions) < 3 {
		versions = append(versions, lib.Update(versions[len(versions)-1], ""))
	}
	w := newWorld(t, wide, lib, busy)
	w.app.navigate.Open(versions[2])
	w.settled()
	w.app.typedRune('[')
	w.settled()
	w.app.present.toggle()
	shows := func(id string) {
		t.Helper()
		w.q.Until(t, "the second screen to show "+id, func() bool { return w.app.present.screen.Shown() == id })
	}
	shows(versions[1])
	w.app.typedRune('[')
	shows(versions[0])
	w.app.navigate.CloseViewer()
	shows(versions[2])
}

// TestQuittingClosesNoWindow has the second screen and the slide show open. Fyne's loop has
// ended when the app is closed, and to close a window then would panic.
func TestQuittingClosesNoWindow(t *testing.T) {
	w, clock := slideshowOf(t, wide, galleryOf(t, 2), busy)
	w.app.present.toggle()
	w.key(fyne.KeyF5)
	var closed []string
	for name, win := range map[string]fyne.Window{"the second screen": w.app.present.win, "the slide show": w.app.slides.win} {
		win.SetOnClosed(func() { closed = append(closed, name) })
	}
	w.app.Close()
	if closed != nil {
		t.Errorf("the app closed %q", closed)
	}
	if w.app.present.open() || w.app.slides.open() || clock.awake != 0 || clock.due != nil {
		t.Error("the windows work on")
	}
}
