// Command icongen draws Easel's own icons: the app icon and the states of the
// tray icon. They are PNG because the trays of some desktops take nothing else.
//
//	go generate ./assets
//
// # Goroutines
//
// There is one.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"
	"path/filepath"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/vector"
)

// supersample is how many times larger a picture is drawn before it is scaled
// down: the rasterizer's own anti-aliasing is too hard at 16 pixels.
const supersample = 4

var (
	indigo = color.NRGBA{0x4C, 0x5F, 0xE8, 0xFF}
	violet = color.NRGBA{0x2B, 0x2F, 0x8F, 0xFF}
	paper  = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
	amber  = color.NRGBA{0xFF, 0xB4, 0x2E, 0xFF}
	wood   = color.NRGBA{0xC9, 0xD1, 0xFF, 0xFF}
	ink    = color.NRGBA{0x2B, 0x2F, 0x8F, 0xFF}
)

// states are the dots that the tray icon may carry.
var states = map[string]color.NRGBA{
	"idle": {}, "running": {0x2F, 0xC4, 0x6B, 0xFF},
	"attention": {0xFF, 0xB0, 0x20, 0xFF}, "error": {0xF0, 0x4A, 0x4A, 0xFF},
}

func main() {
	log.SetFlags(0)
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	for _, n := range []int{16, 32, 48, 64, 128, 256, 512} {
		write(filepath.Join(dir, fmt.Sprintf("easel-%d.png", n)), scaled(n, color.NRGBA{}))
	}
	for name, dot := range states {
		write(filepath.Join(dir, "tray-"+name+".png"), scaled(64, dot))
	}
}

func write(path string, m image.Image) {
	f, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	if err := png.Encode(f, m); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// scaled is the icon at n pixels with a state dot, none if its alpha is 0.
func scaled(n int, dot color.NRGBA) image.Image {
	big := paint(n*supersample, n < 40, dot)
	small := image.NewNRGBA(image.Rect(0, 0, n, n))
	xdraw.CatmullRom.Scale(small, small.Bounds(), big, big.Bounds(), xdraw.Src, nil)
	return small
}

// A canvas draws in units of 1/256 of its edge.
type canvas struct {
	*image.RGBA
	unit float32
}

// paint draws the icon: an easel with a rising curve on its paper. The bold form
// leaves out what would be mud at 16 pixels.
func paint(edge int, bold bool, dot color.NRGBA) *image.RGBA {
	c := canvas{image.NewRGBA(image.Rect(0, 0, edge, edge)), float32(edge) / 256}
	c.fill(gradient{violet, indigo, edge}, c.round(8, 8, 240, 240, 56))
	leg, line := float32(11), float32(13)
	if bold {
		leg, line = 16, 22
	}
	c.stroke(wood, leg, 128, 36, 128, 60)
	c.stroke(wood, leg, 92, 178, 70, 222)
	c.stroke(wood, leg, 164, 178, 186, 222)
	if !bold {
		c.stroke(wood, leg, 128, 178, 128, 206)
	}
	c.fill(image.NewUniform(paper), c.round(52, 56, 152, 116, 12))
	c.stroke(wood, leg, 40, 180, 216, 180)
	curve := [][2]float32{{72, 148}, {104, 116}, {132, 132}, {184, 80}}
	for i := range len(curve) - 1 {
		a, b := curve[i], curve[i+1]
		c.stroke(ink, line, a[0], a[1], b[0], b[1])
	}
	c.fill(image.NewUniform(amber), c.circle(184, 82, line*1.25))
	if dot.A > 0 {
		c.erase(c.circle(200, 200, 60))
		c.fill(image.NewUniform(dot), c.circle(200, 200, 48))
	}
	return c.RGBA
}

// gradient runs from a at the top to b at the bottom.
type gradient struct {
	a, b color.NRGBA
	edge int
}

func (g gradient) ColorModel() color.Model { return color.NRGBAModel }
func (g gradient) Bounds() image.Rectangle { return image.Rect(0, 0, g.edge, g.edge) }
func (g gradient) At(_, y int) color.Color {
	t := float64(y) / float64(g.edge)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(b)*(1-t) + float64(a)*t)) }
	return color.NRGBA{mix(g.a.R, g.b.R), mix(g.a.G, g.b.G), mix(g.a.B, g.b.B), 0xFF}
}

type path func(*vector.Rasterizer)

func (c canvas) fill(src image.Image, p path) {
	r := vector.NewRasterizer(c.Rect.Dx(), c.Rect.Dy())
	p(r)
	r.Draw(c.RGBA, c.Rect, src, image.Point{})
}

// erase makes what p covers transparent.
func (c canvas) erase(p path) {
	mask := image.NewAlpha(c.Rect)
	r := vector.NewRasterizer(c.Rect.Dx(), c.Rect.Dy())
	p(r)
	r.Draw(mask, c.Rect, image.Opaque, image.Point{})
	for i, a := range mask.Pix {
		if a == 0 {
			continue
		}
		for k := range 4 {
			v := uint32(c.Pix[4*i+k]) * uint32(255-a) / 255
			c.Pix[4*i+k] = uint8(v)
		}
	}
}

func (c canvas) stroke(col color.NRGBA, width, x0, y0, x1, y1 float32) {
	d := float32(math.Hypot(float64(x1-x0), float64(y1-y0)))
	nx, ny := -(y1-y0)/d*width/2, (x1-x0)/d*width/2
	src := image.NewUniform(col)
	c.fill(src, func(r *vector.Rasterizer) {
		c.move(r, x0+nx, y0+ny)
		c.line(r, x1+nx, y1+ny)
		c.line(r, x1-nx, y1-ny)
		c.line(r, x0-nx, y0-ny)
		r.ClosePath()
	})
	c.fill(src, c.circle(x0, y0, width/2))
	c.fill(src, c.circle(x1, y1, width/2))
}

func (c canvas) move(r *vector.Rasterizer, x, y float32) { r.MoveTo(x*c.unit, y*c.unit) }
func (c canvas) line(r *vector.Rasterizer, x, y float32) { r.LineTo(x*c.unit, y*c.unit) }
func (c canvas) cube(r *vector.Rasterizer, bx, by, cx, cy, dx, dy float32) {
	r.CubeTo(bx*c.unit, by*c.unit, cx*c.unit, cy*c.unit, dx*c.unit, dy*c.unit)
}

// kappa makes a cubic curve of a quarter circle.
const kappa = 0.5523

func (c canvas) circle(x, y, radius float32) path {
	return c.round(x-radius, y-radius, 2*radius, 2*radius, radius)
}

func (c canvas) round(x, y, w, h, radius float32) path {
	k := radius * (1 - kappa)
	return func(r *vector.Rasterizer) {
		c.move(r, x+radius, y)
		c.line(r, x+w-radius, y)
		c.cube(r, x+w-k, y, x+w, y+k, x+w, y+radius)
		c.line(r, x+w, y+h-radius)
		c.cube(r, x+w, y+h-k, x+w-k, y+h, x+w-radius, y+h)
		c.line(r, x+radius, y+h)
		c.cube(r, x+k, y+h, x, y+h-k, x, y+h-radius)
		c.line(r, x, y+radius)
		c.cube(r, x, y+k, x+k, y, x+radius, y)
		r.ClosePath()
	}
}
