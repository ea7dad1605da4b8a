package kit

import "sync"

// Batch makes a Dispatcher that hands what has come in meanwhile to post as one
// function, in its order. A frame takes long on a machine without a graphics card; what
// waited for it must not be spread over the next few. run does what waits at once: on
// the UI goroutine, before a frame, so that none is drawn without it.
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
