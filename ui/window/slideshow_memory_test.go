//go:build !race

// The race detector needs memory of its own.

package window

import (
	"runtime"
	"testing"

	"fyne.io/fyne/v2"
)

// TestSlideShowKeepsItsMemory shows 400 plots. One that stays decoded takes a megabyte, and
// what other tests have left changes the heap by some.
func TestSlideShowKeepsItsMemory(t *testing.T) {
	w, clock := slideshowOf(t, wide, galleryOf(t, 25), nil)
	show := w.app.slides
	w.key(fyne.KeyF5)
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc >> 20)
	}
	round := func(n int) {
		for range n {
			w.q.Until(t, "the slide", show.screen.Finished)
			clock.due()
		}
	}
	round(50)
	was := heap()
	round(400)
	if now := heap(); now > was+40 {
		t.Errorf("the heap grew from %d to %d MB", was, now)
	}
}
