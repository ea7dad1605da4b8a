//go:build !linux

package kernels

// runsHere returns false, because this system has no /proc. The caller probes the kernel
// instead.
func runsHere(int, string) bool { return false }
