package window

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/state"
	"easel/ui/window/folders"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A filterBar is above the grid. It shows what is displayed, how much, and the filters.
// It is tinted while something is hidden.
type filterBar struct {
	s      *shell
	root   fyne.CanvasObject
	ground *kit.Area
	filled bool // the background shows that there is a filter

	up    *kit.Button // opens the parent of a folder on disk; hidden in the library
	title *kit.Line
	count *kit.Line
	op    *kit.Button
	stars *kit.Stars
	chips *fyne.Container
	// chipRover makes the chips one stop of the keyboard.
	chipRover kit.Rover
	clear     *kit.Button
	save      *kit.Button // in the row of the chips
	time      *kit.Button // with cells: the order of a session with a notebook
	cells     *kit.Button
	sort      *kit.Button
	order     *kit.Button
	size      *widget.Slider
	slide     fyne.CanvasObject
	more      *kit.Overflow
	body      *fyne.Container

	tags string
	snap *state.Snapshot

	bound  bool // the open session has a notebook
	byCell bool
	deep   bool // the chips have a row of their own
	tall   bool // the gallery has room for a row of presets
}

func newFilterBar(s *shell) *filterBar {
	k, a := s.k, s.a
	f := &filterBar{s: s}
	f.up = k.Button(kit.Ghost, "up", "", "", a.folders.Parent).Small()
	f.title = kit.NewLine("", theme.TextTitle, k.P.Text, fyne.TextStyle{Bold: true}, 40)
	f.count = kit.NewLine("", 12, k.P.Muted, fyne.TextStyle{}, 40)
	f.op = k.Button(kit.Ghost, "", "≥", k.T("filter.op_tip"), f.nextOp).Small()
	f.stars = k.Stars(14, f.rate)
	f.chips = &fyne.Container{Layout: kit.Row{Gap: 5, Stretch: -1}}
	f.clear = k.Button(kit.Ghost, "close", k.T("filter.clear"), "", a.navigate.ClearFilters).Small()
	f.save = k.Button(kit.Ghost, "save", k.T("find.save_search"), "", func() { s.top.searcher.save() }).Small()
	f.time = k.Button(kit.Ghost, "", k.T("filter.by_time"), k.T("filter.by_time_tip"), f.byTime).Small()
	f.cells = k.Button(kit.Ghost, "", k.T("filter.by_cell"), k.T("filter.by_cell_tip"), func() { a.navigate.SortByCell(true) }).Small()
	f.sort = k.Button(kit.Ghost, "", "", k.T("filter.sort_tip"), func() { s.dialogs.MenuUnder(f.sort, f.sortItems()...) }).Small()
	f.order = k.Button(kit.Ghost, "sort-desc", "", k.T("filter.order_tip"), func() { a.navigate.Sort("", !f.snap.Query.Asc) }).Small()
	f.size = widget.NewSlider(110, 340)
	f.size.Step = 10
	f.size.Value = float64(thumbSize(a.cfg.Store.Snapshot()))
	f.size.OnChanged = func(v float64) { s.gallery.grid.SetCellSize(float32(v)) }
	f.size.OnChangeEnded = func(v float64) { a.settings(func(c *state.Settings) { c.ThumbSize = int(v) }) }
	f.slide = kit.Themed(f.size, theme.Track(theme.New(a.cfg.Store.Snapshot().Settings.Theme)))
	f.moreOf()
	f.ground = k.Area(k.P.Window, 0)
	f.body = &fyne.Container{
		Objects: []fyne.CanvasObject{
			f.up, f.title, f.count, f.op, f.stars, f.chips, f.save, f.clear, f.time, f.cells, f.sort, f.order, f.slide, f.more.Button,
		},
		Layout: kit.LayoutFunc{Arrange: f.arrange},
	}
	f.root = k.Panel(color.Transparent, "b", &fyne.Container{Objects: []fyne.CanvasObject{f.ground, f.body}, Layout: kit.LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, size fyne.Size) {
			for _, o := range os {
				kit.Place(o, 0, 0, size.Width, size.Height)
			}
		},
	}})
	return f
}

