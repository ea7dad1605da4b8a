package data

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// Measures of the page, in Fyne's units.
const (
	tabsHigh   float32 = 38
	infoHigh   float32 = 36
	chipHigh   float32 = 32
	noticeHigh float32 = 32
	footHigh   float32 = 28
)

// A Page shows the open tables.
type Page struct {
	k      *kit.Kit
	tables *Tables
	port   Port
	load   *loader
	grid   *grid

	root   *fyne.Container
	tabs   *tabBar
	info   *infoBar
	notice *noticeBar
	chips  *fyne.Container
	foot   *footLine
	empty  fyne.CanvasObject
	said   func(string) // sets the text of empty
	seen   bool         // the page is in sight
}

// New returns a page for tables.
func New(k *kit.Kit, tables *Tables, port Port) *Page {
	p := &Page{k: k, tables: tables, port: port}
	p.load = &loader{
		port: port, do: k.Do, changed: p.changed, sight: func(t *table) (int, int) { return p.grid.sight(t) },
		shown: func(t *table) bool { return p.seen && p.tables.shown == t },
	}
	p.grid = newGrid(p)
	p.tabs, p.info, p.notice, p.foot = newTabBar(p), newInfoBar(p), newNoticeBar(p), newFootLine(p)
	p.chips = kit.PadRow(10, 6, -1)
	p.empty, p.said = k.EmptyText("variables", k.T("data.empty"), k.T("data.empty_text"))
	p.root = &fyne.Container{
		Objects: []fyne.CanvasObject{
			canvas.NewRectangle(k.P.Panel), p.tabs.root, p.info.root, p.notice.root, p.chips, p.grid, p.foot.root, p.empty,
		},
		Layout: kit.LayoutFunc{Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			kit.Place(os[0], 0, 0, s.Width, s.Height)
			p.arrange(s)
		}},
	}
	p.changed(nil)
	return p
}

// Object returns the page.
func (p *Page) Object() fyne.CanvasObject { return p.root }

// Close ends what the page waits for.
func (p *Page) Close() {
	p.load.stopped = true
	if p.load.timer != nil {
		p.load.timer.Stop()
	}
	p.info.stop()
	for _, t := range p.tables.open {
		t.drop()
	}
}

// Empty reports whether no table is open.
func (p *Page) Empty() bool { return p.tables.Empty() }

func (p *Page) arrange(s fyne.Size) {
	if s.Width <= 0 {
		return
	}
	y := float32(0)
	kit.Place(p.tabs.root, 0, y, s.Width, tabsHigh)
	y += tabsHigh
	kit.Place(p.info.root, 0, y, s.Width, infoHigh)
	y += infoHigh
	if p.notice.root.Visible() {
		kit.Place(p.notice.root, 0, y, s.Width, noticeHigh)
		y += noticeHigh
	}
	chips := len(p.chips.Objects) > 0
	kit.SetVisible(p.chips, chips)
	if chips {
		kit.Place(p.chips, 0, y, s.Width, chipHigh)
		y += chipHigh
	}
	kit.Place(p.grid, 0, y, s.Width, s.Height-y-footHigh)
	kit.Place(p.empty, 0, y, s.Width, s.Height-y-footHigh)
	kit.Place(p.foot.root, 0, s.Height-footHigh, s.Width, footHigh)
}

// Open shows the table of a variable.
func (p *Page) Open(session, name string) {
	life, _, _ := lifeOf(p.port.Snapshot(), session)
	known := p.tables.find(session, name) != nil
	t := p.tables.show(session, name, life)
	if !known {
		t.ended = p.port.Ended(session)
	}
	p.look(t)
}

// look shows an open table.
func (p *Page) look(t *table) {
	p.info.endSearch()
	p.tables.look(t)
	p.changed(t)
	p.load.pump(t)
	if p.seen {
		p.focus()
	}
}

// Shown tells the page whether it is in sight.
func (p *Page) Shown(yes bool) {
	if p.seen == yes {
		return
	}
	p.seen = yes
	if yes {
		p.Render(p.port.Snapshot())
		p.focus()
	}
}

