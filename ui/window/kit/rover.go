package kit

import (
	"slices"

	"fyne.io/fyne/v2"
)

// A rovable is an object that a Rover moves among.
type rovable interface {
	fyne.CanvasObject
	fyne.Focusable
	within(r *Rover)
}

// A Rover makes a group of objects one stop of the keyboard: Tab reaches the one that had the focus
// last, and the arrows move among them. Fyne passes over objects that say that they are disabled.
type Rover struct {
	all []rovable
	at  rovable
}

// Set replaces the objects of the group.
func (r *Rover) Set(all ...fyne.CanvasObject) {
	r.all = r.all[:0:0]
	for _, o := range all {
		if x, ok := o.(rovable); ok {
			x.within(r)
			r.all = append(r.all, x)
		}
	}
	if !slices.Contains(r.all, r.at) {
		r.at = nil
	}
}

// To makes an object the one that Tab reaches, before it gets the focus.
func (r *Rover) To(o fyne.CanvasObject) {
	if x, ok := o.(rovable); ok && r != nil {
		r.at = x
	}
}

// Focused returns the index of the object that has the focus, or -1.
func (r *Rover) Focused() int {
	for i, x := range r.all {
		if c := fyne.CurrentApp().Driver().CanvasForObject(x); c != nil && c.Focused() == fyne.Focusable(x) {
			return i
		}
	}
	return -1
}

// Refocus gives the focus to the object with an index, or the last one, after the objects were made
// anew. It does nothing if the index is negative.
func (r *Rover) Refocus(i int) {
	if i >= 0 && len(r.all) > 0 {
		r.focus(r.all[min(i, len(r.all)-1)])
	}
}

// reaches reports whether Tab reaches an object. Without a group, it always does.
func (r *Rover) reaches(x rovable) bool {
	if r == nil {
		return true
	}
	if r.at == nil || !r.at.Visible() {
		if i := slices.IndexFunc(r.all, func(x rovable) bool { return x.Visible() }); i >= 0 {
			r.at = r.all[i]
		}
	}
	return r.at == x
}

// key moves the focus for an arrow key, Home or End. It reports whether the key moves.
func (r *Rover) key(from rovable, name fyne.KeyName) bool {
	if r == nil {
		return false
	}
	i := slices.Index(r.all, from)
	by := 1
	//exhaustive:ignore
	switch name {
	case fyne.KeyRight, fyne.KeyDown:
		i++
	case fyne.KeyLeft, fyne.KeyUp:
		i, by = i-1, -1
	case fyne.KeyHome:
		i = 0
	case fyne.KeyEnd:
		i, by = len(r.all)-1, -1
	default:
		return false
	}
	for ; i >= 0 && i < len(r.all); i += by {
		if r.all[i].Visible() {
			r.focus(r.all[i])
			break
		}
	}
	return true
}

func (r *Rover) focus(x rovable) {
	r.at = x
	if c := fyne.CurrentApp().Driver().CanvasForObject(x); c != nil {
		c.Focus(x)
	}
}
