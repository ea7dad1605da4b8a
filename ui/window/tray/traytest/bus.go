//go:build linux || freebsd || openbsd || netbsd

// Package traytest provides the desktop that a tray needs, for tests: a private session
// bus, the watcher for tray icons, and the notification service, all in Go. A test sees
// the menu as a panel does, and can click it.
//
// # Goroutines
//
// The D-Bus library calls the exported objects on its own goroutines; a mutex guards
// their state. All end with the test.
package traytest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// Patience is the timeout of every wait.
const Patience = time.Minute

// config allows everything and activates no services.
const config = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// StartBus starts a message bus for one test and returns its address. It skips the test
// if the program is not installed.
func StartBus(t *testing.T) (address string) {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("dbus-daemon is not installed; make test installs it")
	}
	dir, err := os.MkdirTemp("", "easel-bus-") //nolint:usetesting // the name of a socket must be short, and a test's is not
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "bus.conf")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, config, filepath.Join(dir, "bus")), 0o600))
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, daemon, "--config-file="+file, "--nofork", "--nopidfile", "--nosyslog", "--print-address=1") //nolint:gosec // found in PATH
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = c.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("dbus-daemon told no address: %v", err)
	}
	return strings.TrimSpace(line)
}

// Eventually waits until ok returns true.
func Eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s: not within %v", what, Patience)
		}
	}
}
