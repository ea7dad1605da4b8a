package viewer

import (
	"image"
	"image/draw"
	"strconv"
	"sync"

	fynetheme "fyne.io/fyne/v2/theme"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/window/theme"
)

// numerals has the digits of marks in pictures.
var numerals = sync.OnceValues(func() (*opentype.Font, error) {
	return opentype.Parse(fynetheme.DefaultTextBoldFont().Content()) // the theme's own font has no Latin digits
})

// Marked returns a picture with the marks of questions about it, as the viewer shows them: those that are
// done only by their numbers. The marks are larger in a large picture.
func Marked(m image.Image, notes []library.Question) (image.Image, error) {
	out := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	f := max(1, float64(min(out.Rect.Dx(), out.Rect.Dy()))/600)
	parsed, err := numerals()
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 12 * f, DPI: 72})
	if err != nil {
		return nil, err
	}
	var marks []stageMark
	for _, q := range notes {
		if q.State != catalog.QuestionDone {
			marks = append(marks, inPixels(q.Mark, noteInk(q.State), 1, 1))
		}
	}
	drawMarks(out, marks, 0, 0, 1, f)
	for i, q := range notes {
		p, edge := inPixels(q.Mark, noteInk(q.State), 1, 1), float64(badgeEdge)*f/2
		x, y := p.x0, p.y0
		if p.shape == catalog.Point {
			x, y = x+1.2*edge, y-1.2*edge
		}
		x = min(max(x, edge+f), float64(out.Rect.Dx())-edge-f) // a number that is cut is a wrong number
		y = min(max(y, edge+f), float64(out.Rect.Dy())-edge-f)
		pen{out, theme.Light.Matte, 1.5 * f}.disc(x, y, edge)
		pen{out, p.ink, 0}.disc(x, y, edge)
		text := strconv.Itoa(number(q, i))
		d := font.Drawer{Dst: out, Src: image.NewUniform(theme.Light.Matte), Face: face}
		bounds, _ := d.BoundString(text)
		d.Dot = fixed.Point26_6{
			X: fixed.Int26_6(x*64) - (bounds.Min.X+bounds.Max.X)/2, Y: fixed.Int26_6(y*64) - (bounds.Min.Y+bounds.Max.Y)/2,
		}
		d.DrawString(text)
	}
	return out, nil
}
