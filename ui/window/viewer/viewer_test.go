package viewer

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/library"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

func newTestView(t *testing.T, lib *uitest.Library) (*View, *uitest.Queue, *[]string) {
	t.Helper()
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	q := uitest.NewQueue()
	var did []string
	v := New(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, lib, Actions{
		Close: func() { did = append(did, "close") }, Go: func(d string) { did = append(did, d) },
		Rate: func([]string, int) {}, Menu: func(string, fyne.Position) {}, Fullscreen: func() {},
		Open: func(id string) { did = append(did, "open "+id) }, Strip: func() {}, Former: func(library.Image) {}, Present: func() {},
	})
	t.Cleanup(v.Close)
	w := test.NewWindow(v)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(800, 600+barHeight))
	t.Cleanup(w.Close)
	return v, q, &did
}

func open(t *testing.T, v *View, q *uitest.Queue, id string, ids ...string) {
	t.Helper()
	v.Open(id, ids, 1)
	q.Until(t, "the image to be shown", v.Settled)
}

func twoPlots(t testing.TB) *uitest.Library {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	lib.Add(0, "first", "")
	lib.Add(0, "second", "")
	return lib
}

func TestSmallImagesAreNotEnlargedAndLargeOnesFit(t *testing.T) {
	v, _, _ := newTestView(t, uitest.NewLibrary(t))
	for name, c := range map[string]struct {
		w, h int
		want float64
	}{
		"small": {640, 480, 1}, "wide": {1520, 300, 0.5}, "tall": {300, 5600, 0.1},
	} {
		v.stage.set(image.NewRGBA(image.Rect(0, 0, c.w, c.h)), false)
		if got := v.stage.current(); math.Abs(got-c.want) > 0.001 {
			t.Errorf("%s: fitted at %.3f, want %.3f", name, got, c.want)
		}
	}
}

func TestThePointUnderThePointerStaysWhenZooming(t *testing.T) {
	v, _, _ := newTestView(t, uitest.NewLibrary(t))
	s := v.stage
	s.set(image.NewRGBA(image.Rect(0, 0, 4000, 3000)), false)
	pointer := fyne.NewPos(500, 200)
	under := func() (x, y float64) {
		w, h := s.viewport()
		cx, cy := s.center()
		z := s.current()
		return cx + (float64(pointer.X)-w/2)/z, cy + (float64(pointer.Y)-h/2)/z
	}
	s.zoomTo(1, pointer)
	x0, y0 := under()
	for range 8 {
		s.zoomTo(s.current()*zoomStep, pointer)
	}
	if x, y := under(); math.Abs(x-x0) > 0.01 || math.Abs(y-y0) > 0.01 {
		t.Errorf("the pointer was on %.2f, %.2f of the image, is on %.2f, %.2f", x0, y0, x, y)
	}
	for range 60 {
		s.zoomTo(s.current()*zoomStep, pointer)
	}
	if got := s.current(); got != mostZoom {
		t.Errorf("zoomed to %v, want at most %v", got, mostZoom)
	}
}

func TestPanningStopsAtTheEdges(t *testing.T) {
	v, _, _ := newTestView(t, uitest.NewLibrary(t))
	s := v.stage
	s.set(image.NewRGBA(image.Rect(0, 0, 2000, 2000)), false)
	s.zoomTo(1, s.middle())
	s.pan(100_000, 100_000)
	if s.cx != 400 || s.cy != 300 {
		t.Errorf("panned beyond the edge: the middle is at %v, %v, want 400, 300", s.cx, s.cy)
	}
}

func TestPixelsAreExactAt100Percent(t *testing.T) {
	v, _, _ := newTestView(t, uitest.NewLibrary(t))
	m := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range 16 {
		m.Set(i%4, i/4, color.NRGBA{uint8(i * 16), 100, 50, 255})
	}
	v.stage.set(m, false)
	out := v.stage.draw(100, 100).(*image.RGBA)
	for i := range 16 {
		if got, want := out.RGBAAt(48+i%4, 48+i/4), m.RGBAAt(i%4, i/4); got != want {
			t.Errorf("pixel %d: %v, want %v", i, got, want)
		}
	}
}

