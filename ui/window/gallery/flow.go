package gallery

import "fyne.io/fyne/v2"

// headH is the height of the heading of the second part.
const headH float32 = 34

// A flow says where the cells of a grid are, in Fyne units from its first row. There may be two
// parts: in the order of a notebook's cells, the plots without a cell come last, below a heading.
// The rows of both parts are counted together.
type flow struct {
	width float32 // of the grid
	size  float32 // minimum width of a cell
	count int     // number of images
	split int     // number of images in the first part
	lead  int     // empty places before the first image; see Grid.SetIDs
	wide  int     // number of columns when last arranged
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

// parted reports whether there is a second part.
func (f *flow) parted() bool { return f.split < f.count }

// rowsBefore returns the number of rows of the first part.
func (f *flow) rowsBefore() int {
	n := f.columns()
	return (f.lead + min(f.split, f.count) + n - 1) / n
}

// row returns the index of the row that contains the i-th image.
func (f *flow) row(i int) int {
	if i >= f.split {
		return f.rowsBefore() + (i-f.split)/f.columns()
	}
	return (i + f.lead) / f.columns()
}

// column returns the index of the column that contains the i-th image.
func (f *flow) column(i int) int {
	if i >= f.split {
		return (i - f.split) % f.columns()
	}
	return (i + f.lead) % f.columns()
}

// first returns the index of the first image of a row, which may be out of range.
func (f *flow) first(row int) int {
	if before := f.rowsBefore(); f.parted() && row >= before {
		return f.split + (row-before)*f.columns()
	}
	return row*f.columns() - f.lead
}

// rowTop returns the position of a row relative to the first one.
func (f *flow) rowTop(row int) float32 {
	y := float32(row) * f.pitch()
	if f.parted() && row >= f.rowsBefore() {
		y += headH
	}
	return y
}

// rowAt returns the row at a position relative to the first one. The heading belongs to the
// row above it.
func (f *flow) rowAt(y float32) int {
	y = max(y, 0)
	row := int(y / f.pitch())
	before := f.rowsBefore()
	if !f.parted() || row < before && before > 0 {
		return row
	}
	return max(int((y-headH)/f.pitch()), before-1, 0)
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
	end := f.count
	if row+1 < f.rows() {
		end = f.first(row + 1)
	}
	return min(max(f.first(row)+f.column(i), 0), end-1)
}

// position returns where the cell of the i-th image is on the sheet.
func (f *flow) position(i int) fyne.Position {
	return fyne.NewPos(gridPad+float32(f.column(i))*(f.cellSize().Width+gridGap), gridPad+f.rowTop(f.row(i)))
}
