//go:build darwin || windows

package desktop

// NoStrayBus does nothing: this system has no D-Bus.
func NoStrayBus() {}
