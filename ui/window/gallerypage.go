package window

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/mcphost/catalog"
	"easel/ui/core/collection"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/checks"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
	"easel/ui/window/viewer"
)

// A galleryPage is the gallery's page: banners, filter bar, and the grid, the viewer or,
// while there is nothing to show, a text that says what to do.
type galleryPage struct {
	s        *shell
	root     *fyne.Container
	bar      *filterBar
	grid     *gallery.Grid
	view     *viewer.View
	versus   *viewer.Compare
	banners  *banners
	pill     *kit.Button
	corner   *corner
	told     bool    // how the focus view is left
	covered  float32 // width of the properties over a plot that fills the window
	empty    fyne.CanvasObject
	emptyOf  string              // why empty is shown
	progress func(*state.Server) // updates empty; nil if it shows no progress

	listed   bool          // the query has been answered
	ids      []string      // until it is answered, those of the shell before
	answered library.Query // the query that ids answers
	owed     []string      // ids that were listed before answers which came too late to deselect what they hide
	trashed  int           // images of the same place in the trash, if there are no others
	toFirst  bool          // the first result is to be selected when the search is answered
	query    library.Query
	seen     uint64
	asked    bool
	mode     state.Mode
	atEnd    bool
	barH     float32 // height of the filter bar
	headed   string  // what the headings depend on, besides the list
	acting   int     // number of selections that are not in the state yet
	colours  map[string]int

	comparing bool
	all       int       // stars for all sides, if a digit was pressed with Shift; else -1
	since     viewState // what the state showed when the comparison began
}

func newGalleryPage(s *shell) *galleryPage {
	k, a := s.k, s.a
	c := &galleryPage{s: s, atEnd: true, all: -1, colours: make(map[string]int)}
	newer := func(id string) string { return a.cfg.Store.Snapshot().Newer(id) }
	c.grid = gallery.NewGrid(k, a.cfg.Library, thumbSize(a.cfg.Store.Snapshot()), gallery.Actions{
		Select: c.selected, Open: a.open, Rate: a.edits.Rate, Menu: s.imageMenu, Drag: a.external.Drag,
		AtEnd: c.atNewest, Listed: c.gotIDs, Colour: func(id string) int { return c.colours[id] },
		Newer: newer, Sections: c.sections, Finding: a.finder.first,
	})
	c.view = viewer.New(k, a.cfg.Library, viewer.Actions{
		Close: a.navigate.CloseViewer, Go: a.navigate.GoTo, Rate: a.edits.Rate, Menu: s.imageMenu, Fullscreen: a.navigate.ToggleFullscreen,
		Focus: c.toggleFocus, Stay: a.cfg.stand,
		Open: a.navigate.Open, Strip: func() { c.toggleStrip() }, Former: c.compareFormer, Present: a.present.toggle, Newer: newer,
		Copy: func(line string) { a.export.CopyText(line, k.T("what.line")) }, Save: a.export.SaveAs, Lab: a.external.JupyterLabOf,
		ShowCell: s.showCell(), Live: a.external.Figure, Version: c.present, Export: a.export.Redraw, Redraw: a.redraws.redraw,
		Idle: a.redraws.drawable, Region: c.regionActions(),
		Findings: a.finder.list, Unmark: func() { a.finder.drop() },
		Say: func(text string) { s.flash(kit.MarkNone, text) },
	})
	c.versus = viewer.NewCompare(k, withFresh{a.cfg.Library, a.cfg.Bus, k}, viewer.CompareActions{
		Close: func() { c.endCompare() }, Open: func(id string) { c.endCompare(); a.navigate.Open(strings.TrimPrefix(id, checks.FreshPrefix)) },
		Menu: s.imageMenu, Fullscreen: a.navigate.ToggleFullscreen, Differences: s.differences,
		Rate: a.edits.Rate, Rates: stored, Moved: c.moved,
	})
	c.bar = newFilterBar(s)
	c.banners = newBanners(s)
	c.pill = k.Button(kit.Primary, "up", "", "", func() {
		if a.cfg.Store.Snapshot().FollowPaused() {
			a.tail.resume()
			return
		}
		c.grid.ScrollToTop()
		c.atNewest(true)
	})
	c.pill.Hide()
	c.corner = newCorner(c)
	c.empty = widget.NewLabel("")
	c.empty.Hide()
	c.root = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, size fyne.Size) { c.arrange(size) }}}
	c.root.Objects = []fyne.CanvasObject{c.grid, c.view, c.empty, c.bar.root, c.banners.root, c.pill, c.versus, c.corner.root}
	c.view.Hide()
	c.versus.Hide()
	return c
}

func thumbSize(n *state.Snapshot) float32 {
	if n.Settings.ThumbSize <= 0 {
		return float32(state.DefaultSettings().ThumbSize)
	}
	return float32(min(max(n.Settings.ThumbSize, 96), 420))
}

