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

// chunk is the maximum number of bytes of a picture in one message to the X server.
// Servers accept at least 256 kB. Larger pictures are sent in pieces, by the INCR
// protocol of the ICCCM.
const chunk = 128 << 10

// lateTime is how long a selection may still send pictures that were requested before
// something else was copied.
const lateTime = 10 * time.Second

var errNotOwner = errors.New("the X server did not grant the clipboard")

// A selection is a picture on the X11 clipboard. It sends the picture to each program
// that pastes, until something else is copied.
type selection struct {
	conn   *xgb.Conn
	window xproto.Window
	mime   string
	data   []byte
	ended  chan struct{}

	clipboard, targets, incr, picture xproto.Atom

	under map[transfer]int // bytes sent so far of the pictures that are sent in pieces
}

// A transfer identifies a picture that is being sent to a window.
type transfer struct {
	to       xproto.Window
	property xproto.Atom
}

// offer takes ownership of the clipboard and sends data until something else is copied
// or close is called.
func offer(mime string, data []byte) (*selection, error) {
	xgb.Logger.SetOutput(io.Discard) // by default it logs closed connections to the terminal
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

// take creates an invisible window and makes it the owner of the clipboard.
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

// close gives up the clipboard and waits until serve has ended.
func (s *selection) close() {
	s.conn.Close()
	<-s.ended
}

// over reports whether serve has ended.
func (s *selection) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// serve answers requests until another program owns the clipboard and all pictures that
// were requested before have been sent, or until the connection ends.
func (s *selection) serve() {
	defer close(s.ended)
	var late *time.Timer // set when another program owns the clipboard
	for late == nil || len(s.under) > 0 {
		event, xerr := s.conn.WaitForEvent()
		if event == nil && xerr == nil { // closed
			return
		}
		switch e := event.(type) {
		case xproto.SelectionClearEvent:
			late = time.AfterFunc(lateTime, s.conn.Close) // earlier requests arrived before this event
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

// answer answers a request.
func (s *selection) answer(e xproto.SelectionRequestEvent) {
	property := e.Property
	if property == xproto.AtomNone { // an obsolete client, see the ICCCM
		property = e.Target
	}
	switch e.Target {
	case s.targets:
		list := words(uint32(s.targets), uint32(s.picture))
		s.put(e.Requestor, property, xproto.AtomAtom, 32, list)
	case s.picture:
		s.begin(transfer{e.Requestor, property})
	default:
		property = xproto.AtomNone // not supported
	}
	told := xproto.SelectionNotifyEvent{
		Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property,
	}
	xproto.SendEvent(s.conn, false, e.Requestor, 0, string(told.Bytes()))
}

// begin sends a small picture as a whole. For a larger one it announces pieces: each is
// sent when the window has deleted the previous one.
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
	s.put(t.to, t.property, s.picture, 8, s.data[from:to]) // an empty piece marks the end
	s.under[t] = to
	if from == to {
		delete(s.under, t)
	}
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
