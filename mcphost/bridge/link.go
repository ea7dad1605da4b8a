package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"easel/internal/mask"
	"easel/mcphost/instance"
)

// A link is the connection to the running Easel.
type link struct {
	c Config

	mu    sync.Mutex // held while one goroutine looks for Easel on behalf of all
	r     instance.Runtime
	known bool
}

// runtime returns the running Easel and starts one if none is running.
func (l *link) runtime(ctx context.Context) (instance.Runtime, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known {
		return l.r, nil
	}
	r, err := instance.Find(ctx, l.c.DataDir)
	if errors.Is(err, instance.ErrNotRunning) {
		r, err = l.start(ctx)
	}
	if err != nil {
		return r, err
	}
	l.know(r)
	return r, nil
}

func (l *link) know(r instance.Runtime) {
	l.c.Mask.Set(mask.Easel, r.Token)
	l.r, l.known = r, true
}

// start starts Easel and waits until it answers.
func (l *link) start(ctx context.Context) (instance.Runtime, error) {
	l.c.Log.InfoContext(ctx, "no Easel runs: starting one")
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if l.c.Start != nil {
		if err := l.c.Start(ctx); err != nil {
			return instance.Runtime{}, fmt.Errorf("starting Easel: %w", err)
		}
	}
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		r, err := instance.Find(ctx, l.c.DataDir)
		if err == nil {
			return r, nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return r, fmt.Errorf("starting Easel took longer than %v: %w", startTimeout, err)
		}
	}
}

// running returns the running Easel, without starting one.
func (l *link) running(ctx context.Context) (instance.Runtime, error) {
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
func (l *link) lost(r instance.Runtime) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.r == r {
		l.known = false
	}
}
