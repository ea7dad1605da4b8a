package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/theme"
)

var (
	_ fyne.Tappable     = (*Stars)(nil)
	_ desktop.Hoverable = (*Stars)(nil)
)

// Stars shows a rating from 0 to 5, which the user can set with the mouse. Clicking the
// current rating removes it.
type Stars struct {
	widget.BaseWidget
	k      *Kit
	edge   float32
	rating int
	over   int // star under the pointer, 1 to 5; 0: none
	rate   func(int)
	full   [5]*canvas.Image
	empty  [5]*canvas.Image
}

// Stars returns a row of stars, each of size edge.
func (k *Kit) Stars(edge float32, rate func(int)) *Stars {
	s := &Stars{k: k, edge: edge, rate: rate}
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
	r.layout = func(size fyne.Size) {
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

var _ fyne.Widget = (*Chip)(nil)

// A Chip is a short text in a rounded box, for example a tag. It has an × if it can be
// removed.
type Chip struct {
	widget.BaseWidget
	k       *Kit
	full    string
	text    *canvas.Text // full, or the part of it that fits
	ground  *canvas.Rectangle
	cross   *canvas.Image
	on      bool
	wrong   bool // see Warn
	hovered bool
	tap     func()
}

// Chip returns a chip. tap may be nil. If removable, it shows an ×.
func (k *Kit) Chip(text string, on, removable bool, tap func()) *Chip {
	c := &Chip{
		k: k, on: on, tap: tap, full: text, text: Text(text, theme.TextBody-1, k.P.Text, fyne.TextStyle{}),
		ground: Fill(k.P.Raised, 11),
	}
	if removable {
		c.cross = Icon("close", k.P.Muted, 10)
	}
	c.ExtendBaseWidget(c)
	return c
}

// Text returns what the chip says, also if there is no room for all of it.
func (c *Chip) Text() string { return c.full }

// Warn shows that what the chip says has no effect.
func (c *Chip) Warn() { c.wrong = true }

// Tapped implements fyne.Tappable.
func (c *Chip) Tapped(*fyne.PointEvent) {
	if c.tap != nil {
		c.tap()
	}
}

// MouseDown implements desktop.Mouseable.
func (c *Chip) MouseDown(e *desktop.MouseEvent) { c.k.Press(e) }

// MouseUp implements desktop.Mouseable.
func (c *Chip) MouseUp(*desktop.MouseEvent) { c.k.Release() }

// MouseIn implements desktop.Hoverable.
func (c *Chip) MouseIn(e *desktop.MouseEvent) { c.k.PointerAt(e); c.hovered = true; c.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (c *Chip) MouseMoved(e *desktop.MouseEvent) { c.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (c *Chip) MouseOut() { c.hovered = false; c.Refresh() }

func (c *Chip) paint() {
	p := c.k.P
	c.ground.FillColor, c.ground.StrokeColor, c.ground.StrokeWidth, c.text.Color = p.Raised, p.Edge, 1, p.Text
	if c.on {
		c.ground.FillColor, c.ground.StrokeColor, c.text.Color = p.AccentBg, p.Accent, p.Accent
	}
	if c.wrong {
		c.ground.FillColor, c.ground.StrokeColor, c.text.Color = p.WarnBg, p.Warn, p.Warn
	}
	if c.hovered && c.tap != nil && !c.on {
		c.ground.FillColor = p.Hover
	}
}

// CreateRenderer implements fyne.Widget.
func (c *Chip) CreateRenderer() fyne.WidgetRenderer {
	c.paint()
	r := &renderer{objects: []fyne.CanvasObject{c.ground, c.text}, refresh: c.paint}
	if c.cross != nil {
		r.objects = append(r.objects, c.cross)
	}
	r.layout = func(s fyne.Size) {
		Place(c.ground, 0, 0, s.Width, s.Height)
		c.text.Text = Shorten(c.full, max(s.Width-c.sides(), 1), c.text.TextSize, c.text.TextStyle)
		m := c.text.MinSize()
		Place(c.text, 9, (s.Height-m.Height)/2, m.Width, m.Height)
		if c.cross != nil {
			Place(c.cross, s.Width-18, (s.Height-10)/2, 10, 10)
		}
	}
	r.min = func() fyne.Size {
		w := fyne.MeasureText(c.full, c.text.TextSize, c.text.TextStyle).Width
		return fyne.NewSize(w+c.sides(), 22)
	}
	return r
}

// sides returns the width that a chip needs in addition to its text.
func (c *Chip) sides() float32 {
	if c.cross != nil {
		return 30
	}
	return 18
}
