package kit_test

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

func wheel(dy float32) *fyne.ScrollEvent { return &fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, dy)} }

// tall returns a Scroll of 200 by 100 in a window, whose content has the given height.
func tall(t *testing.T, k *kit.Kit, high float32) *kit.Scroll {
	t.Helper()
	content := canvas.NewRectangle(nil)
	content.SetMinSize(fyne.NewSize(200, high))
	s := k.VScroll(content, func() float32 { return 40 })
	w := test.NewWindow(s)
	t.Cleanup(w.Close)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(200, 100))
	return s
}

func TestANotchIsAStepAndASpinIsSeveral(t *testing.T) {
	test.NewTempApp(t)
	now := uitest.Start
	k := &kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: uitest.NewQueue().Do, Now: func() time.Time { return now }}
	s := tall(t, k, 10_000)
	s.Scrolled(wheel(-25))
	if s.Offset.Y != 40 {
		t.Errorf("one notch went %v, want 40", s.Offset.Y)
	}
	now = now.Add(time.Second)
	s.Scrolled(wheel(-25))
	if s.Offset.Y != 80 {
		t.Errorf("two slow notches went %v, want 80", s.Offset.Y)
	}
	from := s.Offset.Y
	for range 20 {
		now = now.Add(20 * time.Millisecond)
		s.Scrolled(wheel(-25))
	}
	if went := s.Offset.Y - from; went < 50*40 {
		t.Errorf("twenty quick notches went %v, want more than 50 steps of 40", went)
	}
	from, now = s.Offset.Y, now.Add(time.Second)
	s.Scrolled(wheel(-3))
	if went := s.Offset.Y - from; went != 6 {
		t.Errorf("a touchpad went %v, want 6", went)
	}
	s.To(1e9)
	if s.Offset.Y != 9_900 {
		t.Errorf("the end is %v, want 9900", s.Offset.Y)
	}
	s.Page(-1)
	if s.Offset.Y >= 9_900 || s.Offset.Y < 9_800 {
		t.Errorf("a page up from the end is %v", s.Offset.Y)
	}
}
