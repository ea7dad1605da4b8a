package main

import (
	"context"
	"os"
	"runtime/debug"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/desktop"
)

// gcPercent is the GC target without a window. The heap is small then. Collecting it
// twice as often as by default saves a sixth of the memory; the cost in time has not
// been measured. With a window, new plots appeared a tenth later (docs/dev/bench.md), so
// the default applies.
const gcPercent = 50

// An openRequest is a request to open the window of an Easel that has none.
type openRequest struct {
	in   catalog.ShowWindowIn
	done chan error // one slot; receives nil when the window exists
}

// runHeadless runs without a window until the app is quit, or until a second start on a
// display requests one. Then it opens the window; kernels, clients and library stay. It
// must be called on the main goroutine, as Fyne requires.
func (e *easel) runHeadless(ctx context.Context) error {
	tuned := os.Getenv("GOGC") == ""
	if tuned {
		debug.SetGCPercent(gcPercent)
	}
	for {
		select {
		case <-ctx.Done():
			return e.quit()
		case o := <-e.asked:
			if err := desktop.Display(o.in.Env).Enter(); err != nil {
				o.done <- err
				continue
			}
			close(e.opening)
			e.Store.Update(func(s *state.Snapshot) { s.Window = state.WindowStarting })
			if tuned {
				debug.SetGCPercent(100)
			}
			e.log.InfoContext(ctx, "opening the window on the requested display", "display", o.in.Env["DISPLAY"])
			return e.runWindow(ctx, o.in.Hidden, func() { o.done <- nil })
		}
	}
}

// openWindow makes runHeadless open the window and waits until it exists.
func (e *easel) openWindow(ctx context.Context, in catalog.ShowWindowIn) error {
	o := openRequest{in, make(chan error, 1)}
	select {
	case e.asked <- o:
	case <-e.opening: // another request came first
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// showWindow brings the window to the front, if there is one.
func (e *easel) showWindow() {
	if show := e.show.Load(); show != nil {
		(*show)()
	}
}
