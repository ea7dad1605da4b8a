package viewer

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

var _ desktop.Mouseable = (*stage)(nil)

// MouseDown implements desktop.Mouseable. A drag begins here.
func (s *stage) MouseDown(e *desktop.MouseEvent) {
	s.down, s.shift = e.Position, e.Modifier&fyne.KeyModifierShift != 0
	s.pressed = true
}

// MouseUp implements desktop.Mouseable.
func (s *stage) MouseUp(*desktop.MouseEvent) {
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
