package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

var (
	_ fyne.Tappable     = (*Stars)(nil)
	_ fyne.Focusable    = (*Stars)(nil)
	_ desktop.Hoverable = (*Stars)(nil)
)

// Stars shows a rating from 0 to 5, which the user can set. Clicking the current rating removes it.
// With the focus, the arrows change it, and 0 to 5 set it.
type Stars struct {
	widget.BaseWidget
	k      *Kit
	edge   float32
	rating int
	over   int // star under the pointer, 1 to 5; 0: none
	rate   func(int)
	full   [5]*canvas.Image
	empty  [5]*canvas.Image
	ring   *canvas.Rectangle
}

// Stars returns a row of stars, each of size edge.
func (k *Kit) Stars(edge float32, rate func(int)) *Stars {
	s := &Stars{k: k, edge: edge, rate: rate, ring: Outline(k.P.Accent, 2, 4)}
	s.ring.Hide()
	for i := range s.full {
		s.full[i] = Icon("star", k.P.Star, edge)
		s.empty[i] = Icon("star-outline", k.P.Muted, edge)
		s.full[i].Hide()
	}
	s.ExtendBaseWidget(s)
	return s
}

// Set shows a rating.
func (s *Stars) Set(rating int) {
	if s.rating != rating {
		s.rating = rating
		s.Refresh()
	}
}

func (s *Stars) at(x float32) int { return min(max(int(x/(s.edge+3))+1, 1), 5) }

// Tapped implements fyne.Tappable.
func (s *Stars) Tapped(e *fyne.PointEvent) {
	n := s.at(e.Position.X)
	if n == s.rating {
		n = 0
	}
	if s.rate != nil {
		s.rate(n)
	}
}

// FocusGained implements fyne.Focusable.
func (s *Stars) FocusGained() { s.showRing(true) }

// FocusLost implements fyne.Focusable.
func (s *Stars) FocusLost() { s.showRing(false) }

// Focused reports whether it has the focus.
func (s *Stars) Focused() bool { return s.ring.Visible() }

func (s *Stars) showRing(on bool) {
	s.ring.Hidden = !on
	s.ring.Refresh()
}

// TypedRune implements fyne.Focusable.
func (s *Stars) TypedRune(r rune) {
	if r >= '0' && r <= '5' {
		s.change(int(r - '0'))
	}
}

// TypedKey implements fyne.Focusable.
func (s *Stars) TypedKey(e *fyne.KeyEvent) {
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeyRight, fyne.KeyUp:
		s.change(min(s.rating+1, 5))
	case fyne.KeyLeft, fyne.KeyDown:
		s.change(max(s.rating-1, 0))
	case fyne.KeyEscape:
		Unfocus(s)
	default:
		s.k.Unused(e)
	}
}

func (s *Stars) change(rating int) {
	if s.rate != nil && rating != s.rating {
		s.Set(rating) // the next key counts from it
		s.rate(rating)
	}
}

// MouseDown implements desktop.Mouseable.
func (s *Stars) MouseDown(e *desktop.MouseEvent) { s.k.Press(e) }

// MouseUp implements desktop.Mouseable.
func (s *Stars) MouseUp(*desktop.MouseEvent) { s.k.Release() }

// MouseIn implements desktop.Hoverable.
func (s *Stars) MouseIn(e *desktop.MouseEvent) { s.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (s *Stars) MouseMoved(e *desktop.MouseEvent) {
	s.k.PointerAt(e)
	if n := s.at(e.Position.X); n != s.over {
		s.over = n
		s.Refresh()
	}
}

// MouseOut implements desktop.Hoverable.
func (s *Stars) MouseOut() { s.over = 0; s.Refresh() }

// CreateRenderer implements fyne.Widget.
func (s *Stars) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{refresh: s.paint}
	for i := range s.full {
		r.objects = append(r.objects, s.empty[i], s.full[i])
	}
	r.objects = append(r.objects, s.ring)
	r.layout = func(size fyne.Size) {
		Place(s.ring, -4, (size.Height-s.edge)/2-4, 5*s.edge+20, s.edge+8)
		for i := range s.full {
			x := float32(i) * (s.edge + 3)
			Place(s.full[i], x, (size.Height-s.edge)/2, s.edge, s.edge)
			Place(s.empty[i], x, (size.Height-s.edge)/2, s.edge, s.edge)
		}
	}
	r.min = func() fyne.Size { return fyne.NewSize(5*s.edge+4*3, s.edge+2) }
	s.paint()
	return r
}

func (s *Stars) paint() {
	n := s.rating
	if s.over > 0 {
		n = s.over
	}
	for i := range s.full {
		s.full[i].Hidden = i >= n
		s.empty[i].Hidden = i < n
	}
}
