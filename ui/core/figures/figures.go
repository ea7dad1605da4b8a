// Package figures draws the figures of the library that came without a picture: each new one
// at once, an older one when somebody looks at it. A figure that was drawn is an image like
// any other.
//
// # Goroutines
//
// Run draws; start it a few times to draw as many figures at once. Draw, Problem and Wait may
// be called on any goroutine and wait for nothing but, in Wait, what it says.
package figures

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
	"easel/ui/core/render"
)

// Library is what a Drawer reads figures from and puts drawings into.
type Library interface {
	Image(ctx context.Context, idOrURI string) (library.Image, error)
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
	AddDrawing(ctx context.Context, idOrURI string, d library.Drawing) (library.Image, error)
}

// Renderer draws; a [render.Renderer] does.
type Renderer interface {
	Draws(mime string) bool
	Draw(ctx context.Context, r render.Request) (render.Picture, error)
}

// Config is what a Drawer needs.
type Config struct {
	Library  Library
	Renderer Renderer
	Scale    func() float64 // device pixels per CSS pixel of the screen; nil: 2
	// Drawn is told of each figure that has its picture now, on Run's goroutine.
	Drawn func(library.Image)
	// Failed, if not nil, is called on Run's goroutine when a figure has its first Problem.
	Failed func(id string)
	Log   *slog.Logger
}

const (
	// mostWaiting bounds the queue. Beyond it the figure that has waited longest is left: it
	// is drawn when somebody looks at it.
	mostWaiting = 256
	// patience is how long one figure may take, with the engine's start.
	patience = 40 * time.Second
)

// A Drawer draws figures, the newest request first.
//
// Invariants: a figure is in jobs while it waits or is drawn, and only then; waiting holds the
// ids of those that wait, the next one last.
type Drawer struct {
	cfg  Config
	wake chan struct{} // has room for one: something waits

	mu       sync.Mutex
	jobs     map[string]*job
	waiting  []string
	problems map[string]error // why a figure has no picture, by its id
}

// A job is a figure that waits to be drawn or is being drawn.
type job struct{ done chan struct{} }

// New makes a Drawer. Run makes it draw.
func New(cfg Config) *Drawer {
	return &Drawer{cfg: cfg, wake: make(chan struct{}, 1), jobs: make(map[string]*job), problems: make(map[string]error)}
}

// Draw has a figure drawn, soon. The channel is closed when it has its picture, or is known
// to get none. It is nil if there is nothing to draw: the image has a picture, no engine knows
// its data, or its figure was refused before.
func (d *Drawer) Draw(im library.Image) <-chan struct{} {
	if !library.Undrawn(im) || im.Broken || !slices.ContainsFunc(im.Forms, func(f library.StoredForm) bool { return d.drawable(im, f.MIME) }) {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if j := d.jobs[im.ImageID]; j != nil {
		return j.done
	}
	if refused := new(render.RefusedError); errors.As(d.problems[im.ImageID], &refused) {
		return nil
	}
	j := &job{make(chan struct{})}
	d.jobs[im.ImageID] = j
	d.waiting = append(d.waiting, im.ImageID)
	if len(d.waiting) > mostWaiting {
		d.end(d.waiting[0], nil)
		d.waiting = slices.Delete(d.waiting, 0, 1)
	}
	d.nudge()
	return j.done
}

// Problem is why a figure has no picture: a [*render.UnavailableError] or a [*render.RefusedError].
// It is nil if it has one, was not drawn yet, or waits.
func (d *Drawer) Problem(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.problems[id]
}

// Run draws figures until ctx ends. What waits then is drawn when somebody looks at it.
func (d *Drawer) Run(ctx context.Context) {
	for {
		id, ok := d.take()
		if !ok {
			select {
			case <-d.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := d.draw(ctx, id)
		if ctx.Err() != nil {
			return
		}
		d.mu.Lock()
		first := d.problems[id] == nil
		d.end(id, err)
		d.mu.Unlock()
		if err != nil && first && d.cfg.Failed != nil {
			d.cfg.Failed(id)
		}
	}
}

// take takes the next figure from the queue.
func (d *Drawer) take() (id string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.waiting)
	if n == 0 {
		return "", false
	}
	id, d.waiting = d.waiting[n-1], d.waiting[:n-1]
	if n > 1 {
		d.nudge() // another Run may draw the next one
	}
	return id, true
}

func (d *Drawer) nudge() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// end ends a job; d.mu is held.
func (d *Drawer) end(id string, err error) {
	delete(d.problems, id)
	if err != nil {
		d.problems[id] = err
	}
	close(d.jobs[id].done)
	delete(d.jobs, id)
}

// draw draws a figure and keeps the drawing.
func (d *Drawer) draw(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	im, err := d.cfg.Library.Image(ctx, id)
	if err != nil || !library.Undrawn(im) {
		return nil // it was deleted, or drawn meanwhile
	}
	drawn, err := d.render(ctx, im)
	if err != nil {
		if before := d.Problem(id); before == nil || before.Error() != err.Error() {
			d.cfg.Log.InfoContext(ctx, "a figure was not drawn", "image", id, "kind", im.Interactive, "err", err)
		}
		return err
	}
	kind, ok := picture.InteractiveOf(im.Interactive)
	if !ok {
		kind.Name = "an SVG"
	}
	im, err = d.cfg.Library.AddDrawing(ctx, id, library.Drawing{
		PNG: drawn.PNG, Title: mimebundle.Clip(drawn.Title, 200), Description: mimebundle.DescribeDrawn(kind, drawn.Blocked),
	})
	if errors.Is(err, library.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("keeping a drawing: %w", err)
	}
	if d.cfg.Drawn != nil {
		d.cfg.Drawn(im)
	}
	return nil
}

// drawable tells whether a form of an image may be drawn. A widget talks to its kernel, and
// shows nothing without.
func (d *Drawer) drawable(im library.Image, mime string) bool {
	return im.Interactive != picture.Widget && d.cfg.Renderer.Draws(mime)
}

// render draws a figure from the first of its forms that can be drawn.
func (d *Drawer) render(ctx context.Context, im library.Image) (render.Picture, error) {
	scale := 2.0
	if d.cfg.Scale != nil {
		scale = min(max(d.cfg.Scale(), 1), 4)
	}
	var first error
	for _, f := range im.Forms {
		if !d.drawable(im, f.MIME) {
			continue
		}
		data, err := d.cfg.Library.ReadForm(ctx, im, f.MIME)
		if err != nil {
			first = preferred(first, err)
			continue
		}
		for _, r := range requests(f.MIME, data) {
			r.Scale = scale
			drawn, err := d.cfg.Renderer.Draw(ctx, r)
			if err == nil {
				return drawn, nil
			}
			if ctx.Err() != nil {
				return render.Picture{}, ctx.Err()
			}
			first = preferred(first, err)
		}
	}
	return render.Picture{}, first
}

// requests are the ways to draw a form, the best one first: a page may have a chart of Vega's
// in it, which needs no browser.
func requests(mime string, data []byte) (list []render.Request) {
	if mime == "text/html" {
		if vega, spec, ok := mimebundle.VegaSpec(data); ok {
			list = append(list, render.Request{MIME: vega, Data: spec})
		}
	}
	return append(list, render.Request{MIME: mime, Data: data})
}

// preferred is which of two errors is told: one that the user can do something about.
func preferred(a, b error) error {
	if unavailable := new(render.UnavailableError); a == nil || !errors.As(a, &unavailable) && errors.As(b, &unavailable) {
		return b
	}
	return a
}
