package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
)

// enterEdge is the width and height of the sign of Enter.
const enterEdge float32 = 13

// An enterSign says that Enter presses a button, while no other button of its dialog has the focus.
type enterSign struct {
	on    bool      // the button has the sign
	mates []*Button // the buttons of the dialog
	ink   color.NRGBA
}

// OnEnter gives the button the sign of Enter and returns b. Whoever calls it sees to it that Enter presses the button.
func (b *Button) OnEnter() *Button {
	b.enter.on = true
	b.Refresh()
	return b
}

// Answers makes buttons those of one dialog: the one with the focus is the one that Enter presses.
func Answers(all ...fyne.CanvasObject) {
	var mates []*Button
	for _, o := range all {
		if b, ok := o.(*Button); ok {
			mates = append(mates, b)
		}
	}
	for _, b := range mates {
		b.enter.mates = mates
	}
}

// answers reports whether Enter presses the button now.
func (b *Button) answers() bool {
	for _, m := range b.enter.mates {
		if m != b && m.focused {
			return false
		}
	}
	return b.enter.on
}

// focus draws the buttons of the dialog after the focus has changed.
func (b *Button) focus(on bool) {
	b.focused = on
	b.Refresh()
	for _, m := range b.enter.mates {
		if m != b && m.enter.on {
			m.Refresh()
		}
	}
}
