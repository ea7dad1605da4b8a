package kit

import (
	"slices"

	"fyne.io/fyne/v2"
)

// A Fold is a Row that hides objects if it is too narrow for all of them. It hides
// those in Drop, in order, until the stretched object has the width Least, and shows More
// instead. Other code must not show or hide an object in Drop, but what is in an [Optional].
type Fold struct {
	Row
	Least float32
	Drop  []fyne.CanvasObject
	More  *Overflow
}

// Fold returns a container with a Fold layout, and the button that lists what is hidden, which is its last object.
func (k *Kit) Fold(row Row, least float32, drop []fyne.CanvasObject, os ...fyne.CanvasObject) (*fyne.Container, *Overflow) {
	more := k.Overflow(os...)
	return &fyne.Container{Objects: append(slices.Clone(os), more.Button), Layout: Fold{Row: row, Least: least, Drop: drop, More: more}}, more
}

// Optional returns a container for an object of a Fold that other code shows and hides.
func Optional(o fyne.CanvasObject) fyne.CanvasObject {
	return &fyne.Container{Objects: []fyne.CanvasObject{o}, Layout: optional{}}
}

type optional struct{}

// Layout implements fyne.Layout.
func (optional) Layout(os []fyne.CanvasObject, s fyne.Size) { Place(os[0], 0, 0, s.Width, s.Height) }

// MinSize implements fyne.Layout.
func (optional) MinSize(os []fyne.CanvasObject) fyne.Size { return os[0].MinSize() }

// within returns the object in an Optional, or the object itself.
func within(o fyne.CanvasObject) fyne.CanvasObject {
	if c, ok := o.(*fyne.Container); ok {
		if _, ok := c.Layout.(optional); ok {
			return c.Objects[0]
		}
	}
	return o
}

// absent reports whether other code has hidden an object in an Optional.
func absent(o fyne.CanvasObject) bool { return within(o) != o && !within(o).Visible() }

// Layout implements fyne.Layout.
func (f Fold) Layout(os []fyne.CanvasObject, s fyne.Size) {
	used := 2*f.Pad - f.Gap
	for i, o := range os {
		if o == fyne.CanvasObject(f.More.Button) || absent(o) || !o.Visible() && !slices.Contains(f.Drop, o) {
			continue
		}
		used += f.Gap
		if i != f.Stretch {
			used += o.MinSize().Width
		}
	}
	var hidden []fyne.CanvasObject
	if used+f.Least > s.Width {
		used += f.Gap + f.More.MinSize().Width
	}
	for _, o := range f.Drop {
		if absent(o) {
			o.Hide()
			continue
		}
		if used+f.Least <= s.Width {
			o.Show()
			continue
		}
		o.Hide()
		hidden = append(hidden, o)
		used -= o.MinSize().Width + f.Gap
	}
	f.More.Lack(hidden...)
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
