package window

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/assets"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/sidebar"
	"easel/ui/window/theme"
)

// The widths of the two chips without their texts. They include edges, mark and gaps
// and, for the session's chip, the clock and the arrow.
const (
	pillSides float32 = 2*10 + 12 + 7 + 2
	chipSides float32 = 2*10 + 12 + 7 + 7 + 46 + 7 + 12 + 2
)

// A topBar shows Easel's address and what is running, and has the buttons that stop it.
type topBar struct {
	s    *shell
	root fyne.CanvasObject
	row  *fyne.Container

	address           *kit.Line
	place, placeShort string // of the address
	addressMark       *kit.Slot
	pill              *kit.Stop

	session         *kit.Line
	name, nameShort string // of the session
	sessionMark     *kit.Slot
	elapsed         *kit.Line
	chip            *kit.Stop
	inner           *fyne.Container // content of the chip
	chosen          string          // the session that is shown

	interrupt, restart, pause, follow, dock, side, panel *kit.Button

	more *kit.Overflow // what has no room

	searcher *searcher
	search   *kit.Field
	box      fyne.CanvasObject // of the search field
	ticking  *time.Timer
	typing   bool // the user types a search, which has room then
	since    time.Time
}

func newTopBar(s *shell) *topBar {
	k, a := s.k, s.a
	t := &topBar{s: s}
	logo := canvas.NewImageFromResource(fyne.NewStaticResource("easel-64.png", assets.AppIcon))
	logo.FillMode = canvas.ImageFillContain
	logo.SetMinSize(fyne.NewSquareSize(26))

	t.address = kit.NewLine("", 12, k.P.Text, fyne.TextStyle{}, 108)
	t.addressMark = k.Slot()
	t.pill = k.Stop(kit.Box(kit.PadRow(10, 7, 1, t.addressMark, t.address), fyne.NewSize(0, 30)), k.P.Raised, k.T("top.address_tip"), func() {
		s.open(pageConnect)
	}).Outlined()

	t.session = kit.NewLine("", 12, k.P.Text, fyne.TextStyle{}, 96)
	t.elapsed = kit.NewLine("", 11, k.P.Muted, fyne.TextStyle{Monospace: true}, 46)
	t.elapsed.Align(fyne.TextAlignTrailing)
	t.sessionMark = k.Slot()
	t.inner = kit.PadRow(10, 7, 1, t.sessionMark, t.session, t.elapsed, kit.Icon("chevron-down", k.P.Muted, 12))
	t.chip = k.Stop(kit.Box(t.inner, fyne.NewSize(0, 30)), k.P.Raised, k.T("top.session_tip"), t.pick).Outlined()

	t.interrupt = k.Button(kit.Quiet, "stop", k.T("top.interrupt"), "", a.sessions.InterruptRunning)
	t.restart = k.Button(kit.Ghost, "restart", "", k.T("top.restart_tip"), func() { a.sessions.ConfirmRestart(t.chosen) })
	t.pause = k.Button(kit.Ghost, "pause", k.T("top.pause"), k.T("top.pause_tip"), a.access.TogglePause)
	t.follow = k.Button(kit.Ghost, "follow", "", k.T("top.follow_tip"), a.tail.toggle)
	t.side = k.Button(kit.Ghost, "sidebar", "", k.T("top.sidebar_tip"), s.toggleSide)
	t.dock = k.Button(kit.Ghost, "dock", "", k.T("top.dock_tip"), s.toggleDock)
	t.panel = k.Button(kit.Ghost, "panel", "", k.T("top.panel_tip"), a.togglePanel)

	t.searcher = newSearcher(s)
	t.search = t.searcher.field
	t.box = kit.Themed(t.search, theme.IconField(fyne.CurrentApp().Settings().Theme()))

	t.more = k.Overflow(t.restart, t.follow, t.side, t.dock, t.panel)
	t.row = &fyne.Container{
		Objects: []fyne.CanvasObject{
			logo, t.pill, t.chip, t.interrupt, t.restart, t.pause, t.box, t.follow, t.side, t.dock, t.panel, t.more.Button,
		},
		Layout: kit.LayoutFunc{Arrange: t.arrange},
	}
	t.root = k.Panel(k.P.Panel, "b", t.row)
	return t
}

