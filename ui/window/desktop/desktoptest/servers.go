//go:build linux || freebsd || openbsd || netbsd

package desktoptest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// patience is the timeout for a server that starts and for a program that answers.
const patience = time.Minute

// StartX starts a virtual X server, and sets DISPLAY.
func StartX(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Skip("Xvfb is not installed; scripts/deps test installs it")
	}
	number := ""
	for range 20 {
		if number = serve(t, 100+rand.IntN(50_000)); number != "" { //nolint:gosec // any number will do
			break
		}
	}
	if number == "" {
		t.Fatal("Xvfb did not start; its messages follow")
	}
	t.Setenv("DISPLAY", ":"+number)
	t.Setenv("XAUTHORITY", "")
}

// serve starts a virtual X server for a display, and returns the display's number once the
// server listens. It returns "" if another server has that display. Xvfb would pick a free
// number itself, but ends if the server that had it is just ending.
func serve(t testing.TB, display int) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // nothing is lost with it

	c := exec.CommandContext(t.Context(), "Xvfb", fmt.Sprintf(":%d", display), //nolint:gosec // a number
		"-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset")
	c.ExtraFiles = []*os.File{w}
	start(t, c)
	_ = w.Close()
	_ = r.SetReadDeadline(time.Now().Add(patience))
	var number string
	_, _ = fmt.Fscanln(r, &number)
	return number
}

// StartWayland starts a Wayland compositor without a screen, and sets WAYLAND_DISPLAY.
func StartWayland(t testing.TB) {
	t.Helper()
	for _, program := range []string{"sway", "wl-paste", "wl-copy"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed; scripts/deps test installs it")
		}
	}
	dir, err := os.MkdirTemp("", "easel-wayland-*") //nolint:usetesting // another user cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config, ready := filepath.Join(dir, "config"), filepath.Join(dir, "ready")
	script := "exec echo $WAYLAND_DISPLAY >" + ready + ".new && mv " + ready + ".new " + ready + "\n"
	if err := os.WriteFile(config, []byte(script), 0o644); err != nil { //nolint:gosec // another user reads it
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "sway", "-c", config) //nolint:gosec // a file of the test
	c.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman",
		"LIBSEAT_BACKEND=noop", "DISPLAY=")
	if os.Getuid() == 0 { // sway refuses to run as root
		const nobody = 65534
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	watch, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close() //nolint:errcheck // nothing is lost with it
	if err := watch.Add(dir); err != nil {
		t.Fatal(err)
	}
	start(t, c)
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		if name, err := os.ReadFile(ready); err == nil {
			t.Setenv("XDG_RUNTIME_DIR", dir)
			t.Setenv("WAYLAND_DISPLAY", strings.TrimSpace(string(name)))
			return
		}
		select {
		case <-watch.Events:
		case <-late.C:
			t.Fatal("sway did not start")
		}
	}
}

// start starts a server, which ends with the test.
func start(t testing.TB, c *exec.Cmd) {
	t.Helper()
	var said strings.Builder
	c.Stderr = &said
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = patience
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the test's context has ended
		_ = c.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
}
