package viewer

import "easel/ui/window/kit"

// A zoom is the size at which a View shows the picture, and the lock that keeps it for the next one.
type zoom struct {
	stage  *stage
	lock   bool
	locked *kit.Button
	habits Habits
	full   bool // the picture fills the window
}

// Zoomed reports whether the user has zoomed. Nothing should replace the picture then.
func (z *zoom) Zoomed() bool { return !z.stage.fit }

// Fit fits the picture into the viewport.
func (z *zoom) Fit() { z.stage.toFit() }

// Actual shows each pixel of the image as one pixel of the screen.
func (z *zoom) Actual() { z.stage.zoomTo(1, z.stage.middle()) }

// Larger zooms in by one step.
func (z *zoom) Larger() { z.stage.zoomTo(z.stage.current()*zoomStep, z.stage.middle()) }

// Smaller zooms out by one step.
func (z *zoom) Smaller() { z.stage.zoomTo(z.stage.current()/zoomStep, z.stage.middle()) }

// Toggle switches between fitted and 100 %.
func (z *zoom) Toggle() { z.stage.toggle() }

// ToggleLock turns the lock on or off. With it, the next image is shown at the same
// zoom and place.
func (z *zoom) ToggleLock() {
	z.lock = !z.lock
	z.locked.SetOn(z.lock)
}
