package vlconvert

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"log/slog"
	"time"

	"easel/ui/core/render"
)

const (
	// maxEdge is the maximum width and height of a picture, in device pixels. The worker
	// reduces the scale of a figure that would be larger.
	maxEdge  = 8192
	maxScale = 8
	// maxWidth is the maximum width and height of a Request, in CSS pixels.
	maxWidth = 10_000
)

// A request is the header of a frame to the worker. The figure's data is the body.
type request struct {
	Kind    string  `json:"kind"`
	Version string  `json:"version"`
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	Scale   float64 `json:"scale"`
	Format  string  `json:"format"`
	Limit   float64 `json:"limit"` // seconds
}

// An answer is the header of a frame from the worker. The picture is the body.
type answer struct {
	Title   string     `json:"title"`
	Blocked []string   `json:"blocked"`
	Inches  [2]float64 `json:"inches"` // of a vector picture
	Error   string     `json:"error"`
	Pages   int        `json:"pages"`  // of a PDF
	Memory  bool       `json:"memory"` // it ran out of memory

	Picture int        `json:"picture"` // bytes of the picture, if more follows: what the marks of a chart say, as figures.Drawn reads it
	Size    [2]float64 `json:"size"`    // of such a chart in its own pixels
}

// Draw draws a figure. It waits for earlier calls, and starts the worker if there is none.
// A chart with the width "container" gets the request's width, or 400 pixels. Any other
// chart keeps its own size, as does an SVG that has one. If the picture would be wider or
// higher than 8192 pixels, or have more than 32 Mi pixels, its scale is reduced. A figure
// whose scale would be less than 0.25 is refused.
//
// When ctx is done, Draw kills the worker, because a figure cannot be cancelled.
func (e *Engine) Draw(ctx context.Context, r render.Request) (render.Picture, error) {
	q, err := e.request(r)
	if err != nil {
		return render.Picture{}, err
	}
	if e.isClosed() {
		return render.Picture{}, render.ErrClosed
	}
	select {
	case <-e.closing:
		return render.Picture{}, render.ErrClosed
	case <-ctx.Done():
		return render.Picture{}, ctx.Err()
	case e.turn <- struct{}{}:
	}
	defer func() { <-e.turn }()
	if e.isClosed() { // closed while this call waited
		return render.Picture{}, render.ErrClosed
	}
	p, err := e.draw(ctx, q, r.Data)
	e.rest()
	return p, err
}

// Prepare starts the worker if there is none.
func (e *Engine) Prepare(ctx context.Context, _ string) error {
	if e.isClosed() {
		return render.ErrClosed
	}
	select {
	case e.turn <- struct{}{}:
	default:
		return nil // it draws
	}
	defer func() { <-e.turn }()
	if e.isClosed() {
		return render.ErrClosed
	}
	_, _, err := e.ready(ctx)
	e.rest()
	return err
}

// request checks r and converts it to a request for the worker, with defaults filled in.
func (e *Engine) request(r render.Request) (request, error) {
	kind, version := kindOf(r.MIME)
	if kind == "" {
		return request{}, refused(fmt.Sprintf("vl-convert draws Vega-Lite, Vega, SVG and PDF, not %.100q", r.MIME))
	}
	if kind == "pdf" && r.Format != "" {
		return request{}, render.ErrFormat
	}
	if len(r.Data) > e.cfg.Data {
		return request{}, refused(fmt.Sprintf("its data has %d MB, and at most %d MB are drawn; aggregate or sample the data",
			len(r.Data)>>20, e.cfg.Data>>20))
	}
	scale := r.Scale
	scale = cmp.Or(scale, 1)
	return request{
		Kind: kind, Version: version, Scale: min(max(scale, 1), maxScale), Format: r.Format, Limit: e.cfg.Limit.Seconds(),
		Width: min(max(r.Width, 0), maxWidth), Height: min(max(r.Height, 0), maxWidth),
	}, nil
}

