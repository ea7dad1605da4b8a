package gallery

import (
	"image/color"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
)

// The dimensions of a band, in Fyne units.
const (
	bandFrom float32 = 5  // distance from which a press is a drag and not a click
	bandEdge float32 = 28 // distance from an edge within which the grid scrolls
	bandStep float32 = 26 // the most that it scrolls at a time
)

// bandScrollEvery is the interval at which the grid scrolls while the pointer is at its
// edge.
const bandScrollEvery = 16 * time.Millisecond

var (
	_ fyne.Draggable    = (*band)(nil)
	_ desktop.Mouseable = (*band)(nil)
	_ desktop.Hoverable = (*band)(nil)
)

// A band is a selection rectangle. The user draws it from a point outside the cells,
// and it selects the cells that it touches. It covers the whole sheet, but only from
// press to release. A draggable object under the cells would take their clicks whenever
// the pointer moves slightly.
//
// The grid shows the selection immediately, but reports it only at the end.
type band struct {
	widget.BaseWidget
	g     *Grid
	frame *canvas.Rectangle

	start  fyne.Position // on the sheet
	origin fyne.Position // position of the visible part of the sheet, in the window
	hand   fyne.Position // position of the pointer, in the window
	drawn  bool
	over   bool // released or cancelled

	base       []string // selected before, and stays selected
	formerly   []string // the selection before, which CancelBand restores
	formerlyAt string
	touched    []string // the last one is nearest to the pointer
	timer      *time.Timer
}

// newBand returns a band that starts where the user presses outside the cells.
func newBand(g *Grid, e *desktop.MouseEvent) *band {
	p := g.k.P
	b := &band{
		g: g, start: e.Position, formerly: slices.Clone(g.sel.order), formerlyAt: g.sel.cursor,
		origin: e.AbsolutePosition.Subtract(e.Position).AddXY(0, g.scroll.Offset.Y),
		frame:  kit.Fill(color.NRGBA{p.Accent.R, p.Accent.G, p.Accent.B, 0x30}, 2),
	}
	b.frame.StrokeColor, b.frame.StrokeWidth = p.Accent, 1
	b.frame.Hide()
	b.ExtendBaseWidget(b)
	return b
}

// begin shows the band. It clears the selection, unless Shift or Control is pressed.
func (b *band) begin(e *desktop.MouseEvent) {
	g := b.g
	if e.Modifier&(fyne.KeyModifierShift|fyne.KeyModifierShortcutDefault) != 0 {
		b.base = b.formerly
	} else {
		g.pick(nil, g.sel.cursor)
	}
	if g.band != nil {
		g.band.remove()
	}
	g.band = b
	b.lay()
	canvas.Refresh(g.sheet)
}

// CancelBand restores the selection from before the band that is being drawn. It
// reports whether there was one.
func (g *Grid) CancelBand() bool {
	b := g.band
	if b == nil || b.over || !b.drawn {
		return false
	}
	b.stop() // it stays, invisible, until release
	g.pick(b.formerly, b.formerlyAt)
	return true
}

// lay places the band over the cells.
func (b *band) lay() {
	b.g.sheet.objects = append(b.g.sheet.objects, b)
	b.Resize(b.g.sheet.Size())
}

// remove removes the band.
func (b *band) remove() {
	b.stop()
	b.g.band = nil
	b.g.sheet.objects = slices.DeleteFunc(slices.Clone(b.g.sheet.objects), func(o fyne.CanvasObject) bool { return o == fyne.CanvasObject(b) })
	canvas.Refresh(b.g.sheet)
}

func (b *band) stop() {
	b.over = true
	b.frame.Hide()
	if b.timer != nil {
		b.timer.Stop()
	}
}

// Dragged implements fyne.Draggable.
func (b *band) Dragged(e *fyne.DragEvent) {
	b.hand = e.AbsolutePosition
	b.follow()
	if b.timer == nil && b.pull() != 0 {
		b.tick()
	}
}

// DragEnd implements fyne.Draggable.
func (b *band) DragEnd() { b.release() }

// MouseDown implements desktop.Mouseable. It ignores other buttons.
func (b *band) MouseDown(*desktop.MouseEvent) {}

// MouseUp implements desktop.Mouseable.
func (b *band) MouseUp(e *desktop.MouseEvent) {
	if e.Button == desktop.MouseButtonPrimary {
		b.release()
	}
}

// MouseIn implements desktop.Hoverable. It keeps the cells below from being hovered.
func (b *band) MouseIn(*desktop.MouseEvent) {}

