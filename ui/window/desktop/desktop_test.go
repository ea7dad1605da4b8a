//go:build linux || freebsd || openbsd || netbsd

package desktop_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"easel/internal/require"
	"easel/ui/window/desktop"
	"easel/ui/window/tray/traytest"
)

// programs puts scripts into an otherwise empty PATH. Each writes its name, its
// arguments and a line of its input to a file, which said returns.
func programs(t *testing.T, exit string, names ...string) (said func() string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "said")
	for _, n := range names {
		script := "#!/bin/sh\n{ echo \"" + n + " $*\"; read -r x; echo \"$x\"; } >" + file + "\nexit " + exit + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, n), []byte(script), 0o700))
	}
	t.Setenv("PATH", dir)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:")
	return func() string {
		raw, _ := os.ReadFile(file)
		return strings.TrimSpace(string(raw))
	}
}

func TestOpen(t *testing.T) {
	said := programs(t, "0", "xdg-open")
	if err := desktop.Open("http://127.0.0.1:5149/api/swagger"); err != nil {
		t.Error(err)
	}
	if got := said(); got != "xdg-open http://127.0.0.1:5149/api/swagger" {
		t.Errorf("it ran %q", got)
	}
	for _, bad := range []string{"file:///etc/passwd", "--help", "javascript:alert(1)", "http://a b", ""} {
		if err := desktop.Open(bad); err == nil {
			t.Errorf("%q was opened", bad)
		}
	}
}

func TestOpenThatFails(t *testing.T) {
	programs(t, "3", "xdg-open")
	if err := desktop.Open("http://127.0.0.1/"); err == nil {
		t.Error("a browser that does not start is no error")
	}
	programs(t, "0")
	if err := desktop.Open("http://127.0.0.1/"); !errors.Is(err, desktop.ErrNoProgram) {
		t.Errorf("no browser: %v", err)
	}
}

func TestRevealOpensTheFolderWithoutABus(t *testing.T) {
	said := programs(t, "0", "xdg-open")
	if err := desktop.Reveal("/data/plots/a b.png"); err != nil {
		t.Error(err)
	}
	if got := said(); got != "xdg-open /data/plots" {
		t.Errorf("it ran %q", got)
	}
}

// A manager is a file manager.
type manager struct{ shown chan string }

func (m *manager) ShowItems(uris []string, _ string) *dbus.Error {
	m.shown <- strings.Join(uris, " ")
	return nil
}

func TestRevealSelectsTheFile(t *testing.T) {
	address := traytest.StartBus(t)
	conn, err := dbus.Connect(address)
	require.NoError(t, err)
	defer conn.Close()
	m := &manager{make(chan string, 1)}
	require.NoError(t, conn.Export(m, "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1"))
	if _, err := conn.RequestName("org.freedesktop.FileManager1", 0); err != nil {
		t.Fatal(err)
	}
	programs(t, "1", "xdg-open")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	require.NoError(t, desktop.Reveal("/data/図 1#.png"))
	if got := <-m.shown; got != "file:///data/%E5%9B%B3%201%23.png" {
		t.Errorf("it was asked to show %q", got)
	}
}

func TestCopyImageWithoutAServer(t *testing.T) {
	for name, c := range map[string]struct {
		wayland, x11 string
		programs     []string
		want         string
	}{
		"Wayland":               {"wayland-0", "", []string{"wl-copy"}, "wl-copy --type image/png\nbytes"},
		"Wayland without a way": {"wayland-0", "", nil, ""},
		"no display":            {"", "", []string{"wl-copy"}, ""},
		"a dead X server":       {"", ":65535", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			said := programs(t, "0", c.programs...)
			t.Setenv("WAYLAND_DISPLAY", c.wayland)
			t.Setenv("DISPLAY", c.x11)
			var clipboard desktop.Clipboard
			defer clipboard.Close()
			err := clipboard.CopyImage(t.Context(), []byte("bytes\n"), "/data/1.png")
			if (c.want == "") != errors.Is(err, desktop.ErrNoProgram) {
				t.Errorf("error %v", err)
			}
			if got := said(); got != c.want {
				t.Errorf("it ran %q, want %q", got, c.want)
			}
		})
	}
}

func TestNoStrayBus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/somewhere")
	desktop.NoStrayBus()
	if got := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); got != "unix:path=/somewhere" {
		t.Errorf("the session's own bus became %q", got)
	}
	said := programs(t, "0", "dbus-launch")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	desktop.NoStrayBus()
	if conn, err := dbus.SessionBusPrivate(); err == nil { // this would launch a bus; the user's session may have one
		conn.Close()
	}
	if got := said(); got != "" {
		t.Errorf("it ran %q", got)
	}
}
