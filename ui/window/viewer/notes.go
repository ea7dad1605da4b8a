package viewer

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// The dimensions of the numbered marks, in Fyne units.
const (
	badgeEdge = float32(20)

	arrowHead  = 11.0 // length of its lines
	arrowAngle = 0.45 // between them and the arrow, in radians
	dotRadius  = 4.0
	pointRoom  = 12 // pixels of the picture around a point or an arrow that belong to it
	mostTip    = 160
)

// A stageMark is a mark on the stage, in pixels of its picture.
type stageMark struct {
	shape          catalog.Shape
	x0, y0, x1, y1 float64 // the box, or the arrow from x0, y0 to x1, y1; the point is x1, y1
	ink            color.NRGBA
}

// A noter shows the user's numbered questions and remarks on the picture: each with its mark and,
// on that, its number.
type noter struct {
	v      *View
	hidden bool // the user does not want to see them
	notes  []library.Question
	badges []*badge
	layer  *fyne.Container // the badges
}

// A badge is the number of a question on the picture.
type badge struct {
	at  fyne.CanvasObject
	tap *kit.Tap
	x   float64 // where it is, in pixels of the stage's picture
	y   float64
}

func newNoter(v *View) *noter {
	return &noter{v: v, layer: &fyne.Container{Layout: kit.LayoutFunc{Arrange: func([]fyne.CanvasObject, fyne.Size) {}}}}
}

// noteInk returns the colour of a question's mark. Pictures have a white matte in the dark, too.
func noteInk(s catalog.QuestionState) color.NRGBA {
	switch s {
	case catalog.QuestionAnswered:
		return theme.Light.Good
	case catalog.QuestionDone:
		return theme.Light.Muted
	case catalog.QuestionOpen:
	}
	return theme.Light.Accent
}

// shown reports whether the marks can be shown on what the stage shows: they are places of the stored picture.
func (n *noter) shown() bool {
	v := n.v
	return !n.hidden && v.stage.pixels != nil && !v.blank && v.problem == nil && v.layout.laid == nil
}

// take shows the questions about the picture.
func (n *noter) take(notes []library.Question) {
	if slices.EqualFunc(n.notes, notes, func(a, b library.Question) bool {
		return a.ID == b.ID && a.State == b.State && a.Mark == b.Mark && a.Words == b.Words
	}) {
		n.sync()
		return
	}
	n.notes, n.badges, n.layer.Objects = notes, nil, nil
	for i, q := range notes {
		b := n.newBadge(q, number(q, i))
		n.badges = append(n.badges, b)
		n.layer.Objects = append(n.layer.Objects, b.at)
	}
	n.sync()
	n.layer.Refresh()
}

// number returns the number of a question. Those of earlier versions of Easel have none.
func number(q library.Question, i int) int {
	if q.Number > 0 {
		return q.Number
	}
	return i + 1
}

func (n *noter) newBadge(q library.Question, number int) *badge {
	k := n.v.k
	disc := canvas.NewCircle(noteInk(q.State))
	disc.StrokeColor, disc.StrokeWidth = theme.Light.Matte, 1.5
	text := kit.Text(strconv.Itoa(number), theme.TextCaption, theme.Light.Matte, fyne.TextStyle{Bold: true})
	text.Alignment = fyne.TextAlignCenter
	face := &fyne.Container{Objects: []fyne.CanvasObject{disc, text}, Layout: kit.LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			for _, o := range os {
				kit.Place(o, 0, 0, s.Width, s.Height)
			}
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSquareSize(badgeEdge) },
	}}
	tip := truncate.Line(q.Words, mostTip)
	tap := k.Tap(face, color.Transparent, tip, func() {
		if show := n.v.act.Region.Show; show != nil {
			show(q.ID)
		}
	})
	return &badge{at: tap, tap: tap}
}

// sync gives the stage the marks of the picture, and that which the user draws.
func (n *noter) sync() {
	v := n.v
	var marks []stageMark
	if n.shown() {
		for i, q := range n.notes {
			p := n.placed(q.Mark, noteInk(q.State))
			n.badges[i].x, n.badges[i].y = p.x0, p.y0
			if q.State != catalog.QuestionDone {
				marks = append(marks, p)
			}
		}
		if m := v.region.mark; v.region.visible() && m.Shape != catalog.Box {
			marks = append(marks, n.placed(m, theme.Light.Accent))
		}
	}
	if !slices.Equal(marks, v.stage.notes) {
		v.stage.notes = marks
		v.stage.raster.Refresh()
	}
	n.place()
}

// placed returns a mark as the stage draws it.
func (n *noter) placed(m catalog.Mark, ink color.NRGBA) stageMark {
	fx, fy := n.v.region.ratio()
	return inPixels(m, ink, fx, fy)
}