func TestTransparentPlotsStandOnWhite(t *testing.T) {
	v, _, _ := newTestView(t, uitest.NewLibrary(t))
	v.stage.set(image.NewRGBA(image.Rect(0, 0, 50, 50)), false)
	out := v.stage.draw(100, 100).(*image.RGBA)
	if got := out.RGBAAt(50, 50); got != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("behind a transparent plot: %v, want white", got)
	}
}

func TestLockKeepsZoomAndPlaceForTheNextImage(t *testing.T) {
	v, q, _ := newTestView(t, twoPlots(t))
	open(t, v, q, "img00001", "img00001", "img00002")
	v.ToggleLock()
	v.stage.zoomTo(4, fyne.NewPos(10, 10))
	x, y := v.stage.cx, v.stage.cy
	open(t, v, q, "img00002", "img00001", "img00002")
	if v.stage.fit || v.stage.zoom != 4 || v.stage.cx != x || v.stage.cy != y {
		t.Errorf("locked: fit %v, zoom %v at %v, %v; want zoom 4 at %v, %v", v.stage.fit, v.stage.zoom, v.stage.cx, v.stage.cy, x, y)
	}
	v.ToggleLock()
	open(t, v, q, "img00001", "img00001", "img00002")
	if !v.stage.fit {
		t.Error("unlocked: the next image is not fitted")
	}
}

func TestTheWheelGoesOnWhileFittedAndMovesWhileZoomed(t *testing.T) {
	v, q, did := newTestView(t, twoPlots(t))
	open(t, v, q, "img00001", "img00001", "img00002")
	down := &fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -10)}
	v.stage.Scrolled(down)
	if len(*did) != 1 || (*did)[0] != "next" {
		t.Fatalf("the wheel did %v, want next", *did)
	}
	v.stage.zoomTo(8, v.stage.middle())
	y := v.stage.cy
	v.stage.Scrolled(down)
	if len(*did) != 1 || v.stage.cy <= y {
		t.Errorf("zoomed, the wheel did %v and moved from %v to %v", *did, y, v.stage.cy)
	}
}

func TestAnUnreadableImageSaysSo(t *testing.T) {
	lib := twoPlots(t)
	lib.Damage("img00001")
	v, q, _ := newTestView(t, lib)
	open(t, v, q, "img00001", "img00001")
	if v.problem == nil {
		t.Error("nothing says that the image cannot be shown")
	}
}

// TestAPictureThatIsGoneKeepsItsTitle: its file was renamed while it is shown.
func TestAPictureThatIsGoneKeepsItsTitle(t *testing.T) {
	v, q, _ := newTestView(t, twoPlots(t))
	open(t, v, q, "img00001", "img00001")
	title := v.title.Full()
	missing := library.Image{}
	missing.ImageID = "img00001"
	v.show(loadedImage{im: missing, as: v.last.as + 1, err: fmt.Errorf("%w: file %q", library.ErrNotFound, "hash")})
	texts := strings.Join(uitest.Texts(fyne.CurrentApp().Driver().CanvasForObject(v)), "\n")
	if got := v.title.Full(); got != title || !strings.Contains(texts, "deleted, moved or renamed") || strings.Contains(texts, "hash") {
		t.Errorf("the title %q, want %q; it says %s", got, title, texts)
	}
}

// halting is a library that waits for the test before it reads an image.
type halting struct {
	*uitest.Library
	began chan string
	let   chan struct{}
}

func (h *halting) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	h.began <- id
	<-h.let
	return h.Library.Read(ctx, id)
}