// Render shows a state.
func (p *Page) Render(n *state.Snapshot) {
	for _, t := range p.tables.open {
		p.load.follow(t, n)
		p.load.pump(t)
	}
	p.tabs.update()
}

// changed draws what is new about a table.
func (p *Page) changed(t *table) {
	if t != nil && t != p.tables.shown {
		p.tabs.update()
		return
	}
	t = p.tables.shown
	p.tabs.update()
	p.info.update()
	p.notice.update()
	p.drawChips()
	p.foot.update()
	text := p.emptyText(t)
	kit.SetVisible(p.empty, text != "")
	appears := !p.grid.Visible() && text == ""
	kit.SetVisible(p.grid, text == "")
	if text != "" {
		p.said(text)
	}
	p.arrange(p.root.Size())
	p.grid.show(t)
	if appears && p.seen {
		p.focus()
	}
}

// focus gives the keyboard focus to the grid, unless the user types somewhere.
func (p *Page) focus() {
	c := fyne.CurrentApp().Driver().CanvasForObject(p.root)
	if c != nil && c.Focused() == nil && p.grid.Visible() {
		p.port.Focus(p.grid)
	}
}

// emptyText returns what stands in place of the grid; "" if the grid is shown.
func (p *Page) emptyText(t *table) string {
	switch {
	case t == nil:
		return p.k.T("data.empty_text")
	case t.known && t.shape.Columns == 0 && t.shape.Rows == 0:
		return p.k.T("data.no_cells", t.name)
	case t.known:
		return ""
	case t.trouble != troubleNone:
		return p.trouble(t)
	}
	return p.k.T("data.reading")
}

// scrolled asks for what has come into sight.
func (p *Page) scrolled() {
	if t := p.tables.shown; t != nil {
		p.load.pump(t)
	}
}

// moved shows the current cell after it has changed.
func (p *Page) moved() {
	p.foot.update()
	p.info.update()
}

// close closes a table.
func (p *Page) close(t *table) {
	if t.known && t.trouble == troubleNone {
		p.port.Read.Forget(t.ref())
	}
	p.tables.close(t)
	if p.tables.shown == nil {
		p.changed(nil)
		p.port.Back()
		return
	}
	p.look(p.tables.shown)
}

// Key handles a key that no field has used. It reports whether it did.
func (p *Page) Key(name fyne.KeyName) bool {
	t := p.tables.shown
	//exhaustive:ignore
	switch name {
	case fyne.KeyEscape:
		if t != nil && t.computing {
			p.cancel()
			return true
		}
		if p.info.searching() {
			p.info.endSearch()
			return true
		}
		p.port.Back()
		return true
	case fyne.KeyReturn, fyne.KeyEnter:
		p.foot.open()
		return true
	case fyne.KeyF3:
		p.info.next(kit.Modifiers()&fyne.KeyModifierShift != 0)
		return true
	}
	return t != nil && p.grid.key(name)
}

// cancel takes back the sort or the filter that the kernel computes.
func (p *Page) cancel() {
	if t := p.tables.shown; t != nil {
		t.restore()
		p.changed(t)
		p.load.pump(t)
	}
}

// set changes the sort and the filters of the table that is shown.
func (p *Page) set(v view) {
	t := p.tables.shown
	if t == nil || !t.known {
		return
	}
	if t.trouble != troubleNone && t.trouble != troubleBusy {
		p.port.Say(kit.MarkBad, p.trouble(t))
		return
	}
	t.setView(v)
	p.changed(t)
	p.load.pump(t)
}

// sortBy sorts by a column: ascending, descending, and then not at all. With then, the rows that are equal in
// the columns that sort the table already are sorted, otherwise all.
func (p *Page) sortBy(column int, then bool) {
	t := p.tables.shown
	var by []command.TableSort
	if then {
		by = slices.Clone(t.sort)
	}
	switch i := t.sortedBy(column); {
	case i < 0:
		by = append(by, command.TableSort{Column: column})
	case then && t.sort[i].Down:
		by = slices.Delete(by, i, i+1)
	case then:
		by[i].Down = true
	case !t.sort[i].Down || len(t.sort) > 1:
		by = []command.TableSort{{Column: column, Down: !t.sort[i].Down}}
	}
	p.set(view{by, t.filters})
}

