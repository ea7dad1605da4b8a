// Package gpu returns memory that OpenGL's driver keeps for a window that is hidden.
//
// # Goroutines
//
// It has none. Drain is called on the UI goroutine, with the window's context current.
package gpu