func (f *filterBar) arrange(_ []fyne.CanvasObject, s fyne.Size) {
	right := s.Width - 12
	put := func(o fyne.CanvasObject, w float32) {
		m := o.MinSize()
		right -= w
		kit.Place(o, right, (filterH-m.Height)/2, w, m.Height)
		right -= 6
	}
	f.dropWhatHasNoRoom(s.Width)
	if f.more.Visible() {
		put(f.more.Button, f.more.MinSize().Width)
	}
	if f.slide.Visible() {
		put(f.slide, sliderWide)
	}
	if f.sort.Visible() {
		put(f.order, f.order.MinSize().Width)
		put(f.sort, f.sort.MinSize().Width)
		right -= 8
	}
	if f.cells.Visible() {
		put(f.cells, f.cells.MinSize().Width)
		right += 4
		put(f.time, f.time.MinSize().Width)
		right -= 8
	}
	if f.stars.Visible() {
		put(f.stars, f.stars.MinSize().Width)
		put(f.op, f.op.MinSize().Width)
	}
	if f.clear.Visible() {
		put(f.clear, f.clear.MinSize().Width)
	}
	left := f.left()
	if f.up.Visible() {
		m := f.up.MinSize()
		kit.Place(f.up, 10, (s.Height-m.Height)/2, m.Width, m.Height)
	}
	if f.snap != nil {
		room, offers := right-left-f.titleRoom()-f.countRoom(), f.presets()
		if f.deep = len(offers) > 0 || f.wantsRow(room); f.deep {
			room = f.placeSave(s.Width) - 2*left
		}
		f.fillChips(offers, room)
	}
	kit.SetVisible(f.save, f.deep && f.saves())
	switch m := f.chips.MinSize(); {
	case f.deep:
		kit.Place(f.chips, left, filterH-4, s.Width-2*left, m.Height)
	case m.Width > 0:
		put(f.chips, m.Width)
	}
	room := max(right-left, 0)
	title := min(f.title.PreferredWidth()+2, max(room-f.countRoom(), min(room, f.titleRoom())))
	kit.Place(f.title, left, 0, title, filterH)
	kit.SetVisible(f.count, room-title >= f.countRoom()) // a number that is cut is a wrong number
	kit.Place(f.count, left+title+10, 1, max(room-title-10, 0), filterH)
}

// placeSave places the button that saves the search, and returns the width that is left of the row.
func (f *filterBar) placeSave(width float32) float32 {
	if !f.saves() {
		return width
	}
	m := f.save.MinSize()
	kit.Place(f.save, width-12-m.Width, filterH-5, m.Width, m.Height)
	return width - 12 - m.Width
}

// saves reports whether the search can be saved.
func (f *filterBar) saves() bool {
	if strings.TrimSpace(f.snap.Query.Text) == "" {
		return false
	}
	_, saved := f.s.top.searcher.saved(f.snap.Query.Text)
	return !saved
}

// heightFor returns the height of the bar in a width.
func (f *filterBar) heightFor(width float32) float32 {
	if f.arrange(nil, fyne.NewSize(width, filterH)); f.deep {
		return filterH + chipRow
	}
	return filterH
}

// dropWhatHasNoRoom moves controls into the menu if the bar is too narrow for all: first those that
// only change the look, last those that narrow the view.
func (f *filterBar) dropWhatHasNoRoom(width float32) {
	groups := [][]fyne.CanvasObject{{f.stars, f.op}, {f.time, f.cells}, {f.sort, f.order}, {f.slide}} // the last one is hidden first
	if !f.bound {
		groups[1] = nil
	} else if f.byCell { // there is no other order then
		groups[2] = nil
	}
	need := 12 + f.left() + f.titleRoom() + f.countRoom()
	if f.clear.Visible() {
		need += f.clear.MinSize().Width + 6
	}
	if f.bound {
		need += 4 // the gaps beside the groups
	}
	if !f.byCell {
		need += 8
	}
	wide := func(group []fyne.CanvasObject) (w float32) {
		for _, o := range group {
			if w += 6; o == f.slide {
				w += sliderWide
			} else {
				w += o.MinSize().Width
			}
		}
		return w
	}
	if need+wide(slices.Concat(groups...)) > width {
		need += f.more.MinSize().Width + 6
	}
	var lacking []fyne.CanvasObject
	for _, group := range groups {
		need += wide(group)
		for _, o := range group {
			if kit.SetVisible(o, need <= width); need > width {
				lacking = append(lacking, o)
			}
		}
	}
	f.more.Lack(lacking...)
}

// sliderWide is the width of the slider for the size of the cells, in Fyne's units.
const sliderWide float32 = 96

// left returns where the title begins.
func (f *filterBar) left() float32 {
	if f.up.Visible() {
		return 10 + f.up.MinSize().Width + 6
	}
	return 16
}

// titleMost is how much of a title has room before controls do, in Fyne's units.
const titleMost float32 = 180

// countRoom returns the width that the count needs, with the gap before it.
func (f *filterBar) countRoom() float32 { return f.count.PreferredWidth() + 14 }

// titleRoom returns the width that the controls leave to the title: all of it, unless it
// is a session's long name.
func (f *filterBar) titleRoom() float32 { return min(f.title.PreferredWidth()+2, titleMost) }

// fillChips creates the chips again if their texts or their space have changed.
func (f *filterBar) fillChips(offers []preset, room float32) {
	var names []string
	for _, x := range offers {
		names = append(names, fmt.Sprint(x.name, x.on))
	}
	fingerprint := fmt.Sprintf("%s\x00%q\x00%v\x00%v\x00%q", f.snap.Query.Text, f.snap.Query.Tags, f.snap.Query.Findings, room, names)
	if fingerprint == f.tags || f.s.k.Pressed(f.chips, func() { f.fillChips(offers, room) }) {
		return
	}
	f.tags = fingerprint
	at := f.chipRover.Focused()
	chips, shown, used := presetChips(f.s.k, offers, room-f.wide(f.narrowing(offers)))
	f.chips.Objects = slices.Concat(chips, fitChips(f.s.k, f.narrowing(shown), room-used))
	f.chips.Refresh()
	f.chipRover.Set(f.chips.Objects...)
	f.chipRover.Refocus(at)
}

