package kit

import "fyne.io/fyne/v2"

// SetVisible shows an object or hides it.
func SetVisible(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}
