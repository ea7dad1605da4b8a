package gallery

import (
	"sort"

	"fyne.io/fyne/v2"
)

// headH is the height of a heading.
const headH float32 = 34

// A flow says where the cells of a grid are, in Fyne units from its first row. There may be several
// parts, each below a heading; only the first part may have none. The rows of all parts are counted
// together.
type flow struct {
	width float32 // of the grid
	size  float32 // minimum width of a cell
	count int     // number of images
	parts []part  // at least one if there are images
	lead  int     // empty places before the first image of a part; see Grid.set
	led   int     // the index of that part
	wide  int     // number of columns when last arranged

	laidFor layingKey // what the rows of the parts were counted for
}

// A part is a range of images that are together.
type part struct {
	from int  // index of its first image
	head bool // it has a heading

	row   int // of its first image
	heads int // number of headings above it, its own included
}

// A layingKey is what the rows of the parts depend on, besides the parts.
type layingKey struct{ columns, lead, led, count, parts int }

// divide sets the parts: the indexes of their first images, and whether the first one has a heading.
func (f *flow) divide(count int, from []int, first bool) {
	f.count, f.parts, f.laidFor = count, make([]part, 0, max(len(from), 1)), layingKey{}
	for i, at := range from {
		f.parts = append(f.parts, part{from: at, head: first || i > 0})
	}
	if len(f.parts) == 0 {
		f.parts = append(f.parts, part{})
	}
}

// laid returns the parts with their rows.
func (f *flow) laid() []part {
	if len(f.parts) == 0 {
		f.parts = []part{{}}
	}
	key := layingKey{f.columns(), f.lead, f.led, f.count, len(f.parts)}
	if f.laidFor == key {
		return f.parts
	}
	f.laidFor = key
	row, heads := 0, 0
	for i := range f.parts {
		p := &f.parts[i]
		if p.head {
			heads++
		}
		p.row, p.heads = row, heads
		row += (f.end(i) - p.from + f.leadOf(i) + key.columns - 1) / key.columns
	}
	return f.parts
}

// end returns the index after the last image of a part.
func (f *flow) end(part int) int {
	if part+1 < len(f.parts) {
		return f.parts[part+1].from
	}
	return f.count
}

// leadOf returns the number of empty places at the beginning of a part.
func (f *flow) leadOf(part int) int {
	if part == f.led {
		return f.lead
	}
	return 0
}

// partOf returns the index of the part of the i-th image.
func (f *flow) partOf(i int) int {
	parts := f.laid()
	return max(sort.Search(len(parts), func(n int) bool { return parts[n].from > i })-1, 0)
}

// partAt returns the index of the part with a row.
func (f *flow) partAt(row int) int {
	parts := f.laid()
	return max(sort.Search(len(parts), func(n int) bool { return parts[n].row > row })-1, 0)
}

func (f *flow) columns() int {
	w := f.width - 2*gridPad
	return max(int((w+gridGap)/(f.size+gridGap)), 1)
}

// reflow removes the empty places if the number of columns has changed: everything
// moves then anyway.
func (f *flow) reflow() {
	if n := f.columns(); n != f.wide {
		f.wide, f.lead = n, 0
	}
}

func (f *flow) cellSize() fyne.Size {
	n := float32(f.columns())
	w := max((f.width-2*gridPad-(n-1)*gridGap)/n, 60)
	w = float32(int(w))
	return fyne.NewSize(w, float32(int((w-8)*0.75))+captionH+4)
}

func (f *flow) pitch() float32 { return f.cellSize().Height + gridGap }

func (f *flow) height() float32 {
	return f.rowTop(f.rows()) - gridGap + 2*gridPad
}

// parted reports whether there are headings.
func (f *flow) parted() bool { return len(f.parts) > 1 || len(f.parts) == 1 && f.parts[0].head }

// row returns the index of the row that contains the i-th image.
func (f *flow) row(i int) int {
	n := f.partOf(i)
	return f.parts[n].row + (i-f.parts[n].from+f.leadOf(n))/f.columns()
}

// column returns the index of the column that contains the i-th image.
func (f *flow) column(i int) int {
	n := f.partOf(i)
	return (i - f.parts[n].from + f.leadOf(n)) % f.columns()
}

// first returns the index of the first image of a row; count for a row after the last one.
func (f *flow) first(row int) int {
	n := f.partAt(row)
	p := f.parts[n]
	return min(max(p.from+(row-p.row)*f.columns()-f.leadOf(n), p.from), f.end(n))
}

// rowTop returns the position of a row relative to the beginning.
func (f *flow) rowTop(row int) float32 {
	return float32(row)*f.pitch() + float32(f.laid()[f.partAt(row)].heads)*headH
}

// headTop returns the position of the heading of a part relative to the beginning.
func (f *flow) headTop(part int) float32 {
	p := f.laid()[part]
	return float32(p.row)*f.pitch() + float32(p.heads-1)*headH
}

// rowAt returns the row at a position relative to the beginning. A heading belongs to the row above
// it; the first one to the row below it.
func (f *flow) rowAt(y float32) int {
	parts := f.laid()
	below := func(n int) bool { // the part begins below y
		return float32(parts[n].row)*f.pitch()+float32(parts[n].heads)*headH > y
	}
	n := max(sort.Search(len(parts), below)-1, 0)
	row := int(max(y-float32(parts[n].heads)*headH, 0) / f.pitch())
	if row = max(row, parts[n].row); n+1 < len(parts) {
		row = min(row, parts[n+1].row-1)
	}
	return row
}

// rows returns the number of rows.
func (f *flow) rows() int {
	if f.count == 0 {
		return 0
	}
	return f.row(f.count-1) + 1
}

// vertical returns the image that is some rows below the i-th image, in the same column if
// that row has one.
func (f *flow) vertical(i, rows int) int {
	row := min(max(f.row(i)+rows, 0), f.rows()-1)
	n := f.partAt(row)
	p := f.parts[n]
	to := p.from + (row-p.row)*f.columns() + f.column(i) - f.leadOf(n)
	return min(max(to, f.first(row)), f.first(row+1)-1)
}

// position returns where the cell of the i-th image is on the sheet.
func (f *flow) position(i int) fyne.Position {
	return fyne.NewPos(gridPad+float32(f.column(i))*(f.cellSize().Width+gridGap), gridPad+f.rowTop(f.row(i)))
}