// arrange divides the width that the buttons leave among the search field and the two
// chips. If there is little, the chips show less: only the port, and a short name of
// the session; less still while the user types a search.
func (t *topBar) arrange(os []fyne.CanvasObject, s fyne.Size) {
	gap := float32(6)
	t.interrupt.SetBare(s.Width < bareBelow)
	t.pause.SetBare(s.Width < bareBelow)
	left := t.dropWhatHasNoRoom(s.Width)
	search := min(max(left*0.34, 110), 240)
	chip := min(max((left-search)*0.54, 120), 250)
	pill := min(max(left-search-chip-2*gap, 96), 176)
	t.address.Set(t.place, nil)
	t.session.Set(t.name, nil)
	want, full := min(t.session.PreferredWidth()+chipSides, 250), t.address.PreferredWidth()+pillSides
	if chip < want || pill < full || t.typing && search < 240 {
		const searchLast, nameLeast = 88, 44
		searchLeast := float32(110)
		if t.typing { // a search of several terms is seen whole
			searchLeast = 240
		}
		if pill = full; left-2*gap-want-full < searchLeast {
			t.address.Set(t.placeShort, nil)
			pill = t.address.PreferredWidth() + pillSides
		}
		chip = min(want, max(left-2*gap-pill-searchLeast, chipSides+nameLeast))
		search = max(min(left-2*gap-pill-chip, 240), searchLast)
	}
	room := chip - chipSides
	if !t.elapsed.Visible() {
		room += 46 + 7
	}
	if t.session.PreferredWidth() > room {
		t.session.Set(t.nameShort, nil)
	}
	x := float32(11)
	put := func(o fyne.CanvasObject, w, h, after float32) {
		kit.Place(o, x, (s.Height-h)/2, w, h)
		x += w + after
	}
	put(os[0], 26, 26, 10)
	put(os[1], pill, 30, gap)
	put(os[2], chip, 30, gap)
	for _, o := range os[3:6] {
		if o.Visible() {
			put(o, o.MinSize().Width, 30, gap)
		}
	}
	x = s.Width - 10 - search - 6
	last := slices.DeleteFunc(slices.Clone(os[7:]), func(o fyne.CanvasObject) bool { return !o.Visible() })
	x -= float32(len(last)) * 32
	put(os[6], search, 32, 6)
	for _, o := range last {
		put(o, 30, 30, 2)
	}
}

// dropWhatHasNoRoom moves buttons into the menu if the chips and the search field would become too narrow, and returns
// the width that is left for these.
func (t *topBar) dropWhatHasNoRoom(width float32) float32 {
	const gap, edges = 6, 11 + 26 + 10 + 12 + 30
	left := width - edges - t.interrupt.MinSize().Width - t.restart.MinSize().Width - t.pause.MinSize().Width - 3*gap - 4*32
	t.address.Set(t.placeShort, nil)
	t.session.Set(t.name, nil)
	least := t.address.PreferredWidth() + pillSides + min(t.session.PreferredWidth(), leastName) + chipSides + leastSearch + 2*gap
	if left < least {
		left -= 32
	}
	var lacking []fyne.CanvasObject
	for _, b := range []*kit.Button{t.restart, t.panel, t.dock, t.side, t.follow} {
		lacks := left < least
		if kit.SetVisible(b, !lacks); lacks {
			lacking = append(lacking, b)
			left += 32
		}
	}
	t.more.Lack(lacking...)
	return max(left, 200)
}

// What the name of a session and the search field have at least before buttons go into the menu, in Fyne's units.
const (
	leastName   float32 = 70
	leastSearch float32 = 110
)

// setTyping makes room for what the user types in the search field, or gives it back.
func (t *topBar) setTyping(on bool) {
	if t.typing != on {
		t.typing = on
		t.arrange(t.row.Objects, t.row.Size())
	}
}

// bareBelow is the width, in Fyne's units, below which the bar's buttons have only
// icons.
const bareBelow float32 = 800

// showRegions marks the buttons of the panels that are shown.
func (t *topBar) showRegions(r regions) {
	t.side.SetOn(r.side > 0)
	t.dock.SetOn(r.dock > 0)
	t.panel.SetOn(r.props > 0)
}

func (t *topBar) render(n *state.Snapshot) {
	k := t.s.k
	mark, text := kit.MarkBusy, strings.TrimPrefix(n.URL, "http://")
	switch {
	case n.URL == "":
		mark, text = kit.MarkWait, k.T("top.starting")
	case n.PortNote != "":
		mark = kit.MarkWait
	}
	t.addressMark.Set(mark)
	t.place, t.placeShort = text, text
	if i := strings.LastIndex(text, ":"); i >= 0 && n.URL != "" {
		t.placeShort = text[i:]
	}
	t.pill.SetTip(text + " · " + k.T("top.address_tip"))

	x, ok := n.Shown(t.chosen)
	if ok {
		t.chosen = x.SessionID
		t.sessionMark.Set(sidebar.Mark(x))
		t.name, t.nameShort = x.Title(), sidebar.ShortName(x)
		t.session.Set(t.name, k.P.Text)
		tip := t.name
		if python := sidebar.Python(k, x); python != "" {
			tip += " · " + python
		}
		t.chip.SetTip(tip + " · " + k.T("top.session_tip"))
	} else {
		t.chosen = ""
		t.sessionMark.Set(kit.MarkNone)
		t.name, t.nameShort = k.T("top.no_session"), k.T("top.no_session")
		t.session.Set(t.name, k.P.Muted)
		t.chip.SetTip(k.T("top.session_tip"))
	}
	t.s.dock.Follow(t.chosen, n)
	t.restart.SetEnabled(ok && !x.Unserved())
	t.renderInterrupt(n)
	t.since = time.Time{}
	if x.Running != nil {
		t.since = x.Running.Since
	}
	t.tick()
	t.pause.SetOn(n.Paused)
	if n.Paused {
		t.pause.SetIcon("play")
		t.pause.SetText(k.T("top.resume"))
	} else {
		t.pause.SetIcon("pause")
		t.pause.SetText(k.T("top.pause"))
	}
	kit.SetVisible(t.sessionMark, ok)
	t.renderFollow(n)
	t.searcher.render(n)
	t.row.Layout.Layout(t.row.Objects, t.row.Size())
	t.inner.Layout.Layout(t.inner.Objects, t.inner.Size())
}