// MouseMoved implements desktop.Hoverable.
func (b *band) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (b *band) MouseOut() {}

// at returns the position of the pointer on the sheet.
func (b *band) at() fyne.Position {
	return b.hand.Subtract(b.origin).AddXY(0, b.g.scroll.Offset.Y)
}

// follow extends the band to the pointer and selects the cells that it touches.
func (b *band) follow() {
	at := b.at()
	from := fyne.NewPos(min(at.X, b.start.X), min(at.Y, b.start.Y))
	to := fyne.NewPos(max(at.X, b.start.X), max(at.Y, b.start.Y))
	if b.over || !b.drawn && to.X-from.X < bandFrom && to.Y-from.Y < bandFrom {
		return
	}
	b.drawn = true
	sheet := b.g.sheet.Size()
	from, to = fyne.NewPos(max(from.X, 0), max(from.Y, 0)), fyne.NewPos(min(to.X, sheet.Width), min(to.Y, sheet.Height))
	kit.Place(b.frame, from.X, from.Y, max(to.X-from.X, 1), max(to.Y-from.Y, 1))
	b.frame.Show()
	b.frame.Refresh()

	touched := b.touching(from, to)
	if at.Y < b.start.Y {
		slices.Reverse(touched)
	}
	if slices.Equal(touched, b.touched) {
		return
	}
	b.touched = touched
	b.g.sel.set(b.selection())
	b.g.repaint()
}

// selection returns the current selection and cursor.
func (b *band) selection() (ids []string, cursor string) {
	ids, cursor = slices.Clone(b.base), b.formerlyAt
	for _, id := range b.touched {
		ids = append(slices.DeleteFunc(ids, func(o string) bool { return o == id }), id)
		cursor = id
	}
	return ids, cursor
}

// touching returns the images whose cells overlap a rectangle of the sheet.
func (b *band) touching(from, to fyne.Position) (ids []string) {
	g := b.g
	size := g.flow.cellSize()
	first := max(g.flow.first(g.flow.rowAt(from.Y-gridPad)), 0)
	last := min(g.flow.first(g.flow.rowAt(to.Y-gridPad)+1), len(g.list.ids))
	for i := first; i < last; i++ {
		at := g.flow.position(i)
		if at.X < to.X && from.X < at.X+size.Width && at.Y < to.Y && from.Y < at.Y+size.Height {
			ids = append(ids, g.list.ids[i])
		}
	}
	return ids
}

// release ends the band and reports its selection.
func (b *band) release() {
	g := b.g
	if g.band != b {
		return
	}
	drawn := b.drawn && !b.over
	b.remove()
	if !drawn {
		return
	}
	if len(b.touched) > 0 {
		g.sel.anchor = b.touched[0]
	}
	ids, cursor := b.selection()
	g.pick(ids, cursor)
}

// pull returns how far to scroll, in Fyne units: negative at the upper edge, positive
// at the lower, and 0 elsewhere.
func (b *band) pull() float32 {
	y, h := b.hand.Y-b.origin.Y, b.g.scroll.Size().Height
	switch {
	case b.over || !b.drawn:
		return 0
	case y < bandEdge:
		return -min((bandEdge-y)/2, bandStep)
	case y > h-bandEdge:
		return min((y-h+bandEdge)/2, bandStep)
	default:
		return 0
	}
}

// tick scrolls periodically while the pointer is at an edge.
func (b *band) tick() {
	b.timer = time.AfterFunc(bandScrollEvery, func() {
		b.g.k.Do(func() {
			b.timer = nil
			if b.scroll() {
				b.tick()
			}
		})
	})
}

// scroll scrolls once. It reports whether it scrolled; if not, there is no need to go
// on.
func (b *band) scroll() bool {
	g := b.g
	by := b.pull()
	to := min(max(g.scroll.Offset.Y+by, 0), max(g.flow.height()-g.scroll.Size().Height, 0))
	if by == 0 || to == g.scroll.Offset.Y {
		return false
	}
	g.scroll.Offset.Y = to
	g.scroll.Refresh()
	g.arrange()
	b.follow()
	return true
}

// CreateRenderer implements fyne.Widget.
func (b *band) CreateRenderer() fyne.WidgetRenderer { return bandRenderer{b} }

type bandRenderer struct{ b *band }

func (r bandRenderer) Layout(fyne.Size)             {}
func (r bandRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r bandRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.b.frame} }
func (r bandRenderer) Destroy()                     {}
func (r bandRenderer) Refresh()                     { canvas.Refresh(r.b.frame) }
