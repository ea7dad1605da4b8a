// Package figurestore keeps figures beyond their kernels: it takes them out of the kernels of Easel's
// own servers, stores them in the library beside their pictures, and has them drawn again by a hidden
// kernel of the same environment.
//
// # Goroutines
//
// Run takes figures until its context ends. The other methods may be called on any goroutine.
package figurestore

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"easel/internal/wake"
	"easel/ui/core/figurestore/sealed"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
)

const (
	// rest is how long after a plot its kernel is asked for the figure. By then, an idle kernel has pickled it.
	rest = time.Second
	// askTime is how long a kernel may take to hand over a figure.
	askTime = 10 * time.Second
	// mostTries is how often a kernel is asked again that has still to pickle figures.
	mostTries = 8
	// finishTime is how long Finish may take, and finishPoll when it asks a kernel again.
	finishTime = 3 * time.Second
	finishPoll = 50 * time.Millisecond
)

// Kernels hands over figures; a [kernels.Manager] does.
type Kernels interface {
	// TakeFigure takes a figure out of the kernel of a session; see [inspect.TakeFigure].
	TakeFigure(ctx context.Context, session string) (f inspect.PickledFigure, left int, waits bool, err error)
}

// Images stores figures; a [library.Images] does.
type Images interface {
	KeepFigure(ctx context.Context, sum string, data []byte) (int, error)
	ReadFigure(ctx context.Context, im library.Image) ([]byte, error)
}

// A Collector takes figures out of kernels and stores them.
type Collector struct {
	Kernels Kernels
	Images  Images
	Key     sealed.Key
	Log     *slog.Logger

	once sync.Once
	wake wake.Signal

	mu  sync.Mutex
	due map[string]*visit // by session
}

// A visit is to be made to a kernel.
type visit struct {
	at    time.Time
	tries int
}

func (c *Collector) init() { c.once.Do(func() { c.wake, c.due = wake.New(), make(map[string]*visit) }) }

// Drew notes that a session has displayed plots. It does not block.
func (c *Collector) Drew(session string) {
	c.init()
	c.mu.Lock()
	defer c.mu.Unlock()
	v, at := c.due[session], time.Now().Add(rest)
	if v == nil {
		v = &visit{at: at}
		c.due[session] = v
	}
	v.tries = 0
	if at.Before(v.at) {
		v.at = at
	}
	c.wake.Notify()
}

// Run takes figures until ctx ends.
func (c *Collector) Run(ctx context.Context) {
	c.init()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		session, wait := c.next()
		if session != "" {
			c.visit(ctx, session)
			if ctx.Err() != nil {
				return
			}
			continue
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-c.wake:
		case <-ctx.Done():
			return
		}
	}
}

// next returns a session whose kernel is to be asked now, or how long to wait.
func (c *Collector) next() (session string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait = time.Hour
	for s, v := range c.due {
		left := time.Until(v.at)
		if left <= 0 {
			v.tries++
			v.at = time.Now().Add(rest * time.Duration(1<<min(v.tries, 5)))
			return s, 0
		}
		wait = min(wait, left)
	}
	return "", wait
}

// visit takes what the kernel of a session has. If there will be more, or it is busy, it is asked again later.
func (c *Collector) visit(ctx context.Context, session string) {
	for {
		f, left, waits, err := c.take(ctx, session)
		switch {
		case errors.Is(err, inspect.ErrNotStored):
			c.forget(session, true)
			return
		case err != nil:
			c.Log.DebugContext(ctx, "taking a figure out of a kernel", "session", session, "err", err)
			return
		case len(f.Names) > 0:
			c.keep(ctx, f)
		}
		if left == 0 {
			c.forget(session, !waits)
			return
		}
	}
}

// Finish takes what the kernels of Easel's last plots have. Call it after Run has been told to end, and before the
// kernels end.
func (c *Collector) Finish(ctx context.Context) {
	c.init()
	ctx, cancel := context.WithTimeout(ctx, finishTime)
	defer cancel()
	c.mu.Lock()
	sessions := slices.Collect(maps.Keys(c.due))
	c.mu.Unlock()
	var all sync.WaitGroup
	for _, session := range sessions {
		all.Go(func() {
			for ctx.Err() == nil {
				c.visit(ctx, session)
				c.mu.Lock()
				_, more := c.due[session]
				c.mu.Unlock()
				if !more {
					return
				}
				select {
				case <-time.After(finishPoll): // the kernel pickles still
				case <-ctx.Done():
				}
			}
		})
	}
	all.Wait()
}

func (c *Collector) take(ctx context.Context, session string) (inspect.PickledFigure, int, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return c.Kernels.TakeFigure(ctx, session)
}

// forget notes that the kernel of a session has nothing more, or nothing for now.
func (c *Collector) forget(session string, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.due[session]; v != nil && (all || v.tries >= mostTries) {
		delete(c.due, session)
	}
}

// keep stores a figure, or why it cannot be stored.
func (c *Collector) keep(ctx context.Context, f inspect.PickledFigure) {
	ctx = context.WithoutCancel(ctx) // the kernel no longer has it
	data, err := c.Key.Seal(f)
	if err != nil {
		c.Log.WarnContext(ctx, "storing a figure", "err", err)
		return
	}
	for _, name := range f.Names {
		switch _, err := c.Images.KeepFigure(ctx, name, data); {
		case errors.Is(err, library.ErrFull):
			c.Log.InfoContext(ctx, "storing a figure", "err", err)
		case err != nil:
			c.Log.WarnContext(ctx, "storing a figure", "err", err)
		}
	}
}
