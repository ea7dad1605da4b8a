package viewer

import (
	"fmt"
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/kit"
)

// alike is the largest difference of a channel at which two pixels count as equal. When
// a figure is drawn again, its smoothed edges differ by less.
const alike = 12

// compute returns a picture of the differences between two images, and the number of
// pixels that differ. The picture is nil unless there are two images of the same size.
func compute(read []loadedImage) (m *image.RGBA, n int) {
	if len(read) != 2 || read[0].pixels == nil || read[1].pixels == nil || read[0].pixels.Rect != read[1].pixels.Rect {
		return nil, 0
	}
	return differences(read[0].pixels, read[1].pixels)
}

// difference describes how much the two images differ, or why they cannot be compared.
// It returns an empty string until both are decoded.
func (c *Compare) difference() string {
	if len(c.panes) != 2 || !c.Settled() {
		return ""
	}
	a, b := c.panes[0].stage.pixels, c.panes[1].stage.pixels
	switch {
	case c.panes[0].card != nil || c.panes[1].card != nil:
		return c.k.T("figure.incomparable")
	case a == nil || b == nil:
		return c.k.T("viewer.unreadable")
	case a.Rect != b.Rect:
		return c.k.T("compare.sizes", a.Rect.Dx(), a.Rect.Dy(), b.Rect.Dx(), b.Rect.Dy())
	case c.unlike == 0:
		return c.k.T("compare.same")
	}
	share := 100 * float64(c.unlike) / float64(a.Rect.Dx()*a.Rect.Dy())
	return c.k.T("compare.differ", fmt.Sprintf("%.2g %%", share))
}

// differences paints equal pixels in pale grey and different ones in magenta. n is the
// number of different pixels.
func differences(a, b *image.RGBA) (m *image.RGBA, n int) {
	m = image.NewRGBA(image.Rect(0, 0, a.Rect.Dx(), a.Rect.Dy()))
	apart := func(x, y uint8) bool { return max(x, y)-min(x, y) > alike }
	for y := range m.Rect.Dy() {
		ra, rb, ro := a.Pix[y*a.Stride:], b.Pix[y*b.Stride:], m.Pix[y*m.Stride:]
		for i := 0; i < 4*m.Rect.Dx(); i += 4 {
			if apart(ra[i], rb[i]) || apart(ra[i+1], rb[i+1]) || apart(ra[i+2], rb[i+2]) || apart(ra[i+3], rb[i+3]) {
				ro[i], ro[i+1], ro[i+2], ro[i+3] = 0xD0, 0x10, 0x90, 0xFF
				n++
				continue
			}
			grey := 255 - (255-(int(ra[i])*3+int(ra[i+1])*6+int(ra[i+2]))/10)/4
			if ra[i+3] == 0 {
				grey = 255
			}
			ro[i], ro[i+1], ro[i+2], ro[i+3] = uint8(grey), uint8(grey), uint8(grey), 0xFF
		}
	}
	return m, n
}

// CreateRenderer implements fyne.Widget.
func (c *Compare) CreateRenderer() fyne.WidgetRenderer {
	r := &compareRenderer{
		c: c, bar: c.k.Panel(c.k.P.Panel, "b", c.bar), ground: canvas.NewRectangle(c.k.P.Line), below: canvas.NewRectangle(c.k.P.Panel),
	}
	r.ring = kit.Outline(c.k.P.Accent, 2, 0)
	r.note = kit.NewPara("", 14, c.k.P.Muted, fyne.TextStyle{}).Align(fyne.TextAlignCenter)
	return r
}

type compareRenderer struct {
	c      *Compare
	bar    fyne.CanvasObject
	ground *canvas.Rectangle // visible as hairlines between the panes
	note   *kit.Para
	below  *canvas.Rectangle // under the foot
	ring   *canvas.Rectangle // around the current side
}

// Sizes of the foot: its lines, and the space around them.
const (
	mostFoot         = 4
	footEdge float32 = 6
)

