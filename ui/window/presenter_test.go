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
			w := newWorld(t, wide, galleryOf(2), func(s *state.Snapshot) { busy(s); s.Newest = "img00002" })
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
