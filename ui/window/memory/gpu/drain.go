//go:build cgo && gles

package gpu

import (
	"strings"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// slots is at least the number of frames that llvmpipe keeps in flight.
const slots = 64

// Drain makes llvmpipe, Mesa's software renderer, free what its past frames were drawn
// from: some ten megabytes after many plots. It keeps the data of each frame in flight
// until that slot is used again, and a window that draws little uses only the first. A
// burst of empty frames uses them all. Other drivers are left alone.
func Drain() {
	if !strings.HasPrefix(gl.GoStr(gl.GetString(gl.RENDERER)), "llvmpipe") {
		return
	}
	for range slots {
		gl.Clear(gl.COLOR_BUFFER_BIT)
		gl.Flush()
	}
	gl.Finish()
}
