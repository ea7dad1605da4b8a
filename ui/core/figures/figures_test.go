package figures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
)

const plotlyMIME = "application/vnd.plotly.v1+json"

// A fakeRenderer draws one colour, or fails, depending on the data. It replaces the engines,
// which have their own tests.
type fakeRenderer struct {
	mu    sync.Mutex
	drew  []string
	fail  map[string]error
	begun chan string   // receives the data of each drawing when it begins; may be nil
	goOn  chan struct{} // each drawing waits for it; may be nil
	html  bool          // it also draws HTML

	prepared chan string // receives the type of each Prepare
}

func (f *fakeRenderer) CanDraw(string) error { return nil }

func (f *fakeRenderer) Draws(mime string) bool {
	return mime == plotlyMIME || f.html && mime == "text/html"
}

func (f *fakeRenderer) Draw(ctx context.Context, r render.Request) (render.Picture, error) {
	if f.begun != nil {
		f.begun <- string(r.Data)
	}
	if f.goOn != nil {
		select {
		case <-f.goOn:
		case <-ctx.Done():
			return render.Picture{}, ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drew = append(f.drew, string(r.Data))
	if err := f.fail[string(r.Data)]; err != nil {
		return render.Picture{}, err
	}
	m := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := range 40 * 30 {
		m.Set(i%40, i/40, color.NRGBA{R: uint8(len(r.Data)), A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return render.Picture{}, err
	}
	return render.Picture{PNG: b.Bytes(), Width: 40, Height: 30, Title: "Title of " + string(r.Data), Blocked: []string{"https://example.org/a.js"}}, nil
}

func (f *fakeRenderer) Prepare(_ context.Context, mime string) error {
	f.prepared <- mime
	return errors.New("it does not start")
}

func (f *fakeRenderer) drawn() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.drew)
}

type fixture struct {
	*Drawer
	lib  *library.Library
	fake *fakeRenderer
	told chan library.Image

	failed chan string
}

// start starts a Drawer with a library and several workers.
func start(t *testing.T, workers int, edit ...func(*fakeRenderer)) *fixture {
	t.Helper()
	lib := coretest.Open(t)
	f := &fixture{lib: lib, fake: &fakeRenderer{fail: make(map[string]error), prepared: make(chan string, 16)}, told: make(chan library.Image, 512), failed: make(chan string, 512)}
	for _, e := range edit {
		e(f.fake)
	}
	f.Drawer = New(Config{
		Library: lib.Images, Renderer: f.fake, Log: slog.New(slog.DiscardHandler),
		Drawn: func(i library.Image) { f.told <- i }, Failed: func(id string) { f.failed <- id },
	})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { f.RunPreparing(ctx) })
	for range workers {
		running.Go(func() { f.Run(ctx) })
	}
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return f
}

func (f *fixture) figure(t *testing.T, data string) library.Image {
	t.Helper()
	im, err := f.lib.Images.Add(t.Context(), library.NewImage{SessionID: "s1", Interactive: picture.Plotly, Forms: []library.Form{
		{MIME: "text/html", Data: []byte("<p>" + data)}, {MIME: plotlyMIME, Data: []byte(data)},
	}})
	require.NoError(t, err)
	return im
}

func ended(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it did not end")
	}
}

