// Package gpu frees memory that the OpenGL driver keeps for a hidden window.
//
// # Goroutines
//
// It has none. Drain must be called on the UI goroutine, with the window's context
// current.
package gpu
