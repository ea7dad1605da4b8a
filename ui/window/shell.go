package window

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/activity"
	"easel/ui/window/approvals"
	"easel/ui/window/connect"
	"easel/ui/window/data"
	"easel/ui/window/dialogs"
	"easel/ui/window/inputs"
	"easel/ui/window/kit"
	"easel/ui/window/messages"
	"easel/ui/window/preferences"
	"easel/ui/window/properties"
	"easel/ui/window/sidebar"
)

// A page is what the middle of the window shows.
type page int

const (
	pageGallery page = iota
	pageConnect
	pageSettings
	pageData
)

// Measures of the shell.
const (
	topH    float32 = 48
	railW   float32 = 48
	statusH float32 = 26
)

// A shell is the window's content. It is built for one language and one set of colours.
type shell struct {
	a    *App
	k    *kit.Kit
	root fyne.CanvasObject

	top     *topBar
	rail    *rail
	side    *sidebar.Bar
	gallery *galleryPage
	props   *properties.Panel
	dock    *activity.Dock
	asks    *approvals.Region
	inputs  *inputs.Region
	status  *status
	connect *connect.Page
	prefs   *preferences.Page
	data    *data.Page
	pages   map[page]fyne.CanvasObject
	page    page
	listed  []library.Session // of the library, as the sidebar has read them
	names   map[string]string // of the library's sessions, by their ids and their kernels' ids

	frame    *fyne.Container
	dividers [3]*kit.Divider // sidebar, properties, dock
	messages *messages.Board
	middle   [2]fyne.Position // upper left and lower right corner of the gallery
	dialogs  *dialogs.Host
	quitting *dialogs.Dialog // the question before quitting
	keySheet *dialogs.Dialog // the list of keys; nil if it was never shown
	keyList  *kit.Column     // in keySheet
	panel    bool
	full     bool // a plot fills the window
	over     bool // the properties are shown over it
	drawn    bool // it has been drawn at least once
	docked   bool // the dock was visible when last arranged
}

func newShell(a *App, k *kit.Kit) *shell {
	s := &shell{a: a, k: k, pages: make(map[page]fyne.CanvasObject), names: make(map[string]string)}
	s.dialogs = dialogs.New(k, a.win.Canvas(), func() { a.cfg.Do(a.updateAppearance) }) // after what the user chose in it
	k.Menu = s.dialogs.Menu
	s.top = newTopBar(s)
	s.rail = newRail(s)
	s.side = sidebar.New(k, a.cfg.Library, sidebar.Actions{
		OpenAll:     func() { s.top.searcher.leave(); a.navigate.OpenAll("", 0) },
		OpenBest:    func() { a.navigate.OpenAll(">=", 4) },
		OpenUnrated: func() { a.navigate.OpenAll("=", 0) },
		OpenTrash:   a.navigate.OpenTrash, TrashMenu: s.trashMenu, OpenFindings: a.navigate.OpenFindings,
		OpenSession: a.navigate.OpenSession, SessionMenu: a.sessions.Menu, Connect: a.sessions.Connect, Tags: a.navigate.FilterTags,
		Search: s.top.searcher.open, SearchMenu: s.top.searcher.menu,
		Known: s.know, Focus: func(f fyne.Focusable) { a.win.Canvas().Focus(f) }, Folded: a.folded,
		Folders: sidebar.FolderActions{Ask: a.folders.Ask, Open: a.folders.Open, Menu: a.folders.Menu, Deep: a.folders.Deepen},
		Projects: sidebar.ProjectActions{
			Open: a.projects.Ask, NewSession: a.projects.NewSession, Menu: a.projects.Menu, PythonMenu: a.projects.PythonMenu,
			Lacks:    a.projects.Lacks,
			Notebook: a.projects.NotebookMenu, Notebooks: a.projects.NotebooksMenu,
		},
	})
	s.gallery = newGalleryPage(s)
	s.props = properties.New(k, a.cfg.Library, a.cfg.Displayed, properties.Actions{
		Rate: a.edits.Rate, Tag: a.edits.Tag, Copy: a.export.CopyText, Reveal: a.external.Reveal,
		RunAgain: a.sessions.RunAgain, EditAndRun: a.sessions.EditAndRun, Close: a.togglePanel,
		SessionName: s.knownName, Newer: func(id string) string { return a.cfg.Store.Snapshot().Newer(id) },
		Check: func(ids ...string) { a.checks.Start(ids) }, Checked: a.checks.Show, Uncheck: a.checks.Cancel,
		ShowCell: s.showCell(), Focus: a.focus, Forward: a.shortcut, Unask: a.questions.drop, Advance: a.questions.advance,
		TypeTitle: a.edits.TypeTitle, EndTitle: a.edits.EndTitle, DropTitle: a.edits.DropTitle,
		TypeNote: a.edits.TypeNote, EndNote: a.edits.EndNote, Note: a.edits.Note,
		Focused: func() fyne.Focusable { return a.win.Canvas().Focused() }, Shown: a.dropFocus, Entered: a.chose,
		Left: func() { a.shell.refit() }, Apart: a.cfg.apart, Findings: a.finder.actions(), Way: a.wayOf,
		Clients: func() []state.Client { return a.cfg.Store.Snapshot().Clients }, SendAgain: sendAgain(a),
	})
	s.dock = activity.New(k, a.history, a.cfg.Library, s.activityPort())
	s.asks, s.inputs = approvals.New(k, s.approvalPort()), inputs.New(k, s.inputPort())
	s.status = newStatus(s)
	s.messages = messages.New(s.messagesPort(), &a.works)
	s.connect, s.prefs = connect.New(k, s.connectPort()), preferences.New(k, s.preferencesPort())
	s.data = data.New(k, &a.tables, s.dataPort())
	s.pages[pageData], s.pages[pageConnect], s.pages[pageSettings] = s.data.Object(), s.connect.Object(), s.prefs.Object()
	s.makeDividers()
	// There is no background behind everything. Fyne clears the window with the theme's
	// background, and without a graphics card a rectangle of that size costs as much as
	// the rest.
	s.frame = &fyne.Container{
		Objects: []fyne.CanvasObject{
			s.gallery.root, s.pages[pageData], s.pages[pageConnect], s.pages[pageSettings], s.dock.Object(), s.props.Object(), s.side.Object(),
			s.dividers[0], s.dividers[1], s.dividers[2], s.asks.Object(), s.inputs.Object(),
			s.rail.root, s.top.root, s.status.root, s.messages.Object(),
			s.top.searcher.hints.Object(), k.Tips.Layer(),
		},
		Layout: kit.LayoutFunc{
			Arrange: func(_ []fyne.CanvasObject, size fyne.Size) { s.arrange(size) },
			Min:     func([]fyne.CanvasObject) fyne.Size { return leastWindow },
		},
	}
	s.root = s.frame
	return s
}

