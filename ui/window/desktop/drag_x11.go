//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"easel/ui/core/picture"
	"easel/ui/window/desktop/wayland"
)

// The atoms of XDND, the drag-and-drop protocol of X11
// (https://www.freedesktop.org/wiki/Specifications/XDND/).
const (
	dragAtom     = "XdndSelection"
	awareAtom    = "XdndAware"
	enterAtom    = "XdndEnter"
	leaveAtom    = "XdndLeave"
	positionAtom = "XdndPosition"
	statusAtom   = "XdndStatus"
	dropAtom     = "XdndDrop"
	finishedAtom = "XdndFinished"
	copyAtom     = "XdndActionCopy"
)

const (
	dragVersion = 5
	// dragTick is how often the pointer is read. The window in which the drag began receives
	// its events, so another connection has to ask.
	dragTick = 15 * time.Millisecond
	// dropTime is how long a program may take to read what was dropped on it.
	dropTime = 30 * time.Second
)

// latest stops the drag that began last. There is one pointer, so one drag follows it.
var latest atomic.Pointer[context.CancelFunc]

// Drag lets the user drop files on other programs. Call it while the primary button is
// pressed; it returns when the files were dropped, or the button was released elsewhere.
// prepare makes the files. If the button is released before it returns, its context ends
// and nothing is dropped. window is the X11 id of Easel's own window, which is no target.
// If there is one file and png is not nil, programs that accept no files get the picture.
// Drag reports whether a program has taken the files.
func Drag(ctx context.Context, window uintptr, prepare func(context.Context) (files []string, png []byte, err error)) (dropped bool,
	err error,
) {
	following, stop := context.WithCancel(ctx)
	defer stop()
	if former := latest.Swap(&stop); former != nil {
		(*former)() // its button was released, even if it has not noticed
	}
	conn, err := connect()
	if err != nil {
		return false, err
	}
	defer conn.Close()
	pressed, unwatch := whilePressed(following, conn)
	files, png, err := prepare(pressed)
	released := pressed.Err() != nil
	unwatch()
	if released {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s := &selection{name: dragAtom, conn: conn, forms: formsOf(files, png), messages: make(chan xproto.ClientMessageEvent, 16)}
	if err := s.claim(awareAtom, enterAtom, leaveAtom, positionAtom, statusAtom, dropAtom, finishedAtom, copyAtom); err != nil {
		return false, err
	}
	defer func() {
		conn.Close()
		<-s.ended
	}()
	d := &drag{selection: s, own: xproto.Window(window)} // X11 has ids of 29 bits
	for _, f := range s.forms {
		d.types = append(d.types, uint32(s.atoms[f.MIME]))
	}
	released, err = d.run(following)
	return released && d.release(ctx), err
}

// whilePressed returns a context that ends when the primary button is released, and a
// function that ends it.
func whilePressed(ctx context.Context, conn *xgb.Conn) (context.Context, func()) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer stop()
		tick := time.NewTicker(dragTick)
		defer tick.Stop()
		for {
			if _, pressed, err := pointer(conn); !pressed || err != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return ctx, func() {
		stop()
		<-ended
	}
}

// pointer returns where the pointer is, and whether the primary button is pressed.
func pointer(conn *xgb.Conn) (at *xproto.QueryPointerReply, pressed bool, err error) {
	at, err = xproto.QueryPointer(conn, xproto.Setup(conn).DefaultScreen(conn).Root).Reply()
	return at, err == nil && at.Mask&xproto.ButtonMask1 != 0, err
}

// formsOf returns the forms in which a drag offers files.
func formsOf(files []string, png []byte) []wayland.Form {
	var list strings.Builder
	for _, file := range files {
		list.WriteString((&url.URL{Scheme: "file", Path: file}).String() + "\r\n")
	}
	forms := []wayland.Form{{MIME: uriList, Data: []byte(list.String())}}
	if png != nil && len(files) == 1 {
		forms = append(forms, wayland.Form{MIME: picture.PNG, Data: png})
	}
	return forms
}

// A drag is a drag that the user has begun.
type drag struct {
	*selection
	own   xproto.Window
	types []uint32 // atoms of the formats, at most three

	target   xproto.Window // the window under the pointer that accepts drags, or 0
	version  byte          // of the protocol, that the target speaks
	x, y     int16         // of the pointer
	waiting  bool          // for the target's answer to the last position
	moved    bool          // since that position
	accepted bool          // by the target
}

// run follows the pointer until the button is released, or ctx ends.
func (d *drag) run(ctx context.Context) (released bool, err error) {
	tick := time.NewTicker(dragTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			d.leave()
			return false, nil
		case <-d.ended:
			if ctx.Err() == nil {
				err = errNotOwner
			}
			return false, err
		case m := <-d.messages:
			d.answered(m)
		case <-tick.C:
			pressed, err := d.follow()
			if err != nil {
				return false, err
			}
			if !pressed {
				return true, nil
			}
		}
	}
}

