package data

import (
	"image/color"

	"fyne.io/fyne/v2"
)

// drawn returns what the grid consists of, from back to front.
func (g *grid) drawn() []fyne.CanvasObject { return g.layers }

// A layer collects objects.
type layer []fyne.CanvasObject

func (l *layer) add(os ...fyne.CanvasObject) { *l = append(*l, os...) }

// arrange puts what is in sight at its place.
func (g *grid) arrange() {
	var all layer
	g.pool.begin()
	size := g.Size()
	if g.t == nil || size.Width <= 0 {
		g.layers = nil
		return
	}
	t, k := g.t, g.p.k
	all.add(g.pool.rect(k.P.Raised, 0, 0, size.Width, size.Height))
	if !t.known {
		g.layers = all
		return
	}
	g.indexW = g.indexWidth(t)
	g.x = g.x[:0]
	x := g.indexW
	for i := t.left; i < t.shape.Columns && x < size.Width-barWide; i++ {
		g.x = append(g.x, x)
		x += g.width(t, i)
	}
	g.x = append(g.x, x)
	g.drawRows(&all)
	g.drawHeads(&all)
	g.drawIndex(&all)
	g.drawBars(&all)
	g.layers = all
}

// bottom returns where the rows end.
func (g *grid) bottom() float32 { return g.Size().Height - barWide }

// drawRows draws the cells, with the selection below them.
func (g *grid) drawRows(all *layer) {
	t, p := g.t, g.p.k.P
	rows, _ := g.sight(t)
	last := min(t.top+rows, t.rows())
	right := min(g.x[len(g.x)-1], g.Size().Width-barWide)
	from, to := t.selection()
	var texts, lines layer
	for row := t.top; row < last; row++ {
		y := headHigh + float32(row-t.top)*rowHigh
		lines.add(g.pool.rect(p.Line, 0, y+rowHigh-1, right, 1))
		for j := range len(g.x) - 1 {
			i := t.left + j
			x, w := g.x[j], g.x[j+1]-g.x[j]
			if row >= from.row && row <= to.row && i >= from.column && i <= to.column {
				all.add(g.pool.rect(p.Selected, x, y, w, rowHigh-1))
			}
			g.drawCell(all, &texts, row, i, x, y, w)
		}
	}
	for _, x := range g.x[1:] {
		lines.add(g.pool.rect(p.Line, x-1, headHigh, 1, min(float32(last-t.top)*rowHigh, g.bottom()-headHigh)))
	}
	all.add(lines...)
	all.add(texts...)
	if r, c := t.current.row-t.top, t.current.column-t.left; r >= 0 && row(r) < g.bottom() && c >= 0 && c < len(g.x)-1 && t.rows() > 0 {
		mark := g.pool.rect(color.Transparent, g.x[c], row(r), g.x[c+1]-g.x[c]-1, rowHigh-1)
		mark.StrokeColor, mark.StrokeWidth = p.Accent, 2
		if !g.focused {
			mark.StrokeColor, mark.StrokeWidth = p.Muted, 1
		}
		all.add(mark)
	}
}

func row(r int) float32 { return headHigh + float32(r)*rowHigh }

// drawCell draws a value, or a bar in its place if it was not read yet.
func (g *grid) drawCell(ground, texts *layer, row, i int, x, y, w float32) {
	t, p := g.t, g.p.k.P
	b := t.blocks.get(row, i)
	raw := b.value(row, i)
	if raw == nil {
		ground.add(g.pool.rect(p.Hover, x+cellPad, y+8, max(min(w-2*cellPad, 40), 4), 8))
		return
	}
	if !b.old && t.was != nil {
		if former := t.was.blocks[b.key].value(row, i); row >= t.wasRows || former != nil && string(former) != string(raw) {
			ground.add(g.pool.rect(p.WarnBg, x, y, w-1, rowHigh-1))
		}
	}
	c := t.column(i)
	ink, align := color.Color(p.Text), fyne.TextAlignLeading
	if isNumber(raw) || c.numeric() {
		align = fyne.TextAlignTrailing
	}
	if missing(raw) {
		ink = p.Muted
	}
	texts.add(g.pool.text(c.format.text(c.kind, raw), textSize, mono, ink, align, x+cellPad, y+(rowHigh-g.high)/2, w-2*cellPad, g.high))
}

