// Package activity draws the dock below the gallery: the log of calls, and the
// variables and the console of the session in the top bar.
//
// # Goroutines
//
// A Dock belongs to the UI goroutine. A History may be used from any goroutine; the
// window runs its two Follow methods, which fill it from the library and the bus. What
// the dock reads, it reads on goroutines of the window, which post their results with
// the kit's Dispatcher.
package activity

import (
	"context"
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Library is the part of the library that the dock uses.
type Library interface {
	// Image returns an image by id or URI.
	Image(ctx context.Context, idOrURI string) (library.Image, error)
	Thumb(ctx context.Context, id string, edge int) (image.Image, error)
}

// An Overlay is something over the window.
type Overlay interface {
	Visible() bool
	Hide()
}

// A Port is what the dock may read and do in the window. Its functions are called on
// the UI goroutine and must not block.
type Port struct {
	Snapshot    func() *state.Snapshot // the newest state
	SessionName func(id string) string
	Language    func(session string) string // of the session's code, as far as its kernel's name says it
	// SessionColour returns the number of a session's colour.
	SessionColour func(id string) int
	Token         func() string // to remove it from saved logs; may be nil; called on any goroutine
	Tab           int           // the tab to open first

	// Variables asks a session's kernel for its variables and calls done on the UI
	// goroutine. cancel cancels the request; done may be called nevertheless.
	Variables func(session string, done func([]catalog.Variable, error)) (cancel func())
	// OpenTable shows a variable that is a table.
	OpenTable func(session, name string)
	// Run runs code in a session as the user, and calls done when it was accepted; CancelRun cancels it.
	Run       func(session, code string, done func(catalog.Execution))
	CancelRun func(execution string)
	// CompleteCode asks a session's kernel how code can go on, and InspectCode what is at a place in it; see [command.CompleteCode].
	// Each calls done on the UI goroutine, also after it was cancelled.
	CompleteCode func(of command.CodeAt, done func(command.CodeCompletion, error)) (cancel func())
	InspectCode  func(of command.CodeAt, done func(string, error)) (cancel func())
	// RunAgain runs code in a session as the user, and says so. EditAndRun lets the user change it before.
	RunAgain   func(session, code string)
	EditAndRun func(session, code string)
	Interrupt  func(session string)
	// AnswerInput shows what an execution asks the user.
	AnswerInput func(execution string)
	// ShowPlots shows a session in the gallery, and selects plots by their URIs.
	ShowPlots func(session string, uris []string)
	// SaveFile asks the user where to save a file, suggests a name, and calls write
	// with the path.
	SaveFile func(title, name string, write func(to string))
	// WriteLog writes the log of calls to a file, and calls done on the UI goroutine.
	WriteLog func(in command.WriteLogIn, done func(command.WriteLogOut))

	Go         func(f func(context.Context))                                 // runs f off the UI goroutine
	Background func(what string, f func(context.Context) error, done func()) // like Go; shows an error, or calls done on the UI goroutine
	Sheet      func(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject) Overlay
	Menu       func(under fyne.CanvasObject, items ...*fyne.MenuItem)
	MenuAt     func(at fyne.Position, items ...*fyne.MenuItem)
	Focus      func(fyne.Focusable)                            // gives the keyboard to an object
	Say        func(m kit.Mark, text, label string, do func()) // shows a message, with a button if label is not empty
	Copy       func(text, what string)                         // copies to the clipboard
	Reveal     func(path string)                               // shows a file in the file manager
	OpenImage  func(id string)                                 // shows an image in the viewer
	TabOpened  func(tab int)
	Hide       func()              // hides the dock
	Forward    func(fyne.Shortcut) // gets the shortcuts that a field does not use
}

// A tab is one of the dock's views.
type tab interface {
	object() fyne.CanvasObject
	tools() fyne.CanvasObject // shown to the right of the tabs
	render(n *state.Snapshot, shown bool)
	enter() // the user has opened it
}

// A Dock has a tab for the calls, one for the variables and one for the console.
type Dock struct {
	k       *kit.Kit
	history *History
	lib     Library
	port    Port
	root    fyne.CanvasObject
	heads   []*kit.Button
	names   []string // of the tabs
	wide    float32  // of the heads with their names
	tabs    []tab
	at      int
	body    *fyne.Container
	session string // of the variables and the console: the one in the top bar
	ended   bool   // Close was called
}

const (
	dockHead float32 = 36
	headGap  float32 = 4
	// toolsLeast is the width that the tools of a tab need before the tabs have names.
	toolsLeast float32 = 180
)

// New returns a dock. The caller must call Close.
func New(k *kit.Kit, history *History, lib Library, port Port) *Dock {
	d := &Dock{k: k, history: history, lib: lib, port: port}
	d.tabs = []tab{newCallsTab(d), newVariablesTab(d), newConsoleTab(d)}
	d.names = []string{k.T("dock.activity"), k.T("dock.variables"), k.T("dock.console")}
	for i, name := range d.names {
		icon := []string{"activity", "variables", "console"}[i]
		d.heads = append(d.heads, k.Button(kit.Ghost, icon, name, "", func() {
			d.Open(i)
			d.tabs[i].enter()
		}).Small())
		d.wide += d.heads[i].MinSize().Width + headGap
	}
	hide := k.Button(kit.Ghost, "close", "", k.T("dock.hide"), port.Hide).Small()
	line := canvas.NewRectangle(k.P.Line)
	d.body = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
		x := float32(8)
		bare := size.Width < x+d.wide+toolsLeast+40
		for i, h := range d.heads {
			h.SetBare(bare)
			h.SetTip(map[bool]string{true: d.names[i]}[bare])
			m := h.MinSize()
			kit.Place(h, x, (dockHead-m.Height)/2, m.Width, m.Height)
			x += m.Width + headGap
		}
		kit.Place(hide, size.Width-32, (dockHead-24)/2, 24, 24)
		for i, t := range d.tabs {
			kit.SetVisible(t.object(), i == d.at)
			kit.Place(t.object(), 0, dockHead, size.Width, size.Height-dockHead)
			o := t.tools()
			m := o.MinSize()
			left := size.Width - 40 - x
			kit.SetVisible(o, i == d.at && left > toolsLeast/2)
			w := min(m.Width, max(left-8, 0))
			kit.Place(o, size.Width-40-w, (dockHead-m.Height)/2, w, m.Height)
		}
		kit.Place(line, 0, dockHead-1, size.Width, 1)
	}}}
	for _, h := range d.heads {
		d.body.Objects = append(d.body.Objects, h)
	}
	for _, t := range d.tabs {
		d.body.Objects = append(d.body.Objects, t.object(), t.tools())
	}
	d.body.Objects = append(d.body.Objects, hide, line)
	d.root = k.Panel(k.P.Panel, "t", d.body)
	if port.Tab < len(d.tabs) {
		d.at = port.Tab
	}
	d.mark()
	return d
}

