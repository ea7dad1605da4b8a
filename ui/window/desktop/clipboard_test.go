//go:build linux || freebsd || openbsd || netbsd

package desktop_test

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/jezek/xgb/xproto"

	"easel/internal/require"
	"easel/ui/window/desktop"
	"easel/ui/window/desktop/desktoptest"
)

// noise returns bytes that differ everywhere.
func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

const (
	small = 5_000
	large = 20 << 20
)

// onX11 starts an X server and copies data.
func onX11(t *testing.T, data []byte, file string) *desktop.Clipboard {
	t.Helper()
	desktoptest.StartX(t)
	t.Setenv("WAYLAND_DISPLAY", "")
	var c desktop.Clipboard
	t.Cleanup(c.Close)
	require.NoError(t, c.CopyImage(t.Context(), data, file))
	return &c
}

func TestX11Paste(t *testing.T) {
	c := onX11(t, noise(small), "/data/図 1#.png")
	p := desktoptest.NewPaster(t)
	if got := p.Paste("image/png"); !bytes.Equal(got, noise(small)) {
		t.Errorf("%d bytes, which are not those that were copied", len(got))
	}
	if got := string(p.Paste("text/uri-list")); got != "file:///data/%E5%9B%B3%201%23.png\r\n" {
		t.Errorf("the file is %q", got)
	}
	if got := p.Paste("text/plain"); got != nil {
		t.Errorf("a format that was not copied is %q", got)
	}
	var targets []xproto.Atom
	for b := p.Paste("TARGETS"); len(b) >= 4; b = b[4:] {
		targets = append(targets, xproto.Atom(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24))
	}
	for _, name := range []string{"TARGETS", "TIMESTAMP", "MULTIPLE", "image/png", "text/uri-list"} {
		if !slices.Contains(targets, p.Atom(name)) {
			t.Errorf("%s is not a target", name)
		}
	}
	if got := p.Paste("TIMESTAMP"); len(got) != 4 || bytes.Equal(got, make([]byte, 4)) {
		t.Errorf("it is the owner since %v", got)
	}
	require.NoError(t, c.CopyImage(t.Context(), noise(large), ""))
	if got := p.Paste("image/png"); !bytes.Equal(got, noise(large)) {
		t.Errorf("copied twice: %d bytes, which are not those that were copied last", len(got))
	}
	if got := p.Paste("text/uri-list"); got != nil {
		t.Errorf("a picture without a file has the file %q", got)
	}
}

func TestX11PasteOfSeveralFormats(t *testing.T) {
	onX11(t, noise(large), "/data/1.png")
	p := desktoptest.NewPaster(t)
	p.Put("WANTED", p.Atom("ATOM_PAIR"), uint32(p.Atom("text/uri-list")), uint32(p.Atom("ONE")),
		uint32(p.Atom("text/html")), uint32(p.Atom("TWO")), uint32(p.Atom("image/png")), uint32(p.Atom("THREE")))
	if !p.Ask("CLIPBOARD", "MULTIPLE", "WANTED") {
		t.Fatal("it does not give several formats")
	}
	if got := string(p.Take("ONE").Value); got != "file:///data/1.png\r\n" {
		t.Errorf("the file is %q", got)
	}
	if got := p.Receive("THREE"); !bytes.Equal(got, noise(large)) {
		t.Errorf("%d bytes, which are not those that were copied", len(got))
	}
	pairs := p.Take("WANTED").Value
	if len(pairs) != 24 || !bytes.Equal(pairs[12:16], make([]byte, 4)) || bytes.Equal(pairs[20:], make([]byte, 4)) {
		t.Errorf("the answer is %v", pairs)
	}
}

func TestX11PasteAfterAnotherCopy(t *testing.T) {
	onX11(t, noise(large), "")
	p, q := desktoptest.NewPaster(t), desktoptest.NewPaster(t)
	if !p.Ask("CLIPBOARD", "image/png", "PASTED") { // the first piece
		t.Fatal("it has no picture")
	}
	require.NoError(t, xproto.SetSelectionOwnerChecked(q.Conn, q.Window, q.Atom("CLIPBOARD"), xproto.TimeCurrentTime).Check())
	if got := p.Receive("PASTED"); !bytes.Equal(got, noise(large)) {
		t.Errorf("%d bytes, which are not those that were copied", len(got))
	}
}

