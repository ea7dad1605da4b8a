// Package vlconvert is an engine of package render for Vega-Lite, Vega, SVG and PDF. It
// draws charts and SVG with vl-convert, a Python package with V8 and an SVG renderer
// inside, and the first page of a PDF with PDFium, in a process of its own: the worker. No browser is needed.
//
// A figure is hostile until proven otherwise. The worker has none of Easel's secrets in
// its environment, and it loads nothing: no data, no pictures, no fonts that a figure
// names. What it would load is taken out of a figure before the figure is drawn
// (python/spec.py, python/safesvg.py), because vl-convert itself would read local
// pictures. On Linux the kernel enforces the same (python/confine.py): the worker can
// neither open sockets, nor start programs, nor read or write files other than fonts,
// Python's and the system's. A figure that takes too much time or memory takes
// its worker with it; the next figure gets a new one.
//
// # Goroutines
//
// An Engine may be used on any goroutine. Draw works on its caller's goroutine, one figure
// at a time; the others wait. Each worker has a goroutine that waits for its end, and
// while it draws another that looks at its memory. A timer ends an idle worker. Close ends
// all of them and waits.
package vlconvert

import (
	"errors"
	"log/slog"
	"os"
	"regexp"
	"sync"
	"time"

	"easel/ui/core/render"
)

// Defaults of Config.
const (
	DefaultIdle   = 5 * time.Minute
	DefaultLimit  = 10 * time.Second
	DefaultMemory = 1 << 30
	DefaultData   = 32 << 20
)

// Config says what an Engine draws with. Python must be set.
type Config struct {
	// Python gives the interpreter that has vl-convert-python. It need not exist yet: until
	// then the engine gives an UnavailableError. It is asked before each figure and must not block.
	Python   func() string
	FontDirs []string      // directories of fonts beside the system's, with absolute paths
	Idle     time.Duration // after which a worker without a figure ends; 0: DefaultIdle
	Limit    time.Duration // for one figure; 0: DefaultLimit
	Memory   int64         // of a worker, in bytes; 0: DefaultMemory. Watched on Linux only
	Data     int           // bytes of a figure's data; 0: DefaultData
	Log      *slog.Logger  // nil discards
}

// An Engine draws with vl-convert.
type Engine struct {
	cfg     Config
	turn    chan struct{} // full while a figure is drawn, or the worker is ended
	closing chan struct{}

	probing sync.Mutex
	probed  probe

	mu     sync.Mutex // guards what follows
	closed bool
	worker *worker // changed only by whoever has the turn; nil if there is none
	idle   *time.Timer
}

var _ render.Engine = (*Engine)(nil)

// New makes an Engine. It starts nothing.
func New(cfg Config) *Engine {
	if cfg.Idle <= 0 {
		cfg.Idle = DefaultIdle
	}
	if cfg.Limit <= 0 {
		cfg.Limit = DefaultLimit
	}
	if cfg.Memory <= 0 {
		cfg.Memory = DefaultMemory
	}
	if cfg.Data <= 0 {
		cfg.Data = DefaultData
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Engine{cfg: cfg, turn: make(chan struct{}, 1), closing: make(chan struct{})}
}

// Name is "vl-convert".
func (e *Engine) Name() string { return "vl-convert" }

// types are, for example, application/vnd.vegalite.v5+json and, of Altair 6,
// application/vnd.vegalite.v6.json.
var types = regexp.MustCompile(`^application/vnd\.(vegalite|vega)(?:\.v(\d{1,3})[\d.]*)?[.+]json$`)

// kindOf tells what data of a type is, with the major version that the type names; kind
// is empty if it is nothing that the engine draws.
func kindOf(mime string) (kind, version string) {
	switch mime {
	case "image/svg+xml":
		return "svg", ""
	case "application/pdf":
		return "pdf", ""
	}
	if m := types.FindStringSubmatch(mime); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// Draws is true for Vega-Lite and Vega of every version, and for SVG.
func (e *Engine) Draws(mime string) bool {
	kind, _ := kindOf(mime)
	return kind != ""
}

// Close ends the worker, and the figure that it draws.
func (e *Engine) Close() error {
	e.mu.Lock()
	first := !e.closed
	e.closed = true
	if first {
		close(e.closing)
	}
	if e.worker != nil {
		e.worker.kill(render.ErrClosed)
	}
	e.mu.Unlock()
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	e.drop()
	return nil
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// use makes w the engine's worker. It fails after Close.
func (e *Engine) use(w *worker) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return render.ErrClosed
	}
	e.worker = w
	return nil
}

// drop ends the worker, if there is one. The caller has the turn.
func (e *Engine) drop() {
	e.mu.Lock()
	w := e.worker
	e.worker = nil
	if e.idle != nil {
		e.idle.Stop()
	}
	e.mu.Unlock()
	if w != nil {
		w.end()
	}
}

// rest has the worker end after a while, unless it draws again before.
func (e *Engine) rest() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.worker == nil {
		return
	}
	if e.idle != nil {
		e.idle.Stop()
	}
	resting := e.worker
	figures := resting.figures()
	e.idle = time.AfterFunc(e.cfg.Idle, func() {
		select {
		case e.turn <- struct{}{}:
		default:
			return // it draws
		}
		defer func() { <-e.turn }()
		e.mu.Lock()
		still := e.worker == resting && resting.figures() == figures
		e.mu.Unlock()
		if still {
			e.cfg.Log.Debug("vl-convert is idle and ends", "pid", resting.pid())
			e.drop()
		}
	})
}

// refused is a RefusedError with a reason of bounded length.
func refused(reason string) error {
	const most = 300
	if r := []rune(reason); len(r) > most {
		reason = string(r[:most-1]) + "…"
	}
	return &render.RefusedError{Reason: reason}
}

// exists reports whether there is a file at path that may be an interpreter.
func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// errDied tells that a worker ended by itself, or was killed by somebody else.
var errDied = errors.New("the worker ended")
