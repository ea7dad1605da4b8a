//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// chunk is how much of a picture one message to the X server carries, in bytes: servers
// take at least 256 kB. What is larger goes in pieces, as the ICCCM's INCR has it.
const chunk = 128 << 10

// lateTime is how long a picture may still be handed out to those who had asked for it
// before something else was copied.
const lateTime = 10 * time.Second

var errNotOwner = errors.New("the X server gave the clipboard to nobody")

// A selection is a picture on the clipboard of X11: whoever wants to paste asks for it, as
// long as nothing else is copied.
type selection struct {
	conn   *xgb.Conn
	window xproto.Window
	mime   string
	data   []byte
	ended  chan struct{}

	clipboard, targets, incr, picture xproto.Atom

	under map[transfer]int // bytes given so far, of pictures that go in pieces
}

// A transfer is a picture on its way to a window.
type transfer struct {
	to       xproto.Window
	property xproto.Atom
}

// offer takes the clipboard and hands out data until something else is copied, or close.
func offer(mime string, data []byte) (*selection, error) {
	xgb.Logger.SetOutput(io.Discard) // it writes to the terminal that a connection was closed
	conn, err := xgb.NewConn()
	if err != nil {
		return nil, fmt.Errorf("connect to the X server: %w", err)
	}
	s := &selection{conn: conn, mime: mime, data: data, ended: make(chan struct{}), under: make(map[transfer]int)}
	if err := s.take(); err != nil {
		conn.Close()
		return nil, err
	}
	go s.serve()
	return s, nil
}

// take makes a window that nobody sees, and gives it the clipboard.
func (s *selection) take() error {
	for name, atom := range map[string]*xproto.Atom{
		"CLIPBOARD": &s.clipboard, "TARGETS": &s.targets, "INCR": &s.incr, s.mime: &s.picture,
	} {
		reply, err := xproto.InternAtom(s.conn, false, uint16(len(name)), name).Reply()
		if err != nil {
			return fmt.Errorf("ask the X server for %s: %w", name, err)
		}
		*atom = reply.Atom
	}
	screen := xproto.Setup(s.conn).DefaultScreen(s.conn)
	var err error
	if s.window, err = xproto.NewWindowId(s.conn); err != nil {
		return fmt.Errorf("make a window: %w", err)
	}
	err = xproto.CreateWindowChecked(s.conn, 0, s.window, screen.Root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		return fmt.Errorf("make a window: %w", err)
	}
	if err := xproto.SetSelectionOwnerChecked(s.conn, s.window, s.clipboard, xproto.TimeCurrentTime).Check(); err != nil {
		return fmt.Errorf("take the clipboard: %w", err)
	}
	owner, err := xproto.GetSelectionOwner(s.conn, s.clipboard).Reply()
	if err != nil || owner.Owner != s.window {
		return errors.Join(errNotOwner, err)
	}
	return nil
}

// close gives the clipboard back and waits for the end of serve.
func (s *selection) close() {
	s.conn.Close()
	<-s.ended
}

// over tells whether serve has ended.
func (s *selection) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// serve answers until the clipboard is somebody else's and whoever had asked has the
// picture, or the connection ends.
func (s *selection) serve() {
	defer close(s.ended)
	var late *time.Timer // since when something else is on the clipboard
	for late == nil || len(s.under) > 0 {
		event, xerr := s.conn.WaitForEvent()
		if event == nil && xerr == nil { // closed
			return
		}
		switch e := event.(type) {
		case xproto.SelectionClearEvent:
			late = time.AfterFunc(lateTime, s.conn.Close) // all that was asked before has come before
			defer late.Stop()
		case xproto.SelectionRequestEvent:
			s.answer(e)
		case xproto.PropertyNotifyEvent:
			if e.State == xproto.PropertyDelete {
				s.more(transfer{e.Window, e.Atom})
			}
		}
	}
	s.conn.Close()
}

// answer gives a window what it asks for.
func (s *selection) answer(e xproto.SelectionRequestEvent) {
	property := e.Property
	if property == xproto.AtomNone { // an old client
		property = e.Target
	}
	switch e.Target {
	case s.targets:
		list := words(uint32(s.targets), uint32(s.picture))
		s.put(e.Requestor, property, xproto.AtomAtom, 32, list)
	case s.picture:
		s.begin(transfer{e.Requestor, property})
	default:
		property = xproto.AtomNone // not to be had
	}
	told := xproto.SelectionNotifyEvent{
		Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property,
	}
	xproto.SendEvent(s.conn, false, e.Requestor, 0, string(told.Bytes()))
}

// begin gives a picture whole, or says that it comes in pieces: one each time that the
// window has taken the one before away.
func (s *selection) begin(t transfer) {
	if len(s.data) <= chunk {
		s.put(t.to, t.property, s.picture, 8, s.data)
		return
	}
	xproto.ChangeWindowAttributes(s.conn, t.to, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
	s.under[t] = 0
	s.put(t.to, t.property, s.incr, 32, words(uint32(len(s.data))))
}

func (s *selection) more(t transfer) {
	from, ok := s.under[t]
	if !ok {
		return
	}
	to := min(from+chunk, len(s.data))
	s.put(t.to, t.property, s.picture, 8, s.data[from:to]) // nothing, at last: the end
	s.under[t] = to
	if from == to {
		delete(s.under, t)
	}
}

func (s *selection) put(w xproto.Window, property, kind xproto.Atom, format byte, data []byte) {
	xproto.ChangeProperty(s.conn, xproto.PropModeReplace, w, property, kind, format,
		uint32(len(data)/int(format/8)), data)
}

// words are numbers as the X server reads them.
func words(numbers ...uint32) []byte {
	b := make([]byte, 4*len(numbers))
	for i, n := range numbers {
		xgb.Put32(b[4*i:], n)
	}
	return b
}
