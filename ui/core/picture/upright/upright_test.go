package upright

import (
	"bytes"
	"image"
	"image/color"
	"image/color/palette"
	"math/rand/v2"
	"testing"
)

// noise fills pixels with different values.
func noise(pix []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range pix {
		pix[i] = byte(r.Uint32())
	}
}

func ycbcr(w, h int, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, w, h), ratio)
	noise(m.Y)
	noise(m.Cb)
	noise(m.Cr)
	return m
}

func TestEachPixelIsWhereItBelongs(t *testing.T) {
	t.Parallel()
	whole := image.NewNRGBA(image.Rect(0, 0, 9, 8))
	noise(whole.Pix)
	kinds := map[string]func() image.Image{
		"part of NRGBA": func() image.Image { return whole.SubImage(image.Rect(2, 1, 7, 5)) },
		"RGBA": func() image.Image {
			m := image.NewRGBA(image.Rect(0, 0, 5, 3))
			noise(m.Pix)
			for i := 3; i < len(m.Pix); i += 4 {
				m.Pix[i] = 0xFF
			}
			return m
		},
		"RGBA64":   func() image.Image { m := image.NewRGBA64(image.Rect(0, 0, 4, 3)); noise(m.Pix); return m },
		"NRGBA64":  func() image.Image { m := image.NewNRGBA64(image.Rect(0, 0, 4, 3)); noise(m.Pix); return m },
		"grey":     func() image.Image { m := image.NewGray(image.Rect(0, 0, 3, 4)); noise(m.Pix); return m },
		"grey, 16": func() image.Image { m := image.NewGray16(image.Rect(0, 0, 3, 4)); noise(m.Pix); return m },
		"CMYK":     func() image.Image { m := image.NewCMYK(image.Rect(0, 0, 3, 4)); noise(m.Pix); return m },
		"palette": func() image.Image {
			m := image.NewPaletted(image.Rect(0, 0, 3, 4), palette.Plan9)
			noise(m.Pix)
			return m
		},
		"4:4:4":          func() image.Image { return ycbcr(5, 3, image.YCbCrSubsampleRatio444) },
		"4:2:0":          func() image.Image { return ycbcr(8, 6, image.YCbCrSubsampleRatio420) },
		"4:2:0, odd":     func() image.Image { return ycbcr(7, 5, image.YCbCrSubsampleRatio420) },
		"4:2:2":          func() image.Image { return ycbcr(8, 3, image.YCbCrSubsampleRatio422) },
		"4:4:0":          func() image.Image { return ycbcr(5, 4, image.YCbCrSubsampleRatio440) },
		"4:1:1":          func() image.Image { return ycbcr(8, 3, image.YCbCrSubsampleRatio411) },
		"4:1:0":          func() image.Image { return ycbcr(8, 4, image.YCbCrSubsampleRatio410) },
		"4:2:0, 1 pixel": func() image.Image { return ycbcr(1, 1, image.YCbCrSubsampleRatio420) },
	}
	for name, kind := range kinds {
		for o := Normal; o <= Left; o++ {
			before, upright := kind(), o.Turn(kind())
			b := before.Bounds()
			if w, h := o.Size(b.Dx(), b.Dy()); o != Normal && upright.Bounds() != image.Rect(0, 0, w, h) {
				t.Errorf("%s, %d: %v, want %d×%d", name, o, upright.Bounds(), w, h)
				continue
			}
			for y := range b.Dy() {
				for x := range b.Dx() {
					tx, ty := o.place(x, y, b.Dx(), b.Dy())
					if o == Normal {
						tx, ty = b.Min.X+x, b.Min.Y+y
					}
					want := color.RGBAModel.Convert(before.At(b.Min.X+x, b.Min.Y+y))
					if got := color.RGBAModel.Convert(upright.At(tx, ty)); got != want {
						t.Fatalf("%s, %d: the pixel %d, %d is %v at %d, %d; want %v", name, o, x, y, got, tx, ty, want)
					}
				}
			}
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00\xff\xda"))
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0deXIfII*\x00\xff\xff\xff\xff"))
	f.Add([]byte("RIFF\xff\xff\xff\xffWEBPVP8X\x0a\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00EXIF\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for mime := range formats {
			if o := Of(bytes.NewReader(data), mime); o < Normal || o > Left {
				t.Errorf("%s: %d", mime, o)
			}
		}
	})
}
