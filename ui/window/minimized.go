package window

import "easel/ui/window/desktop"

// watchMinimized pauses animations when the window is minimized.
func (a *App) watchMinimized() {
	watch := desktop.WatchMinimized(a.win)
	if watch == nil || a.closed {
		return
	}
	a.tasks.Go(func() {
		err := watch(a.ctx, func(minimized bool) {
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
