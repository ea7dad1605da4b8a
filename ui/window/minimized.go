package window

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver"

	"easel/ui/window/desktop"
)

// watchMinimized pauses animations when the window is minimized. This can be observed under
// X11 only. It must be called after the window was shown.
func (a *App) watchMinimized() {
	id := x11(a.win)
	if id == 0 || a.closed {
		return
	}
	a.tasks.Go(func() {
		err := desktop.WatchMinimized(a.ctx, id, func(minimized bool) {
			if minimized {
				a.cfg.Do(func() {
					if !a.closed {
						a.shell.gallery.view.Pause()
					}
				})
			}
		})
		if err != nil && a.ctx.Err() == nil {
			a.cfg.Log.Warn("whether the window is minimized is not known", "err", err)
		}
	})
}

// x11 returns the X11 id of a window. It is 0 under Wayland, on other systems, and before the
// window was shown.
func x11(w fyne.Window) (id uintptr) {
	if native, ok := w.(driver.NativeWindow); ok {
		native.RunNative(func(c any) {
			if x, ok := c.(driver.X11WindowContext); ok {
				id = x.WindowHandle
			}
		})
	}
	return id
}
