package animation

import (
	"image"
	"image/color"
	"image/draw"
)

// A canvas draws frames one over the other.
type canvas struct {
	pixels *image.RGBA
	at     int         // the frame that was drawn last; -1: none
	saved  *image.RGBA // what was in the area of that frame before, if that is to come back
}

func newCanvas(size image.Point) *canvas {
	return &canvas{pixels: image.NewRGBA(image.Rectangle{Max: size}), at: -1}
}

// reset makes it as it was before the first frame.
func (c *canvas) reset() {
	wipe(c.pixels, c.pixels.Rect)
	c.at, c.saved = -1, nil
}

// draw draws a frame. The one that was drawn last is the one before it, or one on which it
// does not depend.
func (c *canvas) draw(i int, frames []frame) error {
	if c.at >= 0 {
		c.dispose(frames[c.at])
	}
	f := frames[i]
	m, err := f.decode()
	if err != nil {
		return err
	}
	area := f.at.Intersect(c.pixels.Rect)
	c.saved = nil
	if f.dispose == restore {
		c.saved = image.NewRGBA(area)
		draw.Draw(c.saved, area, c.pixels, area.Min, draw.Src)
	}
	paint(c.pixels, area, m, m.Bounds().Min.Add(area.Min.Sub(f.at.Min)), f.over)
	c.at = i
	return nil
}

// paint draws m from a point on in an area, over what is there or in its place.
func paint(out *image.RGBA, area image.Rectangle, m image.Image, from image.Point, over bool) {
	area = area.Intersect(m.Bounds().Add(area.Min.Sub(from))) // it may be smaller than the frame claims to be
	if p, ok := m.(*image.Paletted); ok {
		paintPaletted(out, area, p, from, over)
		return
	}
	op := draw.Src
	if over {
		op = draw.Over
	}
	draw.Draw(out, area, m, from, op)
}

// paintPaletted is paint of what GIFs consist of, for which the standard library has no fast
// way. Colours are opaque but for those that a PNG's palette says are not.
func paintPaletted(out *image.RGBA, area image.Rectangle, m *image.Paletted, from image.Point, over bool) {
	var colours [256]color.RGBA
	for i, c := range m.Palette {
		colours[i] = color.RGBAModel.Convert(c).(color.RGBA) //nolint:forcetypeassert // the model's own type
	}
	for y := range area.Dy() {
		src := m.Pix[m.PixOffset(from.X, from.Y+y):]
		dst := out.Pix[out.PixOffset(area.Min.X, area.Min.Y+y):]
		for x := range area.Dx() {
			c, p := colours[src[x]], dst[4*x:4*x+4:4*x+4]
			if over && c.A != 0xFF {
				if c.A == 0 {
					continue
				}
				under := func(i int) byte { return byte((int(p[i])*(0xFF-int(c.A)) + 0x7F) / 0xFF) }
				c.R, c.G, c.B, c.A = c.R+under(0), c.G+under(1), c.B+under(2), c.A+under(3)
			}
			p[0], p[1], p[2], p[3] = c.R, c.G, c.B, c.A
		}
	}
}

// dispose takes the frame that was drawn last away as it asks for.
func (c *canvas) dispose(f frame) {
	area := f.at.Intersect(c.pixels.Rect)
	switch {
	case f.dispose == erase:
		wipe(c.pixels, area)
	case f.dispose == restore && c.saved != nil:
		draw.Draw(c.pixels, area, c.saved, area.Min, draw.Src)
	}
}

func wipe(m *image.RGBA, area image.Rectangle) {
	draw.Draw(m, area, image.Transparent, image.Point{}, draw.Src)
}

func (c *canvas) copy() *image.RGBA {
	m := *c.pixels
	m.Pix = append([]byte(nil), c.pixels.Pix...)
	return &m
}

// kept are the frames that were wanted last, composed.
type kept struct {
	most   int
	frames []keptFrame // the last used one last
}

type keptFrame struct {
	at     int
	pixels *image.RGBA
}

func (k *kept) get(i int) *image.RGBA {
	for n, f := range k.frames {
		if f.at == i {
			k.frames = append(append(k.frames[:n:n], k.frames[n+1:]...), f)
			return f.pixels
		}
	}
	return nil
}

func (k *kept) put(i int, m *image.RGBA) {
	if k.get(i) != nil {
		return
	}
	if len(k.frames) >= k.most {
		k.frames = append(k.frames[:0:0], k.frames[len(k.frames)-k.most+1:]...)
	}
	k.frames = append(k.frames, keptFrame{i, m})
}
