//go:build !linux

package pressure

// Read returns a zero Reading, because it is not implemented on this system.
func Read() Reading { return Reading{} }
