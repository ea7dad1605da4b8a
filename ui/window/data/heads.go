package data

import (
	"image"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/command"
	"easel/ui/window/kit"
)

const pictureHigh float32 = 22

// headPictures are the histograms of columns.
type headPictures map[*command.TableHead]*canvas.Image

// drawHeads draws the heads of the columns: name, type, missing values, and a histogram or the top values.
func (g *grid) drawHeads(all *layer) {
	t, p, size := g.t, g.p.k.P, g.Size()
	all.add(g.pool.rect(p.Panel, 0, 0, size.Width, headHigh-1), g.pool.rect(p.Edge, 0, headHigh-1, size.Width, 1))
	from, to := t.selection()
	for j := range len(g.x) - 1 {
		i := t.left + j
		x, w := g.x[j], g.x[j+1]-g.x[j]
		c := t.columns[i]
		if i >= from.column && i <= to.column {
			all.add(g.pool.rect(p.Selected, x, 0, w-1, headHigh-1))
		}
		all.add(g.pool.rect(p.Line, x+w-1, 0, 1, headHigh-1))
		if c == nil || c.dtype == "" && c.name == "" {
			all.add(g.pool.rect(p.Hover, x+cellPad, 11, 40, 8))
			continue
		}
		g.drawHead(all, i, c, x+cellPad, w-2*cellPad)
	}
}

func (g *grid) drawHead(all *layer, i int, c *column, x, w float32) {
	t, k := g.t, g.p.k
	name := c.name
	if name == "" {
		name = k.T("data.value")
	}
	bold := fyne.TextStyle{Bold: true}
	arrow := ""
	if n := t.sortedBy(i); n >= 0 {
		if arrow = "↑"; t.sort[n].Down {
			arrow = "↓"
		}
		if len(t.sort) > 1 {
			arrow += itoa(n + 1)
		}
		all.add(g.pool.text(arrow, textSize, bold, k.P.Accent, fyne.TextAlignTrailing, x, 5, w, g.high))
	}
	room := w
	if arrow != "" {
		room -= float32(7 + 7*len([]rune(arrow)))
	}
	all.add(g.pool.text(strings.Map(printable, name), textSize, bold, k.P.Text, fyne.TextAlignLeading, x, 5, room, g.high))
	all.add(g.pool.text(c.about(k), 11, fyne.TextStyle{}, k.P.Muted, fyne.TextAlignLeading, x, 22, w, g.high))
	if c.head == nil {
		return
	}
	if len(c.head.Bins) > 0 {
		m := g.heads[c.head]
		if m == nil {
			m = canvas.NewImageFromImage(histogram(c.head.Bins, k.P.Accent))
			m.FillMode, m.ScaleMode = canvas.ImageFillStretch, canvas.ImageScalePixels
			g.heads[c.head] = m
		}
		kit.Place(m, x, 41, min(w, 140), pictureHigh)
		all.add(m)
		return
	}
	text := c.tops(k)
	all.add(g.pool.text(text, 11, fyne.TextStyle{}, k.P.Text, fyne.TextAlignLeading, x, 43, w, g.high))
}

func printable(r rune) rune {
	if r < ' ' {
		return ' '
	}
	return r
}

// about returns the type of a column, and how much of it is missing.
func (c *column) about(k *kit.Kit) string {
	text := c.dtype
	if c.head != nil && c.head.Missing > 0 {
		text += " · " + k.T("data.missing", percent(c.head.Missing, c.head.Count))
	}
	return text
}

// tops returns the most frequent values of a column.
func (c *column) tops(k *kit.Kit) string {
	h := c.head
	switch {
	case h.Failed != "":
		return ""
	case len(h.Top) == 0 && h.Count > h.Missing && (c.kind == command.KindText || strings.HasPrefix(c.dtype, "obj")):
		return k.T("data.mostly_different")
	case len(h.Top) > 0 && h.Unique > 20 && h.Unique > h.Count/2:
		return k.T("data.different", count(h.Unique))
	}
	var parts []string
	for _, x := range h.Top {
		parts = append(parts, c.format.text(c.kind, x[0])+" "+percent(number(x[1]), h.Count))
	}
	text := strings.Join(parts, "  ")
	if h.Unique > len(h.Top) {
		text += "  …"
	}
	return text
}

// percent returns a share as a short text.
func percent(n, of int) string {
	switch share := 100 * float64(n) / float64(max(of, 1)); {
	case n > 0 && share < 1:
		return "<1%"
	case n < of && share > 99:
		return ">99%"
	default:
		return itoa(int(share+0.5)) + "%"
	}
}

// histogram draws the bars of a histogram.
func histogram(bins []int, ink color.NRGBA) image.Image {
	const wide, high = 5, int(pictureHigh) * 2 // of a bar, with a gap
	m := image.NewNRGBA(image.Rect(0, 0, wide*len(bins), high))
	most := 1
	for _, n := range bins {
		most = max(most, n)
	}
	for i, n := range bins {
		h := (n*(high-1) + most - 1) / most
		if n > 0 {
			h = max(h, 2)
		}
		for y := high - h; y < high; y++ {
			for x := wide * i; x < wide*(i+1)-1; x++ {
				m.SetNRGBA(x, y, ink)
			}
		}
	}
	for x := range m.Rect.Dx() {
		m.SetNRGBA(x, high-1, ink)
	}
	return m
}
