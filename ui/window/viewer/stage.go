package viewer

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
	xdraw "golang.org/x/image/draw"

	"easel/ui/core/command"
	"easel/ui/window/kit"
)

// The limits of the zoom, in screen pixels per pixel of the image.
const (
	leastZoom = 0.05
	mostZoom  = 32
	zoomStep  = 1.25
	crispFrom = 4 // from this zoom on, pixels are drawn as squares
)

// settleAfter is the delay after the last movement until the picture is drawn in high
// quality.
const settleAfter = 150 * time.Millisecond

var (
	_ fyne.Scrollable        = (*stage)(nil)
	_ fyne.Draggable         = (*stage)(nil)
	_ fyne.DoubleTappable    = (*stage)(nil)
	_ fyne.SecondaryTappable = (*stage)(nil)
	_ desktop.Cursorable     = (*stage)(nil)
)

// A stage draws one picture, fitted or zoomed. It draws only the visible part, at the
// size of the viewport: at a zoom of 32, the whole picture would need a texture of
// gigabytes.
type stage struct {
	widget.BaseWidget
	k      *kit.Kit
	pixels *image.RGBA
	sharp  *image.RGBA // drawn anew for one zoom; nil if there is none
	size   image.Point // of the picture; a preview has fewer pixels
	blank  bool        // nothing is drawn, because the pixels are those of the previous picture
	raster *canvas.Raster
	marks  []command.Region // drawn over the picture, in its pixels
	notes  []stageMark      // the same for the user's own marks

	fit    bool
	zoom   float64 // used when not fit
	cx, cy float64 // point of the image in the middle of the viewport, when not fit
	w, h   int     // viewport in screen pixels when it was last drawn

	enlarge float64 // how large a fitted picture may be, in units of the window per pixel; not less than 100 %
	edge    float64 // space around a fitted picture, in screen pixels
	zooms   bool    // the wheel zooms, and with Control it does what wheel does
	moving  bool
	playing bool
	timer   *time.Timer
	moves   int

	wheel     func(up bool) // the user turned the wheel while the picture is fitted
	changed   func()
	shifted   func() // the user zoomed or moved the picture
	hover     func(at fyne.Position)
	touched   func() // the user pressed the mouse on the picture
	secondary func(fyne.Position)

	over    *regioner // draws over the picture; nil if the user cannot select a region
	down    fyne.Position
	pressed bool // the mouse button, at down
	shift   bool // was held down with it
}

func newStage(k *kit.Kit) *stage {
	s := &stage{
		k: k, fit: true, zoom: 1, edge: margin,
		wheel: func(bool) {}, changed: func() {}, shifted: func() {}, secondary: func(fyne.Position) {}, hover: func(fyne.Position) {},
		touched: func() {},
	}
	s.raster = canvas.NewRaster(s.draw)
	s.ExtendBaseWidget(s)
	return s
}

// set shows other pixels, or nothing for nil. If keep, zoom and place relative to the
// picture stay.
func (s *stage) set(m *image.RGBA, keep bool) {
	size := image.Point{}
	if m != nil {
		size = m.Rect.Size()
	}
	s.preview(m, size, keep)
}

// preview is like set, but m has fewer pixels than the picture, whose size is size.
func (s *stage) preview(m *image.RGBA, size image.Point, keep bool) {
	if keep && s.pixels != nil && m != nil && !s.fit {
		rx, ry := s.cx/float64(s.size.X), s.cy/float64(s.size.Y)
		s.cx, s.cy = rx*float64(size.X), ry*float64(size.Y)
	} else {
		s.fit = true
	}
	s.pixels, s.size, s.blank, s.sharp = m, size, false, nil
	s.moving, s.playing = false, false
	s.clamp()
	s.raster.Refresh()
	s.changed()
}

// frame shows another frame of the same size. While playing, it is scaled fast instead of well.
func (s *stage) frame(m *image.RGBA, playing bool) {
	s.pixels, s.playing = m, playing
	s.raster.Refresh()
}

// clear draws nothing until the next set. Zoom and place stay, for a user who has
// locked them.
func (s *stage) clear() {
	s.blank = true
	s.raster.Refresh()
}

