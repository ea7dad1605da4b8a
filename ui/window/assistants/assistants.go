// Package assistants draws what the user allows each assistant: a list of them for the settings, and a sheet for one of them.
//
// # Goroutines
//
// Everything belongs to the UI goroutine and does no I/O.
package assistants

import (
	"fmt"
	"image/color"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/tool"
	"easel/ui/core/rights"
	"easel/ui/core/roster"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A Port is what the list may read and do in the window. Its functions are called on the UI goroutine and must not block.
type Port struct {
	Snapshot func() *state.Snapshot
	Update   func(edit func(*state.Snapshot))
	Forgot   func() // called after an assistant's token was taken back

	Sheet    func(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject) (hide func())
	Confirm  func(title, text, yes string, do func())
	Say      func(kit.Mark, string)
	Relayout func()              // called when the list's height has changed
	Forward  func(fyne.Shortcut) // gets the shortcuts that a field does not use
}

// A List shows the assistants that have connected, and the others.
type List struct {
	k     *kit.Kit
	port  Port
	root  *fyne.Container
	rows  []fyne.CanvasObject
	drawn string // a fingerprint of the rows
	sheet *sheet // that is open, or was last; may be nil
}

// rowHeight is the height of a row, in Fyne's units.
const rowHeight float32 = 52

// New returns a list without rows. Render fills it.
func New(k *kit.Kit, port Port) *List {
	l := &List{k: k, port: port, drawn: "?"}
	ground := kit.Fill(k.P.Raised, 8)
	ground.StrokeColor, ground.StrokeWidth = k.P.Line, 1
	l.root = &fyne.Container{Objects: []fyne.CanvasObject{ground}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			for i, r := range l.rows {
				kit.Place(r, 0, float32(i)*rowHeight, s.Width, rowHeight)
			}
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, float32(len(l.rows))*rowHeight) },
	}}
	return l
}

// Object returns the object to put into a page.
func (l *List) Object() fyne.CanvasObject { return l.root }

// Dot returns the colour that the user has given an assistant, for a dot before its name; nil if they have given it none.
func Dot(p *theme.Palette, n *state.Snapshot, id string) *color.NRGBA {
	a := n.Assistant(id)
	if id == "" || a.Colour == 0 {
		return nil
	}
	c := p.Session(a.Colour - 1)
	return &c
}

// Render shows a state.
func (l *List) Render(n *state.Snapshot) {
	all, now := roster.InOrder(n.Assistants), l.k.Now()
	var drawn strings.Builder
	fmt.Fprint(&drawn, n.Settings.Access)
	for _, a := range all {
		fmt.Fprint(&drawn, "\x00", a.ID, l.name(a), a.Colour, a.Paused, l.summary(n, a, now))
	}
	if drawn.String() != l.drawn && !l.k.Pressed(l.root, func() { l.Render(l.port.Snapshot()) }) {
		l.drawn, l.rows = drawn.String(), nil
		for i, a := range all {
			l.rows = append(l.rows, l.row(n, a, now, i+1 < len(all)))
		}
		l.root.Objects = append(l.root.Objects[:1:1], l.rows...)
		l.root.Layout.Layout(l.root.Objects, l.root.Size())
		l.port.Relayout()
		l.root.Refresh()
	}
	if l.sheet != nil {
		l.sheet.render(n)
	}
}

// name returns what an assistant is called.
func (l *List) name(a state.Assistant) string {
	if name := roster.NameOf(a); name != "" {
		return name
	}
	return l.k.T("assistants.others")
}

// summary says what an assistant may do, and how much it was used.
func (l *List) summary(n *state.Snapshot, a state.Assistant, now time.Time) string {
	k := l.k
	parts := []string{k.T("assistants.everyone", k.T("access."+n.Settings.Access))}
	if a.Rights != nil {
		parts[0] = k.T(setNames[rights.NameOf(a.Rights)])
	}
	if a.Paused {
		parts = append([]string{k.T("assistants.paused")}, parts...)
	}
	if a.Calls > 0 {
		parts = append(parts, k.Tr.N("assistants.calls", a.Calls))
	}
	if a.Plots > 0 {
		parts = append(parts, k.Tr.N("assistants.plots", a.Plots))
	}
	if !a.Last.IsZero() {
		parts = append(parts, k.Tr.Ago(a.Last, now))
	}
	if a.ID == tool.Others {
		parts = append(parts, k.T("assistants.others_hint"))
	}
	return strings.Join(parts, " · ")
}

// setNames are the names of the sets of rights; "" is for a table that is no set.
var setNames = map[string]string{
	rights.Look: "assistants.look", rights.Each: "assistants.each", rights.Compute: "assistants.compute", rights.Project: "assistants.project",
	rights.All: "assistants.all", "": "assistants.own",
}

func (l *List) row(n *state.Snapshot, a state.Assistant, now time.Time, line bool) fyne.CanvasObject {
	k := l.k
	dot := kit.Fill(l.colour(a), 5)
	name := kit.NewLine(l.name(a), theme.TextBody, k.P.Text, fyne.TextStyle{}, 60)
	sub := kit.NewLine(l.summary(n, a, now), theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 60)
	hold, tip := k.T("assistants.pause"), k.T("assistants.pause_tip")
	if a.Paused {
		hold, tip = k.T("assistants.resume"), ""
	}
	buttons := kit.NewRow(6, -1,
		k.Button(kit.Ghost, "", hold, tip, func() { l.edit(a.ID, func(a *state.Assistant) { a.Paused = !a.Paused }) }).Small(),
		k.Button(kit.Quiet, "", k.T("assistants.change"), k.T("assistants.change_tip"), func() { l.open(a.ID) }).Small())
	objects := []fyne.CanvasObject{dot, name, sub, buttons}
	if line {
		objects = append(objects, canvas.NewRectangle(k.P.Line))
	}
	return &fyne.Container{Objects: objects, Layout: kit.LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, z fyne.Size) {
			m := buttons.MinSize()
			w := z.Width - 34 - m.Width - 24
			kit.Place(dot, 14, (z.Height-10)/2, 10, 10)
			kit.Place(name, 34, 7, w, 20)
			kit.Place(sub, 34, 27, w, 17)
			kit.Place(buttons, z.Width-14-m.Width, (z.Height-m.Height)/2, m.Width, m.Height)
			for _, o := range os[4:] {
				kit.Place(o, 14, z.Height-1, z.Width-28, 1)
			}
		},
	}}
}

// edit changes what an assistant may do.
func (l *List) edit(id string, edit func(*state.Assistant)) {
	l.port.Update(func(s *state.Snapshot) { s.EditAssistant(id, edit) })
	l.Render(l.port.Snapshot())
}
