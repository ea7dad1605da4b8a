package kit

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// An Area is a large background, optionally with rounded corners or an edge. It looks
// like a canvas.Rectangle. Fyne's shader for rectangles computes a shadow for each
// pixel, even if there is none. Without a graphics card, that took two thirds of a
// frame. If the canvas supports shaders, an Area uses its own.
//
// Nearly all of an area is one opaque colour. That costs almost nothing in a shader
// that can draw nothing else. So an opaque area consists of such a part, of two strips
// that contain its corners, and of its edge at the sides. An area that is only an edge,
// such as the ring around what is selected, has no inside.
type Area struct {
	widget.BaseWidget
	radius float32
	rect   *canvas.Rectangle // nil if shaders draw the area

	fill, edge color.NRGBA
	wide       float32 // width of the edge, in Fyne units
	pixels     float32 // screen pixels per Fyne unit at the last layout; 0: unknown
	whole      *canvas.Shader
	// The parts of an opaque area, or of a mere edge, used instead of whole: the two strips,
	// the edge at the left and the right between them, and a rectangle in the fill colour.
	top, bottom, left, right, front *canvas.Shader
}

// Area returns an area of a colour.
func (k *Kit) Area(fill color.Color, radius float32) *Area {
	a := &Area{radius: radius}
	switch {
	case !k.Shaders:
		a.rect = Fill(fill, radius)
	case radius > 0:
		a.whole, a.top, a.bottom = round.shader(), round.shader(), round.shader()
		a.left, a.right, a.front = flat.shader(), flat.shader(), solid.shader()
	default:
		a.whole, a.front = flat.shader(), solid.shader()
	}
	a.Paint(fill, nil, 0)
	a.ExtendBaseWidget(a)
	return a
}

// Paint sets the colours, and the width of the edge in Fyne units. Only an area with
// rounded corners may have an edge. Paint does not draw; Refresh does.
func (a *Area) Paint(fill, stroke color.Color, width float32) {
	if stroke == nil {
		stroke = color.Transparent
	}
	if a.rect != nil {
		a.rect.FillColor, a.rect.StrokeColor, a.rect.StrokeWidth = fill, stroke, width
		return
	}
	a.fill = color.NRGBAModel.Convert(fill).(color.NRGBA)
	a.edge, a.wide = color.NRGBAModel.Convert(stroke).(color.NRGBA), width
	a.lay(a.Size())
}

// programs returns the shaders that may draw the area, in drawing order.
func (a *Area) programs() []*canvas.Shader {
	if a.radius > 0 {
		return []*canvas.Shader{a.whole, a.top, a.bottom, a.left, a.right, a.front}
	}
	return []*canvas.Shader{a.whole, a.front}
}

// lay chooses and places the objects that draw the area.
func (a *Area) lay(s fyne.Size) {
	if a.rect != nil {
		a.rect.Resize(s)
		return
	}
	for _, p := range a.programs() {
		p.Hidden = true
	}
	a.pixels = pixelsOf(a)
	soft := softness(a.pixels)
	strip := float32(0) // its height, a whole number of pixels
	if a.radius > 0 && a.pixels > 0 {
		strip = float32(math.Ceil(float64(max(a.radius, a.wide)*a.pixels))) / a.pixels
	}
	plain := (a.fill.A == 0xFF || a.fill.A == 0 && a.radius > 0) && (a.wide == 0 || a.edge.A == 0xFF)
	switch {
	case a.fill.A == 0 && a.wide == 0:
	case plain && soft > 0 && min(s.Width, s.Height) > 2*(strip+2*soft):
		a.layParts(s, soft, strip)
	default:
		show(a.whole, 0, 0, s.Width, s.Height)
		a.colour(a.whole, 0, 0)
	}
}

