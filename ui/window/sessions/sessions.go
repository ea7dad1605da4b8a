// Package sessions controls sessions for the user: it interrupts, restarts, ends, pins and
// starts them, and shows their menus.
//
// # Goroutines
//
// A Control belongs to the UI goroutine. Its requests run in the Sender's goroutines,
// because each may wait for a kernel.
package sessions

import (
	"log/slog"
	"time"

	"fyne.io/fyne/v2"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/asking"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// A Port is what a Control may read and do in the window.
type Port struct {
	Kit      func() *kit.Kit // in the current language
	Dialogs  func() *dialogs.Host
	Snapshot func() *state.Snapshot
	Update   func(edit func(*state.Snapshot)) // changes the state
	Name     func(id string) string           // the name of a session
	Button   func() fyne.CanvasObject         // the interrupt button; nil while it is hidden
	Now      func() time.Time
	Bus      *eventbus.Bus
	Requests *requests.Sender
	Log      *slog.Logger

	Say        func(m kit.Mark, text string)
	Offer      func(m kit.Mark, text, label string, do func())                                   // Say with a button
	OfferWhile func(m kit.Mark, text, label string, do func(), holds func(*state.Snapshot) bool) // like Offer, while holds is true
	Open       func(id string)                                                                   // shows a session's plots
	// opens a session in JupyterLab; nil if there is none
	JupyterLab   func(id string)
	SaveReport   func(id string) // saves the plots of a session as a report
	SaveNotebook func(id string) // saves a session as a notebook
	// makes assistants ask again before they run code
	Distrust func(id string)
	Renamed  func() // the user has given a session another name
}

// A Control acts on the sessions for one window.
type Control struct {
	port   Port
	drafts map[piece]string // what the user has made of code and not run
}

// New returns a Control.
func New(p Port) *Control { return &Control{port: p, drafts: make(map[piece]string)} }

// Pick remembers the session that the user has chosen; "" means none.
func (c *Control) Pick(id string) {
	if c.port.Snapshot().Picked != id {
		c.port.Update(func(s *state.Snapshot) { s.Picked = id })
	}
}

// Restart restarts a session's kernel, also while code is running.
func (c *Control) Restart(id string) {
	requests.Run(c.port.Requests, catalog.SessionRestart, catalog.SessionRestartIn{SessionID: id, Force: true},
		func(catalog.SessionRestartOut) {
			c.port.Say(kit.MarkCheck, c.port.Kit().T("flash.restarted"))
		})
}

// End ends a session.
func (c *Control) End(id string) {
	requests.Run(c.port.Requests, catalog.SessionDelete, catalog.SessionDeleteIn{SessionID: id}, nil)
}

// Start starts a session with the default kernel.
func (c *Control) Start() {
	requests.Run(c.port.Requests, catalog.SessionCreate, catalog.SessionCreateIn{Name: "python3"}, nil)
}

// RunAgain runs code in a session without waiting for its end.
func (c *Control) RunAgain(session, code string) {
	wait := 0.0
	requests.Run(c.port.Requests, catalog.ExecuteCode, catalog.ExecuteCodeIn{SessionID: session, Code: code, Wait: &wait},
		func(catalog.Execution) {
			c.port.Say(kit.MarkCheck, c.port.Kit().T("flash.running"))
		})
}

// ConfirmRestart restarts a session's kernel, after a confirmation.
func (c *Control) ConfirmRestart(id string) {
	c.port.Dialogs().Confirm(c.port.Kit().T("confirm.restart"), c.port.Kit().T("confirm.restart_text", c.port.Name(id)),
		c.port.Kit().T("top.restart"), func() { c.Restart(id) })
}

// ConfirmEnd ends a session, after a confirmation.
func (c *Control) ConfirmEnd(id string) {
	c.port.Dialogs().Confirm(c.port.Kit().T("confirm.end"), c.port.Kit().T("confirm.end_text", c.port.Name(id)),
		c.port.Kit().T("menu.end_session"), func() { c.End(id) })
}

// Connect connects to a kernel that no Jupyter server runs, after a confirmation.
func (c *Control) Connect(kernel catalog.Session) {
	k := c.port.Kit()
	title := asking.KernelTitle(kernel)
	if p := kernel.Process; p != nil && p.Problem != "" {
		c.port.Say(kit.MarkBad, k.T("kernel.no_connect", p.Problem))
		return
	}
	c.port.Dialogs().Ask(k.T("kernel.connect_title", title), asking.KernelFacts(k.Tr, kernel, k.Now())+"\n\n"+k.T("kernel.connect_text"),
		k.T("kernel.connect"), func() {
			in := catalog.SessionConnectIn{KernelID: kernel.KernelID, Server: kernel.Server}
			requests.Run(c.port.Requests, catalog.SessionConnect, in, func(out catalog.SessionConnectOut) {
				c.port.Say(kit.MarkCheck, k.T("kernel.connected", title))
				c.port.Open(out.SessionID)
			})
		})
}

// ConfirmDisconnect disconnects from a kernel that no Jupyter server runs, after a
// confirmation.
func (c *Control) ConfirmDisconnect(id string) {
	c.port.Dialogs().Ask(c.port.Kit().T("kernel.disconnect_title", c.port.Name(id)), c.port.Kit().T("kernel.disconnect_text"),
		c.port.Kit().T("kernel.disconnect"), func() { c.End(id) })
}

// Pin pins or unpins a session. A pinned session is kept even if it is unused.
func (c *Control) Pin(id string, on bool) {
	requests.Topic(c.port.Requests, "pin", command.PinSession, command.PinSessionIn{SessionID: id, Pinned: on}, nil)
}
