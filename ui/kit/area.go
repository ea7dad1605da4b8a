package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// An Area is a large ground, with round corners or an edge if it has them. It looks
// like a canvas.Rectangle. Fyne's program for those computes a shadow for each pixel, if
// there is one or not; where no graphics card helps, that was two thirds of a frame. An
// Area has a program of its own where the canvas runs programs.
type Area struct {
	widget.BaseWidget
	radius float32
	rect   *canvas.Rectangle // nil: there is shade
	shade  *canvas.Shader
}

// Area makes an area of a colour.
func (k *Kit) Area(fill color.Color, radius float32) *Area {
	a := &Area{radius: radius}
	if k.Shaders {
		a.shade = canvas.NewShader("easel-flat", []byte("#version 110\n"+flatProgram), []byte(esHead+flatProgram))
		if radius > 0 {
			a.shade = canvas.NewShader("easel-round", []byte("#version 110\n"+roundProgram), []byte(esHead+roundProgram))
		}
		a.shade.Uniforms = make(map[string]float32)
	} else {
		a.rect = Fill(fill, radius)
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
	of := a.shade.Uniforms
	inside := color.NRGBAModel.Convert(fill).(color.NRGBA)
	if a.radius > 0 {
		edge := color.NRGBAModel.Convert(stroke).(color.NRGBA)
		if inside.A == 0 { // or the edge would darken where it ends
			inside = color.NRGBA{edge.R, edge.G, edge.B, 0}
		}
		uniform(of, "edge", edge)
		of["radius"], of["edgeWidth"] = a.radius, width
	}
	uniform(of, "fill", inside)
	a.shade.Hidden = inside.A == 0 && width == 0
}

// uniform gives a program a colour.
func uniform(of map[string]float32, name string, c color.NRGBA) {
	of[name+"Red"], of[name+"Green"], of[name+"Blue"], of[name+"Alpha"] = float32(c.R)/255, float32(c.G)/255, float32(c.B)/255, float32(c.A)/255
}

// CreateRenderer implements fyne.Widget.
func (a *Area) CreateRenderer() fyne.WidgetRenderer {
	if a.rect != nil {
		return widget.NewSimpleRenderer(a.rect)
	}
	r := &renderer{objects: []fyne.CanvasObject{a.shade}}
	r.layout = func(s fyne.Size) {
		if a.radius > 0 {
			a.shade.Uniforms["units"] = s.Width
		}
		a.shade.Resize(s)
	}
	return r
}

// The programs know their area's bounds in pixels, from the top left, and the size of
// the frame; an area's width in units tells how many pixels a unit has. Alpha is not
// premultiplied.
const (
	esHead = "#version 100\n#ifdef GL_FRAGMENT_PRECISION_HIGH\nprecision highp float;\n#else\nprecision mediump float;\n#endif\n"

	flatProgram = `
uniform vec2 frame;
uniform vec4 bounds;
uniform float fillRed, fillGreen, fillBlue, fillAlpha;

void main() {
	vec2 at = vec2(gl_FragCoord.x, frame.y - gl_FragCoord.y);
	vec2 inside = step(bounds.xy, at) * step(at, bounds.zw);
	gl_FragColor = vec4(fillRed, fillGreen, fillBlue, fillAlpha * inside.x * inside.y);
}
`

	// The distance to the outline is negative inside. A pixel that the outline crosses is
	// covered by half, as its middle is on it.
	roundProgram = `
uniform vec2 frame;
uniform vec4 bounds;
uniform float fillRed, fillGreen, fillBlue, fillAlpha;
uniform float edgeRed, edgeGreen, edgeBlue, edgeAlpha;
uniform float units, radius, edgeWidth;

void main() {
	float scale = (bounds.z - bounds.x) / units;
	float round = radius * scale;
	float wide = floor(edgeWidth * scale + 0.5);
	vec2 at = vec2(gl_FragCoord.x, frame.y - gl_FragCoord.y);
	vec2 reach = (bounds.zw - bounds.xy) * 0.5;
	vec2 d = abs(at - bounds.xy - reach) - reach + round;
	float distance = length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - round;
	float edge = clamp(distance + wide + 0.5, 0.0, 1.0) * min(wide, 1.0);
	vec4 colour = mix(vec4(fillRed, fillGreen, fillBlue, fillAlpha), vec4(edgeRed, edgeGreen, edgeBlue, edgeAlpha), edge);
	gl_FragColor = vec4(colour.rgb, colour.a * clamp(0.5 - distance, 0.0, 1.0));
}
`
)
