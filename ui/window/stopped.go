package window

import "fyne.io/fyne/v2"

// noStoppedHook removes the hook that Fyne 2.8 runs when the app has stopped. The hook
// would save Fyne's preferences, which Easel does not use. Fyne queues it on another
// goroutine while it closes that queue. Occasionally this panics ("send on closed
// channel"), so that a clean quit ends with a crash. Call noStoppedHook before the app
// runs.
func noStoppedHook(a fyne.App) {
	if l, ok := a.Lifecycle().(interface{ SetOnStoppedHookExecuted(func()) }); ok {
		l.SetOnStoppedHookExecuted(nil)
	}
}
