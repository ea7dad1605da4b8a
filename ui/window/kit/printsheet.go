package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
)

// MouseDown implements desktop.Mouseable. It begins a selection or, with Shift, extends it.
func (s *printSheet) MouseDown(e *desktop.MouseEvent) {
	p := s.p
	p.k.Press(e)
	if p.Focus != nil {
		p.Focus(s)
	}
	switch {
	case e.Button == desktop.MouseButtonSecondary:
		if p.Menu != nil {
			p.k.Release()
			p.Menu(&fyne.PointEvent{AbsolutePosition: e.AbsolutePosition, Position: e.Position})
		}
	case e.Modifier&fyne.KeyModifierShift != 0:
		p.choose(p.from, s.at(e.Position))
	default:
		at := s.at(e.Position)
		p.choose(at, at)
	}
}

// MouseUp implements desktop.Mouseable.
func (s *printSheet) MouseUp(*desktop.MouseEvent) { s.p.k.Release() }

// MouseIn implements desktop.Hoverable.
func (s *printSheet) MouseIn(e *desktop.MouseEvent) { s.p.k.PointerAt(e) }

// MouseMoved implements desktop.Hoverable.
func (s *printSheet) MouseMoved(e *desktop.MouseEvent) { s.p.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (s *printSheet) MouseOut() {}

// Cursor implements desktop.Cursorable.
func (s *printSheet) Cursor() desktop.Cursor { return desktop.TextCursor }

// Dragged implements fyne.Draggable. It scrolls if the pointer is above or below the visible rows.
func (s *printSheet) Dragged(e *fyne.DragEvent) {
	p := s.p
	p.choose(p.from, s.at(e.Position))
	switch top := p.scroll.Offset.Y; {
	case e.Position.Y < top:
		p.scroll.To(top - printRow)
	case e.Position.Y > top+p.Size().Height:
		p.scroll.To(top + printRow)
	}
}

// DragEnd implements fyne.Draggable.
func (s *printSheet) DragEnd() { s.p.k.Release() }

// DoubleTapped implements fyne.DoubleTappable. It selects a word.
func (s *printSheet) DoubleTapped(e *fyne.PointEvent) { s.p.choose(s.p.body.wordAt(s.at(e.Position))) }

// FocusGained implements fyne.Focusable.
func (s *printSheet) FocusGained() { s.focus(true) }

// FocusLost implements fyne.Focusable.
func (s *printSheet) FocusLost() { s.focus(false) }

func (s *printSheet) focus(on bool) {
	s.ring.Hidden = !on
	s.ring.Refresh()
}

// TypedRune implements fyne.Focusable.
func (s *printSheet) TypedRune(r rune) {
	if s.p.Typed != nil {
		s.p.Typed(r)
	}
}

// TypedKey implements fyne.Focusable. Keys scroll.
func (s *printSheet) TypedKey(e *fyne.KeyEvent) {
	p := s.p
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeyUp:
		p.scroll.To(p.scroll.Offset.Y - printRow)
	case fyne.KeyDown:
		p.scroll.To(p.scroll.Offset.Y + printRow)
	case fyne.KeyPageUp:
		p.scroll.Page(-1)
	case fyne.KeyPageDown:
		p.scroll.Page(1)
	case fyne.KeyHome:
		p.ScrollToTop()
	case fyne.KeyEnd:
		p.ScrollToBottom()
	case fyne.KeyEscape:
		if p.from != p.to {
			p.choose(p.to, p.to)
			return
		}
		Unfocus(s)
	}
}

// TypedShortcut implements fyne.Shortcutable.
func (s *printSheet) TypedShortcut(c fyne.Shortcut) {
	p := s.p
	switch c := c.(type) {
	case *fyne.ShortcutCopy:
		if text := p.Selected(); text != "" && p.Copy != nil {
			p.Copy(text)
		}
		return
	case *fyne.ShortcutSelectAll:
		p.SelectAll()
		return
	case *desktop.CustomShortcut:
		if c.KeyName == fyne.KeyF && c.Modifier == fyne.KeyModifierShortcutDefault && p.Find != nil {
			p.Find()
			return
		}
	}
	if p.Forward != nil {
		p.Forward(c)
	}
}

// CreateRenderer implements fyne.Widget.
func (s *printSheet) CreateRenderer() fyne.WidgetRenderer { return &printRenderer{s} }

type printRenderer struct{ s *printSheet }

func (r *printRenderer) Layout(fyne.Size)             {}
func (r *printRenderer) MinSize() fyne.Size           { return fyne.NewSize(0, r.s.p.total()) }
func (r *printRenderer) Objects() []fyne.CanvasObject { return r.s.drawn }
func (r *printRenderer) Destroy()                     {}
func (r *printRenderer) Refresh()                     { canvas.Refresh(r.s) }
