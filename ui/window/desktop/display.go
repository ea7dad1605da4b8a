package desktop

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// The environment variables that identify a display and the session around it.
var displayVars = []string{
	"DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS",
	"LANG", "LC_ALL", "LC_MESSAGES",
}

// maxVar is the maximum length of a variable, in bytes.
const maxVar = 4096

// A Display identifies where a window can appear, by environment variables.
type Display map[string]string

// Here returns the display of this process.
func Here() Display {
	d := make(Display)
	for _, name := range displayVars {
		if v := os.Getenv(name); v != "" {
			d[name] = v
		}
	}
	return d
}

// Exists reports whether a window can be shown on the display, as far as the
// environment says.
func (d Display) Exists() bool {
	switch runtime.GOOS {
	case "windows", "darwin":
		return true
	default:
		return cmp.Or(d["DISPLAY"], d["WAYLAND_DISPLAY"]) != ""
	}
}

// check returns an error unless d contains only acceptable variables.
func (d Display) check() error {
	for name, value := range d {
		if !slices.Contains(displayVars, name) {
			return fmt.Errorf("the variable %q does not describe a display", name)
		}
		if len(value) > maxVar || strings.ContainsRune(value, 0) {
			return fmt.Errorf("the value of %s is too long or contains a NUL", name)
		}
	}
	return nil
}

// Enter moves this process, and those that it starts from now on, to the display. If no
// window can be opened there, it returns the reason and the process stays where it was.
func (d Display) Enter() error {
	if err := d.check(); err != nil {
		return err
	}
	was := Here()
	was.set(d)
	if err := reach(d); err != nil {
		d.set(was)
		return err
	}
	return nil
}

// set changes the environment from d to next. If next has no language, the current one
// stays.
func (d Display) set(next Display) {
	spoken := cmp.Or(next["LANG"], next["LC_ALL"], next["LC_MESSAGES"]) != ""
	for _, name := range displayVars {
		switch value, ok := next[name]; {
		case ok:
			_ = os.Setenv(name, value) // it fails only for values that check refuses
		case d[name] != "" && (spoken || !strings.HasPrefix(name, "L")):
			_ = os.Unsetenv(name)
		}
	}
}
