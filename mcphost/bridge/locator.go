package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"easel/internal/mask"
	"easel/mcphost/instance"
)

// A locator finds the running Easel, or starts it, and remembers it until it is lost.
type locator struct {
	c Config

	mu    sync.Mutex // held while one goroutine looks for Easel on behalf of all
	r     instance.Runtime
	known bool
}

// runtime returns the running Easel and starts one if none is running.
func (l *locator) runtime(ctx context.Context) (instance.Runtime, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known {
		return l.r, nil
	}
	r, err := instance.Find(ctx, l.c.DataDir)
	if errors.Is(err, instance.ErrNotRunning) {
		l.c.Log.InfoContext(ctx, "no Easel runs: starting one")
		if r, err = l.c.Start(ctx); err != nil {
			err = fmt.Errorf("starting Easel: %w", err)
		}
	}
	if err != nil {
		return r, err
	}
	l.know(r)
	return r, nil
}

func (l *locator) know(r instance.Runtime) {
	l.c.Mask.Set(mask.Easel, r.Token)
	l.r, l.known = r, true
}

// running returns the running Easel, without starting one.
func (l *locator) running(ctx context.Context) (instance.Runtime, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known {
		return l.r, nil
	}
	r, err := instance.Find(ctx, l.c.DataDir)
	if err == nil {
		l.know(r)
	}
	return r, err
}

// lost reports that r did not answer or rejected its token, so that it must be looked up
// again.
func (l *locator) lost(r instance.Runtime) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.r == r {
		l.known = false
	}
}
