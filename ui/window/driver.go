package window

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
	"easel/ui/window/memory/gpu"
)

// Methods of Fyne's own windows, canvases and lifecycle that its interfaces do not have.
type (
	driverWindow interface{ RunWithContext(f func()) }
	driverCanvas interface {
		CheckDirtyAndClear() bool
		FreeDirtyTextures() uint64
		kit.Dirty
	}
	driverLifecycle interface{ SetOnStoppedHookExecuted(f func()) }
)

// CheckDriver returns an error if the window or its app lacks a method that Easel needs
// from Fyne's driver, for example after Fyne renamed it.
func (a *App) CheckDriver() error {
	if _, ok := a.win.(driverWindow); !ok {
		return fmt.Errorf("a window of this Fyne (%T) has no RunWithContext", a.win)
	}
	if _, ok := a.win.Canvas().(driverCanvas); !ok {
		return fmt.Errorf("a canvas of this Fyne (%T) has no CheckDirtyAndClear, FreeDirtyTextures or SetDirty", a.win.Canvas())
	}
	if _, ok := a.cfg.App.Lifecycle().(driverLifecycle); !ok {
		return fmt.Errorf("the lifecycle of this Fyne (%T) has no SetOnStoppedHookExecuted", a.cfg.App.Lifecycle())
	}
	return nil
}

// longPause is shorter than the minute for which Fyne caches what it has not drawn.
const longPause = 30 * time.Second

// SkipFrame reports whether a long pause has passed since its last call, for example
// because the computer slept. Then the windows are not drawn in this frame, but in the
// next one. Call it before each frame, on the UI goroutine.
//
// Fyne reads the clock once per frame, after drawing. So it would draw the first frame
// with the time from before the pause, and then drop all widgets in it as expired. It
// creates the widgets' renderers again, but nothing lays them out.
func (a *App) SkipFrame(now time.Time) bool {
	now = now.Round(0) // the monotonic clock may stop while the computer sleeps
	last := a.frame
	a.frame = now
	if last.IsZero() || now.Sub(last) < longPause {
		return false
	}
	for _, w := range a.cfg.App.Driver().AllWindows() {
		if c, ok := w.Canvas().(driverCanvas); ok {
			c.CheckDirtyAndClear()
			a.cfg.Do(func() { kit.Repaint(w.Canvas()) })
		}
	}
	return true
}

// freeTextures frees the expired textures of a hidden window, and what the graphics driver
// keeps of its past frames. The window must have been shown before, because it has no
// context until then.
func freeTextures(w fyne.Window) {
	context, ok := w.(driverWindow)
	textures, ok2 := w.Canvas().(driverCanvas)
	if ok && ok2 {
		context.RunWithContext(func() {
			textures.FreeDirtyTextures()
			gpu.Drain()
		})
	}
}

// noStoppedHook removes the hook that Fyne 2.8 runs when the app has stopped. The hook
// would save Fyne's preferences, which Easel does not use. Fyne queues it on another
// goroutine while it closes that queue. Occasionally this panics ("send on closed
// channel"), so that a clean quit ends with a crash. Call noStoppedHook before the app
// runs.
func noStoppedHook(a fyne.App) {
	if l, ok := a.Lifecycle().(driverLifecycle); ok {
		l.SetOnStoppedHookExecuted(nil)
	}
}
