package viewer

import (
	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
)

// Sights returns the pictures that the viewer and its filmstrip currently show; see
// [kit.Sight].
func (v *View) Sights() (large, strip []kit.Sight) {
	if s, ok := v.stage.sight(v.seen()); ok && v.problem == nil {
		_, s.Frame, _ = v.Frame()
		_, s.Laid = v.LaidOut()
		large = append(large, s)
	}
	if v.stripped() {
		for _, f := range v.strip.row {
			if s, ok := f.picture.Sight(f.id, v.strip); ok {
				strip = append(strip, s)
			}
		}
	}
	return large, strip
}

// Over returns what covers a part of the picture.
func (v *View) Over() (os []fyne.CanvasObject) {
	if v.overview.Visible() {
		os = append(os, v.overview)
	}
	if !v.full {
		return os
	}
	for _, o := range []fyne.CanvasObject{v.panel, v.strip, v.over.name} {
		if o.Visible() {
			os = append(os, o)
		}
	}
	return os
}

// Highlighted returns the id of the image that the filmstrip highlights; empty if there
// is none.
func (v *View) Highlighted() string {
	for _, f := range v.strip.row {
		if v.stripped() && f.now && !f.ring.Hidden {
			return f.id
		}
	}
	return ""
}

func (s *stage) sight(id string) (kit.Sight, bool) {
	if s.pixels == nil || s.blank {
		return kit.Sight{}, false
	}
	z, f := s.current(), s.scale()
	w, h := s.viewport()
	cx, cy := s.center()
	return kit.Sight{
		ID: id, Of: s, Clip: s,
		At:   fyne.NewPos(float32((w/2-cx*z)/f), float32((h/2-cy*z)/f)),
		Size: fyne.NewSize(float32(float64(s.size.X)*z/f), float32(float64(s.size.Y)*z/f)),
	}, true
}
