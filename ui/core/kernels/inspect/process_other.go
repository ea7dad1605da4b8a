//go:build !linux

package inspect

// IsKernel returns false, because this system has no /proc. The caller probes the kernel
// instead.
func IsKernel(int, string) bool { return false }

// Memory returns nil, because this system has no /proc.
func Memory([]string) map[string]int64 { return nil }

// Interpreters returns nil, because this system has no /proc.
func Interpreters([]string) []string { return nil }

// Folder returns "", because this system has no /proc.
func Folder(string) string { return "" }
