//go:build !linux && !freebsd && !openbsd && !netbsd

package desktop

// reach has nothing to try: the system has one desktop.
func reach(Display) error { return nil }

// Find finds no other display than that of this process.
func Find() (Display, bool) { return nil, false }
