//go:build darwin || windows

package desktop

// Autostarts tells that this system's way to start a program at login is not known.
func Autostarts(string) bool { return false }

// SetAutostart cannot be done here.
func SetAutostart(string, bool, string, ...string) error { return ErrNoProgram }
