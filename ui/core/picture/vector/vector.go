// Package vector rasterizes SVG images, including their text. It draws shapes with oksvg,
// Fyne's SVG renderer, which ignores text, and then text on top, in the bundled fonts.
//
// It supports what figures consist of, not all of SVG. It ignores clipping, masks, filters,
// embedded images and text on paths. Easel uses it only if the kernel sent no raster image.
//
// # Goroutines
//
// The package's only state are the fonts, which are parsed once. Its functions are safe
// for concurrent use. Drawing takes time proportional to the size of the SVG; callers must
// limit how many they draw at a time.
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

// Limits of an SVG in bytes, and of the long edge of a picture in pixels. An SVG may be
// hostile.
const (
	maxBytes = 4 << 20
	maxEdge  = 4096
)

// ErrUnreadable is the error for an SVG that cannot be drawn.
var ErrUnreadable = errors.New("this SVG cannot be drawn")

// Draw draws an SVG of w by h CSS pixels on white. The long edge of the picture has long
// pixels, at most 4096. The error is ErrUnreadable.
func Draw(data []byte, w, h, long int) (m *image.RGBA, err error) {
	if len(data) > maxBytes || w <= 0 || h <= 0 {
		return nil, fmt.Errorf("%w: %d kB, %d×%d px", ErrUnreadable, len(data)>>10, w, h)
	}
	defer func() { // the renderer panics on some input
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
	for i := range icon.SVGPaths { // the renderer scales shapes but not line widths
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
