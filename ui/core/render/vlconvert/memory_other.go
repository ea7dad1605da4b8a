//go:build !linux

package vlconvert

// resident is not known here: of memory, only the limit that the worker sets itself counts.
func resident(int) int64 { return 0 }
