package kit

import "fyne.io/fyne/v2"

// SetVisible shows or hides an object.
func SetVisible(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// Dirty is a canvas of Fyne's drivers for screens. Other canvases are drawn only when asked.
type Dirty interface{ SetDirty() }

// Repaint makes a window draw its next frame. Fyne does not do so when a container is shown
// at the place where it was hidden.
func Repaint(c fyne.Canvas) {
	if dirty, ok := c.(Dirty); ok {
		dirty.SetDirty()
	}
}
