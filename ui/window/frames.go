package window

import (
	"sync"
	"sync/atomic"
	"time"

	"easel/ui/core/collection"
	"easel/ui/core/state"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
)

// frames decides when the gallery and the dock are rendered, so that a new plot and the
// activity that drew it appear in one frame.
type frames struct {
	do      kit.Dispatcher
	dock    func()                       // renders the dock; called on the UI goroutine
	grid    atomic.Pointer[gallery.Grid] // the shell's grid; nil before the first rendering
	drawing atomic.Bool                  // the dock will be rendered
}

// heldBack is the maximum time that rendering a state is delayed while the gallery
// reads what is new in it.
const heldBack = 100 * time.Millisecond

// redrawAfter is how long changes of the dock are collected. An execution reports its
// plot just before the library does.
const redrawAfter = 20 * time.Millisecond

// redraw renders the dock soon. Many changes cost one rendering. If the gallery is
// reading a plot, redraw waits for it, so that both appear in the same frame.
func (f *frames) redraw() {
	if !f.drawing.CompareAndSwap(false, true) {
		return
	}
	var once sync.Once
	draw := func() {
		once.Do(func() {
			f.do(func() {
				f.drawing.Store(false)
				f.dock()
			})
		})
	}
	time.AfterFunc(redrawAfter, func() {
		if grid := f.grid.Load(); grid != nil && grid.Await(draw) {
			time.AfterFunc(heldBack, draw)
		} else {
			draw()
		}
	})
}

// ahead makes the gallery read what is new in a state immediately, on the goroutine that
// changed the state, because the UI goroutine may be drawing. The state is rendered when
// that has been read, so that a new plot appears in the first frame and not in the
// second.
func (f *frames) ahead(s *state.Snapshot, then func()) bool {
	if s.Window == state.WindowHidden {
		return false
	}
	grid := f.grid.Load()
	if s.Mode == state.Viewer { // the viewer reads the plot itself
		grid.AskOnce(collection.Query(s), s.Revision, nil)
		return false
	}
	if !grid.AskOnce(collection.Query(s), s.Revision, then) {
		return false
	}
	time.AfterFunc(heldBack, then)
	return true
}
