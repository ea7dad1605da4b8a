// Package browser draws figures of Plotly, Bokeh, HoloViews and folium, charts of Vega,
// and any other HTML, with the Chrome, Edge or Chromium that the user has.
//
// A figure may be hostile. It is drawn in a headless browser with its sandbox, in a
// profile that is thrown away, and it reaches nothing beyond its page:
//
//   - On Linux, the browser has no network: it runs in a network namespace of its own
//     where the system allows that.
//   - The browser resolves no name or address, and uses no proxy.
//   - Every request is intercepted. What is not a document of the figure or a library
//     that Easel or a kernel has is refused, and listed in render.Picture.Blocked.
//   - The page's Content-Security-Policy forbids what the interception does not see.
//     Its sandbox forbids windows, dialogs, downloads, forms, storage and navigation.
//
// Chromium does not start with its sandbox as root. Easel as root starts it as nobody,
// and never without the sandbox.
//
// A figure gets a limited time and, on Linux, limited memory. One figure is drawn at a time.
//
// # Goroutines
//
// An Engine may be used on any goroutine. Draw runs on its caller's, and waits for the
// figure before it. Each browser that runs has four goroutines: one that owns the
// process and its thread, one that kills it, one that reads its messages and one that
// answers its requests. A figure being drawn has three that watch it. When it is drawn, one
// closes its tab and opens the next one's; the next figure waits for it. A timer stops a
// browser that nobody uses. All have ended when Close returns.
package browser

import (
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
	tidyLimit     = 10 * time.Second // for a tab to be closed and another to be opened
)

// A Config says how figures are drawn. Its zero value is good for drawing without
// the kernels' libraries.
type Config struct {
	// Path is the browser's program. If empty, a Chrome, Edge or Chromium is looked for.
	Path string
	// Packages lists the site-packages directories of the kernels' Python environments,
	// the preferred one first. They have the scripts of Plotly, Bokeh and Panel. It is
	// called for each figure that needs them, on any goroutine. May be nil.
	Packages func() []string
	// Dir is where the browser's profile is made. If empty, the system's directory for
	// temporary files. As root, it must be accessible to other users.
	Dir string
	// Idle is how long the browser runs without a figure. If 0, three minutes.
	Idle time.Duration
	// TimeLimit is how long one figure may take. If 0, ten seconds.
	TimeLimit time.Duration
	// MemoryLimit is how many bytes the browser may use. If 0, 2 GiB. Only Linux keeps it.
	MemoryLimit int64
	// Log receives what the engine does, at level debug. May be nil.
	Log *slog.Logger

	arguments []string      // more of the browser's, for tests
	calm      time.Duration // for a page to become calm; 0: calmLimit
}

// An Engine draws figures with a browser.
type Engine struct {
	config    Config
	log       *slog.Logger
	libraries *page.Libraries
	open      doors // in tests

	closing chan struct{} // closed by Close
	once    sync.Once

	// turn is held by whoever draws, starts or stops the browser. The rest is its holder's.
	turn    chan struct{}
	browser *process
	way     *way // that has worked
	swept   bool
	current atomic.Pointer[process] // browser, for tests that watch it
	tab     *tab                    // of browser; nil: none
	used    time.Time

	timer sync.Mutex
	idle  *time.Timer
}

var _ render.Engine = (*Engine)(nil)

// New makes an engine. It starts no browser before the first figure.
func New(config Config) *Engine {
	if config.Dir == "" {
		config.Dir = os.TempDir()
	}
	if config.Idle <= 0 {
		config.Idle = defaultIdle
	}
	if config.TimeLimit <= 0 {
		config.TimeLimit = defaultLimit
	}
	if config.calm <= 0 {
		config.calm = calmLimit
	}
	if config.MemoryLimit <= 0 {
		config.MemoryLimit = defaultMemory
	}
	e := &Engine{config: config, log: config.Log, libraries: &page.Libraries{Packages: config.Packages}, turn: make(chan struct{}, 1), closing: make(chan struct{})}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	return e
}

// Name is "browser".
func (e *Engine) Name() string { return "browser" }

// Draws tells whether a type is drawn: Plotly's, HTML, scripts of Bokeh, charts of Vega
// and Vega-Lite, and SVG.
func (e *Engine) Draws(mime string) bool { return page.Is(mime) }

// Available is nil if there is a browser. It starts none.
func (e *Engine) Available() error {
	_, err := Find(e.config.Path)
	return err
}

// Draw draws a figure. The time for a browser to start is not counted as the figure's.
func (e *Engine) Draw(ctx context.Context, r render.Request) (render.Picture, error) {
	if !e.Draws(r.MIME) {
		return render.Picture{}, &render.RefusedError{Reason: fmt.Sprintf("a browser does not draw %q", r.MIME)}
	}
	if len(r.Data) > maxData {
		return render.Picture{}, &render.RefusedError{Reason: fmt.Sprintf("it has %d MB of data, and the limit is %d MB", len(r.Data)>>20, maxData>>20)}
	}
	p, err := page.New(r)
	if err != nil {
		return render.Picture{}, err
	}
	if page.IsPlotly(r.MIME) {
		if _, ok := e.libraries.Find("plotly.min.js"); !ok {
			return render.Picture{}, &render.UnavailableError{
				Lacks:  render.LacksPlotly,
				Reason: "no kernel's Python environment here has Plotly",
				Remedy: "install the package plotly in one of them",
			}
		}
	}
	if e.closed() {
		return render.Picture{}, render.ErrClosed
	}
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return render.Picture{}, ctx.Err()
	case <-e.closing:
		return render.Picture{}, render.ErrClosed
	}
	pic, err := e.drawInTurn(ctx, r, p)
	go e.tidy(p.Stage) //nolint:gosec // it goes on after the call, with a limit of its own
	return pic, err
}