// inPixels returns a mark of an image in a picture of it, one of whose pixels is fx × fy pixels of the image.
func inPixels(m catalog.Mark, ink color.NRGBA, fx, fy float64) stageMark {
	p := stageMark{shape: m.Shape, ink: ink}
	p.x0, p.y0 = float64(m.Rect.Min.X)/fx, float64(m.Rect.Min.Y)/fy
	p.x1, p.y1 = float64(m.Rect.Max.X)/fx, float64(m.Rect.Max.Y)/fy
	switch to := m.To; m.Shape {
	case catalog.Arrow:
		p.x0, p.y0, p.x1, p.y1 = (float64(m.From.X)+0.5)/fx, (float64(m.From.Y)+0.5)/fy, (float64(to.X)+0.5)/fx, (float64(to.Y)+0.5)/fy
	case catalog.Point:
		p.x1, p.y1 = (float64(to.X)+0.5)/fx, (float64(to.Y)+0.5)/fy
		p.x0, p.y0 = p.x1, p.y1
	case catalog.Box:
	}
	return p
}

// place places the numbers where their marks are on the screen.
func (n *noter) place() {
	s, on := n.v.stage, n.shown()
	for i, b := range n.badges {
		at := s.positionOf(b.x, b.y)
		if n.notes[i].Shape == catalog.Point { // beside the point
			at = at.AddXY(badgeEdge*0.6, -badgeEdge*0.6)
		}
		in := at.X >= 0 && at.Y >= 0 && at.X <= s.Size().Width && at.Y <= s.Size().Height
		kit.Place(b.at, at.X-badgeEdge/2, at.Y-badgeEdge/2, badgeEdge, badgeEdge)
		kit.SetVisible(b.at, on && in)
	}
}

// ToggleNotes shows or hides the user's marks on pictures.
func (v *View) ToggleNotes() {
	v.notes.hidden = !v.notes.hidden
	v.notes.sync()
}

// Notes returns the numbers of the marks that are shown on the picture.
func (v *View) Notes() (numbers []int) {
	for i, b := range v.notes.badges {
		if b.at.Visible() {
			numbers = append(numbers, number(v.notes.notes[i], i))
		}
	}
	return numbers
}

// drawNotes draws the user's marks over the picture whose upper left corner is at x0, y0.
func (s *stage) drawNotes(out *image.RGBA, x0, y0, z float64) {
	drawMarks(out, s.notes, x0, y0, z, s.scale())
}

// drawMarks draws marks over a picture whose upper left corner is at x0, y0, z times as large, with lines f times as
// wide: first the halos.
func drawMarks(out *image.RGBA, marks []stageMark, x0, y0, z, f float64) {
	for _, halo := range []bool{true, false} {
		for _, m := range marks {
			p := pen{out, m.ink, markLine * f / 2}
			if halo {
				p = pen{out, markGlow, markHalo * f / 2}
			}
			ax, ay, bx, by := x0+m.x0*z, y0+m.y0*z, x0+m.x1*z, y0+m.y1*z
			switch m.shape {
			case catalog.Arrow:
				p.arrow(ax, ay, bx, by, arrowHead*f)
			case catalog.Point:
				p.disc(bx, by, dotRadius*f)
			case catalog.Box:
				p.box(ax, ay, bx, by)
			}
		}
	}
}

// arrow draws an arrow whose head has lines of a length.
func (p pen) arrow(ax, ay, bx, by, head float64) {
	p.line(ax, ay, bx, by)
	back := math.Atan2(ay-by, ax-bx)
	for _, turn := range []float64{-arrowAngle, arrowAngle} {
		p.line(bx, by, bx+head*math.Cos(back+turn), by+head*math.Sin(back+turn))
	}
}

// line draws a straight line with round ends.
func (p pen) line(ax, ay, bx, by float64) {
	reach := p.half + 1
	area := image.Rect(int(min(ax, bx)-reach), int(min(ay, by)-reach), int(max(ax, bx)+reach)+1, int(max(ay, by)+reach)+1)
	area = area.Intersect(p.out.Rect)
	dx, dy := bx-ax, by-ay
	long := dx*dx + dy*dy
	for j := area.Min.Y; j < area.Max.Y; j++ {
		for i := area.Min.X; i < area.Max.X; i++ {
			x, y := float64(i)+0.5-ax, float64(j)+0.5-ay
			t := 0.0
			if long > 0 {
				t = min(max((x*dx+y*dy)/long, 0), 1)
			}
			if ex, ey := x-t*dx, y-t*dy; ex*ex+ey*ey < reach*reach {
				p.dot(i, j, p.half+0.5-math.Hypot(ex, ey))
			}
		}
	}
}

// disc draws a filled circle with a line of the pen around it.
func (p pen) disc(x, y, radius float64) {
	wide := pen{p.out, p.ink, radius + p.half}
	wide.line(x, y, x, y)
}
