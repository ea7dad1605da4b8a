package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/window/theme"
)

var _ fyne.Focusable = (*Stop)(nil)

// A Stop is a Tap that the keyboard reaches: Tab stops at it, Enter and Space tap it, and the Menu key
// and Shift+F10 open its menu.
type Stop struct {
	Tap
	OnKey   func(fyne.KeyName) bool // handles the other keys, and reports whether it used one; may be nil
	OnEsc   func() bool             // handles Escape; if nil, or if it returns false, the Stop loses the focus
	ring    *canvas.Rectangle
	rover   *Rover
	focused bool
}

// Stop returns a Stop around content. base and tip are as for Tap.
func (k *Kit) Stop(content fyne.CanvasObject, base color.Color, tip string, tap func()) *Stop {
	s := &Stop{
		Tap:  Tap{k: k, content: content, base: base, tap: tap, tip: tip, ground: k.Area(base, theme.Radius)},
		ring: Outline(k.P.Accent, 2, theme.Radius),
	}
	s.ring.Hide()
	s.ExtendBaseWidget(s)
	return s
}

// Change gives the stop another background, tip and action, for the same thing in another state.
func (s *Stop) Change(base color.Color, tip string, tap func()) {
	s.tip, s.tap = tip, tap
	if s.base != base {
		s.base = base
		s.Refresh()
	}
}

// Hover shows whether the pointer is over it, if it was moved and Fyne has not told it yet.
func (s *Stop) Hover(on bool) {
	if s.hovered != on {
		s.hovered = on
		s.Refresh()
	}
}

// Hovered reports whether the pointer is over it.
func (s *Stop) Hovered() bool { return s.hovered }

// Focused reports whether it has the focus.
func (s *Stop) Focused() bool { return s.focused }

// FocusGained implements fyne.Focusable.
func (s *Stop) FocusGained() {
	s.rover.To(s)
	s.focus(true)
}

// FocusLost implements fyne.Focusable.
func (s *Stop) FocusLost() { s.focus(false) }

// Outlined adds an edge and returns s.
func (s *Stop) Outlined() *Stop {
	s.Tap.Outlined()
	return s
}

// Reach makes it the one of its group that Tab reaches, before it gets the focus.
func (s *Stop) Reach() { s.rover.To(s) }

// Disabled implements fyne.Disableable: in a group, Tab reaches only one.
func (s *Stop) Disabled() bool { return !s.rover.reaches(s) }

// Enable implements fyne.Disableable.
func (s *Stop) Enable() {}

// Disable implements fyne.Disableable.
func (s *Stop) Disable() {}

func (s *Stop) within(r *Rover) { s.rover = r }

func (s *Stop) focus(on bool) {
	s.focused, s.ring.Hidden = on, !on
	s.Refresh()
	s.ring.Refresh()
}

// TypedRune implements fyne.Focusable.
func (s *Stop) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (s *Stop) TypedKey(e *fyne.KeyEvent) {
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		s.Tapped(nil)
	case fyne.KeyEscape:
		if s.OnEsc == nil || !s.OnEsc() {
			Unfocus(s)
		}
	default:
		switch {
		case MenuKey(e) && s.secondary != nil:
			from := fyne.CurrentApp().Driver().AbsolutePositionForObject(s)
			s.secondary(&fyne.PointEvent{AbsolutePosition: from.AddXY(16, s.Size().Height), Position: fyne.NewPos(16, s.Size().Height)})
		case s.OnKey != nil && s.OnKey(e.Name), s.rover.key(s, e.Name):
		default:
			s.k.Unused(e)
		}
	}
}

// MouseIn implements desktop.Hoverable. The tip belongs to the Stop, which is what the window has.
func (s *Stop) MouseIn(e *desktop.MouseEvent) {
	s.k.PointerAt(e)
	s.hovered = true
	s.Refresh()
	s.k.Tips.Show(s, s.tip)
}

// CreateRenderer implements fyne.Widget.
func (s *Stop) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{s.ground, s.content, s.ring},
		layout: func(z fyne.Size) {
			for _, o := range []fyne.CanvasObject{s.ground, s.content, s.ring} {
				Place(o, 0, 0, z.Width, z.Height)
			}
		},
		min:     func() fyne.Size { return s.content.MinSize() },
		refresh: s.paint,
	}
}
