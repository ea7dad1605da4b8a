// Package browser draws Plotly, Bokeh, HoloViews, folium and Vega figures, and any other
// HTML, with the user's Chrome, Edge or Chromium.
//
// A figure may be hostile. It is drawn in a headless browser with the browser's sandbox, in
// a temporary profile, and it cannot access anything outside its page:
//
//   - On Linux, the browser runs in a network namespace without a network, if the system
//     allows that.
//   - The browser resolves no names or addresses, and uses no proxy.
//   - Every request is intercepted. A request for anything but the figure's document or a
//     library from Easel or a kernel is refused, and listed in render.Picture.Blocked.
//   - The page's Content-Security-Policy forbids what cannot be intercepted. Its sandbox
//     forbids windows, dialogs, downloads, forms, storage and navigation.
//
// Chromium does not start with its sandbox as root. If Easel runs as root, it starts the
// browser as nobody. It never starts it without the sandbox.
//
// Figures are drawn one at a time, within a time limit and, on Linux, a memory limit. A
// figure that is a page gets a tab of its own; for one of pydeck, the tab has loaded its library
// before. Figures of a kind that Easel's own page draws from data, without running any of their
// scripts, use one tab after each other: to load Plotly takes three times as long as to draw
// with it.
//
// # Goroutines
//
// An Engine is safe for concurrent use. Draw runs on its caller's goroutine, and waits for
// earlier calls. Each running browser has four goroutines: one owns the process and its
// thread, one kills it, one reads its messages, and one answers its requests. While a
// figure is drawn, three more watch it. After that, another prepares the tabs for the next
// figure, which waits for that. A timer stops an unused browser. Close ends all of them.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

const (
	maxData       = 64 << 20
	defaultIdle   = 3 * time.Minute
	defaultLimit  = 10 * time.Second
	defaultMemory = 2 << 30
	tidyLimit     = 10 * time.Second
)

// A Config configures an Engine. The zero value draws without the kernels' libraries.
type Config struct {
	// Path is the path or name of the browser. If empty, Find looks for one.
	Path string
	// Packages returns the site-packages directories of the kernels' Python environments,
	// preferred first. They contain the scripts of Plotly, Bokeh and Panel. It is called
	// for each figure that needs them, on any goroutine. May be nil.
	Packages func() []string
	// Dir is the directory for the browser's profile. If empty, it is the system's
	// directory for temporary files. If Easel runs as root, other users must have access.
	Dir string
	// FontDirs are absolute paths of directories with fonts that the browser uses for
	// characters that no font of the system has. They are used on systems with fontconfig.
	FontDirs []string
	// Idle is the time after which an unused browser is stopped. If 0, it is three minutes.
	Idle time.Duration
	// TimeLimit is the timeout for one figure. If 0, it is ten seconds.
	TimeLimit time.Duration
	// MemoryLimit is the browser's memory limit in bytes. If 0, it is 2 GiB. It applies only
	// on Linux.
	MemoryLimit int64
	// Log receives messages at level debug. May be nil.
	Log *slog.Logger

	arguments []string      // additional arguments of the browser, for tests
	calm      time.Duration // timeout for a page to become calm; 0: calmLimit
	tidy      time.Duration // timeout for preparing the tabs for the next figure; 0: tidyLimit
	perStage  int           // number of figures that are drawn on one stage; 0: maxDrawn
}

// An Engine draws figures with a browser.
type Engine struct {
	config    Config
	log       *slog.Logger
	libraries *page.Libraries
	open      doors // set by tests

	closing chan struct{} // closed by Close
	once    sync.Once

	// turn has one slot. Its holder draws, starts or stops the browser, and owns the fields
	// up to used.
	turn    chan struct{}
	browser *process
	way     *way // that worked last; nil if none has
	swept   bool
	current atomic.Pointer[process] // the last browser, for tests
	tabs    tabs                    // of browser
	used    time.Time

	waiting atomic.Int32 // figures that wait for turn

	timer sync.Mutex
	idle  *time.Timer
}

var _ render.Engine = (*Engine)(nil)

// New returns an Engine. It starts no browser until the first figure.
func New(config Config) *Engine {
	config.Dir = cmp.Or(config.Dir, os.TempDir())
	if config.Idle <= 0 {
		config.Idle = defaultIdle
	}
	if config.TimeLimit <= 0 {
		config.TimeLimit = defaultLimit
	}
	if config.calm <= 0 {
		config.calm = calmLimit
	}
	if config.tidy <= 0 {
		config.tidy = tidyLimit
	}
	if config.perStage <= 0 {
		config.perStage = maxDrawn
	}
	if config.MemoryLimit <= 0 {
		config.MemoryLimit = defaultMemory
	}
	e := &Engine{
		config: config, log: config.Log, libraries: &page.Libraries{Packages: config.Packages}, turn: make(chan struct{}, 1),
		closing: make(chan struct{}),
	}
	e.log = cmp.Or(e.log, slog.New(slog.DiscardHandler))
	return e
}

// Name returns "browser".
func (e *Engine) Name() string { return "browser" }

// Draws reports whether the engine supports a MIME type: Plotly, HTML, JavaScript such as
// Bokeh's, Vega, Vega-Lite and SVG.
func (e *Engine) Draws(mime string) bool { return page.Is(mime) }

// Available returns nil if there is a browser, and an UnavailableError otherwise. It does
// not start the browser.
func (e *Engine) Available() error {
	_, err := Find(e.config.Path)
	return err
}

// Lacks returns an UnavailableError for a figure of Plotly if no environment has its library.
func (e *Engine) Lacks(mime string) error {
	if !page.IsPlotly(mime) || e.has("plotly.min.js") {
		return nil
	}
	return &render.UnavailableError{
		Lacks:  render.LacksPlotly,
		Reason: "no Python environment on this computer has Plotly's library, and one elsewhere is out of reach",
		Remedy: "start Easel's own Jupyter once, which has it, or install the package plotly for a kernel on this computer",
	}
}