// footHeight returns the height of what is said about the differences; 0 if nothing is.
func (c *Compare) footHeight(width float32) float32 {
	if c.full || c.foot.Text() == "" {
		return 0
	}
	return c.foot.HeightFor(width-24) + 2*footEdge
}

const headHeight float32 = 42

// grid returns the number of columns and rows for n panes.
func grid(n int, s fyne.Size) (columns, rows int) {
	switch {
	case n <= 1:
		return 1, 1
	case n == 4:
		return 2, 2
	case s.Width >= 0.9*s.Height:
		return n, 1
	default:
		return 1, n
	}
}

func (r *compareRenderer) Layout(s fyne.Size) {
	c := r.c
	top := barHeight
	if c.full {
		top = 0
	}
	r.bar.(*fyne.Container).Hidden = c.full
	c.setBare(s.Width)
	kit.Place(r.bar, 0, 0, s.Width, barHeight)
	if high := c.footHeight(s.Width); high > 0 {
		s.Height -= high
		kit.Place(r.below, 0, s.Height, s.Width, high)
		kit.Place(c.foot, 12, s.Height+footEdge, s.Width-24, high-2*footEdge)
	}
	kit.Place(r.ground, 0, top, s.Width, s.Height-top)
	body := fyne.NewSize(s.Width, s.Height-top)
	columns, rows := grid(len(c.panes), body)
	if c.mode != SideBySide {
		columns, rows = 1, 1
	}
	w, h := (body.Width-float32(columns-1))/float32(columns), (body.Height-float32(rows-1))/float32(rows)
	for i, p := range c.panes {
		x, y := float32(i%columns)*(w+1), top+float32(i/columns)*(h+1)
		if c.mode != SideBySide {
			x, y = 0, top
		}
		kit.Place(p.head.root, x, y, w, headHeight)
		high := h - headHeight
		if c.rated() {
			high -= sideFoot
			kit.Place(p.foot, x, y+h-sideFoot, w, sideFoot)
		}
		kit.Place(p.stage, x, y+headHeight, w, high)
		if p.card != nil {
			kit.Place(p.card, x, y+headHeight, w, high)
		}
		if i == c.front {
			kit.Place(r.ring, x, y, w, h)
		}
	}
	kit.Place(c.between.root, 0, top, s.Width, headHeight)
	kit.Place(c.diff, 0, top+headHeight, s.Width, s.Height-top-headHeight)
	kit.Place(r.note, 40, top+body.Height/2-20, s.Width-80, 40)
}

func (r *compareRenderer) MinSize() fyne.Size { return fyne.NewSize(200, 200) }

func (r *compareRenderer) Objects() []fyne.CanvasObject {
	c := r.c
	os := []fyne.CanvasObject{r.ground}
	if c.footHeight(c.Size().Width) > 0 {
		os = append(os, r.below, c.foot)
	}
	switch {
	case c.mode == Difference:
		os = append(os, c.between.root, c.diff)
		if c.diff.pixels == nil {
			os = append(os, r.note)
		}
	case c.mode == Flicker && len(c.panes) > 0:
		os = append(os, c.panes[c.front].objects(c.rated())...)
	default:
		for _, p := range c.panes {
			os = append(os, p.objects(c.rated())...)
		}
		if len(c.panes) > 1 {
			os = append(os, r.ring)
		}
	}
	return append(os, r.bar)
}

func (p *pane) objects(rated bool) []fyne.CanvasObject {
	os := []fyne.CanvasObject{p.head.root, p.stage}
	if p.card != nil {
		os = append(os, p.card)
	}
	if rated {
		os = append(os, p.foot)
	}
	return os
}

func (r *compareRenderer) Destroy() {}

func (r *compareRenderer) Refresh() {
	r.note.Set(r.c.difference())
	r.Layout(r.c.Size())
	canvas.Refresh(r.c)
}

// Foot returns what is said about the differences.
func (c *Compare) Foot() string { return c.foot.Text() }
