package e2e

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// TestWindowCopiesPictures checks that another program pastes the exact bytes of the file, even
// if it is too large for one X11 message.
func TestWindowCopiesPictures(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e := launch(t, options{window: true, bright: true, jupyter: startJupyter(t)})
	h := newHand(t, e)
	dir := paintings(t, 1)
	noise := image.NewNRGBA(image.Rect(0, 0, 900, 700))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	if err := png.Encode(&b, noise); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "noise.png"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	e.call(t, "open_folder", map[string]any{"path": dir})
	h.until("the pictures", func() bool { return len(h.files()) == 2 })
	p := newPaster(t)
	for _, name := range []string{"noise.png", "00.png", "noise.png"} {
		path := filepath.Join(dir, name)
		e.call(t, "select_file", map[string]any{"path": path})
		h.until(name+" to be selected", func() bool { return len(h.chosen()) == 1 && h.chosen()[0] == name })
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h.keys("ctrl+c")
		h.until("the picture on the clipboard", func() bool { return bytes.Equal(p.paste("image/png"), want) })
	}
}

// A paster is a program that pastes from the clipboard.
type paster struct {
	t      *testing.T
	conn   *xgb.Conn
	window xproto.Window
	events chan xgb.Event
}

func newPaster(t *testing.T) *paster {
	t.Helper()
	conn, err := xgb.NewConn()
	if err != nil {
		t.Fatal(err)
	}
	p := &paster{t: t, conn: conn, events: make(chan xgb.Event, 100)}
	if p.window, err = xproto.NewWindowId(conn); err != nil {
		t.Fatal(err)
	}
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	err = xproto.CreateWindowChecked(conn, 0, p.window, root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			e, err := conn.WaitForEvent()
			if e == nil && err == nil {
				return
			}
			p.events <- e
		}
	}()
	t.Cleanup(func() {
		conn.Close()
		for {
			select {
			case <-p.events:
			case <-ended:
				return
			}
		}
	})
	return p
}

func (p *paster) atom(name string) xproto.Atom {
	p.t.Helper()
	reply, err := xproto.InternAtom(p.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		p.t.Fatal(err)
	}
	return reply.Atom
}

// take reads and deletes a property of the window.
func (p *paster) take(property xproto.Atom) *xproto.GetPropertyReply {
	p.t.Helper()
	reply, err := xproto.GetProperty(p.conn, true, p.window, property, xproto.AtomAny, 0, 1<<24).Reply()
	if err != nil {
		p.t.Fatal(err)
	}
	return reply
}

// paste returns the clipboard's data of a type, or nil.
func (p *paster) paste(kind string) []byte {
	p.t.Helper()
	property, incr := p.atom("PASTED"), p.atom("INCR")
	xproto.ConvertSelection(p.conn, p.window, p.atom("CLIPBOARD"), p.atom(kind), property, xproto.TimeCurrentTime)
	var data []byte
	inPieces := false
	for {
		var e xgb.Event
		select {
		case e = <-p.events:
		case <-time.After(patience):
			p.t.Fatal("the clipboard does not answer")
		}
		switch e := e.(type) {
		case xproto.SelectionNotifyEvent:
			if e.Property == xproto.AtomNone {
				return nil
			}
			reply := p.take(property)
			if reply.Type != incr {
				return reply.Value
			}
			inPieces = true
		case xproto.PropertyNotifyEvent:
			if !inPieces || e.State != xproto.PropertyNewValue || e.Atom != property {
				continue
			}
			piece := p.take(property)
			if len(piece.Value) == 0 {
				return data
			}
			data = append(data, piece.Value...)
		}
	}
}
