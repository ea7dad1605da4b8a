package viewer

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

func newTestCompare(t *testing.T, lib Library) (*Compare, *uitest.Queue, *[]string) {
	t.Helper()
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	q := uitest.NewQueue()
	var did []string
	c := NewCompare(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, lib, CompareActions{
		Close: func() { did = append(did, "close") }, Open: func(id string) { did = append(did, "open "+id) },
		Menu: func(string, fyne.Position) {}, Fullscreen: func() {},
	})
	t.Cleanup(c.Close)
	w := test.NewWindow(c)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(1000, 700))
	t.Cleanup(w.Close)
	return c, q, &did
}

func TestComparedImagesMoveTogether(t *testing.T) {
	c, q, _ := newTestCompare(t, twoPlots(t))
	c.Open([]string{"img00001", "img00002"})
	q.Until(t, "both images", c.Settled)
	a, b := c.panes[0].stage, c.panes[1].stage
	if a.Size() != b.Size() || a.Size().Width < 490 {
		t.Errorf("side by side they are %v and %v large", a.Size(), b.Size())
	}
	a.zoomTo(3, fyne.NewPos(100, 100))
	a.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(-30, -12)})
	if b.fit || b.zoom != 3 || math.Abs(a.cx-b.cx)+math.Abs(a.cy-b.cy) > 1e-9 {
		t.Errorf("one at %v about %v, %v; the other fit=%v at %v about %v, %v", a.zoom, a.cx, a.cy, b.fit, b.zoom, b.cx, b.cy)
	}
	b.DoubleTapped(&fyne.PointEvent{})
	if !a.fit || !b.fit {
		t.Error("fitting one did not fit the other")
	}
}

func TestComparedVersionsSayWhichIsTheNewest(t *testing.T) {
	lib := twoPlots(t)
	newest := lib.Update("img00001", "plt.plot(x ** 2)")
	c, q, _ := newTestCompare(t, lib)
	c.Open([]string{"img00001", newest})
	q.Until(t, "both images", c.Settled)
	earlier, latest := c.panes[0].head.detail.Full(), c.panes[1].head.detail.Full()
	if !strings.HasSuffix(earlier, " · earlier version") || !strings.HasSuffix(latest, " · newest version") {
		t.Errorf("%q beside %q", earlier, latest)
	}
}

func TestTheSamePartIsInSightOfALargerCopy(t *testing.T) {
	c, _, _ := newTestCompare(t, twoPlots(t))
	small, large := newStage(c.k), newStage(c.k)
	for s, w := range map[*stage]int{small: 400, large: 800} {
		s.Resize(fyne.NewSize(200, 200))
		s.set(image.NewRGBA(image.Rect(0, 0, w, w)), false)
	}
	small.zoomTo(2, fyne.NewPos(50, 60))
	large.as(small)
	if large.zoom != 1 || large.cx != 2*small.cx || large.cy != 2*small.cy {
		t.Errorf("the copy of twice the size is at %v about %v, %v; want 1 about %v, %v", large.zoom, large.cx, large.cy, 2*small.cx, 2*small.cy)
	}
}

func TestFlickerShowsOneInThePlaceOfTheOther(t *testing.T) {
	c, q, did := newTestCompare(t, twoPlots(t))
	c.Open([]string{"img00001", "img00002"})
	q.Until(t, "both images", c.Settled)
	c.Blink()
	was := c.front
	c.Key(fyne.KeySpace)
	if c.front == was || c.beat != nil {
		t.Errorf("Space: picture %d after %d, beating by itself: %v", c.front, was, c.beat != nil)
	}
	c.Blink()
	if c.mode != SideBySide {
		t.Error("B does not end the flicker")
	}
	c.Key(fyne.KeyEscape)
	if len(*did) != 1 || (*did)[0] != "close" {
		t.Errorf("Escape did %v", *did)
	}
}

func TestDifferencesAreFound(t *testing.T) {
	a, b := uitest.Plot(1, 100, 80), uitest.Plot(1, 100, 80)
	for x := range 10 {
		b.Set(40+x, 20, color.NRGBA{200, 0, 0, 255})
	}
	b.Set(0, 0, color.NRGBA{250, 250, 250, 255}) // almost white
	m, n := differences(a, b)
	if n != 10 || m.RGBAAt(45, 20) != (color.RGBA{0xD0, 0x10, 0x90, 0xFF}) || m.RGBAAt(0, 0).R < 0xF0 {
		t.Errorf("%d pixels differ (want 10), one of them is %v, an equal one %v", n, m.RGBAAt(45, 20), m.RGBAAt(0, 0))
	}
	c, q, _ := newTestCompare(t, twoPlots(t))
	c.Open([]string{"img00001", "img00002"})
	q.Until(t, "both images", c.Settled)
	c.SetMode(Difference)
	if c.diff.pixels == nil || c.unlike == 0 {
		t.Errorf("of two different plots %d pixels differ", c.unlike)
	}
	c.Open([]string{"img00001", "img00001"})
	q.Until(t, "both images", c.Settled)
	if got := c.difference(); got != c.k.T("compare.same") {
		t.Errorf("of a plot and itself: %q", got)
	}
}

func TestTheFilmstripHighlightsWhatIsShownAndGoesThere(t *testing.T) {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	var ids []string
	for range 30 {
		ids = append(ids, lib.Add(0, "", ""))
	}
	v, q, did := newTestView(t, lib)
	v.SetStrip(true)
	marked := func() (now string, shown int) {
		for _, f := range v.strip.row {
			if f.now {
				now = f.id
			}
			if f.picture.Pixels() != nil {
				shown++
			}
		}
		return now, shown
	}
	for _, i := range []int{0, 15, 29} {
		v.Open(ids[i], ids, 1)
		q.Until(t, "the filmstrip", func() bool {
			now, shown := marked()
			return v.Settled() && now == ids[i] && shown == len(v.strip.row)
		})
	}
	if n := len(v.strip.row); n != 8 {
		t.Errorf("%d small pictures in 800, want 8", n)
	}
	first := v.strip.row[0]
	test.Tap(first)
	if want := "open " + ids[22]; len(*did) != 1 || (*did)[0] != want {
		t.Errorf("a click on the first did %v, want %s", *did, want)
	}
	first.MouseIn(&desktop.MouseEvent{})
	if first.ring.Hidden {
		t.Error("the pointer over a small picture shows nothing")
	}
	v.strip.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -5)})
	if (*did)[1] != "next" {
		t.Errorf("the wheel over the strip did %v", (*did)[1:])
	}
	v.SetFullscreen(true)
	if v.stripped() {
		t.Error("the strip is there in full screen")
	}
}

func TestTheScreenEnlargesSmallPlots(t *testing.T) {
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	q := uitest.NewQueue()
	s := NewScreen(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, twoPlots(t))
	defer s.Close()
	w := test.NewWindow(s)
	defer w.Close()
	w.SetPadded(false)
	w.Resize(fyne.NewSize(1600, 1000+lineHeight))
	s.Present("img00002", 1)
	q.Until(t, "the plot", func() bool { return s.Shown() == "img00002" })
	if got, want := s.stage.current(), 2.0; got != want {
		t.Errorf("640×480 on 1600×1000: at %v, want %v", got, want)
	}
	s.Present("", 2)
	if s.stage.pixels != nil {
		t.Error("nothing to present, and the old plot is still there")
	}
}
