package window

import (
	"sync"
	"time"

	"easel/ui/core/state"
)

// redrawAfter is how long changes of the dock are gathered: an execution tells of its plot
// just before the library does.
const redrawAfter = 20 * time.Millisecond

// redraw renders the dock soon; many changes cost one rendering. A plot that the gallery
// is reading goes first, so that both appear in the same frame.
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
		if grid := a.grid.Load(); grid != nil && grid.Await(draw) { // there is none before the first rendering
			time.AfterFunc(heldBack, draw)
		} else {
			draw()
		}
	})
}
