package viewer

import (
	"image"
	"image/draw"
	"math"
	"time"

	"easel/ui/core/picture"
)

const (
	// sharpenAfter is how long a zoom has to stand before its picture is drawn anew: the user
	// may zoom on.
	sharpenAfter = 400 * time.Millisecond
	// sharpFrom is by how much a zoom has to differ from 100 %.
	sharpFrom = 0.04
	// sharpPixels bounds a picture that is drawn anew.
	sharpPixels = 16_000_000
)

// A Drawing says how a picture is drawn anew: with Scale times its pixels, or laid out for a
// size.
type Drawing struct {
	Scale         float64
	Width, Height float64 // inches; 0 with Scale
	DPI           float64 // 0 with Scale
}

// A sharpener has the picture of the viewer drawn anew, by its kernel, at the zoom at which it
// is shown. It takes the place of the scaled pixels, and nothing moves.
//
// Invariant: at most one picture is asked for, which cancel gives up.
type sharpener struct {
	v      *View
	timer  *time.Timer
	asked  int    // grows with each change; an answer to an earlier one is ignored
	cancel func() // nil if nothing was asked for
}

// change is called when the picture or its zoom has changed.
func (s *sharpener) change() {
	s.stop()
	if _, ok := s.scale(); !ok {
		return
	}
	asked := s.asked
	s.timer = time.AfterFunc(sharpenAfter, func() {
		s.v.k.Do(func() {
			if s.asked == asked {
				s.ask()
			}
		})
	})
}

// stop gives up what is being drawn.
func (s *sharpener) stop() {
	s.asked++
	if s.timer != nil {
		s.timer.Stop()
	}
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}

// scale is by how much the picture is scaled, and whether it is worth drawing anew.
func (s *sharpener) scale() (z float64, ok bool) {
	v := s.v
	if v.act.Redraw == nil || v.stage.pixels == nil || v.blank || v.small || v.problem != nil || v.movie.has() || v.layout.draws() {
		return 0, false
	}
	if v.layout.laid == nil && (v.shown.MIMEType != picture.PNG || v.shown.SessionID == "") {
		return 0, false
	}
	z = v.stage.current()
	area := z * z * float64(v.stage.size.X) * float64(v.stage.size.Y)
	return z, math.Abs(z-1) > sharpFrom && z < crispFrom && area < sharpPixels && v.stage.sharpAt(v.stage.drawn()) == nil
}

func (s *sharpener) ask() {
	z, ok := s.scale()
	if !ok {
		return
	}
	asked, pixels := s.asked, s.v.stage.pixels
	d := Drawing{Scale: z}
	if l := s.v.layout; l.laid != nil {
		d = l.as.drawing()
		d.DPI *= z
	}
	s.cancel = s.v.act.Redraw(s.v.shown, d, func(m *image.RGBA, _ string) {
		if s.asked != asked {
			return
		}
		if m != nil && s.v.stage.pixels == pixels {
			s.v.stage.sharpen(m)
		}
	})
}

// sharpen shows a picture that was drawn anew, while the zoom is that for which it was drawn.
func (s *stage) sharpen(m *image.RGBA) {
	s.sharp = m
	s.raster.Refresh()
}

// drawn is the size at which the whole picture is drawn, in screen pixels.
func (s *stage) drawn() image.Point {
	z := s.current()
	return image.Pt(int(math.Round(float64(s.size.X)*z)), int(math.Round(float64(s.size.Y)*z)))
}

// rounding is by how many pixels a picture that was drawn anew may differ from its place.
const rounding = 3

// sharpAt is the picture that was drawn anew for a size; nil if there is none.
func (s *stage) sharpAt(size image.Point) *image.RGBA {
	if s.sharp == nil {
		return nil
	}
	if d := s.sharp.Rect.Size().Sub(size); max(d.X, -d.X, d.Y, -d.Y) > rounding {
		return nil
	}
	return s.sharp
}

// drawSharp draws the picture that was drawn anew, if there is one for this size.
func (s *stage) drawSharp(out *image.RGBA, dst image.Rectangle) bool {
	m := s.sharpAt(dst.Size())
	if m == nil {
		return false
	}
	draw.Draw(out, image.Rectangle{Min: dst.Min, Max: dst.Min.Add(m.Rect.Size())}.Intersect(dst), m, m.Rect.Min, draw.Over)
	return true
}
