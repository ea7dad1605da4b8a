// Package vlconvert draws charts of Vega and Vega-Lite, and SVG, with the Python package
// vl-convert-python: it has Vega, a JavaScript engine and an SVG renderer (resvg), and needs no
// browser. It runs in a process of its own, without network, that is started when a figure is
// to be drawn and stopped when none was for a while.
//
// # Goroutines
//
// An Engine may be used on any goroutine; it draws one figure at a time. While its process
// runs, one goroutine waits for its end, one reads its errors, and one watches its memory. They
// end with it.
package vlconvert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"easel/ui/core/render"
)

// Config is what an Engine needs.
type Config struct {
	// Python is the interpreter that has vl-convert-python; "" while there is none.
	Python func() string
	Fonts  []string      // directories with fonts beside the system's
	Idle   time.Duration // after which the process is stopped; 0: five minutes
	Limit  time.Duration // for one figure; 0: ten seconds
	Memory int64         // of the process, in bytes, where the system tells it; 0: 1 GiB
	Log    *slog.Logger
}

const (
	// mostData bounds a figure's data, in bytes.
	mostData = 32 << 20
	// startLimit is how long the process may take to start: from a cold disk it reads 84 MB.
	startLimit = 30 * time.Second
	// mostReason is how many characters of an error of Vega's are told.
	mostReason = 300
)

// An Engine is a [render.Engine].
type Engine struct {
	cfg    Config
	ctx    context.Context //nolint:containedctx // ends with Close
	cancel context.CancelFunc
	turn   chan struct{} // holds a token; who has it owns worker and idle
	worker *worker       // nil: none runs
	idle   *time.Timer

	mu      sync.Mutex
	missing map[string]string // what an interpreter lacks, by its path
}

// New makes an Engine. It starts nothing yet.
func New(cfg Config) *Engine {
	cfg.Idle = cmp.Or(cfg.Idle, 5*time.Minute)
	cfg.Limit = cmp.Or(cfg.Limit, 10*time.Second)
	cfg.Memory = cmp.Or(cfg.Memory, 1<<30)
	e := &Engine{cfg: cfg, turn: make(chan struct{}, 1), missing: make(map[string]string)}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.turn <- struct{}{}
	return e
}

// Name implements [render.Engine].
func (e *Engine) Name() string { return "vl-convert" }

// Draws implements [render.Engine].
func (e *Engine) Draws(mime string) bool {
	return mime == "image/svg+xml" || strings.HasSuffix(mime, "+json") &&
		(strings.HasPrefix(mime, "application/vnd.vegalite.v") || strings.HasPrefix(mime, "application/vnd.vega.v"))
}

