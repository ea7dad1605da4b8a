//go:build linux || freebsd || openbsd || netbsd

package desktop_test

import (
	"context"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"easel/internal/require"
	"easel/ui/window/desktop"
	"easel/ui/window/desktop/desktoptest"
)

// A mouse moves the pointer of the display.
type mouse struct {
	t    *testing.T
	conn *xgb.Conn
}

func newMouse(t *testing.T) mouse {
	t.Helper()
	conn, err := xgb.NewConn()
	if err == nil {
		err = xtest.Init(conn)
	}
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	return mouse{t, conn}
}

func (m mouse) fake(kind, detail byte, x, y int16) {
	m.t.Helper()
	root := xproto.Setup(m.conn).DefaultScreen(m.conn).Root
	require.NoError(m.t, xtest.FakeInputChecked(m.conn, kind, detail, 0, root, x, y, 0).Check())
}

func (m mouse) to(x, y int16) { m.fake(xproto.MotionNotify, 0, x, y) }
func (m mouse) press()        { m.fake(xproto.ButtonPress, 1, 0, 0) }
func (m mouse) release()      { m.fake(xproto.ButtonRelease, 1, 0, 0) }

// A dropped is how a drag ended.
type dropped struct {
	ok  bool
	err error
}

// dragged begins a drag, and moves it over the target.
func dragged(t *testing.T, m mouse, prepare func(context.Context) ([]string, []byte, error)) chan dropped {
	t.Helper()
	m.to(10, 10)
	m.press()
	end := make(chan dropped, 1)
	go func() {
		ok, err := desktop.Drag(t.Context(), 0, prepare)
		end <- dropped{ok, err}
	}()
	m.to(250, 250)
	return end
}

// ready returns a function that has a file and a picture at once.
func ready(file string) func(context.Context) ([]string, []byte, error) {
	return func(context.Context) ([]string, []byte, error) { return []string{file}, noise(small), nil }
}

// message waits for a message of a kind to a target.
func message(t *testing.T, p *desktoptest.Paster, kind string) []uint32 {
	t.Helper()
	for {
		if e, ok := p.Next().(xproto.ClientMessageEvent); ok && e.Type == p.Atom(kind) {
			return e.Data.Data32
		}
	}
}

// tell sends a target's answer.
func tell(p *desktoptest.Paster, source uint32, kind string, flags uint32) {
	m := xproto.ClientMessageEvent{
		Format: 32, Window: xproto.Window(source), Type: p.Atom(kind),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(p.Window), flags, 0, 0, uint32(p.Atom("XdndActionCopy"))}),
	}
	xproto.SendEvent(p.Conn, false, xproto.Window(source), 0, string(m.Bytes()))
}

func TestDrag(t *testing.T) {
	desktoptest.StartX(t)
	m := newMouse(t)
	p := desktoptest.NewPaster(t)
	p.ShowTarget(200, 200, 100, 100)

	t.Run("dropped", func(t *testing.T) {
		end := dragged(t, m, ready("/data/図 1#.png"))
		enter := message(t, p, "XdndEnter")
		if enter[1]>>24 != 5 || enter[2] != uint32(p.Atom("text/uri-list")) || enter[3] != uint32(p.Atom("image/png")) || enter[4] != 0 {
			t.Errorf("it offers %v", enter)
		}
		if at := message(t, p, "XdndPosition"); at[2] != 250<<16|250 {
			t.Errorf("the position is %d, %d", at[2]>>16, at[2]&0xffff)
		}
		tell(p, enter[0], "XdndStatus", 1)
		m.release()
		message(t, p, "XdndDrop")
		if got := string(p.PasteFrom("XdndSelection", "text/uri-list")); got != "file:///data/%E5%9B%B3%201%23.png\r\n" {
			t.Errorf("the file is %q", got)
		}
		if got := p.PasteFrom("XdndSelection", "image/png"); len(got) != small {
			t.Errorf("the picture has %d bytes", len(got))
		}
		tell(p, enter[0], "XdndFinished", 1)
		if got := <-end; !got.ok || got.err != nil {
			t.Errorf("the drag ended with %+v", got)
		}
	})
	t.Run("refused", func(t *testing.T) {
		end := dragged(t, m, ready("/data/図 1#.png"))
		source := message(t, p, "XdndPosition")[0]
		m.release() // before the answer
		tell(p, source, "XdndStatus", 0)
		message(t, p, "XdndLeave")
		if got := <-end; got.ok || got.err != nil {
			t.Errorf("the drag ended with %+v", got)
		}
	})
	t.Run("elsewhere", func(t *testing.T) {
		end := dragged(t, m, ready("/data/図 1#.png"))
		source := message(t, p, "XdndPosition")[0]
		tell(p, source, "XdndStatus", 1)
		m.to(10, 10)
		message(t, p, "XdndLeave")
		m.release()
		if got := <-end; got.ok || got.err != nil {
			t.Errorf("the drag ended with %+v", got)
		}
	})
	t.Run("without a button", func(t *testing.T) {
		if ok, err := desktop.Drag(t.Context(), 0, ready("/a")); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
	})
	t.Run("released before it is ready", func(t *testing.T) {
		m.to(10, 10)
		m.press()
		ok, err := desktop.Drag(t.Context(), 0, func(ctx context.Context) ([]string, []byte, error) {
			m.release()
			<-ctx.Done()
			m.press()
			m.to(250, 250) // over the target
			return []string{"/a"}, nil, nil
		})
		m.release()
		if ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
		if e, ok := p.Poll(); ok {
			t.Errorf("the target gets %v", e)
		}
	})
	t.Run("the next one began", func(t *testing.T) {
		first := dragged(t, m, ready("/a"))
		message(t, p, "XdndPosition")
		// It has no picture, so that they can be told apart: the X server may give its window the same id.
		second := dragged(t, m, func(context.Context) ([]string, []byte, error) { return []string{"/b"}, nil, nil })
		if got := <-first; got.ok || got.err != nil {
			t.Errorf("the first drag ended with %+v", got)
		}
		for message(t, p, "XdndEnter")[3] != 0 {
		}
		tell(p, message(t, p, "XdndPosition")[0], "XdndStatus", 0)
		m.release()
		<-second
	})
}
