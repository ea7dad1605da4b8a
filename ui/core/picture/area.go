package picture

import (
	"image"

	"golang.org/x/image/draw"
)

// Area scales an image down to w by h pixels, which must not exceed its size. Each pixel
// is the mean of the area that it covers, so that thin lines get paler but never vanish.
// Area is six times as fast as scaling with a kernel such as Catmull-Rom, which matters
// because every new plot is scaled before it is shown.
func Area(im image.Image, w, h int) *image.RGBA {
	b := im.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	columns, rows := shares(b.Dx(), w), shares(b.Dy(), h)
	from := lines(im)
	line, sum := make([]uint32, 4*w), make([]uint32, 4*w)
	y := 0
	for sy, row := range rows {
		squash(line, from(sy), columns)
		for i, v := range line {
			sum[i] += v * row.share >> shareBits
		}
		if !row.last {
			continue
		}
		to := out.Pix[y*out.Stride:][:4*w]
		for i, v := range sum {
			to[i] = uint8((v + 1<<(fineBits-1)) >> fineBits)
			sum[i] = line[i] * row.rest >> shareBits
		}
		y++
	}
	return out
}

// Shares of a target pixel are fixed-point numbers with shareBits fractional bits. Values
// between the two passes are 8-bit colours with fineBits additional fractional bits.
const (
	shareBits = 16
	fineBits  = 8
)

// A share is the part that a source pixel contributes to the current target pixel and, if
// it is the last source pixel of that, the rest that it contributes to the next one.
type share struct {
	share, rest uint32
	last        bool
}

// shares distributes the given number of source pixels over the target pixels. The shares
// of each target pixel add up to exactly 1<<shareBits, so that white stays white.
func shares(from, to int) []share {
	all := make([]share, from)
	left := uint32(1 << shareBits)
	for i := range all {
		// The pixel covers i*to up to end. The unit is 1/from of a target pixel.
		end := (i + 1) * to
		into := end - i*to
		if over := end % from; end/from > i*to/from { // it reaches the end of its target pixel
			all[i] = share{left, uint32(over << shareBits / from), true}
			left = 1<<shareBits - all[i].rest
			continue
		}
		all[i].share = uint32(into << shareBits / from)
		left -= all[i].share
	}
	return all
}

// squash scales a line of source pixels horizontally, into line.
func squash(line []uint32, from []uint8, columns []share) {
	var r, g, b, a uint32
	const down = shareBits - fineBits
	x := 0
	for i, c := range columns {
		p := from[4*i : 4*i+4 : 4*i+4]
		pr, pg, pb, pa := uint32(p[0]), uint32(p[1]), uint32(p[2]), uint32(p[3])
		r, g, b, a = r+pr*c.share, g+pg*c.share, b+pb*c.share, a+pa*c.share
		if c.last {
			to := line[x : x+4 : x+4]
			to[0], to[1], to[2], to[3] = r>>down, g>>down, b>>down, a>>down
			r, g, b, a = pr*c.rest, pg*c.rest, pb*c.rest, pa*c.rest
			x += 4
		}
	}
}

// lines returns a function that returns line y of an image, counted from 0, as RGBA. The
// result may be longer than the line, and is valid until the next call. Images of other
// types are converted line by line, because a copy of a large one would double the memory.
func lines(im image.Image) func(y int) []uint8 {
	b := im.Bounds()
	if m, ok := im.(*image.RGBA); ok {
		return func(y int) []uint8 { return m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):] }
	}
	one := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	plain, _ := im.(*image.NRGBA)
	return func(y int) []uint8 {
		if plain != nil { // like most plots; opaque NRGBA equals RGBA
			at := plain.PixOffset(b.Min.X, b.Min.Y+y)
			if line := plain.Pix[at : at+4*b.Dx()]; opaque(line) {
				return line
			}
		}
		draw.Draw(one, one.Rect, im, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
		return one.Pix
	}
}

// opaque reports whether all pixels of a line are opaque.
func opaque(line []uint8) bool {
	for i := 3; i < len(line); i += 4 {
		if line[i] != 0xFF {
			return false
		}
	}
	return true
}
