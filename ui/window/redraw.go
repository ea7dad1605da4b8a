package window

import (
	"sync"
	"time"

	"easel/ui/core/state"
)

// redrawAfter is how long changes of the dock are collected. An execution reports its
// plot just before the library does.
const redrawAfter = 20 * time.Millisecond

// redraw renders the dock soon. Many changes cost one rendering. If the gallery is
// reading a plot, redraw waits for it, so that both appear in the same frame.
func (a *App) redraw() {
	if !a.drawing.CompareAndSwap(false, true) {
		return
	}
	var once sync.Once
	draw := func() {
		once.Do(func() {
			a.cfg.Do(func() {
				a.drawing.Store(false)
				if !a.closed && a.snap != nil && a.snap.Window != state.WindowHidden {
					a.shell.dock.Render(a.cfg.Store.Snapshot())
				}
			})
		})
	}
	time.AfterFunc(redrawAfter, func() {
		if grid := a.grid.Load(); grid != nil && grid.Await(draw) { // nil before the first rendering
			time.AfterFunc(heldBack, draw)
		} else {
			draw()
		}
	})
}
