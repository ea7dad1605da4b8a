package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// SetVisible shows or hides an object.
func SetVisible(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// Scale returns the number of screen pixels per Fyne unit at o; 1 if o is not on a canvas.
func Scale(o fyne.CanvasObject) float32 {
	if c := fyne.CurrentApp().Driver().CanvasForObject(o); c != nil {
		return c.Scale()
	}
	return 1
}

// Modifiers returns the keys Shift, Control and so on that are pressed now.
func Modifiers() fyne.KeyModifier {
	if d, ok := fyne.CurrentApp().Driver().(desktop.Driver); ok {
		return d.CurrentKeyModifiers()
	}
	return 0
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
