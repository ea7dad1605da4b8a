package window

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/software"

	"easel/ui/core/state"
	"easel/ui/window/memory/fonts"
	"easel/ui/window/memory/gpu"
)

// Sweep has Fyne let go of what it has drawn and shows no more: textures of text and
// pictures, widgets that were thrown away. Fyne does it when it draws, and a window where
// nothing happens is not drawn. Call it on the UI goroutine.
func (a *App) Sweep() {
	if a.closed {
		return
	}
	hidden := a.cfg.Store.Snapshot().Window == state.WindowHidden
	a.shell.center.grid.Rest()
	sweep(a.win, hidden, a.wasShown)
	switch {
	case a.present != nil:
		sweep(a.present.win, false, true)
	case hidden:
		fonts.Drop()
	}
}

// sweep sees to one window. Of one that is hidden Fyne draws nothing; there the textures
// are freed here, and what belonged to widgets by an empty canvas that has no window.
func sweep(w fyne.Window, hidden, wasShown bool) {
	if !hidden {
		// Something that is nowhere: so all is drawn again as it is.
		w.Canvas().Refresh(canvas.NewRectangle(color.Transparent))
		return
	}
	context, ok := w.(interface{ RunWithContext(f func()) })
	textures, ok2 := w.Canvas().(interface{ FreeDirtyTextures() uint64 })
	if ok && ok2 && wasShown { // before, there is no context
		context.RunWithContext(func() {
			textures.FreeDirtyTextures()
			gpu.Drain()
		})
	}
	software.NewCanvas().Capture()
}
