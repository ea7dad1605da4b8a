package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/theme"
)

const (
	// enterEdge is the width and height of the sign of Enter.
	enterEdge float32 = 13
	enterGap  float32 = 3 // between Ctrl and the sign
)

// An enterSign says that Enter presses a button, while no other button of its dialog has the focus.
type enterSign struct {
	on        bool         // the button has the sign
	elsewhere bool         // Enter does something else in the field that has the focus
	mates     []*Button    // the buttons of the dialog
	ctrl      *canvas.Text // before the sign; nil: Enter alone presses the button
	ink       color.NRGBA
}

// OnEnter gives the button the sign of Enter and returns b. Whoever calls it sees to it that Enter presses the button.
func (b *Button) OnEnter() *Button {
	b.enter.on = true
	b.Refresh()
	return b
}

// OnCtrlEnter gives the button the sign of Ctrl+Enter, for a dialog in whose field Enter begins a new line, and returns b.
func (b *Button) OnCtrlEnter() *Button {
	b.enter.ctrl = Text("Ctrl", 11, b.k.P.Text, fyne.TextStyle{})
	return b.OnEnter()
}

// EnterElsewhere hides the sign while Enter does something else in the field that has the focus.
func (b *Button) EnterElsewhere(on bool) {
	b.enter.elsewhere = on
	b.Refresh()
}

// Answers makes the buttons in objects those of one dialog, and returns them. The one with the focus is the one that Enter
// presses, otherwise the one with the sign. A filled button has it.
func Answers(all ...fyne.CanvasObject) []*Button {
	mates := buttonsIn(nil, all)
	for _, b := range mates {
		b.enter.mates = mates
		if b.kind == Primary && !b.enter.on {
			b.OnEnter()
		}
	}
	return mates
}

func buttonsIn(found []*Button, all []fyne.CanvasObject) []*Button {
	for _, o := range all {
		switch o := o.(type) {
		case *Button:
			found = append(found, o)
		case *fyne.Container:
			found = buttonsIn(found, o.Objects)
		case *Column:
			found = buttonsIn(found, o.inner.rows)
		case *Stack:
			found = buttonsIn(found, o.rows)
		}
	}
	return found
}

// SaysEnter reports whether the button says that Enter presses it now, and whether with Ctrl.
func (b *Button) SaysEnter() (says, ctrl bool) {
	for _, m := range b.enter.mates {
		if m != b && m.focused {
			return false, false
		}
	}
	return b.enter.on && !b.enter.elsewhere, b.enter.ctrl != nil && !b.focused
}

// Filled reports whether the button is a filled one.
func (b *Button) Filled() bool { return b.kind == Primary }

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

// paintSign sets the colours of the sign.
func (b *Button) paintSign(ink color.NRGBA) {
	says, ctrl := b.SaysEnter()
	if b.sign.Hidden = !says; says && (b.enter.ink != ink || b.sign.Resource == nil) {
		b.sign.Resource, b.enter.ink = theme.Icon("enter", ink), ink
		b.sign.Refresh()
	}
	if t := b.enter.ctrl; t != nil {
		t.Color, t.Hidden = ink, !says || !ctrl
	}
}

// signWidth is the width of the sign, with the gap before it.
func (b *Button) signWidth() float32 {
	switch {
	case !b.enter.on:
		return 0
	case b.enter.ctrl == nil:
		return enterEdge + 6
	}
	return enterEdge + 8 + b.enter.ctrl.MinSize().Width + enterGap
}

// layoutSign places the sign at the right of what else the button shows.
func (b *Button) layoutSign(x, high float32) {
	if t := b.enter.ctrl; t != nil {
		m := t.MinSize()
		Place(t, x+2, (high-m.Height)/2, m.Width, m.Height)
		x += 2 + m.Width + enterGap
	}
	Place(b.sign, x, (high-enterEdge)/2, enterEdge, enterEdge)
}
