package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// A frame is an object on a background, with space on all sides.
type frame struct {
	widget.BaseWidget
	ground *canvas.Rectangle
	pad    float32
	o      fyne.CanvasObject
}

var _ Tall = (*frame)(nil)

// Frame puts o on a background, with space on all sides. The height still depends on
// the width.
func Frame(ground *canvas.Rectangle, pad float32, o fyne.CanvasObject) fyne.CanvasObject {
	f := &frame{ground: ground, pad: pad, o: o}
	f.ExtendBaseWidget(f)
	return f
}

// HeightFor implements Tall.
func (f *frame) HeightFor(w float32) float32 { return HeightOf(f.o, w-2*f.pad) + 2*f.pad }

// CreateRenderer implements fyne.Widget.
func (f *frame) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{f.ground, f.o},
		layout: func(s fyne.Size) {
			Place(f.ground, 0, 0, s.Width, s.Height)
			Place(f.o, f.pad, f.pad, s.Width-2*f.pad, s.Height-2*f.pad)
		},
		min: func() fyne.Size { return f.o.MinSize().AddWidthHeight(2*f.pad, 2*f.pad) },
	}
}
