package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Themed returns o with a theme of its own, like [container.NewThemeOverride]. But o can be
// freed: Fyne never forgets the rectangles and texts to which it has given a theme, and from
// them it refers to the container, and so to everything that o refers to.
func Themed(o fyne.CanvasObject, t fyne.Theme) fyne.CanvasObject {
	w := &themeOverride{content: o, theme: t}
	w.ExtendBaseWidget(w)
	return w
}

type themeOverride struct {
	widget.BaseWidget
	content fyne.CanvasObject
	theme   fyne.Theme
}

// nothing takes the place of the content in the containers that gave it a theme.
var nothing = canvas.NewRectangle(nil)

// CreateRenderer implements fyne.Widget. Fyne calls it again when it has discarded the
// renderers of a hidden object, and with them its theme.
func (w *themeOverride) CreateRenderer() fyne.WidgetRenderer {
	o := container.NewThemeOverride(w.content, w.theme)
	o.Content = nothing
	o.Refresh() // so that it lets go of the content, which keeps its theme
	return widget.NewSimpleRenderer(w.content)
}
