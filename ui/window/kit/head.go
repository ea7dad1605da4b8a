package kit

import (
	"image/color"

	"fyne.io/fyne/v2"

	"easel/ui/window/theme"
)

// A Head shows the names of the columns above the rows.
type Head struct {
	rover Rover
	root  fyne.CanvasObject
	lines []*Line
	names []string
}

// Head returns the line of column names. If choose is not nil, it is called with the
// column that the user taps.
func (k *Kit) Head(r *Rows, names []string, choose func(column int)) *Head {
	h := &Head{names: names}
	var os []fyne.CanvasObject
	for i, n := range names {
		l := NewLine(n, theme.TextCaption, k.P.Muted, fyne.TextStyle{Bold: true}, 8)
		l.Align(r.columns[i].Align)
		h.lines = append(h.lines, l)
		var o fyne.CanvasObject = l
		if choose != nil && n != "" {
			o = k.Stop(l, color.Transparent, "", func() { choose(i) })
		}
		os = append(os, o)
	}
	h.rover.Set(os...)
	h.root = k.Panel(color.Transparent, "b", &fyne.Container{Objects: os, Layout: LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			x, w := r.Widths(s.Width)
			for i, o := range os {
				setHidden(o, w[i] == 0)
				Place(o, x[i], 0, w[i], s.Height)
			}
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(40, 22) },
	}})
	return h
}

// Object returns the line to put above the rows.
func (h *Head) Object() fyne.CanvasObject { return h.root }

// Sorted marks the column that the rows are sorted by.
func (h *Head) Sorted(column int, down bool) {
	for i, l := range h.lines {
		mark := ""
		switch {
		case i == column && down:
			mark = " ↓"
		case i == column:
			mark = " ↑"
		}
		l.Set(h.names[i]+mark, nil)
	}
}

func setHidden(o fyne.CanvasObject, hidden bool) {
	if hidden {
		o.Hide()
	} else {
		o.Show()
	}
}
