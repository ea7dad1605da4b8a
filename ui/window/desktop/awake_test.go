//go:build linux || freebsd || openbsd || netbsd

package desktop_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godbus/dbus/v5"

	"easel/internal/require"
	"easel/ui/window/desktop"
	"easel/ui/window/tray/traytest"
)

// A saver is a screen saver.
type saver struct{ asked chan string }

func (s *saver) Inhibit(app, why string) (uint32, *dbus.Error) {
	s.asked <- app + ": " + why
	return 7, nil
}

func (s *saver) UnInhibit(cookie uint32) *dbus.Error {
	if cookie == 7 {
		s.asked <- "released"
	}
	return nil
}

func TestKeepAwake(t *testing.T) {
	address := traytest.StartBus(t)
	conn, err := dbus.Connect(address)
	require.NoError(t, err)
	defer conn.Close()
	s := &saver{make(chan string, 2)}
	require.NoError(t, conn.Export(s, "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	if err := desktop.KeepAwake(t.Context(), "slides"); err == nil {
		t.Error("a desktop without a screen saver is no error")
	}
	if _, err := conn.RequestName("org.freedesktop.ScreenSaver", 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- desktop.KeepAwake(ctx, "slides") }()
	if got := <-s.asked; got != "Easel: slides" {
		t.Errorf("asked %q", got)
	}
	cancel()
	if got := <-s.asked; got != "released" {
		t.Errorf("then %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:")
	if err := desktop.KeepAwake(t.Context(), "slides"); !errors.Is(err, desktop.ErrNoBus) {
		t.Errorf("without a bus: %v", err)
	}
}