// makeDividers makes the lines between the panels, which the user can drag.
func (s *shell) makeDividers() {
	k, l := s.k, s.a.layout
	has := func(p panel) float32 { return s.regions(s.frame.Size()).of(p) }
	s.dividers[0] = k.Divider(true, func(d float32) { l.sideW = min(max(has(sidePanel)+d, leastSideW), 380); s.relayout() }, l.keep)
	s.dividers[1] = k.Divider(true, func(d float32) { s.setPropsWidth(has(propsPanel) - d) }, l.keep)
	s.dividers[1].OnDouble, s.dividers[1].Tip = s.fitPropsToCode, k.T("properties.divider")
	s.dividers[2] = k.Divider(false, func(d float32) { l.dockH = min(max(has(dockPanel)-d, leastDockH), 600); s.relayout() }, l.keep)
}

// leastWindow is the smallest size of the window, in Fyne's units. On a screen of 900 × 600 pixels, texts of 150 % leave that.
var leastWindow = fyne.NewSize(600, 380)

func (s *shell) close() {
	s.side.Close()
	s.gallery.close()
	s.props.Close()
	s.messages.Stop()
	s.dock.Close()
	s.asks.Close()
	s.inputs.Close()
	s.connect.Close()
	s.data.Close()
	s.k.Tips.Hide()
}

func (s *shell) drop() { s.gallery.drop() }

// relayout lays out the regions again.
func (s *shell) relayout() {
	s.arrange(s.frame.Size())
	canvas.Refresh(s.frame)
	s.a.dropFocus()
}

func (s *shell) arrange(size fyne.Size) {
	if size.Width <= 0 {
		return
	}
	if s.a.shell != nil && !s.a.win.FullScreen() {
		s.a.layout.resized(size)
	}
	has := s.regions(size)
	side, props, dock := has.side > 0, has.props > 0, has.dock > 0
	s.setVisible(side, props, dock)

	kit.Place(s.k.Tips.Layer(), 0, 0, size.Width, size.Height)
	x, y, right, bottom, over := railW, topH, size.Width, size.Height-statusH, float32(0)
	if s.full {
		x, y, bottom = 0, 0, size.Height
	}
	kit.Place(s.top.root, 0, 0, size.Width, topH)
	s.top.searcher.place(size)
	kit.Place(s.rail.root, 0, topH, railW, bottom-topH)
	kit.Place(s.status.root, 0, size.Height-statusH, size.Width, statusH)
	input, ask := s.questions(fyne.NewSize(right-x, bottom-y))
	bottom -= input
	kit.Place(s.inputs.Object(), x, bottom, right-x, input)
	bottom -= ask
	kit.Place(s.asks.Object(), x, bottom, right-x, ask)
	if side {
		kit.Place(s.side.Object(), x, y, has.side, bottom-y)
		x += has.side
		kit.Place(s.dividers[0], x-3, y, 5, bottom-y)
	}
	if props {
		kit.Place(s.props.Object(), right-has.props, y, has.props, bottom-y)
		kit.Place(s.dividers[1], right-has.props-2, y, 5, bottom-y)
		if s.full {
			over = has.props
		} else {
			right -= has.props
		}
	}
	s.gallery.setCovered(over)
	if dock {
		bottom -= has.dock
		kit.Place(s.dock.Object(), x, bottom, right-x, has.dock)
		kit.Place(s.dividers[2], x, bottom-2, right-x, 5)
	}
	kit.Place(s.gallery.root, x, y, right-x, bottom-y)
	kit.Place(s.pages[pageData], x, y, right-x, bottom-y)
	for _, p := range []page{pageConnect, pageSettings} {
		kit.Place(s.pages[p], railW, topH, size.Width-railW, bottom-topH)
	}
	s.middle = [2]fyne.Position{fyne.NewPos(x, y), fyne.NewPos(right, bottom)}
	s.placeMessages()
	if dock && !s.docked && s.drawn { // the dock draws nothing while it is hidden
		s.dock.Render(s.a.cfg.Store.Snapshot())
	}
	s.docked = dock
	s.top.showRegions(has)
}