// setColours sets the colours of the library's sessions.
func (c *galleryPage) setColours(all []library.Session) {
	for _, x := range all {
		c.colours[x.ID] = x.Colour
	}
	c.grid.Recolour()
}

func (c *galleryPage) close() {
	c.grid.Close()
	c.view.Close()
	c.versus.Close()
}

func (c *galleryPage) drop() {
	c.endCompare()
	c.grid.Drop()
	c.view.Drop()
}

// restore reads what drop released.
func (c *galleryPage) restore() { c.grid.Restore() }

const filterH float32 = 42

func (c *galleryPage) arrange(size fyne.Size) {
	y := c.banners.place(size.Width)
	if c.s.full {
		y = 0
	}
	c.banners.root.Hidden = c.s.full
	kit.Place(c.view, 0, y, size.Width, size.Height-y)
	kit.Place(c.versus, 0, y, size.Width, size.Height-y)
	c.view.SetStrip(c.stripShown())
	c.corner.arrange()
	c.bar.tall = size.Height-y >= presetsHigh
	c.barH = c.bar.heightFor(size.Width)
	kit.Place(c.bar.root, 0, y, size.Width, c.barH)
	y += c.barH
	kit.Place(c.grid, 0, y, size.Width, size.Height-y-c.s.messages.Height()) // captions stay in view
	kit.Place(c.empty, 0, y, size.Width, size.Height-y-c.s.messages.Height())
	m := c.pill.MinSize()
	kit.Place(c.pill, (size.Width-m.Width)/2, y+10, m.Width, m.Height)
}

// fitBar arranges the page again if the filter bar needs another height.
func (c *galleryPage) fitBar() {
	if size := c.root.Size(); c.barH > 0 && c.barH != c.bar.heightFor(size.Width) {
		c.arrange(size)
		c.root.Refresh()
	}
}

// foot returns the height of the controls at the lower edge, which no message may cover.
func (c *galleryPage) foot() float32 {
	if c.mode != state.Viewer || c.comparing || c.s.page != pageGallery {
		return 0
	}
	return c.view.Foot()
}

// rated reports whether a snapshot has a filter by stars.
func rated(n *state.Snapshot) bool { return n.Query.RatingOp != "" && n.Query.Rating >= 0 }

// filtered reports whether a snapshot has any filter.
func filtered(n *state.Snapshot) bool { return n.Query.Narrows() }

// newestFirst reports whether new images appear at the top.
func newestFirst(n *state.Snapshot) bool {
	return !n.ByCell() && (n.Query.SortBy == "" || n.Query.SortBy == "created") && !n.Query.Asc
}

func (c *galleryPage) render(n *state.Snapshot) {
	for _, x := range n.Sessions {
		c.colours[x.SessionID] = x.Colour
	}
	c.bar.render(n)
	if c.banners.render(n) {
		c.arrange(c.root.Size())
	}
	q := collection.Query(n)
	changed := !c.asked || !sameQuery(q, c.query)
	if changed || n.Revision != c.seen {
		c.grid.Renew(n.Revision) // also if the query has changed in the same frame
		c.asked, c.query, c.seen = true, q, n.Revision
		c.grid.AskOnce(q, n.Revision, nil) // usually frames.ahead has done it
	}
	c.grid.SetCellSize(thumbSize(n))
	c.renderHeadings(n)
	if c.acting == 0 {
		c.grid.Select(n.Selection, n.Current, n.SelectedBy != catalog.ByFollow)
	}
	fresh := 0
	if newestFirst(n) && !filtered(n) {
		fresh = n.Unseen
	}
	c.grid.SetFresh(fresh)
	c.renderMode(n)
	c.renderPill(n)
	c.renderEmpty(n)
}

func sameQuery(a, b library.Query) bool {
	return a.SessionID == b.SessionID && a.URIPrefix == b.URIPrefix && a.Rating == b.Rating && a.RatingOp == b.RatingOp && a.Text == b.Text &&
		a.Looked.Equal(b.Looked) &&
		a.SortBy == b.SortBy && a.Asc == b.Asc && a.AnyTag == b.AnyTag && a.Trashed == b.Trashed && a.Findings == b.Findings &&
		strings.Join(a.Tags, "\x00") == strings.Join(b.Tags, "\x00")
}

func (c *galleryPage) renderMode(n *state.Snapshot) {
	if c.comparing && viewStateOf(n) != c.since {
		c.endCompare()
	}
	if n.Mode != c.mode {
		c.mode = n.Mode
		c.showMode()
		if n.Mode != state.Viewer {
			c.view.Rest()
			c.grid.Reveal(n.Current)
		}
	}
	if n.Mode == state.Viewer {
		c.view.Open(n.Current, c.ids, n.Revision)
		c.view.ShowRegion()
	}
	c.view.SetHabits(habits(n))
	c.versus.SetHabits(habits(n))
	c.fill()
	c.versus.Reread(n.Revision)
	if n.Mode == state.Viewer && n.Current == n.Newest {
		c.seenAll()
	}
}

