// Package wake tells a goroutine that there is something to do.
//
// # Goroutines
//
// None. Notify may be called from any goroutine. One goroutine should receive.
package wake

// A Signal is a channel with one slot. The receiver looks for all that there is to do each time
// that it receives, so that notifications while it works count as one, and none is lost.
type Signal chan struct{}

// New returns a signal.
func New() Signal { return make(Signal, 1) }

// Notify fills the slot. It never blocks.
func (s Signal) Notify() {
	select {
	case s <- struct{}{}:
	default:
	}
}
