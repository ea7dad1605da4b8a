package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// besideGap is the space between the two objects of a beside.
const besideGap = 4

// A beside is an object with a small one to the left or right of its first line. Its
// height depends on its width.
type beside struct {
	widget.BaseWidget
	o, small fyne.CanvasObject
	leading  bool // small is on the left
}

// Leading places small at the upper left of o.
func (k *Kit) Leading(small, o fyne.CanvasObject) fyne.CanvasObject { return newBeside(o, small, true) }

// Trailing places small at the upper right of o.
func (k *Kit) Trailing(o, small fyne.CanvasObject) fyne.CanvasObject {
	return newBeside(o, small, false)
}

func newBeside(o, small fyne.CanvasObject, leading bool) *beside {
	b := &beside{o: o, small: small, leading: leading}
	b.ExtendBaseWidget(b)
	return b
}

func (b *beside) width(w float32) float32 { return w - b.small.MinSize().Width - besideGap }

// HeightFor implements Tall.
func (b *beside) HeightFor(w float32) float32 {
	return max(HeightOf(b.o, b.width(w)), b.small.MinSize().Height)
}

// CreateRenderer implements fyne.Widget.
func (b *beside) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{b.o, b.small}
	if b.leading {
		objects = []fyne.CanvasObject{b.small, b.o}
	}
	return &renderer{
		objects: objects,
		layout: func(s fyne.Size) {
			m := b.small.MinSize()
			x, small := float32(0), s.Width-m.Width
			if b.leading {
				x, small = m.Width+besideGap, 0
			}
			Place(b.o, x, 0, b.width(s.Width), s.Height)
			Place(b.small, small, 0, m.Width, m.Height)
		},
		min: func() fyne.Size { return b.o.MinSize().AddWidthHeight(b.small.MinSize().Width+besideGap, 0) },
	}
}