// follow looks where the pointer is. It reports whether the primary button is pressed.
func (d *drag) follow() (pressed bool, err error) {
	p, pressed, err := pointer(d.conn)
	if !pressed {
		return false, err
	}
	if p.RootX != d.x || p.RootY != d.y {
		d.x, d.y, d.moved = p.RootX, p.RootY, true
		target, version := d.targetIn(p.Child)
		if target != d.target {
			d.leave()
			d.enter(target, version)
		}
	}
	if d.target != 0 && d.moved && !d.waiting {
		d.moved, d.waiting = false, true
		d.tell(positionAtom, 0, uint32(uint16(d.x))<<16|uint32(uint16(d.y)), uint32(d.since), uint32(d.atoms[copyAtom]))
	}
	return true, nil
}

// targetIn returns the window under the pointer that accepts drags: w or the outermost one in
// it, as the protocol demands. Easel's own window is none.
func (d *drag) targetIn(w xproto.Window) (target xproto.Window, version byte) {
	for range 32 {
		if w == 0 || w == d.own {
			return 0, 0
		}
		p, err := xproto.GetProperty(d.conn, false, w, d.atoms[awareAtom], xproto.AtomAtom, 0, 1).Reply()
		if err == nil && p.Format == 32 && len(p.Value) >= 4 {
			return w, byte(min(xgb.Get32(p.Value), dragVersion))
		}
		q, err := xproto.QueryPointer(d.conn, w).Reply()
		if err != nil {
			return 0, 0
		}
		w = q.Child
	}
	return 0, 0
}

func (d *drag) enter(target xproto.Window, version byte) {
	d.target, d.version, d.waiting, d.accepted, d.moved = target, version, false, false, true
	if target == 0 {
		return
	}
	d.tell(enterAtom, uint32(version)<<24, d.types...)
}

func (d *drag) leave() {
	if d.target != 0 {
		d.tell(leaveAtom, 0)
	}
	d.target = 0
}

// answered takes the target's answer to a position.
func (d *drag) answered(m xproto.ClientMessageEvent) {
	if m.Type == d.atoms[statusAtom] && len(m.Data.Data32) > 1 && xproto.Window(m.Data.Data32[0]) == d.target {
		d.waiting, d.accepted = false, m.Data.Data32[1]&1 != 0
	}
}

// release ends the drag. It reports whether the target has taken the files.
func (d *drag) release(ctx context.Context) bool {
	if d.target == 0 {
		return false
	}
	late := time.NewTimer(dropTime)
	defer late.Stop()
	done := false
	for {
		if !d.waiting && !done {
			if !d.accepted {
				d.leave()
				return false
			}
			d.tell(dropAtom, 0, uint32(d.since))
			done = true
		}
		select {
		case m := <-d.messages:
			if done && m.Type == d.atoms[finishedAtom] && len(m.Data.Data32) > 1 && xproto.Window(m.Data.Data32[0]) == d.target {
				return d.version < dragVersion || m.Data.Data32[1]&1 != 0
			}
			d.answered(m)
		case <-late.C: // it may still have read the files
			return done
		case <-d.ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// tell sends a message to the target.
func (d *drag) tell(kind string, flags uint32, rest ...uint32) {
	data := make([]uint32, 5)
	data[0], data[1] = uint32(d.window), flags
	copy(data[2:], rest)
	m := xproto.ClientMessageEvent{
		Format: 32, Window: d.target, Type: d.atoms[kind], Data: xproto.ClientMessageDataUnionData32New(data),
	}
	xproto.SendEvent(d.conn, false, d.target, 0, string(m.Bytes()))
}
