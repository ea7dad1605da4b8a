package kit

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// An Area is a large ground, with round corners or an edge if it has them. It looks
// like a canvas.Rectangle. Fyne's program for those computes a shadow for each pixel, if
// there is one or not; where no graphics card helps, that was two thirds of a frame. An
// Area has programs of its own where the canvas runs programs.
//
// Nearly all of an area is one opaque colour, which costs next to nothing if it is drawn
// by a program that cannot draw anything else. So an opaque area consists of such parts,
// and of two strips that hold its corners.
type Area struct {
	widget.BaseWidget
	radius float32
	rect   *canvas.Rectangle // nil: there are programs

	fill, edge color.NRGBA
	wide       float32 // the edge, in units
	pixels     float32 // of a unit, when it was laid out; 0: not known
	whole      *canvas.Shader
	// of an opaque area, in place of whole: the edge's colour and the fill's, and the strips
	back, front, top, bottom *canvas.Shader
}

// Area makes an area of a colour.
func (k *Kit) Area(fill color.Color, radius float32) *Area {
	a := &Area{radius: radius}
	switch {
	case !k.Shaders:
		a.rect = Fill(fill, radius)
	case radius > 0:
		a.whole, a.back, a.front, a.top, a.bottom = round.shader(), solid.shader(), solid.shader(), round.shader(), round.shader()
	default:
		a.whole, a.front = flat.shader(), solid.shader()
	}
	a.Paint(fill, nil, 0)
	a.ExtendBaseWidget(a)
	return a
}

// Paint sets the colours, and the width of the edge in units; only what has round corners
// may have one. It does not draw: Refresh does.
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

// programs are all that may draw the area, in the order in which they do.
func (a *Area) programs() []*canvas.Shader {
	if a.radius > 0 {
		return []*canvas.Shader{a.whole, a.back, a.front, a.top, a.bottom}
	}
	return []*canvas.Shader{a.whole, a.front}
}

// lay chooses what draws the area, and places it.
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
	strip := float32(0) // its height, whole pixels
	if a.radius > 0 && a.pixels > 0 {
		strip = float32(math.Ceil(float64(max(a.radius, a.wide)*a.pixels))) / a.pixels
	}
	opaque := a.fill.A == 0xFF && (a.wide == 0 || a.edge.A == 0xFF)
	switch {
	case a.fill.A == 0 && a.wide == 0:
	case opaque && soft > 0 && min(s.Width, s.Height) > 2*(strip+2*soft):
		a.layParts(s, soft, strip)
	default:
		show(a.whole, 0, 0, s.Width, s.Height)
		a.colour(a.whole, 0, 0)
	}
}

// layParts places the parts of an opaque area. What is solid is drawn larger by soft on
// each side than it is placed.
func (a *Area) layParts(s fyne.Size, soft, strip float32) {
	high := float32(math.Round(float64(s.Height*a.pixels))) / a.pixels // as it will be drawn
	edge := float32(math.Floor(float64(a.wide*a.pixels)+0.5)) / a.pixels
	if a.radius > 0 {
		if edge > 0 {
			uniform(a.back.Uniforms, "fill", a.edge)
			show(a.back, soft, strip+soft, s.Width-2*soft, high-2*(strip+soft))
		}
		show(a.top, 0, 0, s.Width, strip)
		a.colour(a.top, 0, high-strip)
		show(a.bottom, 0, high-strip, s.Width, strip)
		a.colour(a.bottom, high-strip, 0)
	}
	uniform(a.front.Uniforms, "fill", a.fill)
	show(a.front, edge+soft, strip+soft, s.Width-2*(edge+soft), high-2*(strip+soft))
}

func show(p *canvas.Shader, x, y, w, h float32) {
	p.Hidden = false
	Place(p, x, y, w, h)
}

// colour gives a program the colours, and how much of the area there is above and below
// what it draws, in units.
func (a *Area) colour(p *canvas.Shader, above, below float32) {
	fill := a.fill
	if a.radius > 0 {
		if fill.A == 0 { // or the edge would darken where it ends
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

// uniform gives a program a colour, but for how opaque it is.
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
	r.min = func() fyne.Size { // Fyne asks before each frame, and tells nobody of a new scale
		if pixelsOf(a) != a.pixels {
			a.lay(a.Size())
		}
		return fyne.Size{}
	}
	return r
}

// pixelsOf is how many pixels of the screen a unit has at o, 0 if it is on none yet.
func pixelsOf(o fyne.CanvasObject) float32 {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil {
		return 0
	}
	const many = 1 << 12
	n, _ := c.PixelCoordinateForPosition(fyne.NewPos(many, 0))
	return float32(n) / many
}

// softness is how many units Fyne draws a program's area larger than it is, on each side:
// half a pixel, rounded, but taken for units (vecRectCoordsWithPad). 0 where that is not
// a number of whole pixels.
func softness(pixels float32) float32 {
	soft := float32(math.Round(float64(pixels) / 2))
	if in := soft * pixels; in != float32(math.Round(float64(in))) {
		return 0
	}
	return soft
}
