package e2e

import (
	"bytes"
	"image"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jezek/xgb/xproto"

	"easel/internal/require"
	"easel/ui/window/desktop/desktoptest"
)

// TestWindowDragsPlots checks that pictures can be dragged to another program, which gets
// copies with their names, and that a drag that ends in Easel changes nothing.
func TestWindowDragsPlots(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e := launch(t, options{window: true, bright: true, jupyter: startJupyter(t)})
	h := newHand(t, e)
	dir := paintings(t, 3)
	e.call(t, "open_folder", map[string]any{"path": dir})
	e.call(t, "sort_thumbnails", map[string]any{"by": "name", "order": "asc"})
	h.until("the pictures", func() bool { return len(h.files()) == 3 })
	h.settled(3)
	h.click(firstCell)
	h.until("a picture selected", func() bool { return len(h.chosen()) == 1 })
	xdo(t, "keydown", "ctrl")
	h.click(secondCell)
	xdo(t, "keyup", "ctrl")
	h.until("two pictures selected", func() bool { return len(h.chosen()) == 2 })
	h.settle()

	p := desktoptest.NewPaster(t)
	dragging := func() bool {
		r, err := xproto.GetSelectionOwner(p.Conn, p.Atom("XdndSelection")).Reply()
		return err == nil && r.Owner != xproto.WindowNone
	}
	h.hold(secondCell)
	h.pull(secondCell, firstCell.Add(image.Pt(0, 60)))
	h.until("a drag", dragging)
	xdo(t, "mouseup", "1")
	h.until("its end", func() bool { return !dragging() })
	h.until("the selection as before", func() bool { return len(h.chosen()) == 2 })

	place := h.at.Add(image.Pt(1000, 500))
	answer := func(source uint32, kind string) {
		m := xproto.ClientMessageEvent{
			Format: 32, Window: xproto.Window(source), Type: p.Atom(kind),
			Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(p.Window), 1, 0, 0, uint32(p.Atom("XdndActionCopy"))}),
		}
		xproto.SendEvent(p.Conn, false, xproto.Window(source), 0, string(m.Bytes()))
	}
	source := uint32(0)
	for dropped := false; !dropped; {
		h.hold(firstCell) // the window manager raises Easel's window, perhaps above the target
		p.ShowTarget(uint32(place.X), uint32(place.Y), 120, 120)
		h.pull(firstCell, image.Pt(1060, 560))
		h.until("the drag over the target", func() bool {
			for e, ok := p.Poll(); ok; e, ok = p.Poll() {
				if m, is := e.(xproto.ClientMessageEvent); is && m.Type == p.Atom("XdndPosition") {
					source = m.Data.Data32[0]
					return true
				}
			}
			p.Raise()
			return false
		})
		answer(source, "XdndStatus")
		xdo(t, "mouseup", "1")
		for over := true; over && !dropped; {
			m, _ := p.Next().(xproto.ClientMessageEvent)
			switch m.Type {
			case p.Atom("XdndPosition"): // the pointer moved on before the first answer
				answer(m.Data.Data32[0], "XdndStatus")
			case p.Atom("XdndLeave"): // Easel's window was raised before the button was released: again
				over = false
			case p.Atom("XdndDrop"):
				dropped = true
			}
		}
	}
	files := strings.Fields(string(p.PasteFrom("XdndSelection", "text/uri-list")))
	answer(source, "XdndFinished")
	if len(files) != 2 {
		t.Fatalf("dropped %q", files)
	}
	for i, name := range []string{"00.png", "01.png"} {
		u, err := url.Parse(files[i])
		require.NoError(t, err)
		got, err := os.ReadFile(u.Path)
		want, _ := os.ReadFile(filepath.Join(dir, name))
		if filepath.Base(u.Path) != name || err != nil || !bytes.Equal(got, want) {
			t.Errorf("file %d is %s with %d bytes, %v; want %s", i, u.Path, len(got), err, name)
		}
	}
}