func (d *Dock) mark() {
	for i, h := range d.heads {
		h.SetOn(i == d.at)
	}
}

// Object returns the object to put into the window.
func (d *Dock) Object() fyne.CanvasObject { return d.root }

// Close stops the dock's timer.
func (d *Dock) Close() { d.ended = true }

// Tab returns the index of the open tab.
func (d *Dock) Tab() int { return d.at }

// Open opens a tab.
func (d *Dock) Open(i int) {
	d.at = i
	d.port.TabOpened(i)
	d.mark()
	d.body.Layout.Layout(nil, d.body.Size())
	d.Render(d.port.Snapshot())
	d.body.Refresh()
}

// Failures returns how many executions failed that the user has not seen.
func (d *Dock) Failures() int { return len(d.history.failures()) }

// OpenFailures opens the list of calls at the first of those, which are marked.
func (d *Dock) OpenFailures() {
	d.Open(0)
	d.tabs[0].(*callsTab).reveal()
}

// Follow shows the variables and the console of a session. It renders at once, so that
// nothing of another session remains visible.
func (d *Dock) Follow(session string, n *state.Snapshot) {
	if d.session != session && !d.k.Pressed(d.body, func() { d.Follow(session, d.port.Snapshot()) }) {
		d.session = session
		d.Render(n)
	}
}

// Render shows a state. While the pointer is pressed on the dock, it waits: rows get other contents.
func (d *Dock) Render(n *state.Snapshot) {
	if d.k.Pressed(d.root, func() { d.Render(d.port.Snapshot()) }) {
		return
	}
	for i, t := range d.tabs {
		t.render(n, i == d.at && d.root.Visible())
	}
}

// note returns a text for a tab that has nothing to show.
func note(k *kit.Kit) *kit.Para {
	return kit.NewPara("", theme.TextBody, k.P.Muted, fyne.TextStyle{}).Align(fyne.TextAlignCenter)
}

// over puts a note over an empty list.
func over(list fyne.CanvasObject, empty *kit.Para) *fyne.Container {
	return &fyne.Container{Objects: []fyne.CanvasObject{list, empty}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(list, 0, 0, s.Width, s.Height)
			w := min(s.Width-24, 460)
			h := empty.HeightFor(w)
			kit.Place(empty, (s.Width-w)/2, max((s.Height-h)/2-6, 4), w, h)
		},
	}}
}