// scale returns the number of screen pixels per Fyne unit.
func (s *stage) scale() float64 { return float64(kit.Scale(s)) }

// viewport returns the size of the stage in screen pixels.
func (s *stage) viewport() (w, h float64) {
	f := s.scale()
	return float64(s.Size().Width) * f, float64(s.Size().Height) * f
}

// margin is the space around a fitted picture that does not fill the window, in screen pixels.
const margin = 20

// fitZoom returns the zoom at which the picture fits. It is at most 1 unless s.enlarge
// allows more.
func (s *stage) fitZoom() float64 {
	if s.pixels == nil {
		return 1
	}
	w, h := s.viewport()
	z := min((w-2*s.edge)/float64(s.size.X), (h-2*s.edge)/float64(s.size.Y))
	return max(min(z, max(1, s.enlarge*s.scale())), leastZoom)
}

// current returns the current zoom.
func (s *stage) current() float64 {
	if s.fit {
		return s.fitZoom()
	}
	return s.zoom
}

// clamp keeps the picture within the viewport.
func (s *stage) clamp() {
	if s.pixels == nil || s.fit {
		return
	}
	w, h := s.viewport()
	limit := func(c, size, view float64) float64 {
		half := view / 2 / s.zoom
		if size <= 2*half {
			return size / 2
		}
		return min(max(c, half), size-half)
	}
	s.cx = limit(s.cx, float64(s.size.X), w)
	s.cy = limit(s.cy, float64(s.size.Y), h)
}

// center returns the point of the image that is in the middle of the viewport.
func (s *stage) center() (x, y float64) {
	if s.fit && s.pixels != nil {
		return float64(s.size.X) / 2, float64(s.size.Y) / 2
	}
	return s.cx, s.cy
}

// zoomTo sets the zoom. The point of the image at a position of the stage stays there.
func (s *stage) zoomTo(z float64, at fyne.Position) {
	if s.pixels == nil {
		return
	}
	z = min(max(z, leastZoom), mostZoom)
	f := s.scale()
	w, h := s.viewport()
	dx, dy := float64(at.X)*f-w/2, float64(at.Y)*f-h/2
	cx, cy := s.center()
	old := s.current()
	s.cx, s.cy = cx+dx/old-dx/z, cy+dy/old-dy/z
	s.fit, s.zoom = false, z
	s.moved()
	s.shifted()
}

func (s *stage) middle() fyne.Position {
	return fyne.NewPos(s.Size().Width/2, s.Size().Height/2)
}

func (s *stage) toFit() {
	s.fit = true
	s.moved()
	s.shifted()
}

// toggle switches between fitted and 100 %.
func (s *stage) toggle() {
	if s.fit {
		s.zoomTo(1, s.middle())
	} else {
		s.toFit()
	}
}

// pan moves the picture, by a distance in Fyne units. A fitted picture does not move.
func (s *stage) pan(dx, dy float32) {
	if s.fit {
		return
	}
	f := s.scale()
	s.cx -= float64(dx) * f / s.zoom
	s.cy -= float64(dy) * f / s.zoom
	s.moved()
	s.shifted()
}

// moved redraws in low quality, and in high quality after the movement has ended.
func (s *stage) moved() {
	s.clamp()
	s.moving = true
	s.moves++
	moves := s.moves
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(settleAfter, func() {
		s.k.Do(func() {
			if moves == s.moves {
				s.moving = false
				s.raster.Refresh()
			}
		})
	})
	s.raster.Refresh()
	s.changed()
}

// as copies zoom and place from another stage, relative to the size of the pictures:
// both show the same part, even if one has twice the pixels.
func (s *stage) as(o *stage) {
	if s.pixels == nil || o.pixels == nil {
		return
	}
	if s.fit = o.fit; !s.fit {
		rx := float64(s.size.X) / float64(o.size.X)
		ry := float64(s.size.Y) / float64(o.size.Y)
		s.zoom, s.cx, s.cy = min(max(o.zoom/rx, leastZoom), mostZoom), o.cx*rx, o.cy*ry
	}
	s.moved()
}

