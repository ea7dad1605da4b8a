package viewer

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
	xdraw "golang.org/x/image/draw"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// The dimensions of the overview, in Fyne units.
const (
	overviewW, overviewH float32 = 150, 110
	overviewGap          float32 = 14
	overviewLeast        float32 = 16
	// overviewShare is the largest share of the viewport's sides that it may cover.
	overviewShare = 0.45
)

var (
	_ fyne.Draggable     = (*overview)(nil)
	_ fyne.Scrollable    = (*overview)(nil)
	_ desktop.Mouseable  = (*overview)(nil)
	_ desktop.Hoverable  = (*overview)(nil)
	_ desktop.Cursorable = (*overview)(nil)
)

// An overview shows the whole picture in a corner while only a part of it is in the viewport, and
// which part that is. The user can move the part.
type overview struct {
	widget.BaseWidget
	v       *View
	ground  *kit.Area
	picture *kit.Picture
	shade   [4]*canvas.Rectangle // over what is not in the viewport: top, bottom, left, right
	frame   *canvas.Rectangle    // around what is
	of      *image.RGBA          // what picture shows
	edge    image.Point          // its size in pixels of the screen
}

func newOverview(v *View) *overview {
	o := &overview{v: v, ground: v.k.Area(v.k.P.Raised, 3), picture: kit.NewPicture(), frame: kit.Outline(theme.Light.Accent, 1.5, 0)}
	for i := range o.shade {
		o.shade[i] = canvas.NewRectangle(color.NRGBA{0x14, 0x18, 0x22, 0x48})
	}
	o.ground.Paint(theme.Light.Matte, v.k.P.Edge, 1)
	o.ExtendBaseWidget(o)
	o.Hide()
	return o
}

// wanted reports whether a part of the picture is beyond the viewport.
func (o *overview) wanted() bool {
	v, s := o.v, o.v.stage
	if s.fit || s.pixels == nil || v.blank || v.problem != nil {
		return false
	}
	w, h := s.viewport()
	return float64(s.size.X)*s.zoom > w+1 || float64(s.size.Y)*s.zoom > h+1
}

// place shows the overview in the lower right corner of the picture, or hides it.
func (o *overview) place() {
	v, s := o.v, o.v.stage
	room := s.Size()
	if v.full {
		room.Width -= v.over.side
	}
	w, h := o.size(room)
	if !o.wanted() || min(w, h) < overviewLeast {
		kit.SetVisible(o, false)
		return
	}
	at := s.Position().AddXY(room.Width-w-overviewGap, room.Height-h-overviewGap)
	if v.full && v.stripped() {
		at.Y -= stripHeight
	}
	o.thumb(w, h)
	kit.Place(o, at.X, at.Y, w, h)
	o.mark()
	kit.SetVisible(o, true)
	canvas.Refresh(o.frame)
}

// size returns the size of the overview in a viewport: that of the picture, smaller.
func (o *overview) size(room fyne.Size) (w, h float32) {
	x, y := float32(o.v.stage.size.X), float32(o.v.stage.size.Y)
	if x == 0 || y == 0 {
		return 0, 0
	}
	z := min(min(overviewW, room.Width*overviewShare)/x, min(overviewH, room.Height*overviewShare)/y)
	return x * z, y * z
}

// thumb draws the whole picture smaller, unless it is drawn already. Of a large one, only some of
// the pixels count: all of them would take too long.
func (o *overview) thumb(w, h float32) {
	from, f := o.v.stage.pixels, o.v.stage.scale()
	if o.v.movie.has() && o.v.still != nil {
		from = o.v.still
	}
	edge := image.Pt(int(float64(w)*f), int(float64(h)*f))
	if o.of == from && o.edge == edge {
		return
	}
	o.of, o.edge = from, edge
	const finer = 4
	if large := edge.Mul(finer); from.Rect.Dx() > large.X && from.Rect.Dy() > large.Y {
		m := image.NewRGBA(image.Rectangle{Max: large})
		xdraw.ApproxBiLinear.Scale(m, m.Rect, from, from.Rect, draw.Src, nil)
		from = m
	}
	m := image.NewRGBA(image.Rectangle{Max: edge})
	draw.Draw(m, m.Rect, image.NewUniform(theme.Light.Matte), image.Point{}, draw.Src)
	xdraw.CatmullRom.Scale(m, m.Rect, from, from.Rect, draw.Over, nil)
	o.picture.Show(m)
}

