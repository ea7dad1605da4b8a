package window

import (
	"testing"

	"fyne.io/fyne/v2/test"
)

// TestNoStoppedHook checks that no hook is left for Fyne to queue when the app stops.
func TestNoStoppedHook(t *testing.T) {
	a := test.NewTempApp(t)
	a.Lifecycle().(interface{ SetOnStoppedHookExecuted(func()) }).SetOnStoppedHookExecuted(func() {})
	stopped := a.Lifecycle().(interface{ OnStopped() func() }).OnStopped
	if stopped() == nil {
		t.Fatal("Fyne has no such hook any more: noStoppedHook can go")
	}
	noStoppedHook(a)
	if stopped() != nil {
		t.Error("the hook is still there")
	}
}
