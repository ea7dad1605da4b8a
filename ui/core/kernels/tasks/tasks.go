// Package tasks runs goroutines that end together.
//
// # Goroutines
//
// All methods may be called on any goroutine. Close ends those of the group.
package tasks

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed is the error of what needs a goroutine after Close.
var ErrClosed = errors.New("closed")

// A Group is the goroutines of a manager and its parts.
type Group struct {
	ctx    context.Context //nolint:containedctx // from New to Close
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// New returns a group without goroutines. Close it after use.
func New() *Group {
	ctx, cancel := context.WithCancel(context.Background())
	return &Group{ctx: ctx, cancel: cancel}
}

// Context returns a context that Close ends.
func (g *Group) Context() context.Context { return g.ctx }

// Closed reports whether Close was called.
func (g *Group) Closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// Go runs f on a goroutine that Close waits for. f must end when the group's context does. After
// Close, Go does not run f and returns false.
func (g *Group) Go(f func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.wait.Go(f)
	return true
}

// Close ends the group's context, and waits for its goroutines until ctx ends.
func (g *Group) Close(ctx context.Context) error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.cancel()
	done := make(chan struct{})
	go func() { // ends when the cancelled tasks have ended
		g.wait.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("still running: %w", context.Cause(ctx))
	}
}
