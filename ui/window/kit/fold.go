package kit

import (
	"slices"

	"fyne.io/fyne/v2"
)

// A Fold is a Row that hides objects if it is too narrow for all of them. It hides
// those in Drop, in order, until the stretched object has the width Least. Other code
// must not show or hide an object in Drop.
type Fold struct {
	Row
	Least float32
	Drop  []fyne.CanvasObject
}

// NewFold returns a container with a Fold layout.
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

// MinSize implements fyne.Layout. It excludes the objects in Drop.
func (f Fold) MinSize(os []fyne.CanvasObject) fyne.Size {
	kept := slices.DeleteFunc(slices.Clone(os), func(o fyne.CanvasObject) bool { return slices.Contains(f.Drop, o) })
	return f.Row.MinSize(kept)
}

// NewPile arranges objects from top to bottom, horizontally centered, each with its
// minimum size.
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
