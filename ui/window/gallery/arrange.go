package gallery

import (
	"errors"
	"image/color"
	"time"

	"easel/ui/window/kit"

	"fyne.io/fyne/v2/canvas"
)

// errBroken is passed to cell.show for an image that cannot be decoded.
var errBroken = errors.New("broken")

// arrange places a cell for each visible image, and requests the images that must be
// read.
func (g *Grid) arrange() {
	size := g.flow.cellSize()
	if size.Width <= 0 || g.Size().Height <= 0 {
		return
	}
	pitch, offset := g.flow.pitch(), g.scroll.Offset.Y
	g.closeGap(offset)
	first := max(g.flow.first(g.flow.rowAt(offset-gridPad)), 0)
	last := min(g.flow.first(g.flow.rowAt(offset+g.Size().Height)+1), len(g.list.ids))
	first = min(first, last)
	visible := g.list.ids[first:last]

	w, h := g.box()
	g.boxW.Store(int32(w))
	g.boxH.Store(int32(h))
	g.thumbs.Reserve(3 * len(visible) * 4 * w * h) // three screens
	keep := g.reuse(visible)
	g.cells = keep
	for _, id := range g.feed.Keep(visible) {
		if _, read := g.images[id]; read {
			g.stale[id] = true
		}
	}
	var want []string
	g.sheet.objects = g.sheet.objects[:0:0]
	for i, id := range visible {
		c := keep[id]
		if c == nil {
			c = g.pooled()
			c.set(id)
			keep[id] = c
		}
		c.Move(g.flow.position(first + i))
		c.Resize(size)
		g.sheet.objects = append(g.sheet.objects, c)
		if g.fill(c, first+i) {
			want = append(want, id)
		}
	}
	g.first = first
	g.requestThumbs()
	g.layHeadings()
	if g.band != nil {
		g.band.lay()
	}
	if len(want) > 0 {
		g.feed.Want(want...)
	}
	canvas.Refresh(g.sheet)
	if atEnd := offset < pitch/2; atEnd != g.atEnd {
		g.atEnd = atEnd
		if g.act.AtEnd != nil {
			g.act.AtEnd(atEnd)
		}
	}
}

// reuse returns the cells that already show visible images, and puts the others into the pool.
func (g *Grid) reuse(visible []string) map[string]*cell {
	keep := make(map[string]*cell, len(visible))
	for _, id := range visible {
		if c, ok := g.cells[id]; ok {
			keep[id] = c
			delete(g.cells, id)
		}
	}
	for _, c := range g.cells {
		c.set("")
		g.pool = append(g.pool, c)
	}
	return keep
}

// closeGap removes the empty places when the user has reached the first row, or where nobody sees it.
func (g *Grid) closeGap(offset float32) {
	if g.flow.lead == 0 {
		return
	}
	top := offset < g.flow.pitch()/2 && g.flow.led == 0
	if below := g.flow.rowTop(g.flow.laid()[g.flow.led].row); top || below > offset+g.Size().Height {
		g.flow.lead = 0
		g.fit()
	}
}

func (g *Grid) pooled() *cell {
	if n := len(g.pool); n > 0 {
		c := g.pool[n-1]
		g.pool = g.pool[:n-1]
		return c
	}
	return newCell(g)
}

// fill sets what a cell shows to what is known of its image. It reports whether the
// image must be read.
func (g *Grid) fill(c *cell, i int) (want bool) {
	im, ok := g.images[c.id]
	if ok {
		c.describe(im, g.colour(im.SessionID))
	}
	g.picture(c)
	c.selected, c.cursor, c.fresh = g.sel.selected[c.id], g.sel.cursor == c.id, i < g.fresh
	c.repaint()
	if ok && !g.stale[c.id] {
		return false
	}
	delete(g.stale, c.id)
	return true
}

// requestThumbs requests the thumbnails that visible cells lack.
func (g *Grid) requestThumbs() {
	var lacking []ThumbRequest
	for i := g.first; i < len(g.list.ids); i++ {
		c := g.cells[g.list.ids[i]]
		if c == nil {
			break
		}
		if c.known && c.im.Broken || !c.known && Mutable(c.id) {
			continue
		}
		if w := g.thumbRequest(c); g.thumbs.Cached(w) == nil {
			lacking = append(lacking, w)
		}
	}
	g.thumbs.Show(lacking)
}

// passBy is the longest time between two steps of one movement, for example of a wheel that turns.
const passBy = 150 * time.Millisecond

// moved arranges the grid after the user has moved it.
func (g *Grid) moved() {
	was := g.flow.rowAt(g.movedTo)
	now, to := g.now(), g.scroll.Offset.Y
	if g.flow.rowAt(to) != was {
		if now.Sub(g.movedAt) < passBy {
			g.thumbs.Pass()
		}
		g.movedAt, g.movedTo = now, to
	}
	g.arrange()
}

// picture shows a cell's thumbnail if it is cached; requestThumbs requests it. Until another
// one arrives, the current one stays.
func (g *Grid) picture(c *cell) {
	if c.known && c.im.Broken {
		c.show(nil, errBroken)
		return
	}
	if !c.known && Mutable(c.id) {
		return // its stamp is not known yet
	}
	if m := g.thumbs.Cached(g.thumbRequest(c)); m != nil && m != c.shown {
		c.show(m, nil)
	}
}

// thumbRequest returns the request for the thumbnail that a cell should show.
func (g *Grid) thumbRequest(c *cell) ThumbRequest {
	w, h := g.box()
	return ThumbRequest{c.id, Stamp(c.im), w, h}
}

func (g *Grid) colour(session string) color.NRGBA {
	n := 0
	if g.act.Colour != nil {
		n = g.act.Colour(session)
	}
	return g.k.P.Session(n)
}

// box returns the size, in pixels, that thumbnails are scaled down to. It grows in
// steps, so that resizing the window does not rescale every thumbnail at every pixel.
func (g *Grid) box() (w, h int) {
	s := g.flow.cellSize()
	w = max(int((s.Width-8-2*mattePad)*kit.Scale(g))/8*8, 32)
	h = max(int((s.Height-captionH-4-2*mattePad)*kit.Scale(g))/6*6, 24)
	return w, h
}
