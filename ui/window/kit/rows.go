package kit

import (
	"cmp"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// A ColumnSpec describes a column of Rows. Widths are in Fyne units.
type ColumnSpec struct {
	Width     float32 // 0: an equal share of what is left
	Preferred float32 // the width if there is more room than the shares need; 0: Width
	Hide      float32 // the column is hidden if the rows are narrower than this
	Grows     bool    // in a row whose text is longer, it takes what the column before it has to spare
	Style     fyne.TextStyle
	Align     fyne.TextAlign
	Size      float32 // text size; 0: 12
}

// A Cell is the content of a column in one row. If Ink is nil, the text has the usual
// colour.
type Cell struct {
	Text string
	Ink  color.Color
	Mark Mark
	Bar  *color.NRGBA // a coloured bar before the text, for example a session's; may be nil
	Dot  bool         // Bar is a dot instead, for example an assistant's
}

var _ fyne.Widget = (*Rows)(nil)

// Rows is a virtual list of rows with columns. It has widgets only for the visible
// rows.
type Rows struct {
	widget.BaseWidget
	k       *Kit
	columns []ColumnSpec
	high    float32
	count   func() int
	fill    func(i int) []Cell
	tap     func(i int)

	// Scrolled is called after the user has scrolled. It may be nil.
	Scrolled func()
	// OnMenu shows the menu of a row. It may be nil.
	OnMenu func(i int, at fyne.Position)
	// ID identifies a row, so that the keyboard stays on it when others come before it. It may be nil.
	ID func(i int) string

	cursor cursor
	scroll *Scroll
	sheet  *rowSheet
	rows   []*rowView
}

// Rows returns a list whose rows have the height high. fill returns the cells of a row,
// one for each column. tap is called when a row is tapped; it may be nil.
func (k *Kit) Rows(high float32, columns []ColumnSpec, count func() int, fill func(i int) []Cell, tap func(i int)) *Rows {
	r := &Rows{k: k, columns: columns, high: high, count: count, fill: fill, tap: tap, cursor: newCursor(k)}
	r.sheet = &rowSheet{r: r}
	r.sheet.ExtendBaseWidget(r.sheet)
	r.scroll = k.VScroll(r.sheet, func() float32 { return 3 * high })
	r.scroll.OnScrolled = func(fyne.Position) {
		r.arrange()
		if r.Scrolled != nil {
			r.Scrolled()
		}
	}
	r.ExtendBaseWidget(r)
	return r
}

// Update reads the rows again.
func (r *Rows) Update() {
	r.follow()
	r.fit()
	r.scroll.Offset.Y = min(r.scroll.Offset.Y, max(r.total()-r.Size().Height, 0))
	r.scroll.Refresh()
	r.arrange()
}

// AtBottom reports whether the last row is visible.
func (r *Rows) AtBottom() bool { return r.scroll.Offset.Y >= r.total()-r.Size().Height-r.high }

// Scroll returns the Scroll of the rows.
func (r *Rows) Scroll() *Scroll { return r.scroll }

// ScrollToTop scrolls to the first row.
func (r *Rows) ScrollToTop() {
	r.scroll.Offset.Y = 0
	r.scroll.Refresh()
	r.arrange()
}

// ScrollToBottom scrolls to the last row.
func (r *Rows) ScrollToBottom() {
	r.scroll.Offset.Y = max(r.total()-r.Size().Height, 0)
	r.scroll.Refresh()
	r.arrange()
}

// Reveal scrolls so that a row is visible, if it is not, near the middle.
func (r *Rows) Reveal(i int) {
	high := r.Size().Height
	if y := float32(i) * r.high; y < r.scroll.Offset.Y || y+r.high > r.scroll.Offset.Y+high {
		r.scroll.Offset.Y = min(max(y-(high-r.high)/2, 0), max(r.total()-high, 0))
		r.scroll.Refresh()
		r.arrange()
	}
}

func (r *Rows) total() float32 { return float32(r.count()) * r.high }

func (r *Rows) fit() { r.sheet.Resize(fyne.NewSize(r.Size().Width, max(r.total(), r.Size().Height))) }

// ampleShare is the width that each share gets before other columns get their preferred
// widths.
const ampleShare float32 = 360

// Widths returns the positions and the widths of the columns if the rows have a width.
// A hidden column has the width 0.
func (r *Rows) Widths(width float32) (x, w []float32) {
	const side, gap = 12, 10
	x, w = make([]float32, len(r.columns)), make([]float32, len(r.columns))
	left, shares := width-2*side, 0
	for i, c := range r.columns {
		if c.Hide > width {
			continue
		}
		left -= gap
		w[i] = c.Width
		if c.Width == 0 {
			shares++
		}
		left -= c.Width
	}
	left += gap
	for i, c := range r.columns {
		if w[i] > 0 && c.Preferred > c.Width && shares > 0 {
			more := min(c.Preferred-c.Width, max(left-ampleShare*float32(shares), 0))
			w[i] += more
			left -= more
		}
	}
	at := float32(side)
	for i, c := range r.columns {
		if c.Hide > width {
			continue
		}
		if c.Width == 0 {
			w[i] = max(left/float32(shares), 20)
		}
		x[i] = at
		at += w[i] + gap
	}
	return x, w
}

func (r *Rows) arrange() {
	size := r.Size()
	if size.Height <= 0 {
		return
	}
	first := max(int(r.scroll.Offset.Y/r.high), 0)
	last := min(int((r.scroll.Offset.Y+size.Height)/r.high)+1, r.count())
	n := max(last-first, 0)
	for len(r.rows) < n {
		r.rows = append(r.rows, newRowView(r))
	}
	r.sheet.objects = r.sheet.objects[:0:0]
	for i := range n {
		v := r.rows[i]
		v.at = first + i
		v.set(r.fill(first + i))
		v.Move(fyne.NewPos(0, float32(first+i)*r.high))
		v.Resize(fyne.NewSize(size.Width, r.high))
		v.Refresh()
		r.sheet.objects = append(r.sheet.objects, v)
	}
	canvas.Refresh(r.sheet)
}

// CreateRenderer implements fyne.Widget.
func (r *Rows) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{r.scroll, r.cursor.ring},
		layout: func(s fyne.Size) {
			r.scroll.Resize(s)
			Place(r.cursor.ring, 1, 1, s.Width-2, s.Height-2)
			r.fit()
			r.scroll.Refresh()
			r.arrange()
		},
		min: func() fyne.Size { return fyne.NewSize(80, r.high) },
	}
}