func (f *filterBar) render(n *state.Snapshot) {
	k := f.s.k
	f.snap = n
	f.title.Set(folderTitle(k, n, f.s.knownName), nil)
	parent := folders.Parent(n)
	kit.SetVisible(f.up, parent != "")
	f.up.SetTip(k.T("folders.parent_tip", parent))
	op := ">="
	if n.Query.RatingOp != "" {
		op = n.Query.RatingOp
	}
	f.op.SetText(opSign(op))
	f.op.SetOn(rated(n))
	if rated(n) {
		f.stars.Set(n.Query.Rating)
	} else {
		f.stars.Set(0)
	}
	on := filtered(n)
	kit.SetVisible(f.clear, on)
	if on != f.filled { // otherwise each state would cost a frame
		f.filled = on
		f.ground.Paint(map[bool]color.Color{false: k.P.Window, true: k.P.AccentBg}[on], nil, 0)
		f.ground.Refresh()
	}
	bound := n.Folder.Kind == state.OneSession && n.Notebook.SessionID == n.Folder.ID
	f.bound, f.byCell = bound, n.ByCell()
	for _, o := range []fyne.CanvasObject{f.time, f.cells} {
		kit.SetVisible(o, bound)
	}
	for _, o := range []fyne.CanvasObject{f.sort, f.order} {
		kit.SetVisible(o, !f.byCell)
	}
	f.time.SetOn(!f.byCell && sortKey(n) == "created")
	f.cells.SetOn(f.byCell)
	f.sort.SetText(k.T("sort.by." + sortKey(n)))
	if n.Query.Asc {
		f.order.SetIcon("sort-asc")
	} else {
		f.order.SetIcon("sort-desc")
	}
	f.counted(n.Matching, n.Total)
}

// counted shows how many images match, of all in the folder.
func (f *filterBar) counted(matching, total int) {
	k := f.s.k
	text := k.Tr.N("gallery.count", matching)
	if n := f.snap; n != nil && filtered(n) && total > matching {
		text = k.T("gallery.count_of", i18n.Number(matching), i18n.Number(total))
	}
	f.count.Set(text, nil)
	f.arrange(nil, f.body.Size())
	f.s.gallery.fitBar()
}

// retitle shows the name of an ended session when it is known.
func (f *filterBar) retitle() {
	if f.snap != nil {
		f.title.Set(folderTitle(f.s.k, f.snap, f.s.knownName), nil)
		f.arrange(nil, f.body.Size())
	}
}

func sortKey(n *state.Snapshot) string {
	if n.Query.SortBy == "" {
		return "created"
	}
	return n.Query.SortBy
}

// folderTitle returns the heading of what the gallery shows. name returns the name of a session, which may
// have ended; empty if it is not known yet.
func folderTitle(k *kit.Kit, n *state.Snapshot, name func(id string) string) string {
	switch n.Folder.Kind {
	case state.OneSession:
		if x, ok := n.Session(n.Folder.ID); ok {
			return x.Title()
		}
		return cmp.Or(name(n.Folder.ID), k.T("gallery.session"))
	case state.Directory:
		return n.Folder.ID
	case state.Trash:
		return k.T("sidebar.trash")
	case state.AllSessions:
	}
	switch view := n.Query; {
	case view.RatingOp == "=" && view.Rating == 0:
		return k.T("sidebar.unrated")
	case view.RatingOp == ">=" && view.Rating == 4:
		return k.T("sidebar.best")
	}
	return k.T("sidebar.all")
}

func (f *filterBar) rate(rating int) {
	op := ">="
	if f.snap.Query.RatingOp != "" {
		op = f.snap.Query.RatingOp
	}
	if rating == 0 {
		f.s.a.navigate.FilterRating("", 0)
		return
	}
	f.s.a.navigate.FilterRating(op, rating)
}

// nextOp cycles through at least, exactly and at most.
func (f *filterBar) nextOp() {
	next := map[string]string{">=": "=", "=": "<=", "<=": ">=", "": "="}[f.snap.Query.RatingOp]
	if rated(f.snap) {
		f.s.a.navigate.FilterRating(next, f.snap.Query.Rating)
		return
	}
	f.s.a.navigate.FilterRating(">=", 1)
}

// byTime sorts by time, in the direction that was chosen last.
func (f *filterBar) byTime() {
	f.s.a.navigate.SortByCell(false)
	if sortKey(f.snap) != "created" {
		f.s.a.navigate.Sort("created", false)
	}
}
