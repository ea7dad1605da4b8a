//go:build !linux

package kernels

// memoryOf returns nil, because this system has no /proc.
func memoryOf([]string) map[string]int64 { return nil }
