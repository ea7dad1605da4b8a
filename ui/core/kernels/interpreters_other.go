//go:build !linux

package kernels

// interpretersOf returns nil, because this system has no /proc.
func interpretersOf([]string) []string { return nil }

func folderOf(string) string { return "" }