// draw draws a figure. If a worker that has drawn before ends, it tries again with a new
// one, because the cause may be something before this figure. The caller holds turn.
func (e *Engine) draw(ctx context.Context, q request, data []byte) (render.Picture, error) {
	for {
		w, fresh, err := e.ready(ctx)
		if err != nil {
			return render.Picture{}, err
		}
		a, body, err := e.ask(ctx, w, q, data)
		if errors.Is(err, errDied) && !fresh {
			e.drop()
			continue
		}
		if err != nil {
			said := w.said()
			level := slog.LevelWarn
			if ctx.Err() != nil || errors.Is(err, render.ErrClosed) {
				level = slog.LevelDebug
			}
			e.cfg.Log.Log(ctx, level, "a figure ended the vl-convert worker", "kind", q.Kind, "bytes", len(data), "err", err, "log", said)
			e.drop()
			return render.Picture{}, e.explain(err, said)
		}
		if said := w.said(); said != "" {
			e.cfg.Log.DebugContext(ctx, "vl-convert", "log", said)
		}
		if w.memory() > e.cfg.Memory/2 {
			e.drop() // V8 does not release the memory of a large figure
		}
		return pictureOf(q, a, body)
	}
}

// ready returns a worker that can draw a figure. It starts one if necessary. fresh means that
// the worker has drawn none yet. The caller holds turn.
func (e *Engine) ready(ctx context.Context) (w *worker, fresh bool, err error) {
	python, err := e.interpreter()
	if err != nil {
		return nil, false, err
	}
	e.mu.Lock()
	w = e.worker
	e.mu.Unlock()
	if w != nil && w.python == python && !w.dead() {
		return w, false, nil
	}
	e.drop()
	began := time.Now()
	w, err = startWorker(python, e.cfg)
	if err != nil {
		return nil, false, &render.UnavailableError{
			Reason: fmt.Sprintf("the program that draws charts does not start: %v", err),
			Remedy: "check that there is room in the directory for temporary files, and restart Easel",
		}
	}
	if err := e.use(w); err != nil {
		w.end()
		return nil, false, err
	}
	h, err := w.greet(ctx)
	switch {
	case err == nil && h.Missing == "":
		e.cfg.Log.DebugContext(ctx, "vl-convert has started", "pid", w.pid(), "version", h.Version, "confined", h.Held, "took", time.Since(began))
		return w, true, nil
	case err == nil:
		e.forget()
		err = missing(python)
	case errors.Is(err, errDied) || errors.Is(err, errSlow):
		e.forget()
		e.cfg.Log.WarnContext(ctx, "vl-convert does not start", "err", err, "log", w.said())
		err = &render.UnavailableError{
			Reason: fmt.Sprintf("the program that draws charts does not start: %v", err),
			Remedy: "see Easel's log, and restart Easel",
		}
	}
	e.drop()
	return nil, false, err
}

// ask sends a figure to a worker and receives the answer, within the limits.
func (e *Engine) ask(ctx context.Context, w *worker, q request, data []byte) (a answer, body []byte, err error) {
	tooLong := refused(fmt.Sprintf("it takes longer than %v; draw fewer marks, or aggregate the data", e.cfg.Limit))
	err = w.guard(ctx, e.cfg.Limit, tooLong, func(n int) error {
		stop := w.watchMemory(n, e.cfg.Memory, e.tooLarge())
		defer stop()
		if err := w.send(q, data); err != nil {
			return err
		}
		var err error
		body, err = w.receive(&a)
		return err
	})
	return a, body, err
}

func (e *Engine) tooLarge() error {
	return refused(fmt.Sprintf("it takes more than %d MB of memory; draw fewer marks, or aggregate the data", e.cfg.Memory>>20))
}

// explain converts the error of a figure that ended its worker to an error of package
// render. said is the end of the worker's log.
func (e *Engine) explain(err error, said string) error {
	if !errors.Is(err, errDied) {
		return err // the reason for which we killed it
	}
	if outOfMemory.MatchString(said) {
		return e.tooLarge()
	}
	return refused("the program that draws it crashed; the figure may be too complex")
}

// pictureOf checks an answer and returns its picture.
func pictureOf(q request, a answer, body []byte) (render.Picture, error) {
	if a.Error != "" {
		return render.Picture{}, refused(a.Error)
	}
	if q.Format != "" {
		return render.Picture{Data: body, Inches: a.Inches, Title: a.Title, Blocked: a.Blocked}, nil
	}
	var marks []byte
	if a.Picture > 0 && a.Picture < len(body) {
		body, marks = body[:a.Picture], body[a.Picture:]
	}
	c, err := png.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return render.Picture{}, refused("vl-convert returned no picture")
	}
	if c.Width > maxEdge || c.Height > maxEdge {
		return render.Picture{}, refused(fmt.Sprintf("its picture has %d by %d pixels, which is too much", c.Width, c.Height))
	}
	p := render.Picture{PNG: body, Width: c.Width, Height: c.Height, Title: a.Title, Blocked: a.Blocked, Pages: a.Pages}
	a.describe(&p, marks)
	return p, nil
}
