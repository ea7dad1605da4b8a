package viewer

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/library"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// A drawer is a viewer with what draws its pictures anew, which a test answers.
type drawer struct {
	t         *testing.T
	v         *View
	q         *uitest.Queue
	w         fyne.Window
	lib       *uitest.Library
	regions   map[string]image.Rectangle
	asks      []drawingAsked
	cancelled int
	busy      bool
	said      []string
}

type drawingAsked struct {
	id   string
	how  Drawing
	done func(*image.RGBA, string)
}

// newDrawer opens the first of two plots.
func newDrawer(t *testing.T, scale float32) *drawer {
	t.Helper()
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	d := &drawer{t: t, q: uitest.NewQueue(), lib: twoPlots(t), regions: make(map[string]image.Rectangle)}
	d.v = New(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: d.q.Do}, d.lib, Actions{
		Close: func() {}, Strip: func() {}, Version: func() {}, Menu: func(string, fyne.Position) {},
		Region: RegionActions{
			Of:  func(id string) image.Rectangle { return d.regions[id] },
			Set: func(id string, r image.Rectangle) { d.regions[id] = r },
		},
		Redraw: func(im library.Image, how Drawing, done func(*image.RGBA, string)) func() {
			d.asks = append(d.asks, drawingAsked{im.ImageID, how, done})
			return func() { d.cancelled++ }
		},
		Idle: func(library.Image) bool { return !d.busy },
		Say:  func(text string) { d.said = append(d.said, text) },
	})
	t.Cleanup(d.v.Close)
	d.w = test.NewWindow(d.v)
	d.w.SetPadded(false)
	d.w.Canvas().(interface{ SetScale(float32) }).SetScale(scale)
	d.w.Resize(fyne.NewSize(800, 600+barHeight))
	t.Cleanup(d.w.Close)
	d.open("img00001")
	return d
}

func (d *drawer) open(id string) {
	d.t.Helper()
	d.v.Open(id, []string{"img00001", "img00002"}, 1)
	d.q.Until(d.t, "the image to be shown", func() bool { return d.v.shown.ImageID == id && !d.v.blank })
}

// versions opens the second version of a figure, and has it laid out.
func (d *drawer) versions() (figure, second string) {
	d.t.Helper()
	figure = d.lib.Add(0, "figure", "")
	second = d.lib.Update(figure, "")
	d.v.Open(second, []string{second}, 2)
	d.q.Until(d.t, "the versions", func() bool { return d.v.versions.has() && d.v.shown.ImageID == second })
	d.v.ToggleLayout()
	d.answer(d.asked(1))
	return figure, second
}

// both has both plots laid out, and leaves the second one open.
func (d *drawer) both() {
	d.t.Helper()
	d.v.ToggleLayout()
	d.answer(d.asked(1))
	d.open("img00002")
	d.answer(d.asked(2))
}

// asked waits until n pictures were asked for, and then a while for no more.
func (d *drawer) asked(n int) drawingAsked {
	d.t.Helper()
	d.q.Until(d.t, "a picture to be asked for", func() bool { return len(d.asks) >= n })
	d.rest(layoutResizes + 200*time.Millisecond)
	if len(d.asks) != n {
		d.t.Fatalf("asked for %+v, want %d", d.asks, n)
	}
	return d.asks[n-1]
}

// rest lets time pass.
func (d *drawer) rest(wait time.Duration) {
	d.t.Helper()
	over := false
	time.AfterFunc(wait, func() { d.q.Do(func() { over = true }) })
	d.q.Until(d.t, "time to pass", func() bool { return over })
}

// pixels returns what was asked for, in red.
func (a drawingAsked) pixels() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, int(math.Round(a.how.Width*a.how.DPI)), int(math.Round(a.how.Height*a.how.DPI))))
	for i := range m.Pix {
		m.Pix[i] = []uint8{255, 0, 0, 255}[i%4]
	}
	return m
}

func (d *drawer) answer(a drawingAsked) { a.done(a.pixels(), "") }

// laid reports whether the stage shows a laid-out picture, and fails if the viewer says
// something else.
func (d *drawer) laid() bool {
	d.t.Helper()
	s := d.v.stage
	w, h := s.viewport()
	m := s.draw(int(w), int(h)).(*image.RGBA)
	red := m.RGBAAt(int(w/2), int(h/2)) == color.RGBA{255, 0, 0, 255}
	large, _ := d.v.Sights()
	if _, ok := d.v.LaidOut(); ok != red || len(large) != 1 || large[0].Laid != red {
		d.t.Errorf("laid out: %v on the screen; the viewer says %v and %+v", red, ok, large)
	}
	if says := strings.HasPrefix(d.v.layout.note.Full(), "Laid out for this window"); says != red {
		d.t.Errorf("laid out: %v; the caption is %q", red, d.v.layout.note.Full())
	}
	if !red && !bytes.Equal(s.pixels.Pix, d.v.still.Pix) {
		d.t.Error("neither the stored picture nor a laid-out one is shown")
	}
	return red
}

