//go:build !linux

package mcphost

// programOn names the program that listens on a port; here nobody can say.
func programOn(int) string { return "" }
