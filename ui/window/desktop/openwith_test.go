//go:build linux || freebsd || openbsd || netbsd

package desktop_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"

	"easel/internal/require"
	"easel/ui/window/desktop"
	"easel/ui/window/tray/traytest"
)

// A chooser is the desktop's dialog for programs.
type chooser struct{ asked chan string }

func (c *chooser) OpenFile(parent string, fd dbus.UnixFD, options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	f := os.NewFile(uintptr(fd), "file")
	defer f.Close()
	text, _ := io.ReadAll(f)
	c.asked <- parent + " " + string(text) + " ask=" + options["ask"].String()
	return "/request", nil
}

func TestOpenWith(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b.png")
	require.NoError(t, os.WriteFile(file, []byte("plot"), 0o600))
	address := traytest.StartBus(t)
	conn, err := dbus.Connect(address)
	require.NoError(t, err)
	defer conn.Close()
	said := programs(t, "0", "xdg-open")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	if err := desktop.OpenWith(31, file); err != nil {
		t.Error(err)
	}
	if got := said(); got != "xdg-open "+file {
		t.Errorf("without a dialog, it ran %q", got)
	}
	c := &chooser{make(chan string, 1)}
	require.NoError(t, conn.Export(c, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.OpenURI"))
	if _, err := conn.RequestName("org.freedesktop.portal.Desktop", 0); err != nil {
		t.Fatal(err)
	}
	if err := desktop.OpenWith(31, file); err != nil {
		t.Error(err)
	}
	if got := <-c.asked; got != "x11:1f plot ask=true" {
		t.Errorf("asked %q", got)
	}
}
