package viewer

import (
	"image"
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// RegionActions are what the user can do with a rectangle on a picture. They may be nil.
type RegionActions struct {
	Of       func(id string) image.Rectangle    // the region of an image; empty if there is none
	Set      func(id string, r image.Rectangle) // an empty one removes it
	Ask      func(id string, m catalog.Mark)
	Show     func(question string) // shows a question; may be nil
	CopyCrop func(id string, r image.Rectangle)
	CopyText func(id string, r image.Rectangle)
}

const (
	leastRegion         = 4.0 // pixels of the screen; a smaller rectangle is a click
	lineWide    float32 = 1.5
	haloWide    float32 = 3.5
	cardGap     float32 = 8
	mostLabel   float32 = 440
)

// A regioner lets the user draw a rectangle on the picture of the viewer, and shows it.
//
// Invariant: mark.Rect is the region of the image that is shown, in pixels of the image; while the
// user drags, it is what they have drawn so far.
type regioner struct {
	v     *View
	mark  catalog.Mark
	last  catalog.Mark  // that the user has drawn
	mode  bool          // the next drag draws a mark
	shape catalog.Shape // of that mark
	picks *shapePicker

	dragging     bool
	aside        bool    // this drag began on a picture that was laid out, so it only shows the stored one
	fromX, fromY float64 // where the drag began, in pixels of the stage's picture

	halo, line [4]*canvas.Rectangle // edges: top, bottom, left, right
	card       *fyne.Container      // the label and the buttons
	label      *kit.Line
	row        *fyne.Container
	ground     *kit.Area
	tool       *kit.Button
}

func newRegioner(v *View) *regioner {
	k := v.k
	r := &regioner{v: v, picks: newShapePicker(v), label: kit.NewLine("", theme.TextBody-1, k.P.Text, fyne.TextStyle{}, 60)}
	for i := range r.line {
		r.halo[i], r.line[i] = canvas.NewRectangle(color.NRGBA{0xFF, 0xFF, 0xFF, 0xB0}), canvas.NewRectangle(theme.Light.Accent)
	}
	button := func(kind kit.Kind, icon, text, tip string, do func(id string, r image.Rectangle)) fyne.CanvasObject {
		return k.Button(kind, icon, text, tip, func() { do(v.seen(), r.mark.Rect) }).Small()
	}
	act := v.act.Region
	var buttons []fyne.CanvasObject
	if act.Ask != nil {
		ask := func(id string, _ image.Rectangle) { act.Ask(id, r.mark) }
		buttons = append(buttons, button(kit.Primary, "", k.T("region.ask"), k.T("region.ask_tip"), ask))
	}
	if act.CopyCrop != nil {
		buttons = append(buttons, button(kit.Ghost, "image", "", k.T("region.copy_crop"), act.CopyCrop))
	}
	if act.CopyText != nil {
		buttons = append(buttons, button(kit.Ghost, "copy", "", k.T("region.copy_text"), act.CopyText))
	}
	buttons = append(buttons,
		button(kit.Ghost, "zoom-in", "", k.T("region.zoom"), func(string, image.Rectangle) { r.zoom() }),
		button(kit.Ghost, "close", "", k.T("region.remove"), func(string, image.Rectangle) { r.set(catalog.Mark{}) }))
	r.row = kit.NewRow(3, -1, buttons...)
	r.ground = k.Area(k.P.Raised, 6)
	r.ground.Paint(k.P.Raised, k.P.Edge, 1)
	r.card = &fyne.Container{Objects: []fyne.CanvasObject{r.ground, r.label, r.row}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(r.ground, 0, 0, s.Width, s.Height)
			h := r.label.MinSize().Height
			kit.Place(r.label, 10, 6, s.Width-20, h)
			m := r.row.MinSize()
			kit.Place(r.row, 6, 6+h+5, m.Width, m.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			m := r.row.MinSize()
			size := fyne.NewSize(min(r.label.PreferredWidth()+1, mostLabel)+20, 6+r.label.MinSize().Height+6)
			if !r.row.Hidden {
				size = fyne.NewSize(max(size.Width, m.Width+12), size.Height+m.Height+5)
			}
			return size
		},
	}}
	v.stage.over = r
	return r
}

// objects returns what is drawn over the picture.
func (r *regioner) objects() (os []fyne.CanvasObject) {
	for _, o := range r.halo {
		os = append(os, o)
	}
	for _, o := range r.line {
		os = append(os, o)
	}
	return append(os, r.v.notes.layer, r.card, r.picks.root)
}

