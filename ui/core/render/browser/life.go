package browser

import (
	"context"
	"time"
)

// ready makes sure that a browser runs and has an unused tab. The caller holds turn.
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
	e.browser, e.tab = nil, nil
}
