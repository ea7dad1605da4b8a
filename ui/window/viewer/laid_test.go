package viewer

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// TestAPictureIsLaidOutOnceForASize: going back to it shows it at once, even if the kernel is
// busy or gone by now. Another size is another picture.
func TestAPictureIsLaidOutOnceForASize(t *testing.T) {
	d := newDrawer(t, 1)
	d.both()
	d.busy = true
	for range 2 {
		for _, id := range []string{"img00001", "img00002"} {
			if d.open(id); !d.laid() || len(d.asks) != 2 {
				t.Fatalf("%s is laid out: %v, after %d requests", id, d.laid(), len(d.asks))
			}
		}
	}
	d.asked(2)
	d.busy = false
	d.w.Resize(fyne.NewSize(700, 600+barHeight))
	d.answer(d.asked(3))
	d.w.Resize(fyne.NewSize(800, 600+barHeight))
	if size, _ := d.v.LaidOut(); size.X != 760 || !d.laid() {
		t.Errorf("back at the first size, it is laid out for %v", size)
	}
	d.asked(3)
	d.v.ToggleLayout()
	d.v.ToggleLayout()
	if d.asked(3); !d.laid() {
		t.Error("turned off and on, it is not laid out")
	}
}

// TestAnAnswerThatComesLateIsKept: the kernel has drawn it anyway.
func TestAnAnswerThatComesLateIsKept(t *testing.T) {
	d := newDrawer(t, 1)
	d.v.ToggleLayout()
	a := d.asked(1)
	d.open("img00002")
	if d.answer(a); d.laid() {
		t.Fatal("the picture of the other plot is shown")
	}
	d.answer(d.asked(2))
	d.open("img00001")
	if d.asked(2); !d.laid() {
		t.Error("it is not laid out")
	}
}

// TestWhatIsKeptEndsWithItsImage: when an image is deleted, or when the window is hidden.
func TestWhatIsKeptEndsWithItsImage(t *testing.T) {
	d := newDrawer(t, 1)
	d.both()
	d.v.Open("img00002", []string{"img00002"}, 2) // the other one was deleted
	if n := len(d.v.layout.kept); n != 1 || d.v.layout.kept[0].key.image != "img00002" {
		t.Errorf("%d pictures are kept", n)
	}
	d.v.Drop()
	if n := len(d.v.layout.kept); n != 0 {
		t.Errorf("the hidden window keeps %d pictures", n)
	}
}

// TestVersionsAreLaidOutEach: what was laid out for one is not shown for another.
func TestVersionsAreLaidOutEach(t *testing.T) {
	d := newDrawer(t, 1)
	figure, second := d.versions()
	step := func(by int, to string) {
		d.v.Step(by)
		d.q.Until(t, "the version", func() bool { return d.v.shown.ImageID == to })
	}
	if step(-1, figure); d.laid() {
		t.Fatal("the older version is shown as the newer one")
	}
	if a := d.asked(2); a.id != figure {
		t.Fatalf("asked for %s", a.id)
	}
	d.answer(d.asks[1])
	for range 2 {
		if step(1, second); !d.laid() {
			t.Error("the newest version is not laid out")
		}
		if step(-1, figure); !d.laid() {
			t.Error("the older version is not laid out")
		}
	}
	d.asked(2)
}

// TestWhatWasLaidOutIsTakenOver by the viewer of a window that is built again.
func TestWhatWasLaidOutIsTakenOver(t *testing.T) {
	d := newDrawer(t, 1)
	d.v.ToggleLayout()
	d.answer(d.asked(1))
	was, act := d.v, d.v.act
	was.Close()
	d.v = New(&kit.Kit{P: &theme.Dark, Tr: i18n.New("en"), Do: d.q.Do}, d.lib, act)
	t.Cleanup(d.v.Close)
	d.v.KeepLayouts(was)
	d.v.SetLayout(true)
	d.w.SetContent(d.v)
	d.open("img00001")
	if d.asked(1); !d.laid() {
		t.Error("it is not laid out in the new window")
	}
}

func TestTheLimitsOfWhatIsKept(t *testing.T) {
	var l layouts
	key := func(n int) layoutKey { return layoutKey{how: Drawing{Width: float64(n)}} }
	picture := func(bytes int) *image.RGBA { return &image.RGBA{Pix: make([]byte, bytes)} }
	has := func(what string, want ...int) {
		t.Helper()
		if len(l) != len(want) {
			t.Fatalf("%s, %d are kept, want %v", what, len(l), want)
		}
		for i, n := range want {
			if l[i].key != key(n) {
				t.Errorf("%s, %v is kept as number %d, want %d", what, l[i].key, i, n)
			}
		}
	}
	for n := range keptLayouts {
		l.keep(key(n), picture(4))
	}
	if l.find(key(0)) == nil || l.find(key(keptLayouts)) != nil {
		t.Error("another one is found")
	}
	l.keep(key(100), picture(4))
	if len(l) != keptLayouts || l.find(key(1)) != nil || l.find(key(0)) == nil {
		t.Error("the one that was used last is released first")
	}
	l.keep(key(100), picture(4))
	if len(l) != keptLayouts {
		t.Errorf("one is kept twice: %d", len(l))
	}
	l = nil
	l.keep(key(1), picture(keptLayoutBytes/2))
	l.keep(key(2), picture(keptLayoutBytes/2))
	has("at the limit", 1, 2)
	l.keep(key(3), picture(4))
	has("beyond it", 2, 3)
	l.keep(key(4), picture(keptLayoutBytes+1))
	has("with one that is too large", 2, 3)
}