func TestAPlotIsLaidOutForTheWindow(t *testing.T) {
	for _, scale := range []float32{1, 2} {
		d := newDrawer(t, scale)
		if d.rest(300 * time.Millisecond); len(d.asks) != 0 {
			t.Fatalf("asked for %+v before the user wants it", d.asks)
		}
		d.v.ToggleLayout()
		a := d.asked(1)
		w, h := d.v.stage.viewport()
		want := Drawing{Width: (w - 2*margin) / (100 * float64(scale)), Height: (h - 2*margin) / (100 * float64(scale)), DPI: 100 * float64(scale)}
		if a.id != "img00001" || a.how != want {
			t.Fatalf("asked for %s, %+v; want %+v", a.id, a.how, want)
		}
		if d.laid() {
			t.Error("laid out before it was drawn")
		}
		d.answer(a)
		if !d.laid() || d.v.stage.current() != 1 {
			t.Errorf("scale %v: it is not shown, at a zoom of %v", scale, d.v.stage.current())
		}
		d.open("img00002")
		if d.laid() {
			t.Error("the picture of the other plot is shown")
		}
		if a := d.asked(2); a.id != "img00002" || a.how != want {
			t.Fatalf("for the next plot, asked for %s, %+v", a.id, a.how)
		}
		d.answer(d.asks[1])
		if !d.laid() {
			t.Error("the next plot is not laid out")
		}
		d.v.ToggleLayout()
		if d.laid() || !d.v.stage.fit {
			t.Error("turned off, the stored picture is not shown")
		}
		d.rest(300 * time.Millisecond)
		if len(d.asks) != 2 {
			t.Error("turned off, it asks")
		}
	}
}

// TestEachSizeIsLaidOutOnce: when it has settled, and only when the picture before has been
// drawn, because its kernel draws to the end.
func TestEachSizeIsLaidOutOnce(t *testing.T) {
	d := newDrawer(t, 1)
	d.v.ToggleLayout()
	d.answer(d.asked(1))
	for w := float32(790); w >= 700; w -= 10 {
		d.w.Resize(fyne.NewSize(w, 600+barHeight))
		d.rest(20 * time.Millisecond)
	}
	if !d.laid() || len(d.asks) != 1 {
		t.Error("while the user resizes, what was laid out does not stay")
	}
	a := d.asked(2)
	if a.how.Width != 6.6 {
		t.Errorf("asked for %+v", a.how)
	}
	d.w.Resize(fyne.NewSize(640, 600+barHeight))
	d.asked(2) // the earlier one is still being drawn
	d.answer(a)
	if size, _ := d.v.LaidOut(); size.X == 660 {
		t.Error("an outdated picture is shown")
	}
	if a := d.asked(3); a.how.Width != 6 {
		t.Errorf("asked for %+v", a.how)
	}
	d.answer(d.asks[2])
	if size, _ := d.v.LaidOut(); size.X != 600 {
		t.Errorf("laid out for %v", size)
	}
	if d.cancelled != 0 {
		t.Errorf("cancelled %d", d.cancelled)
	}
	d.w.Resize(fyne.NewSize(720, 600+barHeight))
	d.asked(4)
	d.v.ToggleLayout()
	if d.cancelled != 1 {
		t.Error("turned off, the picture is not given up")
	}
	if d.answer(d.asks[3]); d.laid() {
		t.Error("a picture is shown that was given up")
	}
}

// TestARegionIsOneOfTheStoredPicture, which is therefore shown.
func TestARegionIsOneOfTheStoredPicture(t *testing.T) {
	d := newDrawer(t, 1)
	d.v.ToggleLayout()
	d.answer(d.asked(1))
	d.v.SelectRegion()
	if d.laid() {
		t.Fatal("the user cannot select a region in the stored picture")
	}
	d.v.SelectRegion() // changed their mind
	if !d.laid() {
		t.Fatal("it is not laid out again")
	}
	s := d.v.stage
	w, h := s.viewport()
	at := func(x, y float32) fyne.Position { // of the stored picture, which fits
		return fyne.NewPos(float32(w)/2-float32(d.v.shown.Width)/2+x, float32(h)/2-float32(d.v.shown.Height)/2+y)
	}
	press(s, at(100, 60), at(300, 200), fyne.KeyModifierShift)
	if d.laid() || len(d.regions) > 0 {
		t.Fatalf("a drag over the picture that was laid out selected %v of the stored one", d.regions)
	}
	press(s, at(100, 60), at(300, 200), 0)
	got, want := d.regions["img00001"], image.Rect(100, 60, 300, 200)
	if got.Empty() || got.Inset(2).Union(want) != want || want.Inset(2).Union(got) != got {
		t.Errorf("selected %v, want %v", got, want)
	}
	if d.laid() || !strings.Contains(d.v.layout.note.Full(), "while a part of it is selected") {
		t.Errorf("the region is over another picture; %q", d.v.layout.note.Full())
	}
	d.v.Key(fyne.KeyEscape) // removes the region
	d.asked(1)
	if !d.laid() {
		t.Error("without the region, it is not laid out")
	}
}

