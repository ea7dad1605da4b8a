package main

import (
	"time"

	"easel/ui/window/memory"
	"easel/ui/window/memory/expiry"
)

// newCalm makes what gives memory back when nothing has been posted to the window for so
// long that Fyne lets go of what it drew last. Fyne looks for that at most every ten
// seconds.
func newCalm(sweep func()) *memory.Calm {
	return memory.NewCalm(memory.Config{Quiet: expiry.Kept + 2*time.Second, Most: time.Minute, Settle: 11 * time.Second, Sweep: sweep})
}
