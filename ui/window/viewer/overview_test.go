package viewer

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// TestTheOverviewSaysWhichPartIsSeen, and moves it.
func TestTheOverviewSaysWhichPartIsSeen(t *testing.T) {
	v, _, _ := newTestView(t, twoPlots(t))
	s := v.stage
	s.set(image.NewRGBA(image.Rect(0, 0, 1600, 1200)), false)
	if _, _, _, _, ok := v.Part(); ok {
		t.Error("the whole picture is seen, and there is an overview")
	}
	s.zoomTo(1, s.middle()) // half of each side
	if x0, y0, x1, y1, ok := v.Part(); !ok || x0 != 0.25 || y0 != 0.25 || x1 != 0.75 || y1 != 0.75 {
		t.Fatalf("seen from %v, %v to %v, %v (%v), want 0.25 to 0.75", x0, y0, x1, y1, ok)
	}
	o := v.overview
	if end := o.Position().AddXY(o.Size().Width, o.Size().Height); end.X > v.Size().Width || end.Y > s.Position().Y+s.Size().Height {
		t.Errorf("the overview ends at %v", end)
	}
	o.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(0, 0)}})
	if x0, y0, x1, y1, _ := v.Part(); x0 != 0 || y0 != 0 || x1 != 0.5 || y1 != 0.5 {
		t.Errorf("after a click at its corner: %v, %v to %v, %v", x0, y0, x1, y1)
	}
	o.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(o.Size().Width, o.Size().Height/2)}})
	if x0, y0, x1, y1, _ := v.Part(); x0 != 0.5 || y0 != 0.25 || x1 != 1 || y1 != 0.75 {
		t.Errorf("after a drag to its right edge: %v, %v to %v, %v", x0, y0, x1, y1)
	}
	s.toFit()
	if _, _, _, _, ok := v.Part(); ok {
		t.Error("the picture is fitted again, and the overview stays")
	}
}

func TestFittedPicturesAreEnlargedWhereTheUserWantsIt(t *testing.T) {
	v, _, _ := newTestView(t, twoPlots(t))
	v.stage.set(image.NewRGBA(image.Rect(0, 0, 190, 140)), false) // an eighth of the viewport
	at := func(full bool, e Enlargement) float64 {
		v.SetFullscreen(full)
		v.SetHabits(Habits{Enlarge: e})
		return v.stage.current()
	}
	for _, c := range []struct {
		full bool
		e    Enlargement
		want float64
	}{
		{false, EnlargeFocused, 1},
		{true, EnlargeFocused, mostEnlarged},
		{false, EnlargeAlways, mostEnlarged},
		{true, EnlargeNever, 1},
	} {
		if got := at(c.full, c.e); got != c.want {
			t.Errorf("fills the window: %v, enlargement %v: shown at %v, want %v", c.full, c.e, got, c.want)
		}
	}
}