// layParts places the parts of an area. Fyne draws the solid front larger than it is placed, by soft on each side.
func (a *Area) layParts(s fyne.Size, soft, strip float32) {
	high := a.drawn(s.Height)
	edge := float32(math.Floor(float64(a.wide*a.pixels)+0.5)) / a.pixels
	if a.radius > 0 {
		show(a.top, 0, 0, s.Width, strip)
		a.colour(a.top, 0, high-strip)
		show(a.bottom, 0, high-strip, s.Width, strip)
		a.colour(a.bottom, high-strip, 0)
		if edge > 0 {
			show(a.left, 0, strip, edge, high-2*strip)
			show(a.right, a.drawn(s.Width)-edge, strip, edge, high-2*strip)
			for _, p := range []*canvas.Shader{a.left, a.right} {
				uniform(p.Uniforms, "fill", a.edge)
				p.Uniforms["fillAlpha"] = 1
			}
		}
	}
	if a.fill.A > 0 {
		uniform(a.front.Uniforms, "fill", a.fill)
		show(a.front, edge+soft, strip+soft, s.Width-2*(edge+soft), high-2*(strip+soft))
	}
}

// drawn returns a length as Fyne will draw it: in whole pixels.
func (a *Area) drawn(length float32) float32 {
	return float32(math.Round(float64(length*a.pixels))) / a.pixels
}

func show(p *canvas.Shader, x, y, w, h float32) {
	p.Hidden = false
	p.Move(fyne.NewPos(x, y)) // in whole pixels, not in whole units as by Place
	p.Resize(fyne.NewSize(w, h))
}

// colour sets the uniforms of a shader: the colours, and how much of the area, in Fyne
// units, is above and below the part that it draws.
func (a *Area) colour(p *canvas.Shader, above, below float32) {
	fill := a.fill
	if a.radius > 0 {
		if fill.A == 0 { // else the edge would be dark at its inner side
			fill = color.NRGBA{a.edge.R, a.edge.G, a.edge.B, 0}
		}
		uniform(p.Uniforms, "edge", a.edge)
		p.Uniforms["edgeAlpha"] = float32(a.edge.A) / 255
		p.Uniforms["radius"], p.Uniforms["edgeWidth"], p.Uniforms["units"] = a.radius, a.wide, p.Size().Width
		p.Uniforms["above"], p.Uniforms["below"] = above, below
	}
	uniform(p.Uniforms, "fill", fill)
	p.Uniforms["fillAlpha"] = float32(fill.A) / 255
}

// uniform sets a colour, without its alpha.
func uniform(of map[string]float32, name string, c color.NRGBA) {
	of[name+"Red"], of[name+"Green"], of[name+"Blue"] = float32(c.R)/255, float32(c.G)/255, float32(c.B)/255
}

// CreateRenderer implements fyne.Widget.
func (a *Area) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{layout: a.lay}
	if a.rect != nil {
		r.objects = []fyne.CanvasObject{a.rect}
		return r
	}
	for _, p := range a.programs() {
		r.objects = append(r.objects, p)
	}
	r.min = func() fyne.Size { // Fyne calls this before each frame, and does not report a new scale
		if pixelsOf(a) != a.pixels {
			a.lay(a.Size())
		}
		return fyne.Size{}
	}
	return r
}

// pixelsOf returns the number of screen pixels per Fyne unit at o, or 0 if o is not on
// a canvas.
func pixelsOf(o fyne.CanvasObject) float32 {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil {
		return 0
	}
	const many = 1 << 12
	n, _ := c.PixelCoordinateForPosition(fyne.NewPos(many, 0))
	return float32(n) / many
}

// softness returns by how many Fyne units Fyne draws a shader's area larger than it is,
// on each side. Fyne computes half a pixel, rounds it and uses it as units
// (vecRectCoordsWithPad). The result is 0 if this is not a whole number of pixels.
func softness(pixels float32) float32 {
	soft := float32(math.Round(float64(pixels) / 2))
	if in := soft * pixels; in != float32(math.Round(float64(in))) {
		return 0
	}
	return soft
}
