// Package gallery provides the grid of plots. The grid is virtual: ten thousand plots
// cost as much as a screenful. Thumbnails are read off the UI goroutine.
//
// It does not use Fyne's GridWrap, because cells should fill the width of a row, new
// plots must not move what the user looks at, and several plots can be selected.
//
// # Goroutines
//
// A Grid belongs to the UI goroutine. A [Feed] has one goroutine and [Thumbs] has two.
// They run until Close and pass their results to the Dispatcher.
package gallery

import (
	"image"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Actions are called when the user does something in the grid, or when the grid
// changes. They are called on the UI goroutine and must not block.
type Actions struct {
	Select func(ids []string, cursor string) // the selection or the cursor changed
	Open   func(id string)                   // shows an image in the viewer
	Rate   func(ids []string, rating int)
	Menu   func(id string, at fyne.Position)
	Drag   func(ids []string)         // lets the user drag images to other programs; may be nil
	AtEnd  func(newest bool)          // the first row came into view or left it; may be nil
	Listed func(Answer)               // a query was answered; may be nil
	Colour func(sessionID string) int // returns the index of a session's colour; may be nil
	// Finding calls done with what the most important finding of an image says; may be nil.
	Finding  func(id string, done func(sentence string))
	Sections Divider                // divides the grid into sections; may be nil
	Newer    func(id string) string // returns the newest version of an image's figure if it is recent, else id; may be nil
}

// The dimensions of the grid, in Fyne units.
const (
	gridPad float32 = 14
	gridGap float32 = 12
)

var _ fyne.Widget = (*Grid)(nil)

// A Grid shows the images of a list of ids.
type Grid struct {
	widget.BaseWidget
	k      *kit.Kit
	act    Actions
	feed   *Feed
	thumbs *Thumbs

	query    library.Query // that the list matches
	list     imageList
	images   map[string]library.Image // images that were read
	stale    map[string]bool          // in images, but to be read again
	revision uint64                   // of the library, up to which stale is complete
	sel      selection
	fresh    int  // number of images at the beginning that are marked as new
	growing  bool // more images of the list are still to come
	toEnd    bool // the user wants the last of them

	fullStar, hollowStar fyne.Resource

	flow     flow
	scroll   *kit.Scroll
	scrub    *scrub
	sheet    *sheet
	cells    map[string]*cell
	pool     []*cell
	atEnd    bool
	band     *band               // nil: the user draws none
	grab     *grab               // nil: no cell is pressed
	starred  *starPress          // nil: no star is pressed
	listed   []library.ListEntry // the list, with its times
	sections []Section           // of the list; may be empty
	headings []*heading          // the first of them are in sight
	first    int                 // index of the first visible image
	movedAt  time.Time           // when the user last moved to another row
	movedTo  float32             // and where
	now      func() time.Time    // time.Now, or a test's

	boxW, boxH atomic.Int32 // the current box, for the feed's goroutine
}

// NewGrid returns an empty grid with cells at least size wide. The caller must call
// Close.
func NewGrid(k *kit.Kit, lib Library, size float32, act Actions) *Grid {
	g := &Grid{
		k: k, act: act, images: make(map[string]library.Image), stale: make(map[string]bool), cells: make(map[string]*cell), atEnd: true,
		flow: flow{size: size}, now: time.Now,
	}
	g.fullStar, g.hollowStar = theme.Icon("star", k.P.Star), theme.Icon("star-outline", k.P.Muted)
	g.sheet = &sheet{g: g}
	g.sheet.ExtendBaseWidget(g.sheet)
	g.scroll = k.VScroll(g.sheet, g.flow.pitch)
	g.scroll.OnScrolled = func(fyne.Position) {
		g.toEnd = false
		g.moved()
		g.scrub.scrolled()
	}
	g.scrub = newScrub(g)
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

// Close stops the goroutines of the grid and waits for them.
func (g *Grid) Close() {
	g.feed.Close()
	g.thumbs.Close()
}

// Drop releases all pictures, for example when the window is hidden.
func (g *Grid) Drop() {
	g.thumbs.Drop()
	for _, c := range g.cells {
		c.show(nil, nil)
	}
	g.pool = nil
}

// Rest releases the pictures that were used longest ago, for example when the user is
// idle.
func (g *Grid) Rest() { g.thumbs.Shrink(restBytes) }

// Restore requests the visible pictures again after Drop.
func (g *Grid) Restore() {
	for _, c := range g.cells {
		g.picture(c)
		c.repaint()
	}
	g.requestThumbs()
}

func (g *Grid) gotIDs(q library.Query, a Answer) {
	end := false
	if a.Err == nil {
		same := reflect.DeepEqual(q, g.query)
		g.set(a.list, same, func() { g.divide(q, a.Listed) })
		g.query, g.listed = q, a.Listed
		end = same && g.toEnd
		g.growing, g.toEnd = a.Growing, end && a.Growing
	}
	if g.act.Listed != nil {
		g.act.Listed(a)
	}
	if end {
		g.pickLast()
	}
}

// set shows other images, which divide divides. If keep, the visible images stay where they are, unless
// the first row is in view; then it stays in view. The images also stay in their
// columns: the first row begins with empty places until the user scrolls to it. If not
// keep, the grid scrolls to the top.
func (g *Grid) set(list imageList, keep bool, divide func()) {
	var after []string // the first visible image and those after it, in the former list
	within, place := float32(0), 0
	if keep && !g.atEnd {
		var at string
		at, within = g.top()
		place = g.flow.column(g.list.index[at])
		after = g.list.ids[min(g.list.index[at], len(g.list.ids)):]
	}
	g.list = list
	divide()
	g.flow.lead = 0
	n := g.flow.columns()
	i, ok := 0, false
	for _, at := range after { // if the first one is gone, use the next one
		if i, ok = g.list.index[at]; !ok {
			i, ok = g.list.index[g.newer(at)]
		}
		if ok {
			break
		}
	}
	if ok {
		lead := (place - g.flow.column(i) + n) % n
		g.flow.lead, g.flow.led = lead, g.flow.partOf(i)
	}
	g.fit()
	switch {
	case ok:
		g.scroll.Offset.Y = g.flow.rowTop(g.flow.row(i)) + within
	case !keep:
		g.scroll.Offset.Y = 0
	}
	g.scroll.Offset.Y = min(g.scroll.Offset.Y, max(g.flow.height()-g.scroll.Size().Height, 0))
	g.scroll.Refresh()
	g.arrange()
}

// newer returns the newest version of an image's figure, or id if it is not known.
func (g *Grid) newer(id string) string {
	if g.act.Newer == nil {
		return id
	}
	return g.act.Newer(id)
}

// top returns the first visible image and how much of its row is scrolled out of view.
// The id is empty if there is no image.
func (g *Grid) top() (id string, within float32) {
	row := g.flow.rowAt(g.scroll.Offset.Y)
	if i := max(g.flow.first(row), 0); i < len(g.list.ids) {
		return g.list.ids[i], g.scroll.Offset.Y - g.flow.rowTop(row)
	}
	return "", 0
}

// Renew marks the images that have changed up to a revision of the library as stale. The visible
// ones among them are read again at once.
func (g *Grid) Renew(revision uint64) {
	changed := g.feed.lib.Changes().Summary(g.revision, revision)
	g.revision = max(g.revision, revision)
	for id := range g.images {
		if changed.Of(id) != 0 {
			g.stale[id] = true
		}
	}
	g.arrange()
}

// Select sets the selection and the cursor without calling Actions.Select. If reveal is
// set and another selection moves the cursor, the grid scrolls to it: it does not when the
// state confirms what the user selected here. While the user draws a band, Select does nothing.
func (g *Grid) Select(ids []string, cursor string, reveal bool) {
	moved := cursor != g.newer(g.sel.cursor)
	g.toEnd = g.toEnd && !moved
	if g.band != nil && g.band.drawn && !g.band.over {
		return // the band sets the selection when it ends
	}
	if slices.Equal(ids, g.sel.order) && cursor == g.sel.cursor {
		return
	}
	g.sel.anchor = g.newer(g.sel.anchor)
	confirmed := slices.Equal(ids, g.sel.order)
	g.sel.set(ids, cursor)
	if moved && reveal && !confirmed {
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

// SetCellSize changes the minimum width of a cell.
func (g *Grid) SetCellSize(size float32) {
	if g.flow.size == size {
		return
	}
	at, _ := g.top()
	g.flow.size = size
	g.flow.reflow()
	g.fit()
	if i, ok := g.list.index[at]; ok {
		g.scroll.Offset.Y = g.flow.rowTop(g.flow.row(i))
	}
	g.scroll.Refresh()
	g.arrange()
}

// ScrollToTop scrolls to the first image.
func (g *Grid) ScrollToTop() {
	g.toEnd = false
	g.scroll.ScrollToTop()
	g.arrange()
}

// Columns returns the number of columns.
func (g *Grid) Columns() int { return g.flow.columns() }

func (g *Grid) fit() {
	g.sheet.Resize(fyne.NewSize(g.Size().Width, max(g.flow.height(), g.Size().Height)))
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
	g.requestThumbs()
	if len(g.images) > 4*backlog { // images out of view are read again when needed
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
		return // no longer visible
	}
	if now := g.thumbRequest(c); w.Stamp != now.Stamp || w != now && c.shown != nil {
		return // the file has changed, or another size is wanted
	}
	if m != nil || c.shown == nil || Mutable(w.ID) {
		c.show(m, err)
		c.paint()
	}
}

// Recolour updates the sessions' colours.
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
		c.selected, c.cursor, c.fresh = g.sel.selected[id], g.sel.cursor == id, g.list.index[id] < g.fresh
		c.repaint()
	}
}

// Reveal scrolls as little as necessary to show an image.
func (g *Grid) Reveal(id string) {
	i, ok := g.list.index[id]
	if !ok {
		return
	}
	y := g.flow.rowTop(g.flow.row(i))
	top := y
	if p := g.flow.parts[g.flow.partOf(i)]; p.head && g.flow.row(i) == p.row {
		top -= headH // with its heading
	}
	view := g.scroll.Size().Height
	switch off := g.scroll.Offset.Y; {
	case y < off:
		g.scroll.Offset.Y = top
	case y+g.flow.pitch()+gridPad > off+view:
		g.scroll.Offset.Y = max(y+g.flow.pitch()+gridPad-view, 0)
	default:
		return
	}
	g.scroll.Refresh()
	g.moved()
}