// part returns which part of the picture is in the viewport, in the overview.
func (o *overview) part() (x0, y0, x1, y1 float32) {
	s, size := o.v.stage, o.Size()
	w, h := s.viewport()
	cx, cy := s.center()
	in := func(c, half, whole float64, room float32) (from, to float32) {
		at := func(v float64) float32 { return float32(min(max(v/whole, 0), 1)) * room }
		return at(c - half), at(c + half)
	}
	x0, x1 = in(cx, w/2/s.zoom, float64(s.size.X), size.Width)
	y0, y1 = in(cy, h/2/s.zoom, float64(s.size.Y), size.Height)
	return x0, y0, x1, y1
}

// mark marks the part that is in the viewport.
func (o *overview) mark() {
	x0, y0, x1, y1 := o.part()
	size := o.Size()
	kit.Place(o.shade[0], 0, 0, size.Width, y0)
	kit.Place(o.shade[1], 0, y1, size.Width, size.Height-y1)
	kit.Place(o.shade[2], 0, y0, x0, y1-y0)
	kit.Place(o.shade[3], x1, y0, size.Width-x1, y1-y0)
	kit.Place(o.frame, x0, y0, max(x1-x0, 3), max(y1-y0, 3))
}

// to brings the place of the picture at a position of the overview into the middle.
func (o *overview) to(at fyne.Position) {
	s, size := o.v.stage, o.Size()
	if size.Width <= 0 || size.Height <= 0 || s.fit {
		return
	}
	s.cx, s.cy = float64(at.X/size.Width)*float64(s.size.X), float64(at.Y/size.Height)*float64(s.size.Y)
	s.moved()
	s.shifted()
}

// MouseDown implements desktop.Mouseable.
func (o *overview) MouseDown(e *desktop.MouseEvent) { o.to(e.Position) }

// MouseUp implements desktop.Mouseable.
func (o *overview) MouseUp(*desktop.MouseEvent) { o.v.k.Release() }

// Dragged implements fyne.Draggable.
func (o *overview) Dragged(e *fyne.DragEvent) { o.to(e.Position) }

// DragEnd implements fyne.Draggable.
func (o *overview) DragEnd() {}

// MouseIn implements desktop.Hoverable. What is under the overview does not get the pointer.
func (o *overview) MouseIn(*desktop.MouseEvent) {}

// MouseMoved implements desktop.Hoverable.
func (o *overview) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (o *overview) MouseOut() {}

// Scrolled implements fyne.Scrollable, as if the pointer were in the middle of the picture.
func (o *overview) Scrolled(e *fyne.ScrollEvent) {
	s := o.v.stage
	s.Scrolled(&fyne.ScrollEvent{PointEvent: fyne.PointEvent{Position: s.middle()}, Scrolled: e.Scrolled})
}

// Cursor implements desktop.Cursorable.
func (o *overview) Cursor() desktop.Cursor { return desktop.PointerCursor }

// Part returns where the part that is in the viewport is in the picture, from 0 to 1; false if all
// of it is.
func (v *View) Part() (x0, y0, x1, y1 float64, ok bool) {
	o := v.overview
	if !o.Visible() {
		return 0, 0, 1, 1, false
	}
	a, b, c, d := o.part()
	w, h := o.Size().Width, o.Size().Height
	round := func(x, of float32) float64 { return math.Round(float64(x/of)*1000) / 1000 }
	return round(a, w), round(b, h), round(c, w), round(d, h), true
}

// CreateRenderer implements fyne.Widget.
func (o *overview) CreateRenderer() fyne.WidgetRenderer { return &overviewRenderer{o} }

type overviewRenderer struct{ o *overview }

func (r *overviewRenderer) Layout(s fyne.Size) {
	kit.Place(r.o.ground, -2, -2, s.Width+4, s.Height+4)
	kit.Place(r.o.picture.Object(), 0, 0, s.Width, s.Height)
	r.o.mark()
}
func (r *overviewRenderer) MinSize() fyne.Size { return fyne.NewSquareSize(overviewLeast) }
func (r *overviewRenderer) Objects() []fyne.CanvasObject {
	os := []fyne.CanvasObject{r.o.ground, r.o.picture.Object()}
	for _, x := range r.o.shade {
		os = append(os, x)
	}
	return append(os, r.o.frame)
}
func (r *overviewRenderer) Destroy() {}
func (r *overviewRenderer) Refresh() { canvas.Refresh(r.o) }
