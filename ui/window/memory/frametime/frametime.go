// Package frametime keeps the window whole when Easel has stood still, because the
// computer slept or the process was stopped.
//
// Fyne drops what it has not drawn for a while (see [easel/ui/window/memory/expiry]). It
// reads the clock once per frame, after drawing. So it draws the first frame after a pause
// with the time from before the pause, and then drops all of it as expired. It makes the
// widgets anew, but nobody lays them out: a field gets a scroll bar and text of another
// size.
//
// # Goroutines
//
// It has none. Read may be called on any.
package frametime

import (
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname
)

// Read reads the clock for the next frame. Call it before each frame.
func Read() { now.Store(time.Now().UnixNano()) }

// now is the time that Fyne 2.8 takes for that of what it draws, in Unix nanoseconds.
// Fyne has no public way to it. If it goes, the build fails.
//
//go:linkname now fyne.io/fyne/v2/internal/cache.cachedNow
var now atomic.Int64