type rowSheet struct {
	widget.BaseWidget
	r       *Rows
	objects []fyne.CanvasObject
}

func (s *rowSheet) CreateRenderer() fyne.WidgetRenderer { return &rowSheetRenderer{s} }

type rowSheetRenderer struct{ s *rowSheet }

func (r *rowSheetRenderer) Layout(fyne.Size)             {}
func (r *rowSheetRenderer) MinSize() fyne.Size           { return fyne.NewSize(0, r.s.r.total()) }
func (r *rowSheetRenderer) Objects() []fyne.CanvasObject { return r.s.objects }
func (r *rowSheetRenderer) Destroy()                     {}
func (r *rowSheetRenderer) Refresh()                     { canvas.Refresh(r.s) }

// A rowView shows one visible row.
type rowView struct {
	widget.BaseWidget
	r       *Rows
	at      int
	pressed int // at when a button was pressed on it; -1 if none was
	hovered bool
	ground  *canvas.Rectangle
	lines   []*Line
	marks   []*Slot
	bars    []*canvas.Rectangle
	cells   []Cell
}

func newRowView(r *Rows) *rowView {
	v := &rowView{r: r, pressed: -1, ground: Fill(color.Transparent, 4)}
	for _, c := range r.columns {
		size := c.Size
		size = cmp.Or(size, 12)
		l := NewLine("", size, r.k.P.Text, c.Style, 8)
		l.Align(c.Align)
		v.lines = append(v.lines, l)
		v.marks = append(v.marks, r.k.Slot())
		bar := Fill(r.k.P.Line, 1.5)
		bar.Hide()
		v.bars = append(v.bars, bar)
	}
	v.ExtendBaseWidget(v)
	return v
}