// TestWhatCannotBeLaidOutStaysAsStored: the caption says why, and each size is tried once. A
// kernel that was busy is asked when it is idle.
func TestWhatCannotBeLaidOutStaysAsStored(t *testing.T) {
	d := newDrawer(t, 1)
	d.v.ToggleLayout()
	d.asked(1).done(nil, "gone")
	caption := func(want string) {
		t.Helper()
		if got := d.v.layout.note.Full(); d.laid() || !strings.HasPrefix(got, "Stored picture: "+want) {
			t.Errorf("the caption is %q, want %q", got, want)
		}
	}
	caption("the kernel no longer has this figure, for example because it was restarted")
	d.v.Open("img00001", []string{"img00001", "img00002"}, 1)
	d.asked(1)
	d.busy = true
	d.open("img00002")
	d.rest(layoutSettles + 100*time.Millisecond)
	caption("the kernel is busy")
	d.v.Open("img00002", []string{"img00001", "img00002"}, 1)
	d.asked(1)
	d.busy = false
	d.v.Open("img00002", []string{"img00001", "img00002"}, 1) // as with each state
	d.asked(2).done(nil, "busy")                              // for a moment
	caption("the kernel is busy")
	d.q.Until(t, "it to be asked again", func() bool { return len(d.asks) == 3 })
	d.answer(d.asks[2])
	if !d.laid() {
		t.Error("when the kernel is idle, it is not laid out")
	}
}

// TestALaidOutPictureIsZoomedAndSharpened: with the same layout.
func TestALaidOutPictureIsZoomedAndSharpened(t *testing.T) {
	d := newDrawer(t, 1)
	d.v.ToggleLayout()
	first := d.asked(1)
	d.answer(first)
	d.v.stage.zoomTo(1.5, d.v.stage.middle())
	a := d.asked(2)
	want := first.how
	want.DPI *= 1.5
	d.answer(a)
	if a.how != want || !d.laid() {
		t.Errorf("zoomed, asked for %+v, want %+v", a.how, want)
	}
	d.w.Resize(fyne.NewSize(700, 600+barHeight)) // nothing moves that the user has zoomed
	d.asked(2)
	d.v.Fit()
	if a := d.asked(3); a.how.Width != 6.6 || a.how.DPI != 100 {
		t.Errorf("fitted, asked for %+v", a.how)
	}
	d.open("img00002")
	d.v.stage.zoomTo(2, d.v.stage.middle())
	d.asks[2].done(d.asks[2].pixels(), "")
	d.rest(layoutResizes)
	if d.laid() || d.v.stage.current() != 2 || !strings.Contains(d.v.layout.note.Full(), "zoomed") {
		t.Errorf("the stored picture that was zoomed is shown at %v, %q", d.v.stage.current(), d.v.layout.note.Full())
	}
}

// TestTheStoredVersionsPlay: otherwise, each would be shown twice.
func TestTheStoredVersionsPlay(t *testing.T) {
	d := newDrawer(t, 1)
	_, second := d.versions()
	if !d.laid() {
		t.Fatal("it is not laid out")
	}
	d.v.Play()
	if d.laid() {
		t.Error("playing, the stored versions are not shown")
	}
	d.q.Until(t, "the end", func() bool { return !d.v.versions.playing && d.v.shown.ImageID == second })
	d.asked(1)
	if !d.laid() {
		t.Error("at the end, the newest is not laid out")
	}
}

// TestAHiddenViewerAsksForNothing: while the comparison or the gallery is shown.
func TestAHiddenViewerAsksForNothing(t *testing.T) {
	d := newDrawer(t, 1)
	d.v.ToggleLayout()
	d.answer(d.asked(1))
	d.v.Hide()
	d.v.Resize(fyne.NewSize(700, 600))
	d.v.told()
	d.asked(1)
	d.v.Show()
	d.v.Resize(fyne.NewSize(700, 600))
	a := d.asked(2)
	if a.how.Width != 6.6 {
		t.Errorf("asked for %+v", a.how)
	}
	for name, leave := range map[string]func(){"the gallery": func() { d.v.Rest(); d.v.Hide() }, "the tray": d.v.Drop} {
		for _, answered := range []bool{true, false} {
			n := len(d.asks)
			a := d.asks[n-1]
			if answered {
				d.answer(a)
			}
			leave()
			if !answered {
				d.answer(a)
			}
			if d.rest(layoutResizes); d.v.layout.laid != nil || len(d.asks) != n {
				t.Errorf("in %s, it shows a picture, or has asked for %d more", name, len(d.asks)-n)
			}
			d.v.Show()
			d.open("img00001")
			if answered && name == "the gallery" { // it is kept
				if d.asked(n); !d.laid() {
					t.Error("back from the gallery, it is not laid out")
				}
				d.w.Resize(d.w.Canvas().Size().SubtractWidthHeight(10, 0))
			}
			d.asked(n + 1)
		}
	}
}