// drawIndex draws what stands before the rows.
func (g *grid) drawIndex(all *layer) {
	t, p := g.t, g.p.k.P
	rows, _ := g.sight(t)
	high := g.bottom() - headHigh
	all.add(g.pool.rect(p.Panel, 0, headHigh, g.indexW-1, high), g.pool.rect(p.Edge, g.indexW-1, headHigh, 1, high))
	from, to := t.selection()
	for row := t.top; row < min(t.top+rows, t.rows()); row++ {
		y := headHigh + float32(row-t.top)*rowHigh
		if row >= from.row && row <= to.row {
			all.add(g.pool.rect(p.Selected, 0, y, g.indexW-1, rowHigh-1))
		}
		text, numbered, ok := t.blocks.get(row, t.left).label(row)
		if !ok {
			text, numbered = itoa(row), true
			if t.sort != nil || len(t.filters) > 0 || len(t.shape.Index) > 0 {
				continue // it is not known which row this is
			}
		}
		ink, align := color.Color(p.Text), fyne.TextAlignLeading
		if numbered {
			ink, align = p.Muted, fyne.TextAlignTrailing
		}
		all.add(g.pool.text(text, textSize, mono, ink, align, cellPad, y+(rowHigh-g.high)/2, g.indexW-2*cellPad, g.high))
	}
	all.add(
		g.pool.rect(p.Panel, 0, 0, g.indexW-1, headHigh-1), g.pool.rect(p.Edge, g.indexW-1, 0, 1, headHigh),
		g.pool.rect(p.Edge, 0, headHigh-1, g.indexW, 1),
	)
	if names := joined(t.shape.Index); names != "" {
		all.add(g.pool.text(names, textSize, fyne.TextStyle{Bold: true}, p.Muted, fyne.TextAlignLeading, cellPad, 7, g.indexW-2*cellPad, g.high))
	}
}

func joined(names []string) string {
	text := ""
	for _, n := range names {
		if n != "" && text != "" {
			text += ", "
		}
		text += n
	}
	return text
}

// numeric reports whether the values of a column are aligned as numbers.
func (c *column) numeric() bool { return c.kind == "number" }

// drawBars draws the scroll bars.
func (g *grid) drawBars(all *layer) {
	p, size := g.p.k.P, g.Size()
	all.add(
		g.pool.rect(p.Panel, size.Width-barWide, 0, barWide, size.Height),
		g.pool.rect(p.Panel, 0, size.Height-barWide, size.Width, barWide),
	)
	for _, b := range []bar{g.rowBar(), g.columnBar()} {
		if b.long <= 0 {
			continue
		}
		ink := faded(p.Muted, 0x70)
		if g.pointer.zone == b.zone {
			ink = faded(p.Muted, 0xC0)
		}
		x, y, w, h := size.Width-barWide+3, b.at, barWide-6, b.long
		if b.zone == zoneColumns {
			x, y, w, h = b.at, size.Height-barWide+3, b.long, barWide-6
		}
		r := g.pool.rect(ink, x, y, w, h)
		r.CornerRadius = 3
		all.add(r)
	}
}

func faded(c color.NRGBA, alpha uint8) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, alpha} }

// A bar is the thumb of a scroll bar.
type bar struct {
	zone               zone
	track, begin       float32 // of the whole bar
	at, long           float32 // long is 0 if everything is in sight
	first, last, shown int
}

func (g *grid) rowBar() bar {
	b := bar{zone: zoneRows, begin: headHigh, track: g.bottom() - headHigh, first: g.t.top, last: g.lastTop(g.t), shown: g.whole()}
	return b.placed()
}

func (g *grid) columnBar() bar {
	b := bar{
		zone: zoneColumns, begin: g.indexW, track: g.Size().Width - barWide - g.indexW,
		first: g.t.left, last: g.lastLeft(g.t), shown: len(g.x) - 1,
	}
	return b.placed()
}

func (b bar) placed() bar {
	if b.last <= 0 {
		return b
	}
	b.long = max(b.track*float32(b.shown)/float32(b.shown+b.last), 28)
	b.at = b.begin + (b.track-b.long)*float32(float64(b.first)/float64(b.last))
	return b
}

// to returns the row or column to which a thumb at a place scrolls.
func (b bar) to(at float32) int {
	share := float64(at-b.begin) / float64(max(b.track-b.long, 1))
	return int(share*float64(b.last) + 0.5)
}
