package coretest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"slices"
	"sync"
)

var encoded sync.Map // PNGs of plots, by number and size

// plotPNG returns the PNG of a Plot. No two have the same bytes.
func plotPNG(n, w, h int) []byte {
	key := [3]int{n % (len(colours) * bars), w, h} // of plots that look alike, one is encoded
	data, ok := encoded.Load(key)
	if !ok {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, Plot(n, w, h)); err != nil {
			panic(err) // a buffer takes all
		}
		data = b.Bytes()
		encoded.Store(key, data)
	}
	return fmt.Append(slices.Clip(data.([]byte)), n) // after the end of the picture
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

const bars = 11 // heights of bars

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
		top := 0.15 + 0.7*float64((i*7+n*5)%bars)/bars
		x := 0.15 + 0.11*float64(i)
		fill(x, top, x+0.07, 0.89, colours[n%len(colours)])
	}
	return m
}
