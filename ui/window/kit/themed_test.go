package kit

import (
	"runtime"
	"testing"
	"weak"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// TestWhatHasAThemeOfItsOwnIsFreed when Fyne has discarded the renderers. A slider refers to the
// whole window, by what it does when it is moved.
func TestWhatHasAThemeOfItsOwnIsFreed(t *testing.T) {
	uitest.App(t)
	var former weak.Pointer[widget.Slider]
	t.Run("shown", func(t *testing.T) {
		slider := widget.NewSlider(1, 2)
		former = weak.Make(slider)
		test.TempWidgetRenderer(t, Themed(slider, theme.Track(theme.New("light"))).(fyne.Widget))
		test.TempWidgetRenderer(t, slider)
	})
	runtime.GC()
	if former.Value() != nil {
		t.Error("the slider is still there")
	}
}