// drawInTurn draws a figure, and once more if the browser ends without a fault of the figure's.
func (e *Engine) drawInTurn(ctx context.Context, r render.Request, p page.Page) (render.Picture, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-e.closing:
			cancel(render.ErrClosed)
		case <-ctx.Done():
		}
	}()
	for attempt := 0; ; attempt++ {
		if ctx.Err() != nil {
			return render.Picture{}, context.Cause(ctx)
		}
		if err := e.ready(ctx); err != nil {
			return render.Picture{}, cause(ctx, err)
		}
		pic, err := e.drawLimited(ctx, r, newFigure(p, e.open))
		switch {
		case err == nil:
			return pic, nil
		case ctx.Err() != nil:
			return render.Picture{}, context.Cause(ctx)
		case errors.Is(err, errGone) && attempt == 0:
			e.log.DebugContext(ctx, "the browser ended while it drew a figure; once more")
			continue
		}
		return render.Picture{}, verdict(err)
	}
}

// tidy has the turn of a Draw that has returned. It closes the figure's tab and opens one for
// the next figure, which is likely to have the same stage.
func (e *Engine) tidy(stage page.Document) {
	defer func() { <-e.turn }()
	if e.browser == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tidyLimit)
	defer cancel()
	go func() { // Close does not wait for a tab
		select {
		case <-e.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	defer e.rest()
	if e.tab != nil {
		e.tab.close(ctx)
		e.tab = nil
	}
	if e.browser.ended() || e.closed() {
		return
	}
	next, err := openTab(ctx, e.browser)
	if err == nil && stage.Body != nil {
		if err = next.load(ctx, stage, e.open); err != nil {
			next.close(ctx)
		}
	}
	if err != nil {
		e.log.DebugContext(ctx, "no tab for the next figure", slog.Any("error", err))
		return
	}
	e.tab = next
}

// verdict is an error as an Engine's Draw has it.
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

// drawLimited draws a figure within its limits of time and memory.
func (e *Engine) drawLimited(ctx context.Context, r render.Request, f *figure) (render.Picture, error) {
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
				cancel(&render.RefusedError{Reason: fmt.Sprintf("it is not drawn after %v", e.config.TimeLimit)})
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
	pic, err := drawIn(ctx, e.tab, r, f, e.config.calm)
	cancel(nil)
	watching.Wait()
	return pic, err
}

func (e *Engine) closed() bool {
	select {
	case <-e.closing:
		return true
	default:
		return false
	}
}

// ready makes sure that a browser runs and has a tab in which nothing was drawn.
func (e *Engine) ready(ctx context.Context) error {
	if err := e.running(ctx); err != nil || e.tab != nil && !e.tab.used {
		return err
	}
	if e.tab != nil {
		e.tab.close(ctx)
		e.tab = nil
	}
	t, err := openTab(ctx, e.browser)
	e.tab = t
	return err
}

// running makes sure that a browser runs.
func (e *Engine) running(ctx context.Context) error {
	if e.browser != nil {
		if !e.browser.ended() {
			return nil
		}
		e.stop()
	}
	program, err := Find(e.config.Path)
	if err != nil {
		return err
	}
	if !e.swept {
		sweep(e.config.Dir)
		e.swept = true
	}
	e.browser, err = start(ctx, program, e)
	e.current.Store(e.browser)
	return err
}

// waysNow are the ways to try: the one that has worked, or all.
func (e *Engine) waysNow() []way {
	if e.way != nil {
		return []way{*e.way}
	}
	all := ways()
	if e.open.namespace {
		all = all[len(all)-1:]
	}
	return all
}

// rest lets the browser run until it has not been used for a while.
func (e *Engine) rest() {
	e.used = time.Now()
	e.timer.Lock()
	defer e.timer.Unlock()
	if e.idle != nil {
		e.idle.Stop()
	}
	if !e.closed() {
		e.idle = time.AfterFunc(e.config.Idle, e.stopIdle)
	}
}

func (e *Engine) stopIdle() {
	select {
	case e.turn <- struct{}{}:
	default:
		return // it is in use, and rest will be called
	}
	defer func() { <-e.turn }()
	if e.browser != nil && time.Since(e.used) >= e.config.Idle {
		e.log.Debug("the browser for figures has not been used for a while; it is stopped")
		e.stop()
	}
}

// stop stops the browser.
func (e *Engine) stop() {
	e.browser.stop()
	e.browser, e.tab = nil, nil
}

// Close stops the browser, and waits until no process and no file of it is left. A
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
