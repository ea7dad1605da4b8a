//go:build !linux || !cgo

package memory

func trim() {}

// tune does nothing here.
func tune() {}
