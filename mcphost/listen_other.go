//go:build !linux

package mcphost

// programOn names the program that listens on a port. This platform is not supported.
func programOn(int) string { return "" }