// A tabBar has a tab for each open table.
type tabBar struct {
	p    *Page
	root fyne.CanvasObject
	row  *fyne.Container
	back *kit.Button
	more *kit.Overflow
	of   []tabState // what is drawn

	hidden []tabState // for which there is no room
}

// A tabState is what a tab shows.
type tabState struct {
	t            *table
	session      string
	shown, fresh bool
}

func newTabBar(p *Page) *tabBar {
	b := &tabBar{p: p}
	b.back = p.k.Button(kit.Ghost, "chevron-left", "", p.k.T("data.back"), func() { p.port.Back() }).Small()
	b.row = &fyne.Container{Layout: kit.LayoutFunc{Arrange: b.arrange}}
	b.more = p.k.Overflow(b.row)
	b.more.Small()
	b.more.As(b.row, b.items)
	b.root = p.k.Panel(p.k.P.Panel, "b", &fyne.Container{Objects: []fyne.CanvasObject{b.back, b.row, b.more.Button}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(b.back, 8, (s.Height-24)/2, 24, 24)
			kit.Place(b.more.Button, s.Width-32, (s.Height-24)/2, 24, 24)
			kit.Place(b.row, 40, 4, s.Width-48, s.Height-8)
		},
	}})
	return b
}

func (b *tabBar) update() {
	if b.p.k.Pressed(b.row, b.update) {
		return
	}
	var now []tabState
	for _, t := range b.p.tables.open {
		now = append(now, tabState{t, b.p.port.SessionName(t.session), t == b.p.tables.shown, t.changed})
	}
	same := len(now) == len(b.of)
	for i := 0; same && i < len(now); i++ {
		same = now[i] == b.of[i]
	}
	if same {
		return
	}
	b.of = now
	b.row.Objects = nil
	for _, s := range now {
		b.row.Objects = append(b.row.Objects, b.tab(s))
	}
	b.row.Layout.Layout(b.row.Objects, b.row.Size())
	b.row.Refresh()
}

func (b *tabBar) tab(s tabState) fyne.CanvasObject {
	k := b.p.k
	ink, base := k.P.Muted, color.Color(color.Transparent)
	if s.shown {
		ink, base = k.P.Text, k.P.Selected
	}
	name := kit.NewLine(s.t.name, 13, ink, fyne.TextStyle{Bold: true}, 20)
	session := kit.NewLine(s.session, 11, k.P.Muted, fyne.TextStyle{}, 10)
	dot := kit.Fill(k.P.Warn, 4)
	dot.Hidden = !s.fresh
	tip := s.t.name + " · " + s.session
	if s.fresh {
		tip += " · " + k.T("data.tab_changed")
	}
	end := k.Button(kit.Ghost, "close", "", k.T("data.close"), func() { b.p.close(s.t) }).Small()
	body := &fyne.Container{Objects: []fyne.CanvasObject{name, session, dot}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			room := size.Width - 10 - 28
			w := min(name.PreferredWidth()+1, room)
			kit.Place(name, 10, 0, w, size.Height)
			x := 10 + w + 6
			if !dot.Hidden {
				kit.Place(dot, x, (size.Height-8)/2, 8, 8)
				x += 14
			}
			kit.SetVisible(session, size.Width-28-x > 30)
			kit.Place(session, x, 1, size.Width-28-x, size.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(60, 26) },
	}}
	tap := k.Tap(body, base, tip, func() { b.p.look(s.t) })
	return &fyne.Container{Objects: []fyne.CanvasObject{tap, end}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			kit.Place(tap, 0, 0, size.Width, size.Height)
			kit.Place(end, size.Width-25, (size.Height-22)/2, 22, 22)
		},
	}}
}
