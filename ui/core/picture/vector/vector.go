// Package vector draws an SVG as pixels, with its text: shapes by Fyne's renderer,
// which passes text over, and over them the text, in fonts that the program bundles.
//
// It draws what figures are made of, not all of SVG: nothing is clipped, masked or
// filtered, no picture within the picture is shown, and text does not flow along
// paths. Easel uses it only where the kernel sent no picture of its own.
//
// # Goroutines
//
// There is no state but fonts that are read once; everything may be called on any
// goroutine. Drawing takes as long as the SVG is large: callers bound how many are
// drawn at once.
package vector

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/fyne-io/oksvg"
	"github.com/srwiley/rasterx"
)

// Limits of what is drawn: an SVG may come from anywhere.
const (
	maxBytes = 4 << 20
	maxEdge  = 4096
)

// ErrUnreadable says that an SVG cannot be drawn.
var ErrUnreadable = errors.New("this SVG cannot be drawn")

// Draw draws an SVG of w by h CSS pixels on white, its longer side long pixels.
func Draw(data []byte, w, h, long int) (m *image.RGBA, err error) {
	if len(data) > maxBytes || w <= 0 || h <= 0 {
		return nil, fmt.Errorf("%w: %d kB, %d×%d px", ErrUnreadable, len(data)>>10, w, h)
	}
	defer func() { // the renderer gives up on some input by a panic
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("%w: %v", ErrUnreadable, p)
		}
	}()
	scale := float64(min(max(long, 1), maxEdge)) / float64(max(w, h))
	pw, ph := max(int(float64(w)*scale+0.5), 1), max(int(float64(h)*scale+0.5), 1)
	shapes, err := plain(data)
	if err != nil {
		return nil, err
	}
	icon, err := oksvg.ReadIconStream(bytes.NewReader(shapes), oksvg.IgnoreErrorMode)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	box := icon.ViewBox
	if box.W <= 0 || box.H <= 0 {
		box.W, box.H = float64(w), float64(h)
		icon.ViewBox = box
	}
	m = image.NewRGBA(image.Rect(0, 0, pw, ph))
	draw.Draw(m, m.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	icon.SetTarget(0, 0, float64(pw), float64(ph))
	thicker := float64(pw) / box.W
	for i := range icon.SVGPaths { // the renderer scales shapes, not their lines
		p := &icon.SVGPaths[i]
		p.LineWidth *= thicker
		for j := range p.Dash {
			p.Dash[j] *= thicker
		}
		p.DashOffset *= thicker
	}
	icon.Draw(rasterx.NewDasher(pw, ph, rasterx.NewScannerGV(pw, ph, m, m.Rect)), 1)
	to := rasterx.Identity.Scale(float64(pw)/box.W, float64(ph)/box.H).Translate(-box.X, -box.Y)
	return m, writeText(m, data, to)
}
