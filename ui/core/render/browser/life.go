package browser

import (
	"context"
	"log/slog"
	"time"

	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

// running makes sure that a browser runs. The caller holds turn.
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

// waysNow returns the ways to try: the one that worked last, or all.
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

// Prepare starts the browser and opens tabs for figures of a MIME type, so that the next one
// is drawn sooner. It does nothing while a figure is drawn.
func (e *Engine) Prepare(ctx context.Context, mime string) error {
	if e.closed() {
		return render.ErrClosed
	}
	select {
	case e.turn <- struct{}{}:
	default:
		return nil
	}
	defer func() { <-e.turn }()
	ctx, end := e.untilClosed(ctx)
	defer end()
	if err := e.running(ctx); err != nil {
		return cause(ctx, err)
	}
	defer e.rest()
	if stage := e.stage(mime); stage.Body != nil {
		e.tabs.next = stage
		e.tabs.solid = e.tabs.solid || mime == page.Plotly3DType
	}
	return cause(ctx, e.tabs.prepare(ctx, e.browser, e.open, e.waits))
}

// waits reports whether a figure waits for its turn.
func (e *Engine) waits() bool { return e.waiting.Load() > 0 }

// stage returns the stage for figures of a MIME type. It is empty if they have none, or its
// library is missing.
func (e *Engine) stage(mime string) page.Document {
	if page.IsPlotly(mime) && !e.has("plotly.min.js") || mime == page.PydeckType && !e.has(page.PydeckBundle) {
		return page.Document{}
	}
	return page.StageOf(mime)
}

// has reports whether a library is available.
func (e *Engine) has(library string) bool {
	_, ok := e.libraries.Find(library)
	return ok
}

// tidy prepares the tabs for the next figure. limit is the number of figures that may be drawn in
// the tab of the last one; see tabs.give. tidy takes over turn from its caller and releases it.
func (e *Engine) tidy(limit int) {
	defer func() { <-e.turn }()
	if e.browser == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), e.config.tidy)
	defer cancel()
	go func() { // Close does not wait for a tab
		select {
		case <-e.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	defer e.rest()
	e.tabs.give(ctx, limit)
	if e.browser.ended() || e.closed() {
		return
	}
	if err := e.tabs.prepare(ctx, e.browser, e.open, e.waits); err != nil {
		e.log.DebugContext(ctx, "cannot open a tab for the next figure", slog.Any("error", err))
	}
}

// rest restarts the timer that stops an unused browser. The caller holds turn.
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
		return // the browser is in use, and rest will be called
	}
	defer func() { <-e.turn }()
	if e.browser != nil && time.Since(e.used) >= e.config.Idle {
		e.log.Debug("stopping the idle browser for figures")
		e.stop()
	}
}

// stop stops the browser. The caller holds turn.
func (e *Engine) stop() {
	e.browser.stop()
	e.browser, e.tabs = nil, tabs{}
}
