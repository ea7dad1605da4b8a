// Package webp decodes still WebP images with correct colours.
//
// Lossy WebP uses the video range of BT.601, in which black is 16 and white is 235.
// golang.org/x/image/webp returns such images as Go's YCbCr, which has JPEG's full range, so
// black becomes grey. This package converts the range.
//
// # Goroutines
//
// There is no state; every function may be called on any goroutine.
package webp

import (
	"bytes"
	"image"

	xwebp "golang.org/x/image/webp"
)

// DecodeConfig returns the size of an image or of an animation's canvas.
func DecodeConfig(data []byte) (image.Config, error) {
	return xwebp.DecodeConfig(bytes.NewReader(data))
}

// Decode decodes a still image.
func Decode(data []byte) (image.Image, error) {
	m, err := xwebp.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *image.YCbCr:
		return convert(m, nil, 0), nil
	case *image.NYCbCrA:
		return convert(&m.YCbCr, m.A, m.AStride), nil
	default:
		return m, nil
	}
}

// convert converts an image with 4:2:0 chroma to RGB. alpha is nil if the image is opaque.
func convert(m *image.YCbCr, alpha []byte, alphaStride int) *image.NRGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	cb, cr := make([]int, w), make([]int, w)
	for y := range h {
		upsample(cb, m.Cb, m.CStride, y, h)
		upsample(cr, m.Cr, m.CStride, y, h)
		luma, row := m.Y[y*m.YStride:], out.Pix[y*out.Stride:]
		for x := range w {
			l, u, v := 298*(int(luma[x])-16)+128, cb[x]-128, cr[x]-128
			p := row[4*x : 4*x+4 : 4*x+4]
			p[0] = clip((l + 409*v) >> 8)
			p[1] = clip((l - 100*u - 208*v) >> 8)
			p[2] = clip((l + 516*u) >> 8)
			p[3] = 0xFF
			if alpha != nil {
				p[3] = alpha[y*alphaStride+x]
			}
		}
	}
	return out
}

// upsample interpolates the chroma of row y. Each sample is in the middle of four pixels.
// The weights are 9 for the nearest sample, 3 for the next two, and 1 for the fourth.
func upsample(out []int, plane []byte, stride, y, h int) {
	last, lastRow := (len(out)+1)/2-1, (h+1)/2-1
	near := plane[y/2*stride:]
	far := plane[min(max(y/2+toward(y), 0), lastRow)*stride:]
	for x := range out {
		i := x / 2
		j := min(max(i+toward(x), 0), last)
		out[x] = (9*int(near[i]) + 3*int(near[j]) + 3*int(far[i]) + int(far[j]) + 8) >> 4
	}
}

// toward returns the direction of the second nearest sample.
func toward(at int) int {
	if at%2 == 0 {
		return -1
	}
	return 1
}

func clip(v int) byte { return byte(min(max(v, 0), 0xFF)) }
