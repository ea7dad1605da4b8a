package window

import (
	"fyne.io/fyne/v2/driver"

	"easel/ui/window/desktop"
)

// watchMinimized pauses animations when the window is minimized. This can be observed under
// X11 only. It must be called after the window was shown.
func (a *App) watchMinimized() {
	native, ok := a.win.(driver.NativeWindow)
	if !ok || a.closed {
		return
	}
	var id uintptr
	native.RunNative(func(c any) {
		if x, ok := c.(driver.X11WindowContext); ok {
			id = x.WindowHandle
		}
	})
	if id == 0 {
		return
	}
	a.tasks.Go(func() {
		err := desktop.WatchMinimized(a.ctx, id, func(minimized bool) {
			if minimized {
				a.cfg.Do(func() {
					if !a.closed {
						a.shell.center.view.Pause()
					}
				})
			}
		})
		if err != nil && a.ctx.Err() == nil {
			a.cfg.Log.Warn("whether the window is minimized is not known", "err", err)
		}
	})
}
