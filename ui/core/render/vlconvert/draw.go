package vlconvert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"log/slog"
	"time"

	"easel/ui/core/render"
)

const (
	// maxEdge is the longest side of a picture, in device pixels. The worker reduces the
	// scale of a figure that would be larger.
	maxEdge = 8192
	// maxWidth bounds the space that a caller may give a figure.
	maxWidth = 10_000
)

// A request is a figure as the worker reads it; its data is the frame's body.
type request struct {
	Kind    string  `json:"kind"`
	Version string  `json:"version"`
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	Scale   float64 `json:"scale"`
	Limit   float64 `json:"limit"` // seconds
}

// An answer is the worker's; the picture is the frame's body.
type answer struct {
	Title   string   `json:"title"`
	Blocked []string `json:"blocked"`
	Pages   int      `json:"pages"` // of a PDF
	Error   string   `json:"error"`
	Memory  bool     `json:"memory"` // it had too little
}

// Draw draws a figure. It waits for those before it, and starts the worker if there is
// none. A chart with the width "container" gets the request's width, or 400 pixels;
// any other chart keeps its own size, as does an SVG that has one. Where the picture would
// have more than 8192 pixels on one side, or more than 32 million, its scale is reduced.
//
// The end of ctx ends the worker, because nothing else stops it.
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
	if e.isClosed() { // while it waited
		return render.Picture{}, render.ErrClosed
	}
	p, err := e.draw(ctx, q, r.Data)
	e.rest()
	return p, err
}

// request checks a request, and fills in what it leaves open.
func (e *Engine) request(r render.Request) (request, error) {
	kind, version := kindOf(r.MIME)
	if kind == "" {
		return request{}, refused(fmt.Sprintf("vl-convert draws Vega-Lite, Vega, SVG and PDF, not %.100q", r.MIME))
	}
	if len(r.Data) > e.cfg.Data {
		return request{}, refused(fmt.Sprintf("its data has %d MB, and at most %d MB are drawn; aggregate or sample the data",
			len(r.Data)>>20, e.cfg.Data>>20))
	}
	scale := r.Scale
	if scale == 0 {
		scale = 1
	}
	return request{
		Kind: kind, Version: version, Scale: min(max(scale, 1), 4), Limit: e.cfg.Limit.Seconds(),
		Width: min(max(r.Width, 0), maxWidth), Height: min(max(r.Height, 0), maxWidth),
	}, nil
}

// draw draws with the turn. A worker that has drawn before may have been killed since, or
// die of what it keeps: then the figure gets a new one.
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
			e.drop() // V8 keeps what a large figure took
		}
		return pictureOf(a, body)
	}
}

// ready is a worker that waits for a figure; fresh if it has drawn none.
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
		e.cfg.Log.DebugContext(ctx, "vl-convert is started", "pid", w.pid(), "version", h.Version, "confined", h.Held, "took", time.Since(began))
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

// ask has a worker draw a figure within the limits.
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

// explain turns the error of a figure that ended its worker into one of package render's.
func (e *Engine) explain(err error, said string) error {
	if !errors.Is(err, errDied) {
		return err // the reason why it was killed
	}
	if outOfMemory.MatchString(said) {
		return e.tooLarge()
	}
	return refused("the program that draws it crashed; the figure may be too complex")
}

// pictureOf is what an answer gives.
func pictureOf(a answer, body []byte) (render.Picture, error) {
	if a.Error != "" {
		return render.Picture{}, refused(a.Error)
	}
	c, err := png.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return render.Picture{}, refused("vl-convert gave no picture")
	}
	if c.Width > maxEdge || c.Height > maxEdge {
		return render.Picture{}, refused(fmt.Sprintf("its picture has %d by %d pixels, which is too much", c.Width, c.Height))
	}
	return render.Picture{PNG: body, Width: c.Width, Height: c.Height, Title: a.Title, Blocked: a.Blocked, Pages: a.Pages}, nil
}
