package gallery

import (
	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// The grid may have two parts: in the order of a notebook's cells, the plots without a cell
// come last, below a heading. The first part is split images long. The rows of both parts are
// counted together.

// headH is the height of the heading of the second part.
const headH float32 = 34

// A Splitter divides the result of a query: the second part begins at the index at, below a
// title. If at is len(ids), there is only one part. It is called on the UI goroutine.
type Splitter func(q library.Query, ids []string) (at int, title string)

// divide sets the parts for a list of images.
func (g *Grid) divide(q library.Query, ids []string) {
	g.split = len(ids)
	if g.act.Split != nil {
		at, title := g.act.Split(q, ids)
		g.split = at
		g.heading.Set(title, nil)
	}
}

func newHeading(k *kit.Kit) *kit.Line {
	return kit.NewLine("", theme.TextBody, k.P.Muted, fyne.TextStyle{Bold: true}, 40)
}

// parted reports whether there is a second part.
func (g *Grid) parted() bool { return g.split < len(g.ids) }

// rowsBefore returns the number of rows of the first part.
func (g *Grid) rowsBefore() int {
	n := g.columns()
	return (g.lead + min(g.split, len(g.ids)) + n - 1) / n
}

// row returns the index of the row that contains the i-th image.
func (g *Grid) row(i int) int {
	if i >= g.split {
		return g.rowsBefore() + (i-g.split)/g.columns()
	}
	return (i + g.lead) / g.columns()
}

// column returns the index of the column that contains the i-th image.
func (g *Grid) column(i int) int {
	if i >= g.split {
		return (i - g.split) % g.columns()
	}
	return (i + g.lead) % g.columns()
}

// first returns the index of the first image of a row, which may be out of range.
func (g *Grid) first(row int) int {
	if before := g.rowsBefore(); g.parted() && row >= before {
		return g.split + (row-before)*g.columns()
	}
	return row*g.columns() - g.lead
}

// rowTop returns the position of a row relative to the first one.
func (g *Grid) rowTop(row int) float32 {
	y := float32(row) * g.pitch()
	if g.parted() && row >= g.rowsBefore() {
		y += headH
	}
	return y
}

// rowAt returns the row at a position relative to the first one. The heading belongs to the
// row above it.
func (g *Grid) rowAt(y float32) int {
	y = max(y, 0)
	row := int(y / g.pitch())
	before := g.rowsBefore()
	if !g.parted() || row < before && before > 0 {
		return row
	}
	return max(int((y-headH)/g.pitch()), before-1, 0)
}

// rows returns the number of rows.
func (g *Grid) rows() int {
	if len(g.ids) == 0 {
		return 0
	}
	return g.row(len(g.ids)-1) + 1
}

// vertical returns the image that is some rows below the i-th image, in the same column if
// that row has one.
func (g *Grid) vertical(i, rows int) int {
	row := min(max(g.row(i)+rows, 0), g.rows()-1)
	end := len(g.ids)
	if row+1 < g.rows() {
		end = g.first(row + 1)
	}
	return min(max(g.first(row)+g.column(i), 0), end-1)
}

// layHeading places the heading, if it is in sight.
func (g *Grid) layHeading() {
	if !g.parted() {
		return
	}
	y := gridPad + g.rowTop(g.rowsBefore()) - headH
	if off := g.scroll.Offset.Y; y+headH < off || y > off+g.Size().Height {
		return
	}
	kit.Place(g.heading, gridPad+2, y, max(g.Size().Width-2*gridPad, 0), headH-8)
	g.sheet.objects = append(g.sheet.objects, g.heading)
}
