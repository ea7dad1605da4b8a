package viewer

import (
	"image"
	"math"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
)

// inked returns the box of the pixels in the ink of marks.
func inked(s *stage) (box image.Rectangle) {
	w, h := s.viewport()
	m := s.draw(int(w), int(h)).(*image.RGBA)
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if c := m.RGBAAt(x, y); c.R == markInk.R && c.G == markInk.G && c.B == markInk.B {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// TestMarksAreAroundTheirPlaces: at any density and zoom, and wherever the picture is moved.
func TestMarksAreAroundTheirPlaces(t *testing.T) {
	for _, scale := range []float32{1, 1.5, 2} {
		v, _ := newMarkedView(t, scale)
		s := v.stage
		for name, r := range map[string]command.Region{"point": {X0: 331.25, Y0: 240.5, X1: 331.25, Y1: 240.5}, "box": {X0: 300, Y0: 220, X1: 350, Y1: 260}} {
			for step, move := range map[string]func(){
				"fitted": s.toFit, "100 %": func() { s.zoomTo(1, s.middle()) }, "zoomed in": func() { s.zoomTo(3.7, fyne.NewPos(300, 250)) },
				"moved": func() { s.zoomTo(2.3, s.middle()); s.pan(-40, 25) }, "zoomed out": func() { s.zoomTo(0.4, s.middle()) },
			} {
				s.toFit()
				v.Mark("img00001", []command.Region{r})
				move()
				got := inked(s)
				x0, y0 := s.origin()
				z, f := s.current(), s.scale()
				reach := (ringRadius + markLine/2) * f
				if !r.IsPoint() {
					reach = (boxPad + markLine/2) * f
				}
				want := [4]float64{x0 + r.X0*z - reach, y0 + r.Y0*z - reach, x0 + r.X1*z + reach, y0 + r.Y1*z + reach}
				for i, side := range []int{got.Min.X, got.Min.Y, got.Max.X, got.Max.Y} {
					if math.Abs(float64(side)-want[i]) > 1.6 {
						t.Errorf("%s at scale %v, %s: the ink is in %v, want %.1f", name, scale, step, got, want)
						break
					}
				}
			}
		}
	}
}

// TestMarksBelongToAPicture: another one has none, and the first one has them again.
func TestMarksBelongToAPicture(t *testing.T) {
	v, q, _ := newTestView(t, twoPlots(t))
	open(t, v, q, "img00001", "img00001", "img00002")
	v.Mark("img00001", []command.Region{{X0: 100, Y0: 100, X1: 100, Y1: 100}})
	for _, id := range []string{"img00001", "img00002", "img00001"} {
		open(t, v, q, id, "img00001", "img00002")
		if got := !inked(v.stage).Empty(); got != (id == "img00001") {
			t.Errorf("%s has marks: %v", id, got)
		}
	}
	v.Mark("", nil)
	if !inked(v.stage).Empty() {
		t.Error("marks stay")
	}
}

// TestMarksOutsideOfTheViewAreShown: the picture is fitted if none would be in view.
func TestMarksOutsideOfTheViewAreShown(t *testing.T) {
	v, _ := newMarkedView(t, 1)
	s := v.stage
	for i, c := range []struct {
		at  float64
		fit bool
	}{{20, true}, {320, false}} {
		s.zoomTo(4, s.middle())
		v.Mark("img00001", []command.Region{{X0: c.at, Y0: 240, X1: c.at, Y1: 240}})
		if s.fit != c.fit {
			t.Errorf("%d: fitted: %v", i, s.fit)
		}
	}
}

// TestOverlappingRingsAreOneOutline: no line is drawn over points that are marked, however many there are.
func TestOverlappingRingsAreOneOutline(t *testing.T) {
	v, _ := newMarkedView(t, 1)
	s := v.stage
	var row []command.Region
	for i := range 30 {
		x := 200 + 3*float64(i)
		row = append(row, command.Region{X0: x, Y0: 240, X1: x, Y1: 240})
	}
	v.Mark("img00001", row)
	s.zoomTo(1, s.middle())
	w, h := s.viewport()
	m := s.draw(int(w), int(h)).(*image.RGBA)
	x0, y0 := s.origin()
	ink := func(x, y float64) bool {
		c := m.RGBAAt(int(x0+x), int(y0+y))
		return c.R == markInk.R && c.G == markInk.G && c.B == markInk.B
	}
	for x := 200.0; x <= 287; x++ {
		for y := 240 - ringRadius + 2; y <= 240+ringRadius-2; y++ {
			if ink(x, y) {
				t.Fatalf("a line covers %v, %v", x, y)
			}
		}
		if x > 205 && x < 282 && (!ink(x, 240-ringRadius) || !ink(x, 240+ringRadius)) {
			t.Errorf("no line above and below %v", x)
		}
	}
}
