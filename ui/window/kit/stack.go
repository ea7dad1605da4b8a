package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// A Stack arranges objects from top to bottom. In a row of a Column, they can be closer
// together than the column's rows.
type Stack struct {
	widget.BaseWidget
	gap  float32
	rows []fyne.CanvasObject
}

// NewStack returns a stack.
func NewStack(gap float32, rows ...fyne.CanvasObject) *Stack {
	s := &Stack{gap: gap, rows: rows}
	s.ExtendBaseWidget(s)
	return s
}

// HeightFor implements Tall.
func (s *Stack) HeightFor(w float32) float32 { return s.place(w, false) }

func (s *Stack) place(w float32, move bool) float32 {
	y := float32(0)
	for i, o := range s.rows {
		if i > 0 {
			y += s.gap
		}
		h := HeightOf(o, w)
		if move {
			Place(o, 0, y, w, h)
		}
		y += h
	}
	return y
}

var (
	_ fyne.Widget = (*Stack)(nil)
	_ Tall        = (*Stack)(nil)
)

// CreateRenderer implements fyne.Widget.
func (s *Stack) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{objects: s.rows, layout: func(size fyne.Size) { s.place(size.Width, true) }, min: func() fyne.Size {
		return fyne.NewSize(40, s.place(max(s.Size().Width, 40), false))
	}}
}
