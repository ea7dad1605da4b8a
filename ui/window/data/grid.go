package data

import (
	"image/color"
	"math"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
)

// Measures of the grid, in Fyne's units.
const (
	rowHigh   float32 = 24
	headHigh  float32 = 66
	barWide   float32 = 12 // of a scroll bar
	cellPad   float32 = 8
	textSize  float32 = 12
	unknown   float32 = 96 // width of a column that was not read yet
	narrowest float32 = 48
	widest    float32 = 640
	mostFit   float32 = 320 // widest column by its content
	indexMost float32 = 240
)

var mono = fyne.TextStyle{Monospace: true}

// A grid shows the part of a table that is in sight. It has objects for that only, and uses them again. It
// scrolls by whole rows and columns, so that every row of a large table can be reached.
type grid struct {
	widget.BaseWidget
	p *Page
	t *table // nil if none is shown

	high  float32 // height of a text
	pool  pool
	heads headPictures

	indexW  float32
	x       []float32 // where the columns in sight begin, from t.left on, and where the last one ends
	layers  []fyne.CanvasObject
	pointer pointer
	focused bool // it has the keyboard focus
}

func newGrid(p *Page) *grid {
	g := &grid{p: p}
	size := fyne.MeasureText("0000000000", textSize, mono)
	g.pool.digit, g.high = size.Width/10, size.Height
	g.ExtendBaseWidget(g)
	return g
}

// show shows a table.
func (g *grid) show(t *table) {
	if g.t != t {
		g.t, g.heads = t, headPictures{}
	}
	g.update()
}

// update draws what has changed.
func (g *grid) update() {
	g.arrange()
	canvas.Refresh(g)
}

// sight returns how many rows and columns are in sight, in part at least.
func (g *grid) sight(t *table) (rows, columns int) {
	size := g.Size()
	rows = max(int(math.Ceil(float64((size.Height-headHigh-barWide)/rowHigh))), 1)
	x := g.indexWidth(t)
	for i := t.left; i < t.shape.Columns && x < size.Width-barWide; i++ {
		x += g.width(t, i)
		columns++
	}
	return rows, max(columns, 1)
}

// whole returns how many rows are in sight completely.
func (g *grid) whole() int {
	return max(int((g.Size().Height-headHigh-barWide)/rowHigh), 1)
}

// width returns the width of a column, and finds it if its first values are there.
func (g *grid) width(t *table, i int) float32 {
	c := t.columns[i]
	if c == nil {
		return unknown
	}
	if c.width == 0 && c.dtype != "" {
		c.width = g.fit(t, i, c)
	}
	if c.width == 0 {
		return unknown
	}
	return c.width
}

// fit returns the width that the name of a column and its values need.
func (g *grid) fit(t *table, i int, c *column) float32 {
	w := fyne.MeasureText(c.name, textSize, fyne.TextStyle{Bold: true}).Width + 14 // for the arrow
	w = max(w, fyne.MeasureText(c.dtype+" · "+g.p.k.T("data.missing", "00%"), 11, fyne.TextStyle{}).Width, 84)
	w = min(w, mostFit*0.7)
	for _, b := range t.blocks.blocks {
		if b.key.column != i/blockColumns || i%blockColumns >= len(b.page.Cells) {
			continue
		}
		for _, raw := range b.page.Cells[i%blockColumns] {
			w = max(w, float32(cells(c.format.text(c.kind, raw)))*g.pool.digit)
		}
	}
	return float32(math.Ceil(float64(min(w+2*cellPad, mostFit))))
}

// cells returns about how many places of a monospaced font a text takes.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	return n
}

func (g *grid) indexWidth(t *table) float32 {
	w := float32(len(itoa(max(t.rows(), 1)))) * g.pool.digit
	for _, b := range t.blocks.blocks {
		for _, text := range b.page.Index {
			w = max(w, float32(cells(text))*g.pool.digit)
		}
	}
	for _, name := range t.shape.Index {
		w = max(w, float32(cells(name))*g.pool.digit)
	}
	return min(max(float32(math.Ceil(float64(w+2*cellPad))), 56), min(indexMost, max(g.Size().Width*0.4, 56)))
}

