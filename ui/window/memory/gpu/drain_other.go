//go:build !cgo || !gles

package gpu

// Drain does nothing: this build has no OpenGL ES.
func Drain() {}