// renderInterrupt shows on the button which session it would interrupt.
func (t *topBar) renderInterrupt(n *state.Snapshot) {
	k := t.s.k
	among, sure := n.Stops()
	t.interrupt.SetEnabled(len(among) > 0)
	kind, tip := kit.Danger, k.T("top.interrupt_choose", state.Titles(among))
	switch {
	case len(among) == 0:
		kind, tip = kit.Quiet, k.T("flash.nothing_runs")
	case sure:
		tip = k.T("top.interrupt_one", among[0].Title())
	}
	t.interrupt.SetKind(kind)
	t.interrupt.SetTip(tip)
}

// renderFollow shows whether the window follows the newest plot, or why it does not.
func (t *topBar) renderFollow(n *state.Snapshot) {
	k := t.s.k
	icon, tip := "follow", "top.follow_tip"
	if n.FollowPaused() {
		icon, tip = "follow-paused", "top.follow_paused_tip"
	}
	t.follow.SetIcon(icon)
	t.follow.SetTip(k.T(tip))
	t.follow.SetOn(n.Follows())
}

// tick updates the run time each second while code is running.
func (t *topBar) tick() {
	if t.ticking != nil {
		t.ticking.Stop()
		t.ticking = nil
	}
	if t.since.IsZero() {
		t.elapsed.Set("", nil)
		t.elapsed.Hide()
		return
	}
	t.elapsed.Show()
	t.elapsed.Set(i18n.Duration(t.s.a.cfg.Now().Sub(t.since).Truncate(100*time.Millisecond)), nil)
	since := t.since
	t.ticking = time.AfterFunc(time.Second, func() {
		t.s.k.Do(func() {
			if t.s.a.shell == t.s && !t.s.a.closed && t.since.Equal(since) {
				t.tick()
			}
		})
	})
}

// A rail has the buttons of the pages.
type rail struct {
	s       *shell
	root    fyne.CanvasObject
	buttons map[page]*railButton
	inner   *fyne.Container
	tables  bool // some are open
}

type railButton struct {
	b   *kit.Button
	bar *canvas.Rectangle
}

func newRail(s *shell) *rail {
	k := s.k
	r := &rail{s: s, buttons: make(map[page]*railButton)}
	add := func(p page, icon, tip string) {
		r.buttons[p] = &railButton{
			k.Button(kit.Ghost, icon, "", tip, func() { s.open(p) }), kit.Fill(k.P.Accent, 2),
		}
	}
	add(pageGallery, "gallery", k.T("rail.gallery"))
	add(pageData, "strip", k.T("rail.data"))
	add(pageConnect, "connect", k.T("rail.connect"))
	add(pageSettings, "settings", k.T("rail.settings"))
	help := k.Button(kit.Ghost, "help", "", k.T("rail.keys"), s.showKeys)
	inner := &fyne.Container{Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
		y := float32(10)
		for _, p := range []page{pageGallery, pageData, pageConnect} {
			b := r.buttons[p]
			if p == pageData {
				kit.SetVisible(b.b, r.tables)
				if !r.tables {
					continue
				}
			}
			kit.Place(b.b, 7, y, 34, 34)
			kit.Place(b.bar, 0, y+7, 3, 20)
			y += 42
		}
		kit.Place(help, 7, size.Height-42, 34, 34)
		kit.Place(r.buttons[pageSettings].b, 7, size.Height-84, 34, 34)
		kit.Place(r.buttons[pageSettings].bar, 0, size.Height-77, 3, 20)
	}}}
	for _, p := range []page{pageGallery, pageData, pageConnect, pageSettings} {
		inner.Objects = append(inner.Objects, r.buttons[p].b, r.buttons[p].bar)
	}
	inner.Objects = append(inner.Objects, help)
	r.inner = inner
	r.root = k.Panel(k.P.Side, "r", inner)
	r.mark(pageGallery)
	return r
}

func (r *rail) mark(p page) {
	for q, b := range r.buttons {
		b.b.SetOn(q == p)
		b.bar.Hidden = q != p
		b.bar.Refresh()
	}
}

// render shows the button of the tables while some are open.
func (r *rail) render() {
	if tables := !r.s.a.tables.Empty(); tables != r.tables {
		r.tables = tables
		r.inner.Layout.Layout(r.inner.Objects, r.inner.Size())
		r.inner.Refresh()
	}
}