// lastLeft returns the first column in sight when the last one is, too.
func (g *grid) lastLeft(t *table) int {
	room, i := g.Size().Width-barWide-g.indexWidth(t), t.shape.Columns
	for i > 0 {
		if room -= g.width(t, i-1); room < 0 {
			break
		}
		i--
	}
	return min(i, max(t.shape.Columns-1, 0))
}

func (g *grid) lastTop(t *table) int { return max(t.rows()-g.whole(), 0) }

// scrollTo puts a row and a column at the top left.
func (g *grid) scrollTo(row, column int) {
	t := g.t
	row, column = max(min(row, g.lastTop(t)), 0), max(min(column, g.lastLeft(t)), 0)
	if row == t.top && column == t.left {
		return
	}
	t.top, t.left = row, column
	g.update()
	g.p.scrolled()
}

// reveal scrolls until the current cell is in sight.
func (g *grid) reveal() {
	t, row, left := g.t, g.t.top, g.t.left
	c := t.current
	if c.row < row {
		row = c.row
	}
	row = max(row, c.row-g.whole()+1)
	if c.column < left {
		left = c.column
	}
	room, least := g.Size().Width-barWide-g.indexWidth(t), c.column // least is the first column beside which c is in sight
	for i := c.column; i >= left; i-- {
		if room -= g.width(t, i); room < 0 {
			break
		}
		least = i
	}
	left = max(left, least)
	t.top, t.left = row, left
	g.update()
	g.p.scrolled()
}

// place returns where the lower edge of a cell in sight is in the window.
func (g *grid) place(c cell) fyne.Position {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(g)
	if j := c.column - g.t.left; j >= 0 && j < len(g.x) {
		at.X += g.x[j]
	}
	at.Y += row(c.row - g.t.top + 1)
	return at
}

// A pool has canvas objects that are used again.
type pool struct {
	texts []*canvas.Text
	rects []*canvas.Rectangle
	nt    int
	nr    int
	digit float32 // width of a character of the monospaced font
}

func (p *pool) begin() { p.nt, p.nr = 0, 0 }

// text returns a text at a place. If it is wider than w, it is shortened.
func (p *pool) text(s string, size float32, style fyne.TextStyle, ink color.Color, align fyne.TextAlign, x, y, w, h float32) *canvas.Text {
	if p.nt == len(p.texts) {
		p.texts = append(p.texts, canvas.NewText("", ink))
	}
	t := p.texts[p.nt]
	p.nt++
	t.Text, t.TextSize, t.TextStyle, t.Color, t.Alignment = p.fitted(s, w, size, style), size, style, ink, align
	kit.Place(t, x, y, w, h)
	return t
}

// fitted shortens a text to a width. Most texts are fast: a monospaced one without other characters than ASCII
// needs not to be measured.
func (p *pool) fitted(s string, w, size float32, style fyne.TextStyle) string {
	if style != mono || size != textSize {
		return kit.Shorten(s, w, size, style)
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return kit.Shorten(s, w, size, style)
		}
	}
	if n := int(w / p.digit); len(s) > n {
		return s[:max(n-1, 0)] + "…"
	}
	return s
}

func (p *pool) rect(fill color.Color, x, y, w, h float32) *canvas.Rectangle {
	if p.nr == len(p.rects) {
		p.rects = append(p.rects, canvas.NewRectangle(fill))
	}
	r := p.rects[p.nr]
	p.nr++
	r.FillColor, r.StrokeColor, r.StrokeWidth, r.CornerRadius = fill, nil, 0, 0
	kit.Place(r, x, y, w, h)
	return r
}

// CreateRenderer implements fyne.Widget.
func (g *grid) CreateRenderer() fyne.WidgetRenderer { return &gridRenderer{g: g} }

type gridRenderer struct {
	g *grid
}

func (r *gridRenderer) Layout(fyne.Size)             { r.g.resized() }
func (r *gridRenderer) MinSize() fyne.Size           { return fyne.NewSize(200, headHigh+4*rowHigh) }
func (r *gridRenderer) Objects() []fyne.CanvasObject { return r.g.drawn() }
func (r *gridRenderer) Destroy()                     {}
func (r *gridRenderer) Refresh()                     { r.g.update() }

// resized keeps the last row in sight if there is more room.
func (g *grid) resized() {
	if t := g.t; t != nil && t.known {
		t.top, t.left = min(t.top, g.lastTop(t)), min(t.left, g.lastLeft(t))
	}
	g.arrange()
	g.p.scrolled()
}
