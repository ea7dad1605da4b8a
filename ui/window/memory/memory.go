// Package memory returns memory to the system that Easel no longer needs: after a burst
// of plots or a search, or when the window is hidden. Go's garbage collector and C's
// allocator keep memory for the next burst, which an app that stays open all day should
// not do.
//
// # Goroutines
//
// A Calm has one goroutine, which calls Run and ends with its context. Touch may be
// called on any goroutine. Everything else has no state.
package memory

import (
	"context"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"easel/internal/wake"
)

// collectAt is how much the heap may grow, in percent, until what is unused is collected. It is less than Go's default of
// 100: the lists of a large library are long, and most of what is made beside them is soon unused.
const collectAt = 70

// Tune makes Easel use less memory for what is unused, unless the user has set GOGC. Call it before C code allocates much,
// as OpenGL's threads do.
func Tune() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	tune()
}

// Return collects garbage and returns free memory to the system: Go's and, where this
// is possible, C's, in which OpenGL stores textures.
func Return() {
	debug.FreeOSMemory()
	trim()
}

// Config configures a Calm. No duration may be zero.
type Config struct {
	Sweep  func()        // releases what is no longer needed; may be nil
	Return func()        // returns the memory to the system, after Sweep; nil means Return
	Quiet  time.Duration // time without a Touch before it sweeps
	Most   time.Duration // maximum time from the first Touch until it sweeps
	Settle time.Duration // time between Sweep and Return
}

// A Calm sweeps when nothing has happened for a while after a Touch. It does not wake
// up before a Touch.
type Calm struct {
	c    Config
	wake wake.Signal  // one slot
	last atomic.Int64 // time of the last Touch, in Unix nanoseconds
}

// NewCalm returns a Calm. Run runs it.
func NewCalm(c Config) *Calm {
	if c.Sweep == nil {
		c.Sweep = func() {}
	}
	if c.Return == nil {
		c.Return = Return
	}
	return &Calm{c: c, wake: wake.New()}
}

// Touch says that something has happened. It is cheap.
func (m *Calm) Touch() {
	m.last.Store(time.Now().UnixNano())
	m.wake.Notify()
}

// Run sweeps until ctx ends.
func (m *Calm) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
		}
		quiet := time.Duration(0)
		for most := time.Now().Add(m.c.Most); ; {
			quiet = time.Until(time.Unix(0, m.last.Load()).Add(m.c.Quiet))
			rest := min(quiet, time.Until(most))
			if rest <= 0 {
				break
			}
			if !sleep(ctx, rest) {
				return
			}
		}
		if quiet > 0 { // what was used lately needs another sweep
			m.wake.Notify()
		} else { // this sweep covers every Touch so far
			select {
			case <-m.wake:
			default:
			}
		}
		m.c.Sweep()
		if !sleep(ctx, m.c.Settle) {
			return
		}
		m.c.Return()
	}
}

// sleep waits for d. It returns false if ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
