package window

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// TestTheListOfKeysFitsASmallWindow checks that no keys and no words are cut off, and
// that the list scrolls to the last row.
func TestTheListOfKeysFitsASmallWindow(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t, narrowed, galleryOf(1), func(s *state.Snapshot) { busy(s); s.Settings.Language = lang })
			w.app.shell.showKeys()
			canvas, sheet := w.app.win.Canvas(), w.app.shell.keySheet.Content
			if size := sheet.Size(); size.Height > canvas.Size().Height || size.Width > canvas.Size().Width {
				t.Errorf("the list is %v in a window of %v", size, canvas.Size())
			}
			var rows []*kit.Fact
			for _, o := range test.LaidOutObjects(sheet) {
				switch o := o.(type) {
				case *kit.Fact:
					rows = append(rows, o)
				case *kit.Line:
					if o.Wish() > o.Size().Width+0.5 {
						t.Errorf("%q is cut", o.Full())
					}
				}
			}
			if want := len(shownKeys()); len(rows) != want {
				t.Fatalf("%d rows, want %d", len(rows), want)
			}
			bottom := func(o fyne.CanvasObject) float32 {
				return fyne.CurrentApp().Driver().AbsolutePositionForObject(o).Y + o.Size().Height
			}
			if bottom(rows[0]) > bottom(sheet) {
				t.Error("the first row is out of sight")
			}
			w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
			if last := rows[len(rows)-1]; bottom(last) > bottom(sheet) {
				t.Error("End does not bring the last row into sight")
			}
			w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
			if canvas.Overlays().Top() != nil {
				t.Error("Escape does not close it")
			}
		})
	}
}
