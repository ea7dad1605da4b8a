package coretest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"slices"

	"easel/ui/core/library"
	"easel/ui/core/picture"
)

// Thumb returns a thumbnail that is at most edge pixels wide.
func (l *Library) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	im, err := l.Image(ctx, id)
	if err != nil {
		return nil, err
	}
	if im.Interactive != "" {
		return nil, fmt.Errorf("%w: %s", picture.ErrNoRaster, im.MIMEType)
	}
	w := min(edge, im.Width)
	return Plot(im.N, w, w*im.Height/im.Width), nil
}

// Read returns an image's bytes.
func (l *Library) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	im, err := l.Image(ctx, id)
	if err != nil {
		return nil, im, err
	}
	if im.Interactive != "" {
		return []byte(`{"data": []}`), im, nil
	}
	l.mu.Lock()
	data := l.data[im.ImageID]
	l.mu.Unlock()
	if data != nil {
		return data, im, nil
	}
	var b bytes.Buffer
	err = png.Encode(&b, Plot(im.N, im.Width, im.Height))
	return b.Bytes(), im, err
}

// ReadForm returns the data of a figure whose Forms a test has set, and library.ErrNotFound
// for any other image.
func (l *Library) ReadForm(_ context.Context, im library.Image, mime string) ([]byte, error) {
	if im.Interactive != "" && slices.ContainsFunc(im.Forms, func(f library.StoredForm) bool { return f.MIME == mime }) {
		return []byte(`{"data": []}`), nil
	}
	return nil, library.ErrNotFound
}

// animation returns a GIF of plots from the n-th on. Each frame is shown for 20 ms.
func animation(n, w, h, frames, loop int) []byte {
	g := gif.GIF{LoopCount: loop}
	for i := range frames {
		m := Plot(n+i, w, h)
		p := image.NewPaletted(m.Rect, append(color.Palette{color.White, color.Black}, colours...))
		draw.Draw(p, p.Rect, m, image.Point{}, draw.Src)
		g.Image, g.Delay = append(g.Image, p), append(g.Delay, 2)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		panic(err) // a plot has few colours
	}
	return b.Bytes()
}

var colours = color.Palette{color.NRGBA{0x4C, 0x5F, 0xE8, 255}, color.NRGBA{0xD9, 0x73, 0x0D, 255}, color.NRGBA{0x0E, 0x93, 0x84, 255}}

// Plot returns a picture of w by h pixels that looks like a bar chart, and depends on n.
func Plot(n, w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	fill := func(x0, y0, x1, y1 float64, c color.Color) {
		r := image.Rect(int(x0*float64(w)), int(y0*float64(h)), int(x1*float64(w)), int(y1*float64(h)))
		draw.Draw(m, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(0.1, 0.1, 0.11, 0.9, color.Black)
	fill(0.1, 0.89, 0.95, 0.9, color.Black)
	for i := range 7 {
		top := 0.15 + 0.7*float64((i*7+n*5)%11)/11
		x := 0.15 + 0.11*float64(i)
		fill(x, top, x+0.07, 0.89, colours[n%3])
	}
	return m
}
