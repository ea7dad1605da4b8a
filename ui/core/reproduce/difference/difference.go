// Package difference compares a stored figure with one that the same code drew again. It
// compares pixels, or the data of an interactive figure. It does no I/O.
//
// # Goroutines
//
// The package starts none and has no state. Its functions are safe for concurrent use.
// Comparing the largest pictures takes seconds and hundreds of megabytes.
package difference

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"easel/ui/core/picture"
)

// A Verdict says how alike two figures are.
type Verdict string

// The verdicts.
const (
	Identical Verdict = "identical" // the same bytes, or data that says the same
	Close     Verdict = "close"     // no channel of a pixel differs by more than Tolerance
	Different Verdict = "different"
)

// Tolerance is the largest difference of a channel, of 255, at which pixels count as equal.
const Tolerance = 2

// A Result says how two figures differ.
type Result struct {
	Verdict Verdict
	Sizes   [2]image.Point  // of the stored and the new picture, in pixels
	Pixels  int             // that differ, if the sizes are equal
	Box     image.Rectangle // that contains them
	Keys    []string        // of data: what differs, for example data[0].y
	Marked  *image.RGBA     // the differences highlighted; nil if there are none or the sizes differ
}

// Share returns the share of pixels that differ, from 0 to 1.
func (r Result) Share() float64 {
	if all := r.Sizes[0].X * r.Sizes[0].Y; all > 0 {
		return float64(r.Pixels) / float64(all)
	}
	return 0
}

// Pictures compares two pictures with pixels. The error is that of [picture.Decode].
func Pictures(stored, fresh []byte) (Result, error) {
	if bytes.Equal(stored, fresh) {
		_, w, h, err := picture.Sniff(stored)
		return Result{Verdict: Identical, Sizes: [2]image.Point{{X: w, Y: h}, {X: w, Y: h}}}, err
	}
	a, err := picture.Decode(stored)
	if err != nil {
		return Result{}, fmt.Errorf("the stored picture: %w", err)
	}
	b, err := picture.Decode(fresh)
	if err != nil {
		return Result{}, fmt.Errorf("the new picture: %w", err)
	}
	return Images(a, b), nil
}

// Images compares the pixels of two decoded pictures, whose bounds begin at the origin.
func Images(a, b image.Image) Result {
	r := Result{Verdict: Different, Sizes: [2]image.Point{a.Bounds().Size(), b.Bounds().Size()}}
	if r.Sizes[0] != r.Sizes[1] {
		return r
	}
	marks := newMarks(r.Sizes[0])
	one, other := newRows(a), newRows(b)
	for y := range r.Sizes[0].Y {
		r.Pixels += marks.row(y, one.at(y), other.at(y), &r.Box)
	}
	if r.Pixels == 0 {
		r.Verdict = Close
		return r
	}
	r.Marked = marks.m
	return r
}

// rows reads a picture row by row, in colours that are not premultiplied.
type rows struct {
	m   image.Image
	row *image.NRGBA
}

func newRows(m image.Image) rows {
	return rows{m, image.NewNRGBA(image.Rect(0, 0, m.Bounds().Dx(), 1))}
}

func (r rows) at(y int) []byte {
	b := r.m.Bounds()
	if m, ok := r.m.(*image.NRGBA); ok {
		from := m.PixOffset(b.Min.X, b.Min.Y+y)
		return m.Pix[from : from+4*b.Dx()]
	}
	draw.Draw(r.row, r.row.Rect, r.m, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
	return r.row.Pix
}

// mostMarked is the largest number of pixels of the picture of differences. That of a
// larger picture is scaled down.
const mostMarked = 4_000_000

// marks paints a picture of differences: equal pixels in pale grey, different ones in
// magenta. One of its pixels stands for a square of step by step pixels.
type marks struct {
	m    *image.RGBA
	step int
}

func newMarks(size image.Point) marks {
	step := max(1, int(math.Ceil(math.Sqrt(float64(size.X)*float64(size.Y)/mostMarked))))
	return marks{image.NewRGBA(image.Rect(0, 0, (size.X+step-1)/step, (size.Y+step-1)/step)), step}
}

var magenta = color.RGBA{0xD0, 0x10, 0x90, 0xFF}

// row paints a row, extends box by its differences and returns their number.
func (k marks) row(y int, a, b []byte, box *image.Rectangle) (n int) {
	for x := range len(a) / 4 {
		p, q := a[4*x:4*x+4], b[4*x:4*x+4]
		if apart(p, q) {
			n++
			*box = box.Union(image.Rect(x, y, x+1, y+1))
			k.m.SetRGBA(x/k.step, y/k.step, magenta)
			continue
		}
		if x%k.step == 0 && y%k.step == 0 {
			if at := k.m.RGBAAt(x/k.step, y/k.step); at == magenta {
				continue
			}
			k.m.SetRGBA(x/k.step, y/k.step, pale(p))
		}
	}
	return n
}

// apart reports whether two pixels differ. The colours of transparent pixels do not count.
func apart(p, q []byte) bool {
	if p[3] == 0 && q[3] == 0 {
		return false
	}
	for i := range 4 {
		if max(p[i], q[i])-min(p[i], q[i]) > Tolerance {
			return true
		}
	}
	return false
}

// pale is a pixel in pale grey.
func pale(p []byte) color.RGBA {
	grey := 255 - (255-(int(p[0])*3+int(p[1])*6+int(p[2]))/10)*int(p[3])/255/4
	return color.RGBA{uint8(grey), uint8(grey), uint8(grey), 0xFF}
}

// gap is the space between the pictures of Beside, in pixels.
const gap = 8

// Beside draws pictures beside each other so that the longer side has at most edge pixels.
// If stack is set, it draws them below each other if that leaves more room for them. It
// skips those that are nil.
func Beside(edge int, stack bool, pictures ...image.Image) *image.RGBA {
	var shown []image.Image
	var widest, tallest, across, down int
	for _, m := range pictures {
		if m == nil {
			continue
		}
		shown = append(shown, m)
		w, h := m.Bounds().Dx(), m.Bounds().Dy()
		widest, tallest, across, down = max(widest, w), max(tallest, h), across+w, down+h
	}
	row := !stack || max(across, tallest) <= max(widest, down)
	w, h := across, tallest
	if !row {
		w, h = widest, down
	}
	room := edge - gap*(len(shown)-1)
	scale := min(1, float64(room)/float64(max(w, h, 1)))
	scaled := func(n int) int { return max(1, int(float64(n)*scale)) }
	gaps := gap * max(0, len(shown)-1)
	size := image.Pt(scaled(w), scaled(h)+gaps)
	if row {
		size = image.Pt(scaled(w)+gaps, scaled(h))
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(out, out.Rect, image.NewUniform(color.RGBA{0x80, 0x80, 0x80, 0xFF}), image.Point{}, draw.Src)
	var at image.Point
	for _, m := range shown {
		b := m.Bounds()
		to := image.Rectangle{Min: at, Max: at.Add(image.Pt(scaled(b.Dx()), scaled(b.Dy())))}
		draw.Draw(out, to, image.White, image.Point{}, draw.Src)
		draw.Draw(out, to, picture.Area(m, to.Dx(), to.Dy()), image.Point{}, draw.Over)
		if row {
			at.X = to.Max.X + gap
		} else {
			at.Y = to.Max.Y + gap
		}
	}
	return out
}