// sync shows the region that the image has in the state.
func (r *regioner) sync() {
	if act := r.v.act.Region; !r.dragging && act.Of != nil {
		r.mark = catalog.Mark{Rect: act.Of(r.v.seen())}
		if r.mark.Rect == r.last.Rect { // the state knows no other shapes
			r.mark = r.last
		}
	}
	r.v.layout.change()
	r.place()
}

// toggle makes the next drag draw a rectangle, or not.
func (r *regioner) toggle() { r.setMode(!r.mode) }

func (r *regioner) setMode(on bool) {
	r.mode = on && r.v.act.Region.Set != nil
	r.picks.render()
	if r.tool != nil {
		r.tool.SetOn(r.mode)
	}
	r.v.layout.change()
}

// cancel leaves the mode or removes the region, and reports whether there was one.
func (r *regioner) cancel() bool {
	switch {
	case r.dragging:
		r.dragging = false
		r.sync()
	case r.mode:
		r.setMode(false)
	case r.visible():
		r.set(catalog.Mark{})
	default:
		return false
	}
	return true
}

// leaves ends drawing a region, and reports whether the user was doing that.
func (r *regioner) leaves() bool { return (r.dragging || r.mode) && r.cancel() }

// set changes the region of the image that is shown.
func (r *regioner) set(m catalog.Mark) {
	r.mark, r.last = m, m
	r.v.layout.change()
	r.place()
	if act := r.v.act.Region; act.Set != nil {
		act.Set(r.v.seen(), m.Rect)
	}
}

// visible reports whether a region is on the screen.
func (r *regioner) visible() bool {
	v := r.v
	return !r.mark.Rect.Empty() && v.stage.pixels != nil && !v.blank && v.problem == nil
}

// works reports whether the user selects a region, or has selected one.
func (r *regioner) works() bool { return r.mode || r.dragging || !r.mark.Rect.Empty() }

// drags begins or continues to draw a rectangle. It reports false if the drag moves the picture.
func (r *regioner) drags(e *fyne.DragEvent, down fyne.Position, shift bool) bool {
	s := r.v.stage
	if r.v.act.Region.Set == nil || s.pixels == nil || r.v.blank || r.v.problem != nil {
		return false
	}
	if !r.dragging {
		if !r.mode && !shift {
			return false
		}
		if r.v.layout.laid != nil { // the user has aimed at another picture
			r.aside = true
			r.setMode(true)
		}
		if r.aside {
			return true
		}
		r.dragging = true
		r.v.layout.change() // the rectangle is one of the stored picture
		r.fromX, r.fromY = s.pixelAt(down)
	}
	x, y := s.pixelAt(e.Position)
	fx, fy := r.ratio()
	r.mark = catalog.Mark{}
	if z := s.current(); r.mode && r.shape == catalog.Point || max(math.Abs(x-r.fromX), math.Abs(y-r.fromY))*z >= leastRegion {
		r.mark = r.drawn(r.fromX*fx, r.fromY*fy, x*fx, y*fy)
	}
	r.place()
	return true
}

// ratio returns how many pixels the image has for one of the stage, which shows an SVG larger.
func (r *regioner) ratio() (x, y float64) {
	im, size := r.v.shown, r.v.stage.size
	if im.Width <= 0 || im.Height <= 0 || size.X <= 0 || size.Y <= 0 {
		return 1, 1
	}
	return float64(im.Width) / float64(size.X), float64(im.Height) / float64(size.Y)
}

// ends ends a drag that drew a rectangle.
func (r *regioner) ends() {
	r.aside = false
	if !r.dragging {
		return
	}
	r.dragging = false
	r.setMode(false)
	if r.mark.Rect.Empty() {
		r.sync() // a click keeps what there was
		return
	}
	r.set(r.mark)
}

// zoom shows the region as large as it fits.
func (r *regioner) zoom() {
	s := r.v.stage
	if !r.visible() {
		return
	}
	w, h := s.viewport()
	fx, fy := r.ratio()
	rect := r.mark.Rect
	s.zoom = min(max(0.86*min(w*fx/float64(rect.Dx()), h*fy/float64(rect.Dy())), leastZoom), mostZoom)
	s.cx, s.cy = float64(rect.Min.X+rect.Max.X)/2/fx, float64(rect.Min.Y+rect.Max.Y)/2/fy
	s.fit = false
	s.moved()
	s.shifted()
}

