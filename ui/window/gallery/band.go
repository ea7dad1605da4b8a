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

// The measures of a band.
const (
	bandFrom float32 = 5  // so far the hand must go before it is no click any more
	bandEdge float32 = 28 // so near to an edge it scrolls
	bandStep float32 = 26 // so much at most at a time
)

// bandScrollEvery is how often the grid scrolls while the hand is at its edge.
const bandScrollEvery = 16 * time.Millisecond

var (
	_ fyne.Draggable    = (*band)(nil)
	_ desktop.Mouseable = (*band)(nil)
	_ desktop.Hoverable = (*band)(nil)
)

// A band is drawn from where the hand went down beside the cells, and selects those
// that it touches. It lies over all of the sheet from press to release, and only then:
// something that can be dragged under the cells would take clicks away from them as
// soon as the hand trembles.
//
// What it selects is shown at once and told at the end.
type band struct {
	widget.BaseWidget
	g     *Grid
	frame *canvas.Rectangle

	start  fyne.Position // on the sheet
	origin fyne.Position // of what is in sight, in the window
	hand   fyne.Position // in the window
	drawn  bool
	over   bool // released, or taken back

	base       []string // stays selected
	formerly   []string // selected before, for Escape
	formerlyAt string
	touched    []string // the last is the one nearest to the hand
	timer      *time.Timer
}

// beginBand is a press beside the cells: it selects none, unless it adds.
func (g *Grid) beginBand(e *desktop.MouseEvent) {
	p := g.k.P
	b := &band{
		g: g, start: e.Position, formerly: slices.Clone(g.order), formerlyAt: g.cursor,
		origin: e.AbsolutePosition.Subtract(e.Position).AddXY(0, g.scroll.Offset.Y),
		frame:  kit.Fill(color.NRGBA{p.Accent.R, p.Accent.G, p.Accent.B, 0x30}, 2),
	}
	b.frame.StrokeColor, b.frame.StrokeWidth = p.Accent, 1
	b.frame.Hide()
	b.ExtendBaseWidget(b)
	if e.Modifier&(fyne.KeyModifierShift|fyne.KeyModifierShortcutDefault) != 0 {
		b.base = b.formerly
	} else {
		g.pick(nil, g.cursor)
	}
	g.endBand()
	g.band = b
	g.layBand()
	canvas.Refresh(g.sheet)
}

// layBand puts the band over the cells, if there is one.
func (g *Grid) layBand() {
	if g.band != nil {
		g.sheet.objects = append(g.sheet.objects, g.band)
		g.band.Resize(g.sheet.Size())
	}
}

// endBand takes the band away.
func (g *Grid) endBand() {
	b := g.band
	if b == nil {
		return
	}
	b.stop()
	g.band = nil
	g.sheet.objects = slices.DeleteFunc(slices.Clone(g.sheet.objects), func(o fyne.CanvasObject) bool { return o == fyne.CanvasObject(b) })
	canvas.Refresh(g.sheet)
}

// CancelBand takes back what a band that is being drawn has selected, and tells
// whether there was one.
func (g *Grid) CancelBand() bool {
	b := g.band
	if b == nil || b.over || !b.drawn {
		return false
	}
	b.stop() // it stays, without being drawn, until the hand lets go
	g.pick(b.formerly, b.formerlyAt)
	return true
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

// MouseDown implements desktop.Mouseable: another button.
func (b *band) MouseDown(*desktop.MouseEvent) {}

// MouseUp implements desktop.Mouseable.
func (b *band) MouseUp(e *desktop.MouseEvent) {
	if e.Button == desktop.MouseButtonPrimary {
		b.release()
	}
}

// MouseIn implements desktop.Hoverable: what is below is not hovered meanwhile.
func (b *band) MouseIn(*desktop.MouseEvent) {}

// MouseMoved implements desktop.Hoverable.
func (b *band) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (b *band) MouseOut() {}

// at is where the hand is on the sheet.
func (b *band) at() fyne.Position {
	return b.hand.Subtract(b.origin).AddXY(0, b.g.scroll.Offset.Y)
}

// follow draws the band to the hand.
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

	touched := b.g.touching(from, to)
	if at.Y < b.start.Y {
		slices.Reverse(touched)
	}
	if slices.Equal(touched, b.touched) {
		return
	}
	b.touched = touched
	b.g.order, b.g.cursor = b.selection()
	clear(b.g.selected)
	for _, id := range b.g.order {
		b.g.selected[id] = true
	}
	b.g.repaint()
}

// selection is what is selected now, and the cursor.
func (b *band) selection() (ids []string, cursor string) {
	ids, cursor = slices.Clone(b.base), b.formerlyAt
	for _, id := range b.touched {
		ids = append(slices.DeleteFunc(ids, func(o string) bool { return o == id }), id)
		cursor = id
	}
	return ids, cursor
}

// touching are the images whose cells have a part in a rectangle of the sheet.
func (g *Grid) touching(from, to fyne.Position) (ids []string) {
	size, pitch, n := g.cellSize(), g.pitch(), g.columns()
	first := max(int((from.Y-gridPad)/pitch)*n-g.lead, 0)
	last := min((int((to.Y-gridPad)/pitch)+1)*n-g.lead, len(g.ids))
	for i := first; i < last; i++ {
		x := gridPad + float32((i+g.lead)%n)*(size.Width+gridGap)
		y := gridPad + float32(g.row(i))*pitch
		if x < to.X && from.X < x+size.Width && y < to.Y && from.Y < y+size.Height {
			ids = append(ids, g.ids[i])
		}
	}
	return ids
}

// release is the hand that lets go.
func (b *band) release() {
	g := b.g
	if g.band != b {
		return
	}
	drawn := b.drawn && !b.over
	g.endBand()
	if !drawn {
		return
	}
	if len(b.touched) > 0 {
		g.anchor = b.touched[0]
	}
	ids, cursor := b.selection()
	g.pick(ids, cursor)
}

// pull is how far the hand at an edge scrolls.
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

// tick scrolls while the hand is at an edge.
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

// scroll scrolls once, and tells whether it may go on.
func (b *band) scroll() bool {
	g := b.g
	by := b.pull()
	to := min(max(g.scroll.Offset.Y+by, 0), max(g.height()-g.scroll.Size().Height, 0))
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
