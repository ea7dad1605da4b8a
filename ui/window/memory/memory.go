// Package memory gives memory back to the system that Easel has used and needs no more:
// after a burst of plots, a search, or when the window is hidden. Go's collector and C's
// allocator keep for the next burst what the last one took; an app that stays open all
// day must not.
//
// # Goroutines
//
// A Calm has one goroutine, its Run, which ends with its context. Touch may be called on
// any. Everything else has no state.
package memory

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Return collects garbage and returns what is free to the system: Go's memory and, where
// it can be told to, C's, in which OpenGL keeps textures.
func Return() {
	debug.FreeOSMemory()
	trim()
}

// Config is what a Calm does, and when. No duration may be zero.
type Config struct {
	Sweep  func()        // lets go of what is kept for nothing; nil: there is nothing
	Return func()        // after that; nil: Return
	Quiet  time.Duration // without a Touch, until it sweeps
	Most   time.Duration // after the first Touch: it sweeps though there is no quiet
	Settle time.Duration // between Sweep and Return
}

// A Calm sweeps once nothing has happened for a while. Nothing wakes it until something
// has.
type Calm struct {
	c    Config
	wake chan struct{} // one slot
	last atomic.Int64  // Touch, in Unix nanoseconds
}

// NewCalm makes a Calm; Run runs it.
func NewCalm(c Config) *Calm {
	if c.Sweep == nil {
		c.Sweep = func() {}
	}
	if c.Return == nil {
		c.Return = Return
	}
	return &Calm{c: c, wake: make(chan struct{}, 1)}
}

// Touch says that something happens. It costs next to nothing.
func (m *Calm) Touch() {
	m.last.Store(time.Now().UnixNano())
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Run sweeps until ctx ends.
func (m *Calm) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
		}
		for most := time.Now().Add(m.c.Most); ; {
			rest := min(time.Until(time.Unix(0, m.last.Load()).Add(m.c.Quiet)), time.Until(most))
			if rest <= 0 {
				break
			}
			if !sleep(ctx, rest) {
				return
			}
		}
		select { // what it stands for is over
		case <-m.wake:
		default:
		}
		m.c.Sweep()
		if !sleep(ctx, m.c.Settle) {
			return
		}
		m.c.Return()
	}
}

// sleep waits; false if ctx ended before.
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
