package e2e

import (
	"image"
	"image/color"
	"testing"

	"easel/ui/window/theme"
)

// TestWindowDrawsItsGrounds checks the colours, edges and round corners of backgrounds and
// cards, which our own shaders draw.
func TestWindowDrawsItsGrounds(t *testing.T) {
	fb := openFramebuffer(t)
	j := startJupyter(t)
	e, _ := launchWindow(t, j)
	session := e.call(t, "session_create", nil)["session_id"]
	for range 2 {
		if got := e.call(t, "execute_code", map[string]any{"session_id": session, "code": colouredPlot}); got["status"] != "ok" {
			t.Fatal(got)
		}
	}
	p := theme.Dark
	of := func(c color.NRGBA) color.RGBA { return color.RGBA{c.R, c.G, c.B, 0xFF} }
	gallery := image.Rect(270, 115, 950, 560)
	var card, other image.Rectangle // cards of the newest plot, which is selected, and of the previous one
	eventually(t, "the cards of the plots", func() bool {
		was := other // the same twice, so that no frame is being drawn
		card = fb.around(gallery, of(p.Accent))
		other = fb.around(image.Rect(card.Max.X, 115, 730, 340), of(p.Raised)) // includes its edge, whose colour is similar
		return other == was && card.Dx() > 150 && card.Dy() > 150 && other.Dx() > 150 && fb.count(card, of(p.Matte)) > 1000
	})
	middle, side := card.Min.X+card.Dx()/2, other.Min.Y+other.Dy()/2
	for _, s := range []struct {
		what string
		x, y int
		want color.NRGBA
	}{
		{"the corner, which is round", card.Min.X, card.Min.Y, p.Window},
		{"the edge", middle, card.Min.Y, p.Accent},
		{"the edge's second pixel", middle, card.Min.Y + 1, p.Accent},
		{"the card behind the edge", middle, card.Min.Y + 2, p.Selected},
		{"the matte", card.Min.X + 12, card.Min.Y + 12, p.Matte},
		{"the matte's corner, which is round", card.Min.X + 4, card.Min.Y + 4, p.Selected},
		{"beside the other card", other.Min.X - 1, side, p.Window},
		{"its edge", other.Min.X, side, p.Line},
		{"its edge, on the right", other.Max.X - 1, side, p.Line},
		{"its edge, where the upper strip ends", other.Min.X, other.Min.Y + 7, p.Line},
		{"its edge, where the lower strip begins", other.Min.X, other.Max.Y - 8, p.Line},
		{"its inside", other.Min.X + 1, side, p.Raised},
		{"its inside, where the lower strip begins", middle - card.Min.X + other.Min.X, other.Max.Y - 8, p.Raised},
		{"its inside, above that", middle - card.Min.X + other.Min.X, other.Max.Y - 9, p.Raised},
		{"its lower edge", middle - card.Min.X + other.Min.X, other.Max.Y - 1, p.Line},
		{"under it", middle - card.Min.X + other.Min.X, other.Max.Y, p.Window},
		{"its corner, which is round", other.Max.X - 1, other.Max.Y - 1, p.Window},
		{"the gallery", card.Max.X + 4, card.Max.Y + 4, p.Window},
		{"the rail", 24, 400, p.Side},
		{"the library", 160, 600, p.Side},
		{"the dock", 800, 700, p.Panel},
	} {
		if got := fb.at(s.x, s.y); !within(2, got, of(s.want)) { // the colours of an edge and its card differ by 8
			t.Errorf("%s, at %d, %d: %v, want %v", s.what, s.x, s.y, got, s.want)
		}
	}
	quit(t, e)
}
