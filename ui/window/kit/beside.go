package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// A beside is an object with a small one at its right; its height follows from its
// width.
type beside struct {
	widget.BaseWidget
	o, right fyne.CanvasObject
}

// Beside puts right at the upper right of o.
func (k *Kit) Beside(o, right fyne.CanvasObject) fyne.CanvasObject {
	b := &beside{o: o, right: right}
	b.ExtendBaseWidget(b)
	return b
}

func (b *beside) room(w float32) float32 { return w - b.right.MinSize().Width - 4 }

// HeightFor implements Tall.
func (b *beside) HeightFor(w float32) float32 {
	return max(HeightOf(b.o, b.room(w)), b.right.MinSize().Height)
}

// CreateRenderer implements fyne.Widget.
func (b *beside) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{b.o, b.right},
		layout: func(s fyne.Size) {
			m := b.right.MinSize()
			Place(b.o, 0, 0, b.room(s.Width), s.Height)
			Place(b.right, s.Width-m.Width, 0, m.Width, m.Height)
		},
		min: func() fyne.Size { return b.o.MinSize().AddWidthHeight(b.right.MinSize().Width+4, 0) },
	}
}

// A before is an object with a small one at its left, at the height of its first line.
type before struct {
	widget.BaseWidget
	left, o fyne.CanvasObject
}

// Before puts left at the upper left of o.
func (k *Kit) Before(left, o fyne.CanvasObject) fyne.CanvasObject {
	b := &before{left: left, o: o}
	b.ExtendBaseWidget(b)
	return b
}

func (b *before) room(w float32) float32 { return w - b.left.MinSize().Width - 4 }

// HeightFor implements Tall.
func (b *before) HeightFor(w float32) float32 {
	return max(HeightOf(b.o, b.room(w)), b.left.MinSize().Height)
}

// CreateRenderer implements fyne.Widget.
func (b *before) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{b.left, b.o},
		layout: func(s fyne.Size) {
			m := b.left.MinSize()
			Place(b.left, 0, 0, m.Width, m.Height)
			Place(b.o, m.Width+4, 0, b.room(s.Width), s.Height)
		},
		min: func() fyne.Size { return b.o.MinSize().AddWidthHeight(b.left.MinSize().Width+4, 0) },
	}
}
