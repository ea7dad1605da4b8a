//go:build !linux

package vlconvert

// resident returns 0, because it is not implemented on this system. The limit that the
// worker sets itself still applies.
func resident(int) int64 { return 0 }
