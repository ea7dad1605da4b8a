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
	// finishTime is how long Finish may take, and lastPoll when a kernel that ends is asked again.
	finishTime = 3 * time.Second
	lastPoll   = 50 * time.Millisecond
	// lateTries is how often a figure is stored whose plot is not yet in the library, and lateRest the time between.
	lateTries = 3
	lateRest  = 150 * time.Millisecond
)

// Kernels hands over figures; a [kernels.Manager] does.
type Kernels interface {
	// TakeFigure takes a figure out of the kernel of a session; see [inspect.TakeFigure].
	TakeFigure(ctx context.Context, session string, q inspect.TakeRequest) (f inspect.PickledFigure, waits bool, err error)
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
	news  bool // there was a plot since the kernel was asked
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
	v.tries, v.news = 0, true
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
			c.visit(ctx, session, false)
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

// visit takes what the kernel of a session has. If there will be more, or it is busy, it is asked again later. ends
// is whether the kernel is about to end.
func (c *Collector) visit(ctx context.Context, session string, ends bool) {
	q := inspect.TakeRequest{Ends: ends}
	var late []lateFigure
	defer func() { c.keepLate(ctx, late) }() // after the others, whose time it would take
	for {
		f, waits, err := c.take(ctx, session, q)
		switch {
		case errors.Is(err, inspect.ErrNotStored):
			c.forget(session, true)
			return
		case err != nil:
			c.Log.DebugContext(ctx, "taking a figure out of a kernel", "session", session, "err", err)
			return
		case len(f.Names) == 0:
			c.forget(session, !waits)
			return
		}
		if data, kept := c.keep(ctx, f); !kept {
			late = append(late, lateFigure{f.Names, data})
		}
		q.Received = f.Names
	}
}

// Last takes what the kernel of a session has, which is about to end. It returns when the kernel has nothing more,
// cannot be asked, or ctx ends.
func (c *Collector) Last(ctx context.Context, session string) {
	c.init()
	for c.expects(session) && ctx.Err() == nil {
		c.visit(ctx, session, true)
		if !c.expects(session) {
			return
		}
		select {
		case <-time.After(lastPoll): // the kernel still pickles
		case <-ctx.Done():
		}
	}
}

// expects reports whether the kernel of a session may have figures.
func (c *Collector) expects(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.due[session] != nil
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
		all.Go(func() { c.Last(ctx, session) })
	}
	all.Wait()
}

func (c *Collector) take(ctx context.Context, session string, q inspect.TakeRequest) (inspect.PickledFigure, bool, error) {
	c.mu.Lock()
	if v := c.due[session]; v != nil {
		v.news = false
	}
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return c.Kernels.TakeFigure(ctx, session, q)
}

// forget notes that the kernel of a session has nothing more, or nothing for now.
func (c *Collector) forget(session string, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.due[session]; v != nil && !v.news && (all || v.tries >= mostTries) {
		delete(c.due, session)
	}
}

// A lateFigure is a figure whose plots are not yet in the library.
type lateFigure struct {
	names []string
	data  []byte // sealed
}

// keep stores a figure, or why it cannot be stored. If its plots are not yet in the library, kept is false.
func (c *Collector) keep(ctx context.Context, f inspect.PickledFigure) (data []byte, kept bool) {
	data, err := c.Key.Seal(f)
	if err != nil {
		c.Log.WarnContext(ctx, "storing a figure", "err", err)
		return nil, true
	}
	return data, c.keepAs(context.WithoutCancel(ctx), f.Names, data) > 0
}

// keepLate stores figures whose plots were not in the library. It waits for them together.
func (c *Collector) keepLate(ctx context.Context, late []lateFigure) {
	for try := 1; try < lateTries && len(late) > 0; try++ {
		select {
		case <-time.After(lateRest):
		case <-ctx.Done():
			try = lateTries // the last one
		}
		late = slices.DeleteFunc(late, func(f lateFigure) bool {
			return c.keepAs(context.WithoutCancel(ctx), f.names, f.data) > 0
		})
	}
}

// keepAs stores the file of a figure for the plots with these pictures. It returns how many there are, or 1 if it
// is in vain to try again.
func (c *Collector) keepAs(ctx context.Context, names []string, data []byte) (plots int) {
	for _, name := range names {
		n, err := c.Images.KeepFigure(ctx, name, data)
		switch {
		case errors.Is(err, library.ErrFull):
			c.Log.InfoContext(ctx, "storing a figure", "err", err)
			return 1
		case err != nil:
			c.Log.WarnContext(ctx, "storing a figure", "err", err)
			return 1
		}
		plots += n
	}
	return plots
}
