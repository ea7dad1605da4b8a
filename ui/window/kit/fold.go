package kit

import (
	"slices"

	"fyne.io/fyne/v2"
)

// A Fold is a row that leaves objects out where it is too narrow for all of them:
// those in Drop, the first of them first, until the object that stretches has Least.
// Whoever owns an object in Drop must not show or hide it.
type Fold struct {
	Row
	Least float32
	Drop  []fyne.CanvasObject
}

// NewFold makes a row that folds.
func NewFold(row Row, least float32, drop []fyne.CanvasObject, os ...fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Objects: os, Layout: Fold{Row: row, Least: least, Drop: drop}}
}

// Layout implements fyne.Layout.
func (f Fold) Layout(os []fyne.CanvasObject, s fyne.Size) {
	used := 2*f.Pad - f.Gap
	for i, o := range os {
		if !o.Visible() && !slices.Contains(f.Drop, o) {
			continue
		}
		used += f.Gap
		if i != f.Stretch {
			used += o.MinSize().Width
		}
	}
	for _, o := range f.Drop {
		if used+f.Least <= s.Width {
			o.Show()
			continue
		}
		o.Hide()
		used -= o.MinSize().Width + f.Gap
	}
	f.Row.Layout(os, s)
}

// MinSize implements fyne.Layout: everything in Drop may be missing.
func (f Fold) MinSize(os []fyne.CanvasObject) fyne.Size {
	kept := slices.DeleteFunc(slices.Clone(os), func(o fyne.CanvasObject) bool { return slices.Contains(f.Drop, o) })
	return f.Row.MinSize(kept)
}

// NewPile puts objects of their own widths under each other, in the middle.
func NewPile(gap float32, os ...fyne.CanvasObject) fyne.CanvasObject {
	return &fyne.Container{Objects: os, Layout: LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			y := float32(0)
			for _, o := range os {
				m := o.MinSize()
				Place(o, (s.Width-m.Width)/2, y, m.Width, m.Height)
				y += m.Height + gap
			}
		},
		Min: func(os []fyne.CanvasObject) fyne.Size {
			s := fyne.NewSize(0, -gap)
			for _, o := range os {
				m := o.MinSize()
				s = fyne.NewSize(max(s.Width, m.Width), s.Height+gap+m.Height)
			}
			return s
		},
	}}
}
