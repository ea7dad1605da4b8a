//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"easel/ui/window/desktop/wayland"
)

// chunk is the maximum number of bytes of data in one message to the X server.
// Servers accept at least 256 kB. Larger data is sent in pieces, by the INCR
// protocol of the ICCCM.
const chunk = 128 << 10

// lateTime is how long a selection may still send data that was requested before
// something else was copied.
const lateTime = 10 * time.Second

// saveTime is how long a clipboard manager has to store the data when Easel ends.
var saveTime = 2 * time.Second // a variable, because tests use a longer time

var errNotOwner = errors.New("the X server did not grant the clipboard")

// A selection is data on the X11 clipboard, or data that is dragged. It sends the data to
// each program that pastes, until something else is copied.
type selection struct {
	name   string // of the atom: clipboardAtom or dragAtom
	conn   *xgb.Conn
	window xproto.Window
	// messages receives the messages of other programs, as long as there is room. It is nil
	// if none are expected.
	messages chan xproto.ClientMessageEvent
	forms    []wayland.Form
	since    xproto.Timestamp // when it became the owner
	ended    chan struct{}

	atoms map[string]xproto.Atom
	under map[transfer]*transferState // the data that is being sent in pieces
}

// The names of the atoms besides those of the formats.
const (
	clipboardAtom = "CLIPBOARD"
	targetsAtom   = "TARGETS"
	timestampAtom = "TIMESTAMP"
	multipleAtom  = "MULTIPLE"
	pairAtom      = "ATOM_PAIR"
	incrAtom      = "INCR"
	managerAtom   = "CLIPBOARD_MANAGER"
	saveAtom      = "SAVE_TARGETS"
	ownAtom       = "EASEL_SELECTION" // a property of the selection's window
)

// A transfer identifies data that is being sent to a window.
type transfer struct {
	to       xproto.Window
	property xproto.Atom
}

// A transferState is the state of a transfer.
type transferState struct {
	form wayland.Form
	from int // bytes sent so far
}

// own takes ownership of the clipboard and sends the data until something else is copied
// or Close is called.
func own(forms []wayland.Form) (*selection, error) {
	conn, err := connect()
	if err != nil {
		return nil, err
	}
	s := &selection{name: clipboardAtom, conn: conn, forms: forms}
	return s, s.claim()
}

func connect() (*xgb.Conn, error) {
	xgb.Logger.SetOutput(io.Discard) // by default it logs closed connections to the terminal
	conn, err := xgb.NewConn()
	if err != nil {
		return nil, fmt.Errorf("connect to the X server: %w", err)
	}
	return conn, nil
}

// claim takes ownership of the selection. It closes the connection if that fails.
func (s *selection) claim(more ...string) error {
	s.ended = make(chan struct{})
	s.atoms, s.under = make(map[string]xproto.Atom), make(map[transfer]*transferState)
	if err := s.take(more); err != nil {
		s.conn.Close()
		return err
	}
	go s.serve()
	return nil
}

// take creates an invisible window and makes it the owner of the selection. It also looks up
// more atoms.
func (s *selection) take(more []string) error {
	names := append([]string{s.name, targetsAtom, timestampAtom, multipleAtom, pairAtom, incrAtom, managerAtom, saveAtom, ownAtom}, more...)
	for _, f := range s.forms {
		names = append(names, f.MIME)
	}
	for _, name := range names {
		reply, err := xproto.InternAtom(s.conn, false, uint16(len(name)), name).Reply()
		if err != nil {
			return fmt.Errorf("ask the X server for %s: %w", name, err)
		}
		s.atoms[name] = reply.Atom
	}
	var err error
	if s.window, err = hiddenWindow(s.conn); err != nil {
		return err
	}
	if s.since, err = s.now(); err != nil {
		return err
	}
	if err := xproto.SetSelectionOwnerChecked(s.conn, s.window, s.atoms[s.name], s.since).Check(); err != nil {
		return fmt.Errorf("take %s: %w", s.name, err)
	}
	owner, err := xproto.GetSelectionOwner(s.conn, s.atoms[s.name]).Reply()
	if err != nil || owner.Owner != s.window {
		return errors.Join(errNotOwner, err)
	}
	return nil
}

