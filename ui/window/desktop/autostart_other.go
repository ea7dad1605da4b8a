//go:build darwin

package desktop

// Autostarts returns false: starting a program at login is not implemented for this
// system.
func Autostarts(string) bool { return false }

// SetAutostart returns ErrNoProgram.
func SetAutostart(string, bool, string, ...string) error { return ErrNoProgram }