// Draw draws a figure. The start of the browser does not count against the TimeLimit.
func (e *Engine) Draw(ctx context.Context, r render.Request) (render.Picture, error) {
	if !e.Draws(r.MIME) {
		return render.Picture{}, &render.RefusedError{Reason: fmt.Sprintf("a browser does not draw %q", r.MIME)}
	}
	if r.Format != "" {
		return render.Picture{}, render.ErrFormat
	}
	if len(r.Data) > maxData {
		return render.Picture{}, &render.RefusedError{Reason: fmt.Sprintf("it has %d MB of data, and the limit is %d MB", len(r.Data)>>20,
			maxData>>20)}
	}
	p, err := page.New(r)
	if err != nil {
		return render.Picture{}, err
	}
	if err := e.Lacks(r.MIME); err != nil {
		return render.Picture{}, err
	}
	if p.Stage.Body != nil && !p.Own && !e.has(page.PydeckBundle) {
		p.Stage = page.Document{} // its own page says what is missing
	}
	if err := e.begin(ctx); err != nil {
		return render.Picture{}, err
	}
	pic, err := e.drawInTurn(ctx, r, p)
	limit := 0
	switch {
	case err != nil:
	case !p.Again:
		limit = 1
	case len(pic.Blocked) == 0:
		limit = e.config.perStage
	}
	go e.tidy(limit) //nolint:gosec // it continues after the call, with its own timeout
	return pic, err
}

// begin takes the turn.
func (e *Engine) begin(ctx context.Context) error {
	if e.closed() {
		return render.ErrClosed
	}
	e.waiting.Add(1)
	defer e.waiting.Add(-1)
	select {
	case e.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.closing:
		return render.ErrClosed
	}
}

// untilClosed returns a context that also ends when the engine is closed. Call end.
func (e *Engine) untilClosed(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-e.closing:
			cancel(render.ErrClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// drawInTurn draws a figure. It tries again once if the browser ends meanwhile, or if other
// figures were drawn in its tab before, because it may not be this figure's fault. The caller
// holds turn.
func (e *Engine) drawInTurn(ctx context.Context, r render.Request, p page.Page) (render.Picture, error) {
	ctx, end := e.untilClosed(ctx)
	defer end()
	for attempt := 0; ; attempt++ {
		if ctx.Err() != nil {
			return render.Picture{}, context.Cause(ctx)
		}
		if err := e.running(ctx); err != nil {
			return render.Picture{}, cause(ctx, err)
		}
		pic, err := e.drawLimited(ctx, r, newFigure(p, e.open))
		switch {
		case err == nil:
			if p.Solid {
				e.tabs.solid, e.tabs.now.warm = true, true
			}
			return pic, nil
		case ctx.Err() != nil:
			return render.Picture{}, context.Cause(ctx)
		case errors.Is(err, errGone) && attempt == 0:
			e.log.DebugContext(ctx, "the browser ended while it drew a figure; trying again")
			continue
		case attempt == 0 && e.tabs.now != nil && e.tabs.now.drawn > 0:
			e.log.DebugContext(ctx, "a figure was not drawn in a used tab; trying another", slog.Any("error", err))
			e.tabs.give(ctx, 0)
			continue
		}
		return render.Picture{}, verdict(err)
	}
}

// verdict converts an error to a RefusedError, unless it is one or is an UnavailableError.
func verdict(err error) error {
	_, refused := errors.AsType[*render.RefusedError](err)
	_, unavailable := errors.AsType[*render.UnavailableError](err)
	switch {
	case refused, unavailable:
		return err
	case errors.Is(err, errGone):
		return &render.RefusedError{Reason: "the browser crashed twice while drawing it"}
	}
	return &render.RefusedError{Reason: "the browser reports: " + err.Error()}
}

// drawLimited draws a figure within the limits of time and memory. The caller holds turn.
func (e *Engine) drawLimited(ctx context.Context, r render.Request, f *figure) (pic render.Picture, err error) {
	err = e.limited(ctx, func(ctx context.Context) error {
		t, err := e.tabs.take(ctx, e.browser, f)
		if err != nil {
			return cause(ctx, err)
		}
		pic, err = drawIn(ctx, t, r, f, e.config.calm)
		return err
	})
	return pic, err
}

// limited calls do within the limits of time and memory. The caller holds turn.
func (e *Engine) limited(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	p := e.browser
	var watching sync.WaitGroup
	watching.Go(func() {
		late, look := time.NewTimer(e.config.TimeLimit), time.NewTicker(pause)
		defer late.Stop()
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-late.C:
				cancel(&render.RefusedError{Reason: fmt.Sprintf("it was not drawn within %v", e.config.TimeLimit)})
				return
			case <-look.C:
				if memory(p.pid) > e.config.MemoryLimit {
					cancel(&render.RefusedError{Reason: fmt.Sprintf("it needs more than %d MB of memory", e.config.MemoryLimit>>20)})
					p.kill()
					return
				}
			}
		}
	})
	err := do(ctx)
	cancel(nil)
	watching.Wait()
	return err
}

func (e *Engine) closed() bool {
	select {
	case <-e.closing:
		return true
	default:
		return false
	}
}

// Close stops the browser, and waits until none of its processes and files is left. A
// figure that is being drawn fails with render.ErrClosed.
func (e *Engine) Close() error {
	e.once.Do(func() { close(e.closing) })
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	e.timer.Lock()
	if e.idle != nil {
		e.idle.Stop()
	}
	e.timer.Unlock()
	if e.browser != nil {
		e.stop()
	}
	return nil
}
