package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// A Fact is a name and a value that may wrap.
type Fact struct {
	widget.BaseWidget
	name  *Line
	value *Para
	dot   *canvas.Rectangle // before the value; nil if there is none
	right fyne.CanvasObject // may be nil
	width float32           // width of the name
}

// factName is the default width of the name.
const factName float32 = 88

// Fact returns a fact. right is at its end, for example a button that copies the value;
// it may be nil.
func (k *Kit) Fact(name, value string, right fyne.CanvasObject) *Fact {
	f := &Fact{
		name: NewLine(name, 12, k.P.Muted, fyne.TextStyle{}, 20), value: NewPara(value, 12, k.P.Text, fyne.TextStyle{}),
		right: right, width: factName,
	}
	f.ExtendBaseWidget(f)
	return f
}

// NameWidth sets the width of the name and returns f.
func (f *Fact) NameWidth(width float32) *Fact {
	f.width = width
	return f
}

// Dot puts a dot of an assistant's colour before the value, and returns f. ink may be nil.
func (f *Fact) Dot(ink *color.NRGBA) *Fact {
	f.dot = nil
	if ink != nil {
		f.dot = Fill(*ink, DotSize/2)
	}
	return f
}

// indent returns where the value begins, after the name.
func (f *Fact) indent() float32 {
	if f.dot == nil {
		return 0
	}
	return DotSize + 5
}

func (f *Fact) valueWidth(width float32) float32 {
	w := width - f.width - f.indent()
	if f.right != nil {
		w -= f.right.MinSize().Width + 4
	}
	return w
}

// HeightFor implements Tall.
func (f *Fact) HeightFor(width float32) float32 {
	return max(f.value.HeightFor(f.valueWidth(width)), 18) + 4
}

// CreateRenderer implements fyne.Widget.
func (f *Fact) CreateRenderer() fyne.WidgetRenderer {
	os := []fyne.CanvasObject{f.name, f.value}
	if f.right != nil {
		os = append(os, f.right)
	}
	if f.dot != nil {
		os = append(os, f.dot)
	}
	return &renderer{objects: os, layout: func(s fyne.Size) {
		w := f.valueWidth(s.Width)
		if f.dot != nil {
			Place(f.dot, f.width, 2+(f.value.lineHeight()-DotSize)/2, DotSize, DotSize)
		}
		Place(f.name, 0, 2, f.width-6, f.name.MinSize().Height)
		Place(f.value, f.width+f.indent(), 2, w, f.value.HeightFor(w))
		if f.right != nil {
			m := f.right.MinSize()
			Place(f.right, s.Width-m.Width, -2, m.Width, m.Height)
		}
	}, min: func() fyne.Size { return fyne.NewSize(f.width+40, 20) }}
}
