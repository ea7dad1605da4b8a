//go:build !headless

package main

import (
	"time"

	"easel/ui/window/memory"
)

// kept is how long Fyne caches what it has not drawn.
const kept = time.Minute

// newCalm returns a Calm that returns memory to the system when nothing has been posted
// to the window for longer than Fyne keeps its caches. Fyne checks these at most every
// ten seconds.
func newCalm(sweep func()) *memory.Calm {
	return memory.NewCalm(memory.Config{Quiet: kept + 2*time.Second, Most: 2 * time.Minute, Settle: 11 * time.Second, Sweep: sweep})
}
