// Package gallery is the grid of plots: virtual, so that ten thousand cost what a
// screenful costs; its thumbnails are read off the UI goroutine.
//
// It has a grid of its own instead of Fyne's GridWrap: cells fill the row's width,
// what comes in above does not move what the user looks at, and the selection is
// of many.
//
// # Goroutines
//
// The Grid belongs to the UI goroutine. A Feed has one goroutine, Thumbs two; they
// end in Close and hand over through the Dispatcher.
package gallery

import (
	"image"
	"reflect"
	"slices"
	"sync/atomic"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Actions are what the user does in the grid. They are called on the UI goroutine
// and must not block.
type Actions struct {
	Select func(ids []string, cursor string) // these are selected now, the cursor is there
	Open   func(id string)                   // show it large
	Rate   func(ids []string, rating int)
	Menu   func(id string, at fyne.Position)
	AtEnd  func(newest bool)             // whether the first row is in sight
	Listed func(ids []string, err error) // what the query matches was read
	Colour func(sessionID string) int    // of a session
	Newer  func(id string) string        // the newest version of its figure, if that came lately; may be nil
}

// The measures of the grid.
const (
	gridPad float32 = 14
	gridGap float32 = 12
)

var _ fyne.Widget = (*Grid)(nil)

// A Grid shows images by their ids.
type Grid struct {
	widget.BaseWidget
	k      *kit.Kit
	act    Actions
	feed   *Feed
	thumbs *Thumbs

	query    library.Query // of ids
	ids      []string
	index    map[string]int
	images   map[string]library.Image // what is known, of those in sight and before
	stale    map[string]bool          // known, but to be read again
	selected map[string]bool
	order    []string // of selection
	cursor   string
	anchor   string // where a range began
	fresh    int    // so many at the newest end are new

	fullStar, hollowStar fyne.Resource

	size   float32 // least width of a cell
	scroll *kit.Scroll
	sheet  *sheet
	cells  map[string]*cell
	pool   []*cell
	atEnd  bool
	band   *band // nil: none is drawn
	lead   int   // empty places before the first image; see SetIDs
	wide   int   // columns when it was arranged last

	boxW, boxH atomic.Int32 // that thumbnails are fitted into now, for the feed
}

// NewGrid makes a grid of cells at least size wide.
func NewGrid(k *kit.Kit, lib Library, size float32, act Actions) *Grid {
	g := &Grid{
		k: k, act: act, size: size, index: make(map[string]int), images: make(map[string]library.Image),
		stale: make(map[string]bool), selected: make(map[string]bool), cells: make(map[string]*cell), atEnd: true,
	}
	g.fullStar, g.hollowStar = theme.Icon("star", k.P.Star), theme.Icon("star-outline", k.P.Muted)
	g.sheet = &sheet{g: g}
	g.sheet.ExtendBaseWidget(g.sheet)
	g.scroll = k.VScroll(g.sheet, g.pitch)
	g.scroll.OnScrolled = func(fyne.Position) { g.arrange() }
	g.feed = NewFeed(lib, k.Do, g.gotIDs, g.gotImages)
	g.thumbs = NewThumbs(lib, k.Do, g.gotThumb)
	g.feed.ahead = func(images []library.Image) {
		w, h := int(g.boxW.Load()), int(g.boxH.Load())
		var requests []ThumbRequest
		for _, im := range images {
			if w > 0 && !im.Broken {
				requests = append(requests, ThumbRequest{im.ImageID, Stamp(im), w, h})
			}
		}
		g.thumbs.prepare(requests)
	}
	g.ExtendBaseWidget(g)
	return g
}

// Close ends the goroutines of the grid and waits for them.
func (g *Grid) Close() {
	g.feed.Close()
	g.thumbs.Close()
}

// Drop lets go of all pictures, as when the window is hidden.
func (g *Grid) Drop() {
	g.thumbs.Drop()
	for _, c := range g.cells {
		c.show(nil, nil)
	}
	g.pool = nil
}

// Rest lets go of the pictures that are far from sight, as when nothing happens.
func (g *Grid) Rest() { g.thumbs.Shrink(restBytes) }

// Restore has the pictures read again that Drop let go of.
func (g *Grid) Restore() {
	for _, c := range g.cells {
		g.picture(c)
		c.repaint()
	}
}

func (g *Grid) gotIDs(q library.Query, ids []string, err error) {
	if err == nil {
		g.SetIDs(ids, reflect.DeepEqual(q, g.query))
		g.query = q
	}
	if g.act.Listed != nil {
		g.act.Listed(ids, err)
	}
}

// SetIDs shows other images. What is in sight stays where it is, unless the newest
// end is in sight, which stays in sight. So that it stays also in its column, the
// first row begins with empty places until the user comes there.
func (g *Grid) SetIDs(ids []string, keep bool) {
	var after []string // the first image in sight and those after it, as they were
	within, place := float32(0), 0
	if keep && !g.atEnd {
		var at string
		at, within = g.top()
		place = g.index[at] + g.lead
		after = g.ids[min(g.index[at], len(g.ids)):]
	}
	g.ids = ids
	clear(g.index)
	for i, id := range ids {
		g.index[id] = i
	}
	n := g.columns()
	i, ok := 0, false
	for _, at := range after { // where the first one has gone, the next one takes its place
		if i, ok = g.index[at]; !ok {
			i, ok = g.index[g.newer(at)]
		}
		if ok {
			break
		}
	}
	g.lead = 0
	if ok {
		g.lead = ((place-i)%n + n) % n
	}
	g.fit()
	switch {
	case ok:
		g.scroll.Offset.Y = float32(g.row(i))*g.pitch() + within
	case !keep:
		g.scroll.Offset.Y = 0
	}
	g.scroll.Offset.Y = min(g.scroll.Offset.Y, max(g.height()-g.scroll.Size().Height, 0))
	g.scroll.Refresh()
	g.arrange()
}

// newer is the image that stands where one stood.
func (g *Grid) newer(id string) string {
	if g.act.Newer == nil {
		return id
	}
	return g.act.Newer(id)
}

// row is the row in which the i-th image stands.
func (g *Grid) row(i int) int { return (i + g.lead) / g.columns() }

// top is the first image in sight and how far it is scrolled out.
func (g *Grid) top() (id string, within float32) {
	row := int(max(g.scroll.Offset.Y, 0) / g.pitch())
	if i := max(row*g.columns()-g.lead, 0); i < len(g.ids) {
		return g.ids[i], g.scroll.Offset.Y - float32(row)*g.pitch()
	}
	return "", 0
}

// Invalidate has the images read again: ratings, tags or titles changed.
func (g *Grid) Invalidate() {
	for id := range g.images {
		g.stale[id] = true
	}
	g.arrange()
}

// Select shows a selection and a cursor that others made. If reveal is set, the grid
// scrolls to a cursor that has moved.
func (g *Grid) Select(ids []string, cursor string, reveal bool) {
	moved := cursor != g.newer(g.cursor)
	if g.band != nil && g.band.drawn && !g.band.over {
		return // the hand has the word, and tells at the end
	}
	if slices.Equal(ids, g.order) && cursor == g.cursor {
		return
	}
	g.anchor = g.newer(g.anchor)
	g.order, g.cursor = ids, cursor
	clear(g.selected)
	for _, id := range ids {
		g.selected[id] = true
	}
	if moved && reveal {
		g.Reveal(cursor)
	}
	g.repaint()
}

// SetFresh marks the first n images as new.
func (g *Grid) SetFresh(n int) {
	if g.fresh != n {
		g.fresh = n
		g.repaint()
	}
}

// SetCellSize changes the least width of a cell.
func (g *Grid) SetCellSize(size float32) {
	if g.size == size {
		return
	}
	at, _ := g.top()
	g.size = size
	g.reflow()
	g.fit()
	if i, ok := g.index[at]; ok {
		g.scroll.Offset.Y = float32(g.row(i)) * g.pitch()
	}
	g.scroll.Refresh()
	g.arrange()
}

// ScrollToTop shows the newest end.
func (g *Grid) ScrollToTop() {
	g.scroll.ScrollToTop()
	g.arrange()
}

// Columns is how many images stand side by side.
func (g *Grid) Columns() int { return g.columns() }

func (g *Grid) columns() int {
	w := g.Size().Width - 2*gridPad
	return max(int((w+gridGap)/(g.size+gridGap)), 1)
}

// reflow closes the empty places when the columns are others: then everything moves.
func (g *Grid) reflow() {
	if n := g.columns(); n != g.wide {
		g.wide, g.lead = n, 0
	}
}

func (g *Grid) cellSize() fyne.Size {
	n := float32(g.columns())
	w := max((g.Size().Width-2*gridPad-(n-1)*gridGap)/n, 60)
	w = float32(int(w))
	return fyne.NewSize(w, float32(int((w-8)*0.75))+captionH+4)
}

func (g *Grid) pitch() float32 { return g.cellSize().Height + gridGap }

func (g *Grid) height() float32 {
	n := g.columns()
	rows := (g.lead + len(g.ids) + n - 1) / n
	return float32(rows)*g.pitch() - gridGap + 2*gridPad
}

// scale is how many pixels one of Fyne's units has.
func (g *Grid) scale() float32 {
	if c := fyne.CurrentApp().Driver().CanvasForObject(g); c != nil {
		return c.Scale()
	}
	return 1
}

func (g *Grid) fit() {
	g.sheet.Resize(fyne.NewSize(g.Size().Width, max(g.height(), g.Size().Height)))
}

func (g *Grid) gotImages(images []library.Image) {
	for _, im := range images {
		g.images[im.ImageID] = im
		if c, ok := g.cells[im.ImageID]; ok {
			c.describe(im, g.colour(im.SessionID))
			g.picture(c)
			c.paint()
		}
	}
	if len(g.images) > 4*backlog { // those far away are read again when they come near
		for id := range g.images {
			if _, inSight := g.cells[id]; !inSight {
				delete(g.images, id)
			}
		}
	}
}

func (g *Grid) gotThumb(w ThumbRequest, m image.Image, err error) {
	c, ok := g.cells[w.ID]
	if !ok {
		return // scrolled away
	}
	if now := g.thumbRequest(c); w.Stamp != now.Stamp || w != now && c.shown != nil {
		return // the file is another one by now, or another size is wanted
	}
	if m != nil || c.shown == nil || Mutable(w.ID) {
		c.show(m, err)
		c.paint()
	}
}

// Recolour asks for the sessions' colours again.
func (g *Grid) Recolour() {
	for _, c := range g.cells {
		if c.known {
			c.colour = g.colour(c.im.SessionID)
			c.repaint()
		}
	}
}

func (g *Grid) repaint() {
	for id, c := range g.cells {
		c.selected, c.cursor, c.fresh = g.selected[id], g.cursor == id, g.index[id] < g.fresh
		c.repaint()
	}
}

// Reveal scrolls as little as is needed to show an image.
func (g *Grid) Reveal(id string) {
	i, ok := g.index[id]
	if !ok {
		return
	}
	y := float32(g.row(i)) * g.pitch()
	view := g.scroll.Size().Height
	switch off := g.scroll.Offset.Y; {
	case y < off:
		g.scroll.Offset.Y = y
	case y+g.pitch()+gridPad > off+view:
		g.scroll.Offset.Y = max(y+g.pitch()+gridPad-view, 0)
	default:
		return
	}
	g.scroll.Refresh()
	g.arrange()
}
