package viewer

import (
	"image"
	"math"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/window/kit"
)

// A shapePicker lets the user choose what the next drag draws, while the picture waits for one.
type shapePicker struct {
	v       *View
	root    *fyne.Container
	row     *fyne.Container
	buttons map[catalog.Shape]*kit.Button
}

func newShapePicker(v *View) *shapePicker {
	k := v.k
	p := &shapePicker{v: v, row: kit.NewRow(3, -1), buttons: make(map[catalog.Shape]*kit.Button)}
	for _, x := range []struct {
		shape     catalog.Shape
		icon, key string
	}{{catalog.Box, "region", "region.box"}, {catalog.Arrow, "arrow", "region.arrow"}, {catalog.Point, "finding", "region.point"}} {
		b := k.Button(kit.Ghost, x.icon, k.T(x.key), "", func() {
			v.region.shape = x.shape
			p.render()
		}).Small()
		p.buttons[x.shape] = b
		p.row.Add(b)
	}
	ground := k.Area(k.P.Raised, 6)
	ground.Paint(k.P.Raised, k.P.Edge, 1)
	p.root = &fyne.Container{Objects: []fyne.CanvasObject{ground, p.row}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			kit.Place(p.row, 6, 5, s.Width-12, s.Height-10)
		},
	}}
	p.root.Hide()
	return p
}

// render shows the choice, if there is one.
func (p *shapePicker) render() {
	for shape, b := range p.buttons {
		b.SetOn(shape == p.v.region.shape)
	}
	p.place()
}

// place places the choice at the upper edge of the picture.
func (p *shapePicker) place() {
	s, on := p.v.stage, p.v.region.mode && p.v.stage.pixels != nil
	kit.SetVisible(p.root, on)
	if on {
		m := p.row.MinSize()
		kit.Place(p.root, (s.Size().Width-m.Width-12)/2, cardGap, m.Width+12, m.Height+10)
		p.root.Refresh()
	}
}

// drawn returns the mark of a drag between two places of the image, in its pixels. With Shift, it is
// a box.
func (r *regioner) drawn(ax, ay, bx, by float64) catalog.Mark {
	s := r.v.stage
	fx, fy := r.ratio()
	whole := image.Rect(0, 0, int(math.Round(float64(s.size.X)*fx)), int(math.Round(float64(s.size.Y)*fy)))
	within := func(x, y float64) image.Point {
		return image.Pt(min(max(int(math.Floor(x)), 0), whole.Max.X-1), min(max(int(math.Floor(y)), 0), whole.Max.Y-1))
	}
	m := catalog.Mark{Shape: r.shape}
	if !r.mode {
		m.Shape = catalog.Box
	}
	switch m.Shape {
	case catalog.Box:
		m.Rect = image.Rect(int(math.Floor(min(ax, bx))), int(math.Floor(min(ay, by))), int(math.Ceil(max(ax, bx))), int(math.Ceil(max(ay, by))))
	case catalog.Arrow:
		m.From, m.To = within(ax, ay), within(bx, by)
		m.Rect = image.Rect(min(m.From.X, m.To.X), min(m.From.Y, m.To.Y), max(m.From.X, m.To.X)+1, max(m.From.Y, m.To.Y)+1).Inset(-pointRoom)
	case catalog.Point:
		m.To = within(bx, by)
		m.Rect = image.Rectangle{Min: m.To, Max: m.To.Add(image.Pt(1, 1))}.Inset(-2 * pointRoom)
	}
	m.Rect = m.Rect.Intersect(whole)
	return m
}

// tapped marks a point, if that is what the picture waits for.
func (r *regioner) tapped(at fyne.Position) {
	s := r.v.stage
	if !r.mode || r.dragging || r.shape != catalog.Point || s.pixels == nil || r.v.blank || r.v.problem != nil {
		return
	}
	if r.v.layout.laid != nil { // the user has aimed at another picture
		return
	}
	x, y := s.pixelAt(at)
	fx, fy := r.ratio()
	m := r.drawn(x*fx, y*fy, x*fx, y*fy)
	r.setMode(false)
	r.set(m)
}