// place draws the region where it is on the screen, and its card beside it.
func (r *regioner) place() {
	on := r.visible()
	for i := range r.line {
		r.halo[i].Hidden, r.line[i].Hidden = !on, !on
	}
	r.picks.place()
	r.v.notes.sync()
	kit.SetVisible(r.card, on)
	if !on {
		return
	}
	s := r.v.stage
	fx, fy := r.ratio()
	a := s.positionOf(float64(r.mark.Rect.Min.X)/fx, float64(r.mark.Rect.Min.Y)/fy)
	b := s.positionOf(float64(r.mark.Rect.Max.X)/fx, float64(r.mark.Rect.Max.Y)/fy)
	for i, wide := range []float32{haloWide, lineWide} {
		if r.mark.Shape != catalog.Box { // the stage draws it
			for _, o := range append(r.halo[:], r.line[:]...) {
				o.Hide()
			}
			break
		}
		edges := []*[4]*canvas.Rectangle{&r.halo, &r.line}[i]
		d := wide / 2
		s.clipped(edges[0], a.X-d, a.Y-d, b.X+d, a.Y+d)
		s.clipped(edges[1], a.X-d, b.Y-d, b.X+d, b.Y+d)
		s.clipped(edges[2], a.X-d, a.Y-d, a.X+d, b.Y+d)
		s.clipped(edges[3], b.X-d, a.Y-d, b.X+d, b.Y+d)
	}
	r.label.Set(r.v.MarkText(r.mark), nil)
	kit.SetVisible(r.row, !r.dragging)
	r.placeCard(a, b)
}

// placeCard places the label and the buttons below the region; above it or within it if there is
// no space.
func (r *regioner) placeCard(a, b fyne.Position) {
	size, stage := r.card.MinSize(), r.v.stage.Size()
	size.Width = min(size.Width, stage.Width-2*cardGap)
	x := min(max(a.X, cardGap), stage.Width-size.Width-cardGap)
	y := b.Y + cardGap
	if y+size.Height+cardGap > stage.Height {
		if y = a.Y - cardGap - size.Height; y < cardGap {
			y = stage.Height - size.Height - cardGap
		}
	}
	kit.Place(r.card, x, max(y, cardGap), size.Width, size.Height)
	r.card.Refresh()
}

// clipped places an edge, as far as it is in the viewport.
func (s *stage) clipped(o *canvas.Rectangle, x0, y0, x1, y1 float32) {
	x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, s.Size().Width), min(y1, s.Size().Height)
	if o.Hidden = x0 >= x1 || y0 >= y1; !o.Hidden {
		kit.Place(o, x0, y0, x1-x0, y1-y0)
	}
	o.Refresh()
}

// origin returns where the upper left pixel of the picture is drawn, in screen pixels.
func (s *stage) origin() (x, y float64) {
	w, h := s.viewport()
	cx, cy := s.center()
	z := s.current()
	return math.Round(w/2 - cx*z), math.Round(h/2 - cy*z)
}

// pixelAt returns the point of the picture at a position of the stage.
func (s *stage) pixelAt(at fyne.Position) (x, y float64) {
	x0, y0 := s.origin()
	f, z := s.scale(), s.current()
	return (float64(at.X)*f - x0) / z, (float64(at.Y)*f - y0) / z
}

// positionOf returns the position of a point of the picture on the stage.
func (s *stage) positionOf(x, y float64) fyne.Position {
	x0, y0 := s.origin()
	f, z := s.scale(), s.current()
	return fyne.NewPos(float32((x0+x*z)/f), float32((y0+y*z)/f))
}

// Region returns the region of the image that is shown; empty if there is none.
func (v *View) Region() image.Rectangle {
	if v.region.visible() {
		return v.region.mark.Rect
	}
	return image.Rectangle{}
}

// ShowRegion shows the region that the image has now.
func (v *View) ShowRegion() { v.region.sync() }

// SelectRegion makes the next drag draw a rectangle, or not.
func (v *View) SelectRegion() { v.region.toggle() }

// AskRegion asks about the region that is shown.
func (v *View) AskRegion() {
	if act := v.act.Region; v.region.visible() && act.Ask != nil {
		act.Ask(v.seen(), v.region.mark)
	}
}