// setVisible shows and hides the parts of the window.
func (s *shell) setVisible(side, props, dock bool) {
	kit.SetVisible(s.side.Object(), side)
	kit.SetVisible(s.dividers[0], side)
	kit.SetVisible(s.props.Object(), props)
	kit.SetVisible(s.dividers[1], props)
	kit.SetVisible(s.dock.Object(), dock)
	kit.SetVisible(s.dividers[2], dock)
	for _, o := range []fyne.CanvasObject{s.top.root, s.rail.root, s.status.root} {
		kit.SetVisible(o, !s.full)
	}
	kit.SetVisible(s.gallery.root, s.page == pageGallery)
	for p, o := range s.pages {
		kit.SetVisible(o, s.page == p)
	}
}

// open shows a page.
func (s *shell) open(p page) {
	if s.page == p {
		return
	}
	s.page = p
	s.gallery.view.Pause()
	s.rail.render()
	s.rail.mark(p)
	if p == pageConnect && s.a.snap != nil {
		s.connect.Open()
	}
	s.relayout()
	s.data.Shown(p == pageData)
}

// openFailures opens the list of calls at those that failed.
func (s *shell) openFailures() {
	s.open(pageGallery)
	if s.regions(s.frame.Size()).dock == 0 {
		s.toggleDock()
	}
	s.dock.OpenFailures()
	s.status.renderFailures()
}

func (s *shell) render(n *state.Snapshot) {
	s.fit(n)
	s.top.render(n)
	s.rail.render()
	s.side.Render(n)
	s.gallery.render(n)
	s.status.render(n)
	s.placeMessages()
	s.messages.Render(n)
	if s.drawn {
		s.a.frames.redraw()
	} else {
		s.drawn = true
		s.dock.Render(n)
	}
	s.asks.Render(n)
	s.inputs.Render(n)
	s.props.Searched(n.Query.Text)
	s.props.Select(s.subject(n), n.Revision)
	s.props.SetChecks(n.Checks)
	s.a.checks.Render(n)
	s.a.finder.render(s, n)
	s.connect.Render(n)
	s.prefs.Render(n)
	s.data.Render(n)
	s.k.Tips.Check()
	s.a.dropFocus()
}

// fit arranges the regions for a state.
func (s *shell) fit(n *state.Snapshot) {
	full := (n.Fullscreen || n.Focus) && (n.Mode == state.Viewer || s.gallery.comparing)
	panel := n.PropertiesPanel || s.panel && s.props.Busy() // an assistant does not close it under the user's hands
	if panel != s.panel || full != s.full {
		s.panel, s.full, s.over = panel, full, s.over && full
		s.relayout()
	}
}

// refit fits the regions again after a change that is not in the state.
func (s *shell) refit() {
	n := s.a.cfg.Store.Snapshot()
	s.fit(n)
	s.gallery.fill()
	s.gallery.root.Refresh()
}

// shownIn returns the images of the properties panel: the selection or, in the viewer,
// the current image.
func shownIn(n *state.Snapshot) []string {
	if n.Mode == state.Viewer && n.Current != "" {
		return []string{n.Current}
	}
	return n.Selection
}

func (s *shell) flash(m kit.Mark, text string) { s.messages.Say(m, text) }

// offer is like flash, with a button.
func (s *shell) offer(m kit.Mark, text, label string, do func()) {
	s.messages.Show(messages.Message{Mark: m, Text: text, Label: label, Do: do})
}

// placeMessages keeps the controls below a picture free.
func (s *shell) placeMessages() {
	at, to := s.middle[0], s.middle[1]
	s.messages.Place(at, fyne.NewSize(to.X-at.X, to.Y-at.Y-s.gallery.foot()))
}

func (s *shell) clearSearch() { s.top.search.SetText("") }
