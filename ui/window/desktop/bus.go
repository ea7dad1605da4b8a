//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/godbus/dbus/v5"
)

// noBus is an address that no bus has.
const noBus = "disabled:"

const addressVar = "DBUS_SESSION_BUS_ADDRESS"

// ErrNoBus tells that the user's session has no D-Bus.
var ErrNoBus = errors.New("there is no session bus")

// NoStrayBus keeps this process, and those that it starts, from launching a D-Bus
// daemon of their own where the session has none: Fyne's D-Bus library does that,
// the daemon outlives the app, and nobody listens on it. Call it before anything
// touches D-Bus, which is before Fyne's app is made.
func NoStrayBus() {
	if address := os.Getenv(addressVar); address != "" && address != "autolaunch:" {
		return
	}
	run := "/run/user/" + strconv.Itoa(os.Getuid())
	for _, file := range []string{"/bus", "/dbus-session"} { // where the library looks
		if _, err := os.Stat(run + file); err == nil {
			return
		}
	}
	_ = os.Setenv(addressVar, noBus) // fails only for names that cannot be
}

// SessionBus opens a connection to the session bus, for the caller alone. It starts
// no bus. ctx bounds only the opening.
func SessionBus(ctx context.Context) (*dbus.Conn, error) {
	NoStrayBus()
	if os.Getenv(addressVar) == noBus {
		return nil, ErrNoBus
	}
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoBus, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // ends what waits below
	err = conn.Auth(nil)
	if err == nil {
		err = conn.Hello()
	}
	if !stop() {
		err = errors.Join(err, context.Cause(ctx))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoBus, err), conn.Close())
	}
	return conn, nil
}
