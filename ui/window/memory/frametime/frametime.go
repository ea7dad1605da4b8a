// Package frametime keeps the window intact after Easel did not run for a while,
// because the computer slept or the process was stopped.
//
// Fyne drops what it has not drawn for a while (see [easel/ui/window/memory/expiry]).
// It reads the clock once per frame, after drawing. So it draws the first frame after a
// pause with the time from before the pause, and then drops everything in it as
// expired. It creates the widgets' renderers again, but nothing lays them out: a field
// gets a scroll bar and text of another size.
//
// # Goroutines
//
// It has none. Read may be called from any goroutine.
package frametime

import (
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname
)

// Read reads the clock for the next frame. Call it before each frame.
func Read() { now.Store(time.Now().UnixNano()) }

// now is the time, in Unix nanoseconds, with which Fyne 2.8 marks what it draws. Fyne
// does not export it. If it is removed, the build fails.
//
//go:linkname now fyne.io/fyne/v2/internal/cache.cachedNow
var now atomic.Int64
