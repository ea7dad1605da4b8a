package frametime

import (
	"testing"
	"time"

	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// TestAFrameAfterAPauseKeepsItsWidgets checks that what is drawn first after a pause
// survives when Fyne drops expired renderers.
func TestAFrameAfterAPauseKeepsItsWidgets(t *testing.T) {
	test.NewTempApp(t)
	now.Store(time.Now().Add(-time.Hour).UnixNano()) // the time of Fyne's last frame
	Read()
	field := widget.NewEntry()
	drawn := test.WidgetRenderer(field)
	software.NewCanvas().Capture() // drops what has expired
	if test.WidgetRenderer(field) != drawn {
		t.Error("the field was dropped and made anew")
	}
}