func (v *rowView) set(cells []Cell) {
	v.cells = cells
	for i, c := range cells {
		ink := c.Ink
		if ink == nil {
			ink = v.r.k.P.Text
		}
		v.lines[i].Set(c.Text, ink)
		v.marks[i].Set(c.Mark)
		v.bars[i].Hidden = c.Bar == nil
		if c.Bar != nil {
			v.bars[i].FillColor = *c.Bar
			v.bars[i].CornerRadius = 1.5
			if c.Dot {
				v.bars[i].CornerRadius = DotSize / 2
			}
		}
	}
}

// MouseDown implements desktop.Mouseable.
func (v *rowView) MouseDown(e *desktop.MouseEvent) {
	v.r.k.Press(e)
	v.pressed = v.at
}

// MouseUp implements desktop.Mouseable.
func (v *rowView) MouseUp(*desktop.MouseEvent) { v.r.k.Release() }

// Tapped implements fyne.Tappable. It does nothing if the rows were scrolled while the button was down.
func (v *rowView) Tapped(*fyne.PointEvent) {
	pressed := v.pressed
	v.pressed = -1
	if v.r.tap != nil && (pressed < 0 || pressed == v.at) {
		v.r.cursor.at, v.r.cursor.id = v.at, v.r.idOf(v.at)
		v.r.tap(v.at)
	}
}

// TappedSecondary implements fyne.SecondaryTappable.
func (v *rowView) TappedSecondary(e *fyne.PointEvent) {
	if v.r.OnMenu != nil {
		v.r.OnMenu(v.at, e.AbsolutePosition)
	}
}

// MouseIn implements desktop.Hoverable.
func (v *rowView) MouseIn(e *desktop.MouseEvent) { v.r.k.PointerAt(e); v.hovered = true; v.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (v *rowView) MouseMoved(e *desktop.MouseEvent) { v.r.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (v *rowView) MouseOut() { v.hovered = false; v.Refresh() }

func (v *rowView) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{v.ground}
	for i := range v.lines {
		objects = append(objects, v.bars[i], v.marks[i], v.lines[i])
	}
	return &renderer{objects: objects, layout: v.layout, refresh: func() {
		v.ground.FillColor = color.Transparent
		if v.hovered && v.r.tap != nil {
			v.ground.FillColor = v.r.k.P.Hover
		}
		v.paintCursor()
		v.layout(v.Size())
	}}
}

func (v *rowView) layout(s fyne.Size) {
	Place(v.ground, 4, 0, s.Width-8, s.Height)
	x, w := v.r.Widths(s.Width)
	v.grow(x, w)
	for i := range v.lines {
		at, wide := x[i], w[i]
		v.lines[i].Hidden, v.marks[i].Hidden = wide == 0, wide == 0 || v.cells == nil || v.cells[i].Mark == MarkNone
		if wide == 0 {
			v.bars[i].Hidden = true
			continue
		}
		if !v.bars[i].Hidden {
			room := v.cells[i].room()
			if v.cells[i].Dot {
				Place(v.bars[i], at, (s.Height-DotSize)/2, DotSize, DotSize)
			} else {
				Place(v.bars[i], at, 5, 3, s.Height-10)
			}
			at, wide = at+room, wide-room
		}
		if !v.marks[i].Hidden {
			m := v.marks[i].MinSize()
			Place(v.marks[i], at, (s.Height-m.Height)/2, m.Width, m.Height)
			at, wide = at+m.Width+6, wide-m.Width-6
		}
		Place(v.lines[i], at, 0, wide, s.Height)
	}
}

// grow gives columns that grow what their neighbours do not need in this row.
func (v *rowView) grow(x, w []float32) {
	const margin = 2
	for i, c := range v.r.columns {
		if !c.Grows || i == 0 || w[i] == 0 {
			continue
		}
		spare := w[i-1] - v.lines[i-1].PreferredWidth() - margin
		if v.cells != nil {
			spare -= v.cells[i-1].room()
		}
		more := max(min(v.lines[i].PreferredWidth()+margin-w[i], spare), 0)
		x[i], w[i], w[i-1] = x[i]-more, w[i]+more, w[i-1]-more
	}
}

// DotSize is the diameter of a dot that stands for an assistant.
const DotSize = 7

// room returns the width of a cell's bar or dot, and of the gap after it.
func (c Cell) room() float32 {
	switch {
	case c.Bar == nil:
		return 0
	case c.Dot:
		return DotSize + 5
	}
	return 9
}
