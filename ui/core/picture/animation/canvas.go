package animation

import (
	"image"
	"image/color"
	"image/draw"
)

// A canvas draws frames on top of each other.
type canvas struct {
	pixels *image.RGBA
	at     int         // the last frame drawn; -1 if none
	saved  *image.RGBA // the area of that frame before it was drawn, if it must be restored
}

func newCanvas(size image.Point) *canvas {
	return &canvas{pixels: image.NewRGBA(image.Rectangle{Max: size}), at: -1}
}

// reset clears the canvas.
func (c *canvas) reset() {
	wipe(c.pixels, c.pixels.Rect)
	c.at, c.saved = -1, nil
}

// draw draws the i-th frame. The last frame drawn must be the one before it, unless the
// i-th frame does not depend on it.
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

// paint draws m into an area, starting at the point from of m. The standard library draws
// such images slowly.
func paint(out *image.RGBA, area image.Rectangle, m *image.Paletted, from image.Point, over bool) {
	area = area.Intersect(m.Bounds().Add(area.Min.Sub(from))) // m may be smaller than the frame
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

// dispose applies the disposal of the last frame drawn.
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

// A frameCache holds the composed frames that were used last.
type frameCache struct {
	most   int
	frames []keptFrame // most recently used last
}

type keptFrame struct {
	at     int
	pixels *image.RGBA
}

func (c *frameCache) get(i int) *image.RGBA {
	for n, f := range c.frames {
		if f.at == i {
			c.frames = append(append(c.frames[:n:n], c.frames[n+1:]...), f)
			return f.pixels
		}
	}
	return nil
}

func (c *frameCache) put(i int, m *image.RGBA) {
	if c.get(i) != nil {
		return
	}
	if len(c.frames) >= c.most {
		c.frames = append(c.frames[:0:0], c.frames[len(c.frames)-c.most+1:]...)
	}
	c.frames = append(c.frames, keptFrame{i, m})
}
