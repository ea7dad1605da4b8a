package e2e

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/assets"
	"easel/internal/require"
	"easel/ui/window/tray/traytest"
)

// onDesktop starts a session bus with a tray for the Easel that the test starts.
func onDesktop(t *testing.T) *traytest.Desktop {
	t.Helper()
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	address := traytest.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	d := traytest.NewDesktop(t, address)
	d.ShowTray(t, true)
	d.ShowNotes(t)
	return d
}

// label waits until the tray's menu has an item with this label.
func label(t *testing.T, it traytest.Item, want string) {
	t.Helper()
	traytest.Eventually(t, "the label "+want, func() bool { return slices.Contains(it.Labels(t), want) })
}

// icon waits until the tray shows this PNG. It compares only one pixel of the icon's dot.
func icon(t *testing.T, it traytest.Item, want []byte) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(want))
	require.NoError(t, err)
	x, y := img.Bounds().Dx()*200/256, img.Bounds().Dy()*200/256
	r, g, b, a := img.At(x, y).RGBA()
	dot := []byte{byte(a), byte(r), byte(g), byte(b)}
	traytest.Eventually(t, "the icon", func() bool {
		w, _, pixels := it.Icon(t)
		at := 4 * (y*w + x)
		return bytes.Equal(pixels[at:at+4], dot)
	})
}

// TestWindowHidesInTheTray checks that Easel keeps running when its window is closed. In the
// tray, the user sees what runs, stops it, pauses the assistant, shows the window, and quits.
func TestWindowHidesInTheTray(t *testing.T) {
	d := onDesktop(t)
	e, window := launchWindow(t, startJupyter(t))
	it := d.Item(t)
	label(t, it, "Easel is running – "+strings.TrimPrefix(e.URL, "http://"))
	if title := it.Property(t, "Title"); title != "Easel" {
		t.Errorf("the icon's title is %v", title)
	}
	session := e.call(t, "session_create", nil)["session_id"]
	label(t, it, "1 kernel, 0 busy")
	icon(t, it, assets.TrayIdle)

	xdo(t, "windowfocus", "--sync", window)
	xdo(t, "key", "alt+F4")
	eventually(t, "the hidden window", func() bool { return visible(t, e.Process.Pid) == "" })
	if n := d.Note(t, 0); n.Title != "Easel is still running" {
		t.Errorf("at the first hide the user is told %+v", n)
	}

	run := e.call(t, "execute_code", map[string]any{"session_id": session, "code": "import time; time.sleep(600)", "wait": 0})
	label(t, it, "1 kernel, 1 busy")
	icon(t, it, assets.TrayRunning)
	it.Click(t, "Interrupt")
	eventually(t, "the interrupt", func() bool {
		return e.call(t, "get_execution", map[string]any{"execution_id": run["execution_id"]})["status"] == "interrupted"
	})
	label(t, it, "1 kernel, 0 busy")
	it.Click(t, "Pause")
	label(t, it, "1 kernel, 0 busy · AI paused")
	it.Click(t, "Pause")
	label(t, it, "1 kernel, 0 busy")

	it.Activate(t)
	eventually(t, "the window after a tap", func() bool { return visible(t, e.Process.Pid) != "" })
	eventually(t, "its content", func() bool { return distinct(screen(t, "back")) > 8 })
	it.Click(t, "Settings")
	it.Click(t, "Quit")
	if code := e.end(t); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, e.out.String())
	}
	for _, bad := range []string{"Error in Fyne call thread", "panic:"} {
		if strings.Contains(e.out.String(), bad) {
			t.Errorf("its log has %q:\n%s", bad, e.out.String())
		}
	}
}

// TestWindowQuitFromTheTrayWhileHidden checks that Easel ends with exit code 0.
func TestWindowQuitFromTheTrayWhileHidden(t *testing.T) {
	d := onDesktop(t)
	o := options{window: true, hidden: true}
	e := launch(t, o)
	it := d.Item(t)
	label(t, it, "Quit Easel")
	if w := visible(t, e.Process.Pid); w != "" {
		t.Error("it was to start in the tray, and has a window")
	}
	it.Click(t, "Quit")
	if code := e.end(t); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, e.out.String())
	}
}

// TestWindowStartedHiddenWithoutATray checks that the window is shown, because without a tray
// the user could not open it.
func TestWindowStartedHiddenWithoutATray(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", traytest.StartBus(t))
	e := launch(t, options{window: true, hidden: true})
	eventually(t, "the window", func() bool { return visible(t, e.Process.Pid) != "" })
	quit(t, e)
}

// TestWindowWithoutASessionBus checks that the window works and closes without a session bus,
// and does not start one.
func TestWindowWithoutASessionBus(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	bin := t.TempDir()
	launched := filepath.Join(bin, "launched")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "dbus-launch"), []byte("#!/bin/sh\ntouch "+launched+"\n"), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	e, window := launchWindow(t, nil)
	xdo(t, "windowfocus", "--sync", window)
	xdo(t, "key", "alt+F4")
	if code := e.end(t); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, e.out.String())
	}
	if _, err := os.Stat(launched); err == nil {
		t.Error("a stray bus was launched")
	}
}
