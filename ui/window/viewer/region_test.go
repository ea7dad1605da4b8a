package viewer

import (
	"image"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// newMarkedView opens a picture in a viewer whose regions are kept in a map.
func newMarkedView(t *testing.T, scale float32) (*View, map[string]image.Rectangle) {
	t.Helper()
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	q, kept, lib := uitest.NewQueue(), make(map[string]image.Rectangle), twoPlots(t)
	v := New(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, lib, Actions{
		Close: func() {}, Strip: func() {}, Version: func() {},
		Region: RegionActions{
			Of:  func(id string) image.Rectangle { return kept[id] },
			Set: func(id string, r image.Rectangle) { kept[id] = r },
		},
	})
	t.Cleanup(v.Close)
	w := test.NewWindow(v)
	w.SetPadded(false)
	w.Canvas().(interface{ SetScale(float32) }).SetScale(scale)
	w.Resize(fyne.NewSize(800, 600+barHeight))
	t.Cleanup(w.Close)
	open(t, v, q, "img00001", "img00001", "img00002")
	return v, kept
}

func press(s *stage, from, to fyne.Position, mod fyne.KeyModifier) {
	e := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary, Modifier: mod}
	e.Position = from
	s.MouseDown(e)
	d := &fyne.DragEvent{Dragged: fyne.NewDelta(to.X-from.X, to.Y-from.Y)}
	d.Position = to
	s.Dragged(d)
	s.MouseUp(e)
	s.DragEnd()
}

// TestARegionStaysOnItsPixels: at any density and zoom, and wherever the picture is moved.
func TestARegionStaysOnItsPixels(t *testing.T) {
	for _, scale := range []float32{1, 1.5, 2} {
		v, kept := newMarkedView(t, scale)
		s := v.stage
		at := func(p image.Point) fyne.Position { return s.positionOf(float64(p.X), float64(p.Y)) }
		want := image.Rect(100, 60, 300, 200)
		press(s, at(want.Max), at(want.Min), fyne.KeyModifierShift)
		got := kept["img00001"]
		for _, d := range []int{got.Min.X - want.Min.X, got.Min.Y - want.Min.Y, got.Max.X - want.Max.X, got.Max.Y - want.Max.Y} {
			if max(d, -d) > 1 {
				t.Fatalf("scale %v: %v, want %v", scale, got, want)
			}
		}
		shown := func(what string) {
			t.Helper()
			a := s.positionOf(float64(got.Min.X), float64(got.Min.Y))
			line := v.region.line[0]
			if math.Abs(float64(line.Position().X-a.X)) > 1 || math.Abs(float64(line.Position().Y-a.Y)) > 1 {
				t.Errorf("scale %v, %s: the edge is at %v, its pixel at %v", scale, what, line.Position(), a)
			}
		}
		shown("fitted")
		s.zoomTo(s.current()*1.3, s.middle())
		shown("zoomed")
		s.pan(20, 10)
		shown("moved")
		v.region.zoom()
		w, h := s.viewport()
		if size := float64(got.Dx()) * s.current(); size > w || size < w*0.3 && float64(got.Dy())*s.current() < h*0.3 || s.fit {
			t.Errorf("scale %v: zoomed to %v of %v", scale, size, w)
		}
		before := [2]float64{s.cx, s.cy}
		press(s, s.middle(), s.middle().AddXY(30, 30), 0)
		if kept["img00001"] != got || before == [2]float64{s.cx, s.cy} {
			t.Errorf("scale %v: a drag without Shift does not move the picture", scale)
		}
	}
}