// Available implements [render.Engine].
func (e *Engine) Available() error {
	python := e.cfg.Python()
	if python == "" {
		return &render.UnavailableError{Reason: "Easel's Python environment is not installed yet", Remedy: "wait until the managed Jupyter is ready"}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if what := e.missing[python]; what != "" {
		return &render.UnavailableError{Reason: "Easel's Python environment cannot draw charts: " + what, Remedy: "install vl-convert-python in it: " + python + " -m pip install vl-convert-python"}
	}
	return nil
}

// Draw implements [render.Engine].
func (e *Engine) Draw(ctx context.Context, r render.Request) (render.Picture, error) {
	if len(r.Data) > mostData {
		return render.Picture{}, &render.RefusedError{Reason: fmt.Sprintf("its data is larger than %d MB", mostData>>20)}
	}
	select {
	case <-e.turn:
	case <-ctx.Done():
		return render.Picture{}, ctx.Err()
	case <-e.ctx.Done():
		return render.Picture{}, render.ErrClosed
	}
	defer e.rest()
	if e.ctx.Err() != nil {
		return render.Picture{}, render.ErrClosed
	}
	if err := e.start(ctx); err != nil {
		return render.Picture{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, e.cfg.Limit, errTooSlow)
	defer cancel()
	stop := context.AfterFunc(e.ctx, cancel)
	defer stop()
	scale := cmp.Or(r.Scale, 1)
	got, png, err := e.worker.ask(limited, request{MIME: r.MIME, Scale: scale, Width: r.Width, Height: r.Height}, r.Data)
	if err != nil {
		e.stop()
		return render.Picture{}, e.failure(ctx, limited, err)
	}
	if got.Refused != "" {
		return render.Picture{}, &render.RefusedError{Reason: reason(got.Refused)}
	}
	w, h, err := size(png)
	if err != nil {
		return render.Picture{}, &render.RefusedError{Reason: err.Error()}
	}
	return render.Picture{PNG: png, Width: w, Height: h, Title: got.Title, Blocked: got.Blocked}, nil
}

var errTooSlow = errors.New("it takes too long to draw")

// failure is why the process gave no answer.
func (e *Engine) failure(ctx, limited context.Context, err error) error {
	switch {
	case e.ctx.Err() != nil:
		return render.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(limited), errTooSlow):
		return &render.RefusedError{Reason: fmt.Sprintf("drawing it takes more than %v", e.cfg.Limit)}
	case errors.Is(err, errTooLarge):
		return &render.RefusedError{Reason: fmt.Sprintf("drawing it takes more than %d MB of memory", e.cfg.Memory>>20)}
	default: // the process died: of this figure, as far as anybody can tell
		return &render.RefusedError{Reason: err.Error()}
	}
}

// start starts the process if it does not run. The caller has the turn.
func (e *Engine) start(ctx context.Context) error {
	if e.worker != nil && e.worker.alive() {
		return nil
	}
	e.stop()
	if err := e.Available(); err != nil {
		return err
	}
	python := e.cfg.Python()
	w, err := startWorker(python, e.cfg)
	if err != nil {
		return &render.UnavailableError{Reason: "the process that draws charts did not start: " + err.Error(), Remedy: "check " + python}
	}
	e.worker = w
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	stop := context.AfterFunc(e.ctx, cancel)
	defer stop()
	hello, _, err := w.read(limited)
	switch {
	case err != nil && e.ctx.Err() != nil:
		err = render.ErrClosed
	case err != nil && ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = &render.UnavailableError{Reason: "the process that draws charts did not start: " + err.Error(), Remedy: "check " + python}
	case hello.Missing != "":
		e.mu.Lock()
		e.missing[python] = reason(hello.Missing)
		e.mu.Unlock()
		err = e.Available()
	}
	if err != nil {
		e.stop()
	}
	return err
}

// stop ends the process, if there is one. The caller has the turn.
func (e *Engine) stop() {
	if e.worker != nil {
		e.worker.stop()
		e.worker = nil
	}
}

// rest gives the turn back. The process is stopped when nobody takes it for long.
func (e *Engine) rest() {
	if e.worker != nil {
		if e.idle != nil {
			e.idle.Stop()
		}
		w := e.worker
		e.idle = time.AfterFunc(e.cfg.Idle, func() {
			select {
			case <-e.turn:
				if e.worker == w && !w.usedSince(e.cfg.Idle) {
					e.stop()
				}
				e.turn <- struct{}{}
			default: // a figure is being drawn
			}
		})
	}
	e.turn <- struct{}{}
}

// Close implements [render.Engine].
func (e *Engine) Close() error {
	e.cancel()
	<-e.turn // who draws is told by ctx
	if e.idle != nil {
		e.idle.Stop()
	}
	e.stop()
	e.turn <- struct{}{}
	return nil
}

// reason is an error of Vega's without the places in its code.
func reason(text string) string {
	text, _, _ = strings.Cut(text, "\n    at ")
	text = strings.Join(strings.Fields(strings.TrimPrefix(text, "Vega-Lite to SVG conversion failed:")), " ")
	if r := []rune(text); len(r) > mostReason {
		text = string(r[:mostReason]) + "…"
	}
	return cmp.Or(text, "it raised an error")
}