// draw paints the viewport: the background, a white matte, and the visible part of the
// picture.
func (s *stage) draw(w, h int) image.Image {
	s.w, s.h = w, h
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, out.Rect, image.NewUniform(s.k.P.Window), image.Point{}, draw.Src)
	if s.pixels == nil || s.blank || w == 0 || h == 0 {
		return out
	}
	z := s.current()
	cx, cy := s.center()
	x0, y0 := math.Round(float64(w)/2-cx*z), math.Round(float64(h)/2-cy*z)
	dst := image.Rect(int(x0), int(y0), int(math.Round(x0+float64(s.size.X)*z)), int(math.Round(y0+float64(s.size.Y)*z)))
	draw.Draw(out, dst.Inset(-frame(s.fit)), image.NewUniform(s.k.P.Matte), image.Point{}, draw.Src)
	if !s.drawSharp(out, dst) {
		each := z
		if n := s.pixels.Rect.Dx(); n != s.size.X { // a preview's pixels are larger
			each = float64(dst.Dx()) / float64(n)
		}
		s.scaled(out, dst, each)
	}
	s.drawMarks(out, x0, y0, z)
	s.drawNotes(out, x0, y0, z)
	return out
}

// frame returns how far the matte extends beyond the picture, in screen pixels; 0
// unless the picture is fitted.
func frame(fit bool) int {
	if fit {
		return 10
	}
	return 0
}

func (s *stage) scaled(out *image.RGBA, dst image.Rectangle, z float64) {
	if z == 1 {
		draw.Draw(out, dst, s.pixels, s.pixels.Rect.Min, draw.Over)
		return
	}
	// Draw only the visible part. Its edges are on whole pixels of the image, so that
	// nothing shifts while the user moves it.
	vis := dst.Intersect(out.Rect)
	if vis.Empty() {
		return
	}
	sx0 := int(math.Floor(float64(vis.Min.X-dst.Min.X) / z))
	sy0 := int(math.Floor(float64(vis.Min.Y-dst.Min.Y) / z))
	sx1 := int(math.Ceil(float64(vis.Max.X-dst.Min.X) / z))
	sy1 := int(math.Ceil(float64(vis.Max.Y-dst.Min.Y) / z))
	part := image.Rect(sx0, sy0, sx1, sy1).Intersect(s.pixels.Rect)
	to := image.Rect(
		dst.Min.X+int(math.Round(float64(part.Min.X)*z)), dst.Min.Y+int(math.Round(float64(part.Min.Y)*z)),
		dst.Min.X+int(math.Round(float64(part.Max.X)*z)), dst.Min.Y+int(math.Round(float64(part.Max.Y)*z)))
	s.interpolator(z).Scale(out, to, s.pixels, part, xdraw.Over, nil)
}

// interpolator returns a fast interpolator while the picture moves, and a good one
// otherwise.
func (s *stage) interpolator(z float64) xdraw.Interpolator {
	switch {
	case z >= crispFrom && s.pixels.Rect.Dx() == s.size.X:
		return xdraw.NearestNeighbor
	case s.moving || s.playing:
		return xdraw.ApproxBiLinear
	case z > 1:
		return xdraw.BiLinear
	default:
		return xdraw.CatmullRom
	}
}

// TappedSecondary implements fyne.SecondaryTappable.
func (s *stage) TappedSecondary(e *fyne.PointEvent) { s.secondary(e.AbsolutePosition) }

// CreateRenderer implements fyne.Widget.
func (s *stage) CreateRenderer() fyne.WidgetRenderer {
	ground := canvas.NewRectangle(color.Transparent)
	objects := []fyne.CanvasObject{ground, s.raster}
	if s.over != nil {
		objects = append(objects, s.over.objects()...)
	}
	return &stageRenderer{s, objects}
}

type stageRenderer struct {
	s       *stage
	objects []fyne.CanvasObject
}

func (r *stageRenderer) Layout(size fyne.Size) {
	kit.Place(r.s.raster, 0, 0, size.Width, size.Height)
	r.s.clamp()
	r.s.changed()
}
func (r *stageRenderer) MinSize() fyne.Size           { return fyne.NewSize(80, 80) }
func (r *stageRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *stageRenderer) Destroy()                     {}
func (r *stageRenderer) Refresh()                     { r.s.raster.Refresh() }
