package e2e

import (
	"image"
	"image/color"
	"testing"

	"easel/ui/theme"
)

// TestWindowDrawsItsGrounds: the grounds and cards, which programs of our own draw on the
// graphics card, have their colours, their edges and their round corners.
func TestWindowDrawsItsGrounds(t *testing.T) {
	fb := openFramebuffer(t)
	j := startJupyter(t)
	e, _ := launchWindow(t, j)
	if got := e.call(t, "execute_code", map[string]any{
		"session_id": e.call(t, "session_create", nil)["session_id"], "code": colouredPlot,
	}); got["status"] != "ok" {
		t.Fatal(got)
	}
	p := theme.Dark
	of := func(c color.NRGBA) color.RGBA { return color.RGBA{c.R, c.G, c.B, 0xFF} }
	gallery := image.Rect(270, 115, 950, 560)
	var card image.Rectangle // of the only plot, which is selected
	eventually(t, "the card of the plot", func() bool {
		was := card // twice the same: no frame is just coming
		card = fb.around(gallery, of(p.Accent))
		return card == was && card.Dx() > 150 && card.Dy() > 150 && fb.count(card, of(p.Matte)) > 1000
	})
	middle := card.Min.X + card.Dx()/2
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
		{"the gallery", card.Max.X + 4, card.Max.Y + 4, p.Window},
		{"the rail", 24, 400, p.Side},
		{"the library", 160, 600, p.Side},
		{"the dock", 800, 700, p.Panel},
	} {
		if got := fb.at(s.x, s.y); !near(got, of(s.want)) {
			t.Errorf("%s, at %d, %d: %v, want %v", s.what, s.x, s.y, got, s.want)
		}
	}
	quit(t, e)
}
