//go:build !cgo || !gles

package gpu

// Drain does nothing: there is no OpenGL ES here.
func Drain() {}
