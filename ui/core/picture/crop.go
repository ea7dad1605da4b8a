package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"

	scale "golang.org/x/image/draw"
)

// Crop returns a part of an image as a PNG. The error is ErrNoRaster if the image has no pixels
// there.
func Crop(data []byte, r image.Rectangle) ([]byte, error) {
	if kind(data) == SVG {
		return nil, ErrNoRaster
	}
	im, err := Decode(data)
	if err != nil {
		return nil, err
	}
	b := im.Bounds()
	if r = r.Add(b.Min).Intersect(b); r.Empty() {
		return nil, fmt.Errorf("%w: the part is outside of the picture", ErrNoRaster)
	}
	part := image.NewNRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(part, part.Rect, im, r.Min, draw.Src)
	var out bytes.Buffer
	err = png.Encode(&out, part)
	return out.Bytes(), err
}

// Enlarge returns an image with so many times its pixels in each direction, smoothed, as a PNG.
func Enlarge(data []byte, times float64) ([]byte, error) {
	im, err := Decode(data)
	if err != nil {
		return nil, err
	}
	b := im.Bounds()
	large := image.NewRGBA(image.Rect(0, 0, int(float64(b.Dx())*times+0.5), int(float64(b.Dy())*times+0.5)))
	scale.CatmullRom.Scale(large, large.Rect, im, b, scale.Src, nil)
	return encodePNG(large, png.BestSpeed)
}
