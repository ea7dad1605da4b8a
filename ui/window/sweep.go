package window

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/software"

	"easel/ui/core/state"
)

// Sweep makes Fyne release what it has drawn but no longer shows: textures of texts and
// pictures, and discarded widgets. Fyne does that only when it draws, and an idle
// window is not drawn. Sweep must be called on the UI goroutine.
func (a *App) Sweep() {
	if a.closed {
		return
	}
	hidden := a.cfg.Store.Snapshot().Window == state.WindowHidden
	a.shell.gallery.grid.Rest()
	sweep(a.win, hidden, a.wasShown)
	switch {
	case a.slides.open():
		sweep(a.slides.win, false, true)
	case a.present.open():
		sweep(a.present.win, false, true)
	}
}

// sweep handles one window. Fyne draws nothing for a hidden window, so sweep frees its
// textures itself. It frees what belonged to its widgets by means of an empty canvas
// that has no window.
func sweep(w fyne.Window, hidden, wasShown bool) {
	if !hidden {
		// An object that is not on the canvas makes Fyne draw everything again,
		// unchanged.
		w.Canvas().Refresh(canvas.NewRectangle(color.Transparent))
		return
	}
	if wasShown {
		freeTextures(w)
	}
	software.NewCanvas().Capture()
}
