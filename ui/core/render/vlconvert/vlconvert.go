// Package vlconvert is an engine of package render for Vega-Lite, Vega, SVG and PDF. It
// draws charts and SVG with vl-convert, a Python package that contains V8 and an SVG
// renderer, and the first page of a PDF with PDFium. Both run in a separate process, the
// worker. It needs no browser.
//
// Figures may be hostile. The worker's environment contains none of Easel's secrets, and
// the worker loads no data, pictures or fonts that a figure names. References to them are
// removed before a figure is drawn (python/spec.py, python/safesvg.py), because vl-convert
// would read local pictures. On Linux the kernel enforces this (python/confine.py): the
// worker cannot open sockets, start programs, or access files other than fonts, Python's
// and the system's. If a figure takes too much time or memory, its worker is killed, and
// the next figure gets a new one.
//
// # Goroutines
//
// An Engine is safe for concurrent use. Draw runs on its caller's goroutine and draws one
// figure at a time; other calls wait. Each worker has a goroutine that waits for its end
// and, while it draws, one that watches its memory. A timer ends an idle worker. Close ends
// all of them and waits.
package vlconvert

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"regexp"
	"sync"
	"time"

	"easel/internal/truncate"
	"easel/ui/core/render"
)

// Defaults of Config.
const (
	DefaultIdle   = 5 * time.Minute
	DefaultLimit  = 10 * time.Second
	DefaultMemory = 1 << 30
	DefaultData   = 32 << 20
)

// A Config configures an Engine. Python is required.
type Config struct {
	// Python returns the path of the interpreter that has vl-convert-python. While it does
	// not exist, the engine is unavailable. Python is called before each figure and must
	// not block.
	Python func() string
	// Installing reports whether the interpreter is being installed; it may be nil.
	Installing func() bool
	FontDirs   []string      // absolute paths of additional font directories
	Idle       time.Duration // time after which an unused worker ends; 0: DefaultIdle
	Limit      time.Duration // timeout for one figure; 0: DefaultLimit
	Memory     int64         // limit of a worker, in bytes; 0: DefaultMemory; watched only on Linux
	Data       int           // maximum size of a figure's data, in bytes; 0: DefaultData
	Log        *slog.Logger  // nil: nothing is logged
}

// An Engine draws with vl-convert.
type Engine struct {
	cfg     Config
	turn    chan struct{} // one slot; its holder draws a figure or ends the worker
	closing chan struct{} // closed by Close

	probing sync.Mutex
	probed  probe

	mu     sync.Mutex // guards the fields below
	closed bool
	worker *worker // changed only by the holder of turn; nil if there is none
	idle   *time.Timer
}

var _ render.Engine = (*Engine)(nil)

// New returns an Engine. It starts no worker until the first figure.
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
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Engine{cfg: cfg, turn: make(chan struct{}, 1), closing: make(chan struct{})}
}

// Name returns "vl-convert".
func (e *Engine) Name() string { return "vl-convert" }

// types matches, for example, application/vnd.vegalite.v5+json and, from Altair 6,
// application/vnd.vegalite.v6.json.
var types = regexp.MustCompile(`^application/vnd\.(vegalite|vega)(?:\.v(\d{1,3})[\d.]*)?[.+]json$`)

// kindOf returns the kind of data of a MIME type, and the major version in the type, if any.
// kind is empty if the engine does not support the type.
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

// Draws returns true for Vega-Lite and Vega of any version, and for SVG.
func (e *Engine) Draws(mime string) bool {
	kind, _ := kindOf(mime)
	return kind != ""
}

// Close kills the worker and waits for its end. A figure that is being drawn fails.
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

// drop ends the worker, if there is one. The caller holds turn.
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

// rest starts the timer that ends the worker unless it draws again.
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
			return // a figure is being drawn
		}
		defer func() { <-e.turn }()
		e.mu.Lock()
		still := e.worker == resting && resting.figures() == figures
		e.mu.Unlock()
		if still {
			e.cfg.Log.Debug("stopping idle vl-convert", "pid", resting.pid())
			e.drop()
		}
	})
}

// refused returns a RefusedError. It shortens a long reason.
func refused(reason string) error {
	const most = 300
	return &render.RefusedError{Reason: truncate.Runes(reason, most)}
}

// exists reports whether path exists and is not a directory.
func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// errDied means that a worker ended by itself, or that its answer was invalid.
var errDied = errors.New("the worker ended")