func (c *galleryPage) renderPill(n *state.Snapshot) {
	show := n.Unseen > 0 && !c.atEnd && n.Mode != state.Viewer && newestFirst(n) && !c.comparing
	if show {
		text := c.s.k.Tr.N("gallery.new", n.Unseen)
		if n.FollowPaused() {
			text += " · " + c.s.k.T("follow.again")
		}
		c.pill.SetText(text)
		m := c.pill.MinSize()
		kit.Place(c.pill, (c.root.Size().Width-m.Width)/2, c.pill.Position().Y, m.Width, m.Height)
	}
	kit.SetVisible(c.pill, show)
}

// selected sends the user's selection in the grid to the state. Until the state has it,
// the grid's own selection counts.
func (c *galleryPage) selected(ids []string, cursor string) {
	c.toFirst = false
	c.acting++
	requests.AskFinally(c.s.a.requests, catalog.SelectFile, catalog.SelectFileIn{Paths: ids, Current: cursor}, nil, func() {
		c.acting--
		if c.acting == 0 && c.s.a.snap != nil {
			now := c.s.a.cfg.Store.Snapshot()
			c.s.props.Select(c.s.subject(now), now.Revision)
		}
	})
}

// atNewest records whether the newest plots are in view. If so, none are unseen.
func (c *galleryPage) atNewest(yes bool) {
	c.atEnd = yes
	c.seenAll()
}

func (c *galleryPage) seenAll() {
	n := c.s.a.cfg.Store.Snapshot()
	inSight := c.atEnd
	if n.Mode == state.Viewer {
		inSight = n.Current == n.Newest
	}
	if inSight && n.Unseen > 0 && n.Window != state.WindowHidden {
		c.s.a.cfg.Store.Update(func(s *state.Snapshot) { s.Unseen = 0 })
	} else if c.s.a.snap != nil {
		c.renderPill(n)
	}
}

func (c *galleryPage) gotIDs(a gallery.Answer) {
	if a.Err != nil {
		c.s.flash(kit.MarkBad, c.s.k.T("flash.library", a.Err.Error()))
		return
	}
	ids := a.IDs
	c.depart(ids)
	c.listed, c.ids, c.answered, c.trashed = true, ids, c.grid.Query(), a.Trashed
	c.s.a.slides.list(ids)
	n := c.s.a.cfg.Store.Snapshot()
	if c.mode == state.Viewer {
		c.view.Open(n.Current, ids, n.Revision)
	}
	c.corner.render(n)
	if n.Matching != len(ids) || n.Total != a.Total {
		c.s.a.cfg.Store.Update(func(s *state.Snapshot) { s.Matching, s.Total = len(ids), a.Total })
	}
	c.renderEmpty(n)
	c.bar.counted(len(ids), a.Total)
	c.results()
	c.s.a.tail.catchUp(n)
}

// depart removes images that are no longer listed from the selection: images that a
// search hides, or files that are gone. Tools do the same for their own changes.
func (c *galleryPage) depart(ids []string) {
	q, n := c.grid.Query(), c.s.a.cfg.Store.Snapshot()
	owed := c.owed
	c.owed = nil
	if !sameFolder(q, c.answered) || n.Current == "" && len(n.Selection) == 0 {
		return
	}
	absent := func(id string) bool { return id != "" && !c.lists(n, id) }
	if !absent(n.Current) && !slices.ContainsFunc(n.Selection, absent) {
		return
	}
	was := slices.Concat(owed, c.ids)
	passed := false // another list is being read
	c.s.a.cfg.Store.Update(func(s *state.Snapshot) {
		if passed = !sameQuery(q, collection.Query(s)); !passed {
			s.Depart(newerOf(s, was), newerOf(s, ids), owed == nil && sameQuery(q, c.answered))
		}
	})
	if passed {
		c.owed = was
	}
}

// lists reports whether the grid lists an image or, if it is older than the state, a former version.
func (c *galleryPage) lists(n *state.Snapshot, id string) bool {
	return c.grid.Lists(id) && n.Newer(id) == id ||
		slices.ContainsFunc(n.Updates, func(u state.Update) bool { return c.grid.Lists(u.Was) && n.Newer(u.Was) == id })
}

// newerOf returns a copy of ids in which each id is replaced by that of its figure's
// newest version.
func newerOf(s *state.Snapshot, ids []string) []string {
	ids = slices.Clone(ids)
	for i, id := range ids {
		ids[i] = s.Newer(id)
	}
	return ids
}

func sameFolder(a, b library.Query) bool {
	return a.SessionID == b.SessionID && a.URIPrefix == b.URIPrefix && a.Trashed == b.Trashed
}
