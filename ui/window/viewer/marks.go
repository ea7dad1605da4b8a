package viewer

import (
	"image"
	"image/color"
	"math"

	"easel/ui/core/command"
	"easel/ui/window/theme"
)

// The dimensions of marks, in Fyne units.
const (
	ringRadius = 7.5
	boxPad     = 3.0 // between what a box marks and its line
	markLine   = 2.0
	markHalo   = 4.0 // the line with the halo that sets it off from the picture
)

var (
	markInk  = theme.Light.Accent // pictures have a white matte in the dark, too
	markGlow = color.NRGBA{0xFF, 0xFF, 0xFF, 0xD8}
)

// Mark marks places of an image, in its pixels: points with rings, rectangles with boxes. They are shown while the image is.
// Without places, nothing is marked any more.
func (v *View) Mark(id string, where []command.Region) {
	v.marked, v.marks = id, where
	v.layout.change() // they are places of the stored picture
	v.sync()
	if s := v.stage; len(s.marks) > 0 && !s.fit && !s.marksInView() {
		s.toFit()
	}
}

// Marked returns the image whose places are marked, and how many; "" if the viewer shows no marks.
func (v *View) Marked() (id string, n int) {
	if !v.marking() {
		return "", 0
	}
	return v.marked, len(v.marks)
}

// marking reports whether the picture has marks.
func (v *View) marking() bool {
	return len(v.marks) > 0 && v.marked == v.seen() && v.stage.pixels != nil && !v.blank && v.problem == nil
}

// sync gives the stage the marks of the picture that it shows.
func (v *View) sync() {
	var marks []command.Region
	if v.marking() && v.layout.laid == nil {
		fx, fy := v.region.ratio()
		w, h := float64(v.stage.size.X), float64(v.stage.size.Y)
		for _, r := range v.marks { // what is beyond the picture is marked at its edge
			marks = append(marks, command.Region{
				X0: min(max(r.X0/fx, 0), w), Y0: min(max(r.Y0/fy, 0), h), X1: min(max(r.X1/fx, 0), w), Y1: min(max(r.Y1/fy, 0), h),
			})
		}
	}
	if len(marks) > 0 || len(v.stage.marks) > 0 {
		v.stage.marks = marks
		v.stage.raster.Refresh()
	}
	v.notes.take(v.last.notes)
}

// unmark lets the window forget the marks. It reports false if there are none.
func (v *View) unmark() bool {
	if !v.marking() || v.act.Unmark == nil {
		return false
	}
	v.act.Unmark()
	return true
}

// marksInView reports whether at least one mark is in the viewport.
func (s *stage) marksInView() bool {
	x0, y0 := s.origin()
	w, h := s.viewport()
	z := s.current()
	for _, r := range s.marks {
		if x0+r.X1*z >= 0 && x0+r.X0*z <= w && y0+r.Y1*z >= 0 && y0+r.Y0*z <= h {
			return true
		}
	}
	return false
}

// drawMarks draws the marks over the picture whose upper left corner is at x0, y0: first the halos, so that none covers
// a line.
func (s *stage) drawMarks(out *image.RGBA, x0, y0, z float64) {
	f := s.scale()
	rings := newRings(out.Rect, ringRadius*f, ringRadius*f+markHalo*f/2+1)
	for _, r := range s.marks {
		if r.IsPoint() {
			rings.add(x0+r.X0*z, y0+r.Y0*z)
		}
	}
	for _, pen := range []pen{{out, markGlow, markHalo * f / 2}, {out, markInk, markLine * f / 2}} {
		pen.outline(rings)
		for _, r := range s.marks {
			if !r.IsPoint() {
				pad := boxPad * f
				pen.box(x0+r.X0*z-pad, y0+r.Y0*z-pad, x0+r.X1*z+pad, y0+r.Y1*z+pad)
			}
		}
	}
}

// rings are circles around points. Where they overlap, only the outline of all of them is drawn: many lines would cover
// what they mark.
type rings struct {
	area   image.Rectangle // that they and their lines cover
	all    image.Rectangle
	away   []float32 // of each pixel of all, row by row: the distance to the nearest point, or reach
	radius float64
	reach  float64 // how far from a point distances are known
}

func newRings(all image.Rectangle, radius, reach float64) *rings {
	return &rings{all: all, radius: radius, reach: reach}
}

// add adds the ring around a point.
func (r *rings) add(x, y float64) {
	near := image.Rect(int(math.Floor(x-r.reach)), int(math.Floor(y-r.reach)), int(math.Ceil(x+r.reach))+1, int(math.Ceil(y+r.reach))+1)
	near = near.Intersect(r.all)
	if near.Empty() {
		return
	}
	if r.away == nil {
		r.away = make([]float32, r.all.Dx()*r.all.Dy())
		for i := range r.away {
			r.away[i] = float32(r.reach)
		}
	}
	r.area = r.area.Union(near)
	for j := near.Min.Y; j < near.Max.Y; j++ {
		row := r.away[(j-r.all.Min.Y)*r.all.Dx():]
		for i := near.Min.X; i < near.Max.X; i++ {
			at := &row[i-r.all.Min.X]
			*at = min(*at, float32(math.Hypot(float64(i)+0.5-x, float64(j)+0.5-y)))
		}
	}
}

// A pen draws lines of a width.
type pen struct {
	out  *image.RGBA
	ink  color.NRGBA
	half float64 // of the width, in pixels
}

// outline draws the outline of rings.
func (p pen) outline(r *rings) {
	for j := r.area.Min.Y; j < r.area.Max.Y; j++ {
		row := r.away[(j-r.all.Min.Y)*r.all.Dx():]
		for i := r.area.Min.X; i < r.area.Max.X; i++ {
			p.dot(i, j, p.half+0.5-math.Abs(float64(row[i-r.all.Min.X])-r.radius))
		}
	}
}

// box draws the outline of a rectangle.
func (p pen) box(x0, y0, x1, y1 float64) {
	side := func(ax, ay, bx, by float64) {
		rect := image.Rect(int(math.Round(ax-p.half)), int(math.Round(ay-p.half)), int(math.Round(bx+p.half)), int(math.Round(by+p.half)))
		area := rect.Intersect(p.out.Rect)
		for j := area.Min.Y; j < area.Max.Y; j++ {
			for i := area.Min.X; i < area.Max.X; i++ {
				p.dot(i, j, 1)
			}
		}
	}
	side(x0, y0, x1, y0)
	side(x0, y1, x1, y1)
	side(x0, y0, x0, y1)
	side(x1, y0, x1, y1)
}

// dot paints a pixel, as far as the line covers it.
func (p pen) dot(x, y int, cover float64) {
	if cover <= 0 {
		return
	}
	a := min(cover, 1) * float64(p.ink.A) / 0xFF
	at := p.out.Pix[p.out.PixOffset(x, y):]
	for k, v := range [3]uint8{p.ink.R, p.ink.G, p.ink.B} {
		at[k] = uint8(math.Round(float64(v)*a + float64(at[k])*(1-a)))
	}
}