// hiddenWindow creates a window that is never shown, and selects its property events.
func hiddenWindow(conn *xgb.Conn) (xproto.Window, error) {
	w, err := xproto.NewWindowId(conn)
	if err == nil {
		root := xproto.Setup(conn).DefaultScreen(conn).Root
		err = xproto.CreateWindowChecked(conn, 0, w, root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0,
			xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	}
	if err != nil {
		return 0, fmt.Errorf("make a window: %w", err)
	}
	return w, nil
}

// now returns the X server's time, from a change of a property.
func (s *selection) now() (xproto.Timestamp, error) {
	s.put(s.window, s.atoms[ownAtom], xproto.AtomAtom, 32, nil)
	for {
		event, err := s.conn.WaitForEvent()
		switch e := event.(type) {
		case xproto.PropertyNotifyEvent:
			return e.Time, nil
		case nil:
			return 0, errors.Join(errNotOwner, err)
		}
	}
}

// Close gives up the clipboard and waits until serve has ended. If a clipboard manager is
// running, it gets the data first.
func (s *selection) Close() {
	if !s.save() {
		s.conn.Close()
	}
	<-s.ended
}

// save asks the clipboard manager to store the data. It reports false if there is none, or
// another program owns the clipboard. serve ends when the manager has answered.
func (s *selection) save() bool {
	owner, err := xproto.GetSelectionOwner(s.conn, s.atoms[clipboardAtom]).Reply()
	if err != nil || owner.Owner != s.window {
		return false
	}
	manager, err := xproto.GetSelectionOwner(s.conn, s.atoms[managerAtom]).Reply()
	if err != nil || manager.Owner == xproto.WindowNone {
		return false
	}
	time.AfterFunc(saveTime, s.conn.Close)
	var list []uint32
	for _, f := range s.forms {
		list = append(list, uint32(s.atoms[f.MIME]))
	}
	s.put(s.window, s.atoms[ownAtom], xproto.AtomAtom, 32, words(list...))
	xproto.ConvertSelection(s.conn, s.window, s.atoms[managerAtom], s.atoms[saveAtom], s.atoms[ownAtom], s.since)
	return true
}

// Over reports whether serve has ended.
func (s *selection) Over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// serve answers requests until another program owns the clipboard and all data that
// was requested before has been sent, until a clipboard manager has answered Close, or
// until the connection ends.
func (s *selection) serve() {
	defer close(s.ended)
	defer s.conn.Close()
	var late *time.Timer // set when another program owns the clipboard
	for late == nil || len(s.under) > 0 {
		event, xerr := s.conn.WaitForEvent()
		if event == nil && xerr == nil { // closed
			return
		}
		switch e := event.(type) {
		case xproto.SelectionClearEvent:
			if late == nil {
				late = time.AfterFunc(lateTime, s.conn.Close) // earlier requests arrived before this event
				defer late.Stop()
			}
		case xproto.SelectionRequestEvent:
			s.answer(e)
		case xproto.ClientMessageEvent:
			select {
			case s.messages <- e:
			default:
			}
		case xproto.SelectionNotifyEvent: // from the clipboard manager
			// Without this, a program that pastes now would wait for an answer.
			_ = xproto.SetSelectionOwnerChecked(s.conn, xproto.WindowNone, s.atoms[clipboardAtom], s.since).Check()
			return
		case xproto.PropertyNotifyEvent:
			if e.State == xproto.PropertyDelete {
				s.more(transfer{e.Window, e.Atom})
			}
		case xproto.DestroyNotifyEvent: // the program that pasted has ended
			for t := range s.under {
				if t.to == e.Window {
					delete(s.under, t)
				}
			}
		}
	}
}

// answer answers a request.
func (s *selection) answer(e xproto.SelectionRequestEvent) {
	property := e.Property
	if property == xproto.AtomNone { // an obsolete client, see the ICCCM
		property = e.Target
	}
	if e.Target == s.atoms[multipleAtom] {
		if e.Property == xproto.AtomNone || !s.several(e.Requestor, property) {
			property = xproto.AtomNone
		}
	} else if !s.convert(transfer{e.Requestor, property}, e.Target) {
		property = xproto.AtomNone // not supported
	}
	told := xproto.SelectionNotifyEvent{
		Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property,
	}
	xproto.SendEvent(s.conn, false, e.Requestor, 0, string(told.Bytes()))
}

// several answers a request for several formats. The property has pairs of a target and a
// property; the property of a target that is not supported becomes None.
func (s *selection) several(to xproto.Window, property xproto.Atom) bool {
	const most = 256 // words
	p, err := xproto.GetProperty(s.conn, false, to, property, xproto.GetPropertyTypeAny, 0, most).Reply()
	if err != nil || p.Format != 32 || len(p.Value)%8 != 0 {
		return false
	}
	for i := 0; i < len(p.Value); i += 8 {
		target, into := xproto.Atom(xgb.Get32(p.Value[i:])), xproto.Atom(xgb.Get32(p.Value[i+4:]))
		if into == xproto.AtomNone || !s.convert(transfer{to, into}, target) {
			xgb.Put32(p.Value[i+4:], xproto.AtomNone)
		}
	}
	s.put(to, property, s.atoms[pairAtom], 32, p.Value)
	return true
}

// convert sends the data in a format. It reports whether the format is supported.
func (s *selection) convert(t transfer, target xproto.Atom) bool {
	switch target {
	case s.atoms[targetsAtom]:
		list := []uint32{uint32(target), uint32(s.atoms[timestampAtom]), uint32(s.atoms[multipleAtom])}
		for _, f := range s.forms {
			list = append(list, uint32(s.atoms[f.MIME]))
		}
		s.put(t.to, t.property, xproto.AtomAtom, 32, words(list...))
		return true
	case s.atoms[timestampAtom]:
		s.put(t.to, t.property, xproto.AtomInteger, 32, words(uint32(s.since)))
		return true
	}
	for _, f := range s.forms {
		if target == s.atoms[f.MIME] {
			s.begin(t, f)
			return true
		}
	}
	return false
}

// begin sends small data as a whole. For larger data it announces pieces: each is
// sent when the window has deleted the previous one.
func (s *selection) begin(t transfer, f wayland.Form) {
	if len(f.Data) <= chunk {
		s.put(t.to, t.property, s.atoms[f.MIME], 8, f.Data)
		return
	}
	xproto.ChangeWindowAttributes(s.conn, t.to, xproto.CwEventMask,
		[]uint32{xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify})
	s.under[t] = &transferState{form: f}
	s.put(t.to, t.property, s.atoms[incrAtom], 32, words(uint32(len(f.Data))))
}

func (s *selection) more(t transfer) {
	u, ok := s.under[t]
	if !ok {
		return
	}
	to := min(u.from+chunk, len(u.form.Data))
	s.put(t.to, t.property, s.atoms[u.form.MIME], 8, u.form.Data[u.from:to]) // an empty piece marks the end
	if u.from == to {
		delete(s.under, t)
	}
	u.from = to
}

func (s *selection) put(w xproto.Window, property, kind xproto.Atom, format byte, data []byte) {
	xproto.ChangeProperty(s.conn, xproto.PropModeReplace, w, property, kind, format,
		uint32(len(data)/int(format/8)), data)
}

// words encodes numbers for the X server.
func words(numbers ...uint32) []byte {
	b := make([]byte, 4*len(numbers))
	for i, n := range numbers {
		xgb.Put32(b[4*i:], n)
	}
	return b
}