func TestANeighbourThatIsBeingReadIsShownWhenItsTurnComes(t *testing.T) {
	lib := &halting{Library: twoPlots(t), began: make(chan string, 8), let: make(chan struct{}, 8)}
	q := uitest.NewQueue()
	var shown []string
	l := newLoader(lib, q.Do, func(k loadedImage) { shown = append(shown, k.im.ImageID) })
	defer l.close()
	defer close(lib.let)
	l.load("img00001", []string{"img00002"})
	<-lib.began
	lib.let <- struct{}{}
	<-lib.began // the neighbour is being read
	if _, ok := l.load("img00002", []string{"img00001"}); ok {
		t.Fatal("it is kept before it was read")
	}
	lib.let <- struct{}{}
	q.Until(t, "the neighbour to be shown", func() bool { return len(shown) == 2 && shown[1] == "img00002" })
}

// TestAZoomedPictureIsDrawnAnew: what is drawn for a zoom is shown at it, in the same place,
// and only at it.
func TestAZoomedPictureIsDrawnAnew(t *testing.T) {
	v, q, _ := newTestView(t, twoPlots(t))
	type asked struct {
		id   string
		how  Drawing
		done func(*image.RGBA, string)
	}
	var asks []asked
	cancelled := 0
	v.act.Redraw = func(im library.Image, d Drawing, done func(*image.RGBA, string)) func() {
		asks = append(asks, asked{im.ImageID, d, done})
		return func() { cancelled++ }
	}
	open(t, v, q, "img00001", "img00001", "img00002")
	if len(asks) != 0 {
		t.Fatalf("at 100 %%, asked for %+v", asks)
	}
	v.stage.zoomTo(1.5, v.stage.middle())
	before := v.stage.draw(800, 600).(*image.RGBA)
	q.Until(t, "it to be drawn anew", func() bool { return len(asks) == 1 })
	if asks[0].id != "img00001" || asks[0].how != (Drawing{Scale: 1.5}) {
		t.Fatalf("asked for %+v", asks[0])
	}
	red := image.NewRGBA(image.Rect(0, 0, v.stage.size.X*3/2+1, v.stage.size.Y*3/2)) // a pixel more, by rounding
	for i := range red.Pix {
		red.Pix[i] = []uint8{255, 0, 0, 255}[i%4]
	}
	asks[0].done(red, "")
	after := v.stage.draw(800, 600).(*image.RGBA)
	ground := color.RGBAModel.Convert(v.k.P.Window)
	for y := range 600 {
		for x := range 800 {
			outside := before.At(x, y) == ground
			if anew := after.At(x, y) == (color.RGBA{255, 0, 0, 255}); anew == outside {
				t.Fatalf("at %d, %d: drawn anew %v, outside of the picture %v", x, y, anew, outside)
			}
		}
	}
	v.stage.zoomTo(2, v.stage.middle())
	if v.stage.draw(800, 600).At(400, 300) == (color.RGBA{255, 0, 0, 255}) {
		t.Error("it is shown at another zoom")
	}
	q.Until(t, "the next zoom to be drawn", func() bool { return len(asks) == 2 })
	open(t, v, q, "img00002", "img00001", "img00002")
	if cancelled != 2 { // the first one had its answer
		t.Errorf("cancelled %d times, want each when the user went on", cancelled)
	}
	asks[1].done(red, "")
	if v.stage.sharp != nil {
		t.Error("the picture of another plot is shown")
	}
}

// TestTheBarOfANarrowViewer has room for all that it shows.
func TestTheBarOfANarrowViewer(t *testing.T) {
	lib := aFigure(t)
	lib.Draw(page, "")
	v, q, _ := newTestView(t, lib)
	open(t, v, q, page, "img00001", page)
	v.found.SetText("12")
	v.found.Show()
	for width := float32(300); width < 900; width += 50 {
		v.Resize(fyne.NewSize(width, 400))
		end := float32(0)
		for _, o := range v.bar.row.(*fyne.Container).Objects {
			if !o.Visible() {
				continue
			}
			if o.Position().X < end || o == v.title && o.Size().Width < 40 {
				t.Errorf("at %v, %T begins at %v with the width %v, after what ends at %v", width, o, o.Position().X, o.Size().Width, end)
			}
			end = o.Position().X + o.Size().Width
		}
		if end > width {
			t.Errorf("at %v, the bar ends at %v", width, end)
		}
	}
}
