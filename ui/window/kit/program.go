package kit

import "fyne.io/fyne/v2/canvas"

// A program is the source of a shader, for OpenGL and for OpenGL ES. A window has
// thousands of shaders, but only three programs.
type program struct {
	name   string
	gl, es []byte
}

var (
	solid = makeProgram("easel-solid", solidProgram)
	flat  = makeProgram("easel-flat", flatProgram)
	round = makeProgram("easel-round", roundProgram)
)

func makeProgram(name, source string) program {
	return program{name, []byte("#version 110\n" + source), []byte(esHead + source)}
}

func (p program) shader() *canvas.Shader {
	s := canvas.NewShader(p.name, p.gl, p.es)
	s.Uniforms = make(map[string]float32)
	return s
}

// The programs of areas. They get the bounds of their area in pixels, from the top
// left, and the size of the frame. The width of the area in Fyne units tells them how
// many pixels a unit has. Alpha is not premultiplied.
const (
	esHead = "#version 100\n#ifdef GL_FRAGMENT_PRECISION_HIGH\nprecision highp float;\n#else\nprecision mediump float;\n#endif\n"

	// solidProgram reads only its colour. So Mesa's software renderer fills whole tiles
	// at once and skips what was drawn in them before.
	solidProgram = `
uniform float fillRed, fillGreen, fillBlue;

void main() {
	gl_FragColor = vec4(fillRed, fillGreen, fillBlue, 1.0);
}
`

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

	// In roundProgram, the distance to the outline is negative inside. A pixel whose
	// center is on the outline is half covered. The area may extend above and below the
	// bounds by the given numbers of units.
	roundProgram = `
uniform vec2 frame;
uniform vec4 bounds;
uniform float fillRed, fillGreen, fillBlue, fillAlpha;
uniform float edgeRed, edgeGreen, edgeBlue, edgeAlpha;
uniform float units, radius, edgeWidth, above, below;

void main() {
	float scale = (bounds.z - bounds.x) / units;
	float round = radius * scale;
	float wide = floor(edgeWidth * scale + 0.5);
	vec2 at = vec2(gl_FragCoord.x, frame.y - gl_FragCoord.y);
	vec2 start = vec2(bounds.x, bounds.y - above * scale);
	vec2 reach = (vec2(bounds.z, bounds.w + below * scale) - start) * 0.5;
	vec2 d = abs(at - start - reach) - reach + round;
	float distance = length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - round;
	float edge = clamp(distance + wide + 0.5, 0.0, 1.0) * min(wide, 1.0);
	vec4 colour = mix(vec4(fillRed, fillGreen, fillBlue, fillAlpha), vec4(edgeRed, edgeGreen, edgeBlue, edgeAlpha), edge);
	gl_FragColor = vec4(colour.rgb, colour.a * clamp(0.5 - distance, 0.0, 1.0));
}
`
)