func TestAFigureGetsItsPicture(t *testing.T) {
	f := start(t, 1)
	im := f.figure(t, "a")
	done := f.Draw(im)
	ended(t, done)
	got := <-f.told
	want := []any{im.ImageID, "", picture.PNG, 40, "Title of a", "Picture of an interactive Plotly figure, drawn by Easel; not loaded, as figures are drawn offline: https://example.org/a.js"}
	if diff := cmp.Diff(want, []any{got.ImageID, got.Interactive, got.MIMEType, got.Width, got.Title, got.Description}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f.Draw(got) != nil || f.Problem(im.ImageID) != nil {
		t.Error("there is still something to draw")
	}
	ended(t, f.Draw(im)) // an outdated request has no effect
	if drew := f.fake.drawn(); len(drew) != 1 {
		t.Errorf("drew %v", drew)
	}
}

func TestOneFigureIsDrawnOnceForAll(t *testing.T) {
	f := start(t, 2, func(r *fakeRenderer) { r.begun, r.goOn = make(chan string, 8), make(chan struct{}) })
	im := f.figure(t, "a")
	first := f.Draw(im)
	<-f.fake.begun
	if f.Draw(im) != first {
		t.Error("another job for the same figure")
	}
	close(f.fake.goOn)
	ended(t, first)
	if drew := f.fake.drawn(); len(drew) != 1 {
		t.Errorf("drew %v", drew)
	}
}

func TestWhatWasAskedLastIsDrawnFirst(t *testing.T) {
	f := start(t, 1, func(r *fakeRenderer) { r.begun, r.goOn = make(chan string, 64), make(chan struct{}) })
	ended(t, func() <-chan struct{} { // keep the worker busy with another figure
		f.Draw(f.figure(t, "busy"))
		c := make(chan struct{})
		go func() { <-f.fake.begun; close(c) }()
		return c
	}())
	var all []<-chan struct{}
	for i := range 4 {
		all = append(all, f.Draw(f.figure(t, fmt.Sprint(i))))
	}
	close(f.fake.goOn)
	for _, done := range all {
		ended(t, done)
	}
	if drew := strings.Join(f.fake.drawn(), " "); drew != "busy 3 2 1 0" {
		t.Errorf("drew %s", drew)
	}
}

func TestWhatIsRefusedIsNotTriedAgain(t *testing.T) {
	refused, unavailable := &render.RefusedError{Reason: "no such mark"}, &render.UnavailableError{Reason: "no browser", Remedy: "install one"}
	f := start(t, 1, func(r *fakeRenderer) { r.fail = map[string]error{"bad": refused, "later": unavailable} })
	bad, later := f.figure(t, "bad"), f.figure(t, "later")
	ended(t, f.Draw(bad))
	ended(t, f.Draw(later))
	if err := f.Problem(bad.ImageID); err == nil || f.Draw(bad) != nil {
		t.Errorf("refused: %v", err)
	}
	ended(t, f.Draw(later)) // fails as before, which is not reported again
	if a, b := <-f.failed, <-f.failed; a != bad.ImageID || b != later.ImageID || len(f.failed) != 0 {
		t.Errorf("failures reported: %s, %s and %d more", a, b, len(f.failed))
	}
	if err := f.Problem(later.ImageID); !errors.Is(err, unavailable) {
		t.Errorf("unavailable: %v", err)
	}
	f.fake.mu.Lock()
	f.fake.fail = nil
	f.fake.mu.Unlock()
	ended(t, f.Draw(later))
	if err := f.Problem(later.ImageID); err != nil {
		t.Errorf("the engine is there now: %v", err)
	}
	if got, err := f.lib.Images.Image(t.Context(), later.ImageID); err != nil || got.Interactive != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	f := start(t, 1, func(r *fakeRenderer) { r.begun, r.goOn = make(chan string, 1024), make(chan struct{}) })
	busy := f.Draw(f.figure(t, "busy"))
	<-f.fake.begun
	first := f.Draw(f.figure(t, "first"))
	im := f.figure(t, "x")
	var last <-chan struct{}
	for i := range mostWaiting {
		im.ImageID = fmt.Sprintf("id%d", i) // does not exist, so that it ends immediately
		last = f.Draw(im)
	}
	ended(t, first)
	close(f.fake.goOn)
	ended(t, busy)
	ended(t, last)
	if drew := f.fake.drawn(); slices.Contains(drew, "first") {
		t.Errorf("drew %v", drew)
	}
}

func TestAFigureThatIsDeletedWhileItIsDrawn(t *testing.T) {
	f := start(t, 1, func(r *fakeRenderer) { r.begun, r.goOn = make(chan string, 8), make(chan struct{}) })
	im := f.figure(t, "a")
	done := f.Draw(im)
	<-f.fake.begun
	coretest.Mark(t, f.lib.Annotations, func(m *library.Marks) error { m.Trashed = true; return nil }, im.ImageID)
	if _, err := f.lib.Images.PurgeTrash(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	close(f.fake.goOn)
	ended(t, done)
	select {
	case i := <-f.told:
		t.Errorf("told of %+v", i)
	default:
	}
}

// TestWhatNobodyDrawsIsNotQueued checks that Draw ignores figures that no engine draws.
func TestWhatNobodyDrawsIsNotQueued(t *testing.T) {
	f := start(t, 0)
	im := f.figure(t, "a")
	widget := im
	widget.Interactive = picture.Widget
	im.Forms = im.Forms[:1] // only its HTML
	if f.Draw(im) != nil || f.Draw(widget) != nil {
		t.Error("what no engine draws is to be drawn")
	}
	f.fake.html = true
	if f.Draw(im) == nil {
		t.Error("HTML is not drawn")
	}
}

// TestAChartInAPageIsTriedFirst checks that a chart in a page, which needs no browser, is tried
// before the page itself.
func TestAChartInAPageIsTriedFirst(t *testing.T) {
	const spec, text = `{"mark":"bar"}`, `<div id="v"></div><script>vegaEmbed("#v", {"mark":"bar"})</script>`
	f := start(t, 1, func(r *fakeRenderer) {
		r.html, r.fail = true, map[string]error{spec: &render.UnavailableError{Reason: "no Python"}}
	})
	im, err := f.lib.Images.Add(t.Context(), library.NewImage{SessionID: "s1", Interactive: picture.VegaLite, Forms: []library.Form{{MIME: "text/html", Data: []byte(text)}}})
	require.NoError(t, err)
	ended(t, f.Draw(im))
	if drew := f.fake.drawn(); !slices.Equal(drew, []string{spec, text}) {
		t.Errorf("drew %q", drew)
	}
}
