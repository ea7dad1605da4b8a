package viewer

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/window/kit"
)

var (
	_ desktop.Mouseable = (*stage)(nil)
	_ desktop.Hoverable = (*stage)(nil)
)

// MouseDown implements desktop.Mouseable. A drag begins here.
func (s *stage) MouseDown(e *desktop.MouseEvent) {
	s.down, s.shift = e.Position, e.Modifier&fyne.KeyModifierShift != 0
	s.pressed = true
	s.touched()
}

// MouseUp implements desktop.Mouseable.
func (s *stage) MouseUp(e *desktop.MouseEvent) {
	if s.pressed && s.over != nil && e.Button == desktop.MouseButtonPrimary {
		s.over.tapped(e.Position)
	}
	s.pressed = false
	s.k.Release()
}

// Dragged implements fyne.Draggable. With Shift, it draws a region.
func (s *stage) Dragged(e *fyne.DragEvent) {
	down := s.down
	if !s.pressed { // the press was not seen
		down = e.Position.SubtractXY(e.Dragged.DX, e.Dragged.DY)
	}
	if s.over != nil && s.over.drags(e, down, s.shift) {
		return
	}
	s.pan(e.Dragged.DX, e.Dragged.DY)
}

// DragEnd implements fyne.Draggable.
func (s *stage) DragEnd() {
	if s.over != nil {
		s.over.ends()
	}
	s.shift = false
}

// Scrolled implements fyne.Scrollable. The wheel moves the picture, or goes to the next or
// previous image if the picture is fitted. With Control, it zooms at the pointer. If s.zooms
// is set, it is the other way round.
func (s *stage) Scrolled(e *fyne.ScrollEvent) {
	ctrl := kit.Modifiers()&fyne.KeyModifierShortcutDefault != 0
	switch {
	case ctrl != s.zooms:
		s.zoomTo(s.current()*math.Pow(zoomStep, sign(e.Scrolled.DY)), e.Position)
	case s.fit || s.zooms:
		if e.Scrolled.DY != 0 {
			s.wheel(e.Scrolled.DY > 0)
		}
	default:
		s.pan(e.Scrolled.DX*2, e.Scrolled.DY*2)
	}
}

// DoubleTapped implements fyne.DoubleTappable. It switches between fitted and 100 % at
// the pointer, or twice the size if the picture fits at 100 %.
func (s *stage) DoubleTapped(e *fyne.PointEvent) {
	switch fitted := s.fitZoom(); {
	case s.fit && fitted < 1:
		s.zoomTo(1, e.Position)
	case s.fit:
		s.zoomTo(2*fitted, e.Position)
	default:
		s.toFit()
	}
}

// MouseIn implements desktop.Hoverable.
func (s *stage) MouseIn(e *desktop.MouseEvent) { s.hover(e.Position) }

// MouseMoved implements desktop.Hoverable.
func (s *stage) MouseMoved(e *desktop.MouseEvent) { s.hover(e.Position) }

// MouseOut implements desktop.Hoverable.
func (s *stage) MouseOut() {}

// Cursor implements desktop.Cursorable.
func (s *stage) Cursor() desktop.Cursor {
	if s.over != nil && s.over.mode {
		return desktop.CrosshairCursor
	}
	if s.fit {
		return desktop.DefaultCursor
	}
	return desktop.PointerCursor
}

func sign(v float32) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	default:
		return 0
	}
}
