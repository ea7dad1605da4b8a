//go:build linux || freebsd || openbsd || netbsd

package desktoptest

import (
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// A Paster is an X11 program that pastes from the clipboard.
type Paster struct {
	Conn   *xgb.Conn
	Window xproto.Window

	t      testing.TB
	events chan xgb.Event
	ended  chan struct{}
}

// NewPaster returns a paster on the display of DISPLAY.
func NewPaster(t testing.TB) *Paster {
	t.Helper()
	conn, err := xgb.NewConn()
	if err != nil {
		t.Fatal(err)
	}
	p := &Paster{t: t, Conn: conn, events: make(chan xgb.Event, 100), ended: make(chan struct{})}
	if p.Window, err = xproto.NewWindowId(conn); err != nil {
		t.Fatal(err)
	}
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	err = xproto.CreateWindowChecked(conn, 0, p.Window, root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		for {
			e, err := conn.WaitForEvent()
			if e == nil && err == nil {
				return
			}
			p.events <- e
		}
	}()
	t.Cleanup(p.Die)
	return p
}

// Die closes the connection, as if the program had crashed.
func (p *Paster) Die() {
	p.Conn.Close()
	for {
		select {
		case <-p.events:
		case <-p.ended:
			return
		}
	}
}

// Atom returns the atom of a name.
func (p *Paster) Atom(name string) xproto.Atom {
	p.t.Helper()
	reply, err := xproto.InternAtom(p.Conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		p.t.Fatal(err)
	}
	return reply.Atom
}

// Next returns the next event.
func (p *Paster) Next() xgb.Event {
	p.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case e := <-p.events:
		return e
	case <-p.ended:
		p.t.Fatal("the X server closed the connection")
	case <-late.C:
		p.t.Fatal("the X server sends no event")
	}
	return nil
}

// Poll returns the next event if there is one.
func (p *Paster) Poll() (e xgb.Event, ok bool) {
	select {
	case e = <-p.events:
		return e, true
	default:
		return nil, false
	}
}

// Raise puts the window above all others.
func (p *Paster) Raise() {
	xproto.ConfigureWindow(p.Conn, p.Window, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
}

// Put sets a property of the window.
func (p *Paster) Put(property string, kind xproto.Atom, words ...uint32) {
	b := make([]byte, 4*len(words))
	for i, w := range words {
		xgb.Put32(b[4*i:], w)
	}
	xproto.ChangeProperty(p.Conn, xproto.PropModeReplace, p.Window, p.Atom(property), kind, 32, uint32(len(words)), b)
}

// Take reads and deletes a property of the window.
func (p *Paster) Take(property string) *xproto.GetPropertyReply {
	p.t.Helper()
	reply, err := xproto.GetProperty(p.Conn, true, p.Window, p.Atom(property), xproto.AtomAny, 0, 1<<24).Reply()
	if err != nil {
		p.t.Fatal(err)
	}
	return reply
}

// Ask asks the owner of a selection for a format, into a property of the window. It
// reports whether the owner has it.
func (p *Paster) Ask(selection, kind, property string) bool {
	p.t.Helper()
	xproto.ConvertSelection(p.Conn, p.Window, p.Atom(selection), p.Atom(kind), p.Atom(property), xproto.TimeCurrentTime)
	for {
		if e, ok := p.Next().(xproto.SelectionNotifyEvent); ok {
			return e.Property != xproto.AtomNone
		}
	}
}

// Paste returns the clipboard's data in a format, or nil.
func (p *Paster) Paste(kind string) []byte {
	p.t.Helper()
	return p.PasteFrom("CLIPBOARD", kind)
}

// PasteFrom returns the data of a selection in a format, or nil.
func (p *Paster) PasteFrom(selection, kind string) []byte {
	p.t.Helper()
	if !p.Ask(selection, kind, pasted) {
		return nil
	}
	return p.Receive(pasted)
}

const pasted = "PASTED"

// Receive returns the data that a property has or, by the INCR protocol, will have.
func (p *Paster) Receive(property string) []byte {
	p.t.Helper()
	first := p.Take(property)
	if first.Type != p.Atom("INCR") {
		return first.Value
	}
	var data []byte
	for {
		e, ok := p.Next().(xproto.PropertyNotifyEvent)
		if !ok || e.State != xproto.PropertyNewValue || e.Atom != p.Atom(property) {
			continue
		}
		piece := p.Take(property)
		if len(piece.Value) == 0 {
			return data
		}
		data = append(data, piece.Value...)
	}
}

// ShowTarget shows the window at a place, above all others, as one on which files can be dropped.
func (p *Paster) ShowTarget(x, y, width, height uint32) {
	p.t.Helper()
	p.Put("XdndAware", xproto.AtomAtom, 5)
	xproto.ChangeWindowAttributes(p.Conn, p.Window, xproto.CwOverrideRedirect, []uint32{1})
	xproto.ConfigureWindow(p.Conn, p.Window,
		xproto.ConfigWindowX|xproto.ConfigWindowY|xproto.ConfigWindowWidth|xproto.ConfigWindowHeight|xproto.ConfigWindowStackMode,
		[]uint32{x, y, width, height, xproto.StackModeAbove})
	if err := xproto.MapWindowChecked(p.Conn, p.Window).Check(); err != nil {
		p.t.Fatal(err)
	}
}
