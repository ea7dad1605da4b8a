//go:build !linux && !darwin

package usage

// processes returns nil, because it is not implemented on this system.
func processes() []process { return nil }