func TestX11PasteByAProgramThatDies(t *testing.T) {
	onX11(t, noise(large), "")
	p, q := desktoptest.NewPaster(t), desktoptest.NewPaster(t)
	if !p.Ask("CLIPBOARD", "image/png", "PASTED") {
		t.Fatal("it has no picture")
	}
	p.Take("PASTED") // asks for the first piece
	p.Die()
	if got := q.Paste("image/png"); !bytes.Equal(got, noise(large)) {
		t.Errorf("%d bytes, which are not those that were copied", len(got))
	}
}

func TestX11ClipboardManager(t *testing.T) {
	c := onX11(t, noise(large), "")
	m := desktoptest.NewPaster(t)
	require.NoError(t, xproto.SetSelectionOwnerChecked(m.Conn, m.Window, m.Atom("CLIPBOARD_MANAGER"), xproto.TimeCurrentTime).Check())
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c.Close()
	}()
	for {
		e, ok := m.Next().(xproto.SelectionRequestEvent)
		if !ok {
			continue
		}
		if e.Target != m.Atom("SAVE_TARGETS") {
			t.Fatal("it asks for something else")
		}
		if got := m.Paste("image/png"); !bytes.Equal(got, noise(large)) {
			t.Errorf("%d bytes, which are not those that were copied", len(got))
		}
		done := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: e.Property}
		xproto.SendEvent(m.Conn, false, e.Requestor, 0, string(done.Bytes()))
		break
	}
	<-closed
	if got := m.Paste("image/png"); got != nil {
		t.Error("the picture is on the clipboard after Close")
	}
}

// wlPaste returns what a program of Wayland pastes.
func wlPaste(t *testing.T, mime string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "wl-paste", "--no-newline", "--type", mime).Output()
	if err != nil {
		t.Errorf("wl-paste %s: %v", mime, err)
	}
	return out
}

func TestWaylandPaste(t *testing.T) {
	desktoptest.StartWayland(t)
	t.Setenv("DISPLAY", "")
	var c desktop.Clipboard
	t.Cleanup(c.Close)
	for _, size := range []int{small, large} {
		require.NoError(t, c.CopyImage(t.Context(), noise(size), "/data/図 1.png"))
		if got := wlPaste(t, "image/png"); !bytes.Equal(got, noise(size)) {
			t.Errorf("%d bytes, which are not those that were copied", len(got))
		}
	}
	if got := string(wlPaste(t, "text/uri-list")); got != "file:///data/%E5%9B%B3%201.png\r\n" {
		t.Errorf("the file is %q", got)
	}

	t.Run("a program that dies", func(t *testing.T) {
		paste := exec.CommandContext(t.Context(), "wl-paste", "--type", "image/png")
		out, err := paste.StdoutPipe()
		if err == nil {
			err = paste.Start()
		}
		require.NoError(t, err)
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		_ = paste.Process.Kill()
		_ = paste.Wait()
		if got := wlPaste(t, "image/png"); !bytes.Equal(got, noise(large)) {
			t.Errorf("%d bytes, which are not those that were copied", len(got))
		}
	})

	t.Run("something else is copied", func(t *testing.T) {
		require.NoError(t, exec.CommandContext(t.Context(), "wl-copy", "text").Run())
		if got := string(wlPaste(t, "text/plain")); got != "text" {
			t.Errorf("the clipboard has %q", got)
		}
		require.NoError(t, c.CopyImage(t.Context(), noise(small), ""))
		if got := wlPaste(t, "image/png"); !bytes.Equal(got, noise(small)) {
			t.Errorf("%d bytes, which are not those that were copied", len(got))
		}
	})

	c.Close()
	if out, err := exec.CommandContext(t.Context(), "wl-paste", "--list-types").Output(); err == nil && len(out) > 0 {
		t.Errorf("after Close, the clipboard has %s", out)
	}
}
