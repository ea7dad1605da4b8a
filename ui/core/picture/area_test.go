package picture_test

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/draw"

	"easel/ui/core/picture"
)

// noise returns a picture of random pixels.
func noise(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(3, 5, 3+w, 5+h)) // the origin is not (0, 0)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(r.Uint32())
	}
	return m
}

// mean returns the exact mean colour of an area.
func mean(im image.Image, x0, y0, x1, y1 float64) [4]float64 {
	b := im.Bounds()
	var sum [4]float64
	for y := int(y0); float64(y) < y1; y++ {
		for x := int(x0); float64(x) < x1; x++ {
			part := (min(x1, float64(x+1)) - max(x0, float64(x))) * (min(y1, float64(y+1)) - max(y0, float64(y)))
			c := color.RGBAModel.Convert(im.At(b.Min.X+x, b.Min.Y+y)).(color.RGBA)
			for i, v := range []uint8{c.R, c.G, c.B, c.A} {
				sum[i] += part * float64(v)
			}
		}
	}
	for i := range sum {
		sum[i] /= (x1 - x0) * (y1 - y0)
	}
	return sum
}

func TestAreaIsTheMeanOfWhatAPixelCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ w, h, toW, toH int }{
		{7, 5, 3, 2}, {64, 48, 64, 48}, {64, 48, 63, 47}, {640, 480, 208, 156}, {300, 7, 11, 7}, {50, 50, 1, 1}, {9, 9, 8, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			nrgba := noise(c.w, c.h)
			rgba := image.NewRGBA(nrgba.Rect)
			draw.Draw(rgba, rgba.Rect, nrgba, nrgba.Rect.Min, draw.Src)
			mixed := noise(c.w, c.h) // every other line is opaque, like all lines of a plot
			for i := 3; i < len(mixed.Pix); i += 4 {
				if i/mixed.Stride%2 == 0 {
					mixed.Pix[i] = 0xFF
				}
			}
			for _, im := range []image.Image{nrgba, mixed, rgba, rgba.SubImage(rgba.Rect.Inset(0))} {
				out := picture.Area(im, c.toW, c.toH)
				if out.Rect != image.Rect(0, 0, c.toW, c.toH) {
					t.Fatalf("got %v", out.Rect)
				}
				fx, fy := float64(c.w)/float64(c.toW), float64(c.h)/float64(c.toH)
				for y := range c.toH {
					for x := range c.toW {
						want := mean(im, float64(x)*fx, float64(y)*fy, min(float64(x+1)*fx, float64(c.w)), min(float64(y+1)*fy, float64(c.h)))
						got := out.RGBAAt(x, y)
						for i, v := range []uint8{got.R, got.G, got.B, got.A} {
							if d := float64(v) - want[i]; d < -0.75 || d > 0.75 {
								t.Fatalf("%T at %d,%d: got %v, want %.2f", im, x, y, got, want)
							}
						}
					}
				}
			}
		})
	}
}

func TestAreaKeepsPlainColours(t *testing.T) {
	t.Parallel()
	for _, c := range []color.Color{color.White, color.Black, color.RGBA{200, 10, 77, 255}, color.RGBA{20, 10, 7, 100}} {
		im := image.NewRGBA(image.Rect(0, 0, 1999, 1201))
		draw.Draw(im, im.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		out := picture.Area(im, 383, 17)
		for i := 0; i < len(out.Pix); i += 4 {
			if got := (color.RGBA{out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3]}); got != color.RGBAModel.Convert(c) {
				t.Fatalf("got %v, want %v", got, c)
			}
		}
	}
}

// TestAreaLosesNoThinLine checks that no part of a line of one pixel on white vanishes.
func TestAreaLosesNoThinLine(t *testing.T) {
	t.Parallel()
	im := image.NewRGBA(image.Rect(0, 0, 640, 480))
	draw.Draw(im, im.Rect, image.White, image.Point{}, draw.Src)
	for x := range 640 {
		im.Set(x, 100+x/3, color.Black)
	}
	out := picture.Area(im, 208, 156)
	for x := range 208 {
		darkest := uint8(255)
		for y := range 156 {
			darkest = min(darkest, out.RGBAAt(x, y).R)
		}
		if darkest > 220 { // it is 213 where two rows share the line
			t.Errorf("column %d: the line is %d", x, darkest)
		}
	}
}

func BenchmarkShrink(b *testing.B) {
	im := noise(640, 480)
	out := image.NewRGBA(image.Rect(0, 0, 384, 288))
	b.Run("area", func(b *testing.B) {
		for b.Loop() {
			picture.Area(im, 384, 288)
		}
	})
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			draw.BiLinear.Scale(out, out.Rect, im, im.Rect, draw.Src, nil)
		}
	})
}
