package kit

import "sync"

// Batch returns a Dispatcher that collects functions and posts them together, as one
// function that runs them in order. Without a graphics card a frame takes long;
// functions that waited for it should not be spread over the next frames. run runs the
// waiting functions immediately. Call it on the UI goroutine before a frame, so that
// the frame includes their effects.
func Batch(post Dispatcher) (do Dispatcher, run func()) {
	var (
		mu      sync.Mutex
		waiting []func()
	)
	run = func() {
		mu.Lock()
		all := waiting
		waiting = nil
		mu.Unlock()
		for _, f := range all {
			f()
		}
	}
	do = func(f func()) {
		mu.Lock()
		waiting = append(waiting, f)
		first := len(waiting) == 1
		mu.Unlock()
		if first {
			post(run)
		}
	}
	return do, run
}
