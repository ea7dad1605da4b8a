//go:build cgo && gles

package gpu

import (
	"strings"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// slots is at least the number of frames that llvmpipe has in flight.
const slots = 64

// Drain makes llvmpipe, Mesa's software renderer, free the data of past frames: about
// ten megabytes after many plots. llvmpipe keeps the data of each frame in flight until
// its slot is used again, and a window that draws little uses only the first slot. A
// burst of empty frames uses them all. Drain does nothing for other drivers.
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
