//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"net/url"
	"strings"
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

// Drag lets the user drop files on other programs. Call it while the primary button is
// pressed; it returns when the files were dropped, or the button was released elsewhere.
// window is the X11 id of Easel's own window, which is no target. If there is one file and
// png is not nil, programs that accept no files get the picture. Drag reports whether a
// program has taken the files.
func Drag(ctx context.Context, window uintptr, files []string, png []byte) (dropped bool, err error) {
	var list strings.Builder
	for _, file := range files {
		list.WriteString((&url.URL{Scheme: "file", Path: file}).String() + "\r\n")
	}
	forms := []wayland.Form{{MIME: uriList, Data: []byte(list.String())}}
	if png != nil && len(files) == 1 {
		forms = append(forms, wayland.Form{MIME: picture.PNG, Data: png})
	}
	s, err := claim(&selection{name: dragAtom, forms: forms, messages: make(chan xproto.ClientMessageEvent, 16)},
		awareAtom, enterAtom, leaveAtom, positionAtom, statusAtom, dropAtom, finishedAtom, copyAtom)
	if err != nil {
		return false, err
	}
	defer func() {
		s.conn.Close()
		<-s.ended
	}()
	var types []uint32
	for _, f := range forms {
		types = append(types, uint32(s.atoms[f.MIME]))
	}
	d := &drag{selection: s, own: xproto.Window(window), types: types} // X11 has ids of 29 bits
	return d.run(ctx)
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

func (d *drag) run(ctx context.Context) (dropped bool, err error) {
	tick := time.NewTicker(dragTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			d.leave()
			return false, ctx.Err()
		case <-d.ended:
			return false, errNotOwner
		case m := <-d.messages:
			d.answered(m)
		case <-tick.C:
			pressed, err := d.follow()
			if err != nil {
				return false, err
			}
			if !pressed {
				return d.release(ctx), nil
			}
		}
	}
}

// follow looks where the pointer is. It reports whether the primary button is pressed.
func (d *drag) follow() (pressed bool, err error) {
	root := xproto.Setup(d.conn).DefaultScreen(d.conn).Root
	p, err := xproto.QueryPointer(d.conn, root).Reply()
	if err != nil {
		return false, err
	}
	if p.Mask&xproto.ButtonMask1 == 0 {
		return false, nil
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
