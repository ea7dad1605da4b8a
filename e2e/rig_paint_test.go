package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"easel/internal/require"
)

// Numbers of blocks in the rig's pictures. The blocks have strong colours, which identify the
// picture, and show whether it is distorted, at any size and on any background.
const (
	blocksAcross = 4
	blocksDown   = 3
)

var inks = color.Palette{
	color.RGBA{0xE0, 0x10, 0x10, 0xFF},
	color.RGBA{0x10, 0xB0, 0x20, 0xFF},
	color.RGBA{0x10, 0x30, 0xE0, 0xFF},
	color.RGBA{0xF0, 0xD0, 0x00, 0xFF},
	color.RGBA{0xD0, 0x10, 0xD0, 0xFF},
	color.RGBA{0x00, 0xC0, 0xD0, 0xFF},
	color.RGBA{0x10, 0x10, 0x10, 0xFF},
	color.RGBA{0xF0, 0x70, 0x00, 0xFF},
}

// shapes lists the sizes of the rig's pictures: usual plots, very wide and very high ones,
// icons, and some that take long to decode.
var shapes = []image.Point{
	{640, 480}, {1000, 300}, {300, 900}, {600, 600}, {1200, 800}, {64, 48}, {120, 360}, {3200, 2400}, {480, 640}, {2400, 700},
}

// painting returns the n-th picture.
func painting(n int) image.Image {
	size := shapes[n%len(shapes)]
	chance := rand.New(rand.NewPCG(uint64(n), 77))
	var of [blocksAcross * blocksDown]uint8
	for i := range of {
		for of[i] = uint8(chance.IntN(len(inks))); i%blocksAcross > 0 && of[i] == of[i-1]; {
			of[i] = uint8(chance.IntN(len(inks)))
		}
	}
	m := image.NewPaletted(image.Rectangle{Max: size}, inks)
	for i, ink := range of {
		x, y := i%blocksAcross, i/blocksAcross
		r := image.Rect(x*size.X/blocksAcross, y*size.Y/blocksDown, (x+1)*size.X/blocksAcross, (y+1)*size.Y/blocksDown)
		draw.Draw(m, r, image.NewUniform(inks[ink]), image.Point{}, draw.Src)
	}
	return m
}

// paint writes the pictures from first up to, but not including, last to a directory, and
// returns their paths.
func paint(t *testing.T, dir string, first, last int) (paths []string) {
	t.Helper()
	for n := first; n < last; n++ {
		path := filepath.Join(dir, strconv.Itoa(n)+".png")
		if _, err := os.Stat(path); err != nil {
			var b bytes.Buffer
			require.NoError(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, painting(n)))
			require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		}
		paths = append(paths, path)
	}
	return paths
}
