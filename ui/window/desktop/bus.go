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

// noBus is an address at which there is no bus.
const noBus = "disabled:"

const addressVar = "DBUS_SESSION_BUS_ADDRESS"

// ErrNoBus is the error if the user's session has no D-Bus.
var ErrNoBus = errors.New("there is no session bus")

// NoStrayBus keeps this process and its children from launching a D-Bus daemon if the
// session has none. Fyne's D-Bus library would launch one; it outlives the app and
// nobody uses it. Call NoStrayBus before anything uses D-Bus, that is, before Fyne's
// app is created.
func NoStrayBus() {
	if address := os.Getenv(addressVar); address != "" && address != "autolaunch:" {
		return
	}
	run := "/run/user/" + strconv.Itoa(os.Getuid())
	for _, file := range []string{"/bus", "/dbus-session"} { // where the library looks for a bus
		if _, err := os.Stat(run + file); err == nil {
			return
		}
	}
	_ = os.Setenv(addressVar, noBus) // fails only for invalid names
}

// SessionBus opens a private connection to the session bus; the caller must close it.
// It starts no bus. ctx limits only the time to connect.
func SessionBus(ctx context.Context) (*dbus.Conn, error) {
	NoStrayBus()
	if os.Getenv(addressVar) == noBus {
		return nil, ErrNoBus
	}
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoBus, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // ends the calls below
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
