package window

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/uitest"
)

// TestNoStoppedHook checks that no hook is left for Fyne to queue when the app stops.
func TestNoStoppedHook(t *testing.T) {
	a := test.NewTempApp(t)
	a.Lifecycle().(driverLifecycle).SetOnStoppedHookExecuted(func() {})
	stopped := a.Lifecycle().(interface{ OnStopped() func() }).OnStopped
	if stopped() == nil {
		t.Fatal("Fyne has no such hook any more: noStoppedHook can go")
	}
	noStoppedHook(a)
	if stopped() != nil {
		t.Error("the hook is still there")
	}
}

// The parts of an app whose window has a canvas for a screen.
type (
	screenApp struct {
		fyne.App
		d screenDriver
	}
	screenDriver struct {
		fyne.Driver
		w screenWindow
	}
	screenWindow struct {
		fyne.Window
		c *screenCanvas
	}
	screenCanvas struct {
		fyne.Canvas
		dirty bool
	}
)

func (a screenApp) Driver() fyne.Driver          { return a.d }
func (d screenDriver) AllWindows() []fyne.Window { return []fyne.Window{d.w} }
func (w screenWindow) Canvas() fyne.Canvas       { return w.c }
func (*screenCanvas) FreeDirtyTextures() uint64  { return 0 }
func (c *screenCanvas) SetDirty()                { c.dirty = true }
func (c *screenCanvas) CheckDirtyAndClear() bool { was := c.dirty; c.dirty = false; return was }

var _ driverCanvas = (*screenCanvas)(nil)

// TestTheFrameAfterAPauseIsSkipped: Fyne would drop what it draws in it.
func TestTheFrameAfterAPauseIsSkipped(t *testing.T) {
	q, c := uitest.NewQueue(), &screenCanvas{dirty: true}
	a := &App{cfg: Config{App: screenApp{d: screenDriver{w: screenWindow{c: c}}}, Do: q.Do}}
	now := time.Now()
	for range 3 {
		if now = now.Add(time.Second); a.SkipFrame(now) || !c.dirty {
			t.Fatal("a frame was skipped without a pause")
		}
	}
	now = now.Add(time.Hour)
	if !a.SkipFrame(now) || c.dirty {
		t.Error("the first frame after a pause is drawn")
	}
	q.Drain() // after that frame
	if a.SkipFrame(now.Add(time.Second)) || !c.dirty {
		t.Error("the frame after it is not drawn")
	}
}

// TestCheckDriver: the driver for tests has no such windows. Easel starts only with one that has.
func TestCheckDriver(t *testing.T) {
	a := &App{win: test.NewTempWindow(t, nil), cfg: Config{App: test.NewTempApp(t)}}
	if err := a.CheckDriver(); err == nil {
		t.Error("missing methods were not noticed")
	}
}
