//go:build !linux

package kernels

// interpretersOf cannot be told without /proc.
func interpretersOf([]string) []string { return nil }
