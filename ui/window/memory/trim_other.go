//go:build !linux || !cgo

package memory

func trim() {}

// Tune does nothing here.
func Tune() {}
