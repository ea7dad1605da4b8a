// Package figures draws the library's figures that came without a picture. New figures are
// drawn immediately, older ones when a user views them. Once drawn, a figure is an image
// like any other.
//
// # Goroutines
//
// Run draws. Call it on several goroutines to draw several figures at a time. RunPreparing
// starts the engines ahead of time. Draw, Expect and Problem are safe for concurrent use and
// do not block.
package figures

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"easel/internal/truncate"
	"easel/internal/wake"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
	"easel/ui/core/render"
)

// A Library stores figures and their drawings. A [library.Images] is one.
type Library interface {
	Image(ctx context.Context, idOrURI string) (library.Image, error)
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
	AddDrawing(ctx context.Context, idOrURI string, d library.Drawing) (library.Image, error)
}

// A Renderer draws figures. A [render.Renderer] is one.
type Renderer interface {
	Draws(mime string) bool
	CanDraw(mime string) error
	Draw(ctx context.Context, r render.Request) (render.Picture, error)
	Prepare(ctx context.Context, mime string) error
}

// A Config configures a Drawer. Library, Renderer and Log are required.
type Config struct {
	Library  Library
	Renderer Renderer
	Scale    func() float64 // device pixels per CSS pixel of the screen; nil: 2
	// Drawn is called on Run's goroutine with each figure that was drawn. May be nil.
	Drawn func(library.Image)
	// Failed, if not nil, is called on Run's goroutine when a figure has its first Problem.
	Failed func(id string)
	Log    *slog.Logger
}

const (
	// mostWaiting is the maximum length of the queue. When it is full, the figure that has
	// waited longest is dropped; it is drawn when a user views it.
	mostWaiting = 256
	// patience is the timeout for one figure, including the start of the engine.
	patience = 40 * time.Second
)

// A Drawer draws figures, the most recently requested first.
//
// Invariants: jobs contains exactly the figures that wait or are being drawn, by id.
// waiting contains the ids of those that wait; the last one is drawn next.
type Drawer struct {
	cfg  Config
	wake wake.Signal // one slot: a figure waits
	soon chan string // MIME types of figures that are expected

	mu       sync.Mutex
	jobs     map[string]*job
	waiting  []string
	problems map[string]error // of the last attempt to draw a figure, by its id
}

// A job is a figure that waits to be drawn or is being drawn.
type job struct{ done chan struct{} }

// New returns a Drawer. It draws while Run runs.
func New(cfg Config) *Drawer {
	return &Drawer{cfg: cfg, wake: wake.New(), soon: make(chan string, 8), jobs: make(map[string]*job), problems: make(map[string]error)}
}

// Draw queues a figure to be drawn. The returned channel is closed when the figure was
// drawn, has a Problem, or was dropped because the queue is full. Draw returns nil if there
// is nothing to do: the image has a picture or its file is damaged, no engine draws its
// type, or an engine has refused it.
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
	d.wake.Notify()
	return j.done
}

// Problem returns the error of the last attempt to draw the figure with this id, usually a
// [*render.UnavailableError] or a [*render.RefusedError]. It is nil if the figure was drawn
// or no attempt has ended yet.
func (d *Drawer) Problem(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.problems[id]
}

// Run draws figures until ctx is done. The channels of figures that are not drawn by then
// are never closed.
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

// take removes the next figure from the queue. It returns false if the queue is empty.
func (d *Drawer) take() (id string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.waiting)
	if n == 0 {
		return "", false
	}
	id, d.waiting = d.waiting[n-1], d.waiting[:n-1]
	if n > 1 {
		d.wake.Notify() // another Run can draw the next one
	}
	return id, true
}

// end removes a job and stores its error. The caller holds d.mu.
func (d *Drawer) end(id string, err error) {
	delete(d.problems, id)
	if err != nil {
		d.problems[id] = err
	}
	close(d.jobs[id].done)
	delete(d.jobs, id)
}

// draw draws a figure and stores the drawing in the library.
func (d *Drawer) draw(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	im, err := d.cfg.Library.Image(ctx, id)
	if err != nil || !library.Undrawn(im) {
		return nil // deleted, or drawn in the meantime
	}
	drawn, err := d.Render(ctx, im, func(r render.Request) (render.Request, error) {
		r.Scale = d.scale()
		return r, nil
	})
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
		PNG: drawn.PNG, Title: truncate.Runes(drawn.Title, 200), Description: mimebundle.DescribeDrawn(kind, drawn.Pages, drawn.Blocked),
		Facts: drawn.Facts,
	})
	if errors.Is(err, library.ErrNotFound) {
		return nil // deleted in the meantime
	}
	if err != nil {
		return fmt.Errorf("storing a drawing: %w", err)
	}
	if d.cfg.Drawn != nil {
		d.cfg.Drawn(im)
	}
	return nil
}

// drawable reports whether a form of an image can be drawn. A widget cannot: without its
// kernel it shows nothing.
func (d *Drawer) drawable(im library.Image, mime string) bool {
	return im.Interactive != picture.Widget && d.cfg.Renderer.Draws(mime)
}

// CanDraw returns nil if an engine draws one of an image's forms now, and otherwise the error that Render would
// return. It draws nothing and starts no engine.
func (d *Drawer) CanDraw(ctx context.Context, im library.Image) error {
	var first error
	for _, f := range im.Forms {
		if !d.drawable(im, f.MIME) {
			continue
		}
		err := d.cfg.Renderer.CanDraw(f.MIME)
		if err != nil && f.MIME == "text/html" { // it may have a chart that needs no browser
			if data, err2 := d.cfg.Library.ReadForm(ctx, im, f.MIME); err2 == nil {
				if vega, _, ok := mimebundle.VegaSpec(data); ok {
					err = d.cfg.Renderer.CanDraw(vega)
				}
			}
		}
		if err == nil {
			return nil
		}
		first = preferred(first, err)
	}
	if first == nil {
		first = &render.RefusedError{Reason: "nothing here draws it"}
	}
	return first
}

// scale returns the device pixels per CSS pixel of the screen.
func (d *Drawer) scale() float64 {
	if d.cfg.Scale == nil {
		return 2
	}
	return min(max(d.cfg.Scale(), 1), 4)
}

// Rasterize draws an SVG, and returns the PNG.
func (d *Drawer) Rasterize(ctx context.Context, svg []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := d.cfg.Renderer.Draw(ctx, render.Request{MIME: picture.SVG, Data: svg, Scale: d.scale()})
	return p.PNG, err
}

// Render draws an image from the first of its forms that can be drawn, and keeps nothing.
// Change may alter each request before.
func (d *Drawer) Render(ctx context.Context, im library.Image, change func(render.Request) (render.Request, error)) (render.Picture,
	error,
) {
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
			r, err := change(r)
			if err != nil {
				return render.Picture{}, err
			}
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

// requests returns the ways to draw a form, best first. A Vega chart within HTML can be
// drawn without a browser.
func requests(mime string, data []byte) (list []render.Request) {
	if mime == "text/html" {
		if vega, spec, ok := mimebundle.VegaSpec(data); ok {
			list = append(list, render.Request{MIME: vega, Data: spec})
		}
	}
	return append(list, render.Request{MIME: mime, Data: data})
}

// preferred returns the error to report: a, unless it is nil or only b is an
// UnavailableError, which the user can do something about.
func preferred(a, b error) error {
	if unavailable := new(render.UnavailableError); a == nil || !errors.As(a, &unavailable) && errors.As(b, &unavailable) {
		return b
	}
	return a
}
