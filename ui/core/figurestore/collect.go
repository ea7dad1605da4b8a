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
	// mostTries is how often a kernel is asked again that has still to pickle figures, or is busy.
	mostTries = 8
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
	if c.due[session] == nil {
		c.due[session] = &visit{at: time.Now().Add(rest)}
	}
	c.due[session].tries = 0
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

// visit takes what the kernel of a session has. If there will be more, it is asked again.
func (c *Collector) visit(ctx context.Context, session string) {
	again := true
	for again {
		f, left, waits, err := c.take(ctx, session)
		switch {
		case err != nil:
			if !errors.Is(err, inspect.ErrNotStored) && ctx.Err() == nil {
				c.Log.DebugContext(ctx, "taking a figure out of a kernel", "session", session, "err", err)
			}
			c.done(session, errors.Is(err, inspect.ErrNotStored))
			return
		case len(f.Names) > 0:
			c.keep(ctx, f)
		}
		again = left > 0
		if !again {
			c.done(session, !waits)
		}
	}
}

func (c *Collector) take(ctx context.Context, session string) (inspect.PickledFigure, int, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return c.Kernels.TakeFigure(ctx, session)
}

// done notes that the kernel of a session has nothing, or nothing for now.
func (c *Collector) done(session string, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.due[session]; v != nil && (all && v.tries > 0 || v.tries >= mostTries) {
		delete(c.due, session)
	}
}

// keep stores a figure, or why it cannot be stored.
func (c *Collector) keep(ctx context.Context, f inspect.PickledFigure) {
	data, err := c.Key.Seal(f)
	if err != nil {
		c.Log.WarnContext(ctx, "storing a figure", "err", err)
		return
	}
	for _, name := range f.Names {
		switch _, err := c.Images.KeepFigure(ctx, name, data); {
		case errors.Is(err, library.ErrFull):
			c.Log.InfoContext(ctx, "storing a figure", "err", err)
		case err != nil && ctx.Err() == nil:
			c.Log.WarnContext(ctx, "storing a figure", "err", err)
		}
	}
}
