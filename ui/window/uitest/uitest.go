// Package uitest has what tests of views share: golden files, a Dispatcher that
// the test drains, and a library in memory.
//
// Golden files are made and compared on linux/amd64, with go test -update. The
// fonts are those that the program bundles, so they do not depend on the machine.
//
// # Goroutines
//
// A Queue may be filled from any goroutine; the test's goroutine drains it and is
// thereby the UI goroutine.
package uitest

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A Queue is a Dispatcher for tests.
type Queue struct {
	mu    sync.Mutex
	todo  []func()
	added chan struct{} // one slot: something was added
}

// NewQueue makes an empty queue.
func NewQueue() *Queue { return &Queue{added: make(chan struct{}, 1)} }

// Do queues f.
func (q *Queue) Do(f func()) {
	q.mu.Lock()
	q.todo = append(q.todo, f)
	q.mu.Unlock()
	select {
	case q.added <- struct{}{}:
	default:
	}
}

// Drain runs what is queued, and what that queues.
func (q *Queue) Drain() {
	for {
		q.mu.Lock()
		fs := q.todo
		q.todo = nil
		q.mu.Unlock()
		if len(fs) == 0 {
			return
		}
		for _, f := range fs {
			f()
		}
	}
}

// patience is how long a test waits for something that happens beside it.
const patience = 2 * time.Minute

// Until drains the queue until ok, and fails the test if that takes too long. ok
// is asked after each thing that was queued, on the test's goroutine.
func (q *Queue) Until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		q.Drain()
		if ok() {
			return
		}
		select {
		case <-q.added:
		case <-late.C:
			tb.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}

// Golden compares what a canvas shows with testdata/NAME.xml, its layout and
// texts, and testdata/NAME.png, its pixels. With the race detector pixels are not
// compared: the run without it does that.
func Golden(tb testing.TB, name string, c fyne.Canvas) {
	tb.Helper()
	GoldenMarkup(tb, name, c)
	if !underRace {
		GoldenPicture(tb, name, c.Capture())
	}
}

// GoldenMarkup compares layout and texts alone.
func GoldenMarkup(tb testing.TB, name string, c fyne.Canvas) {
	tb.Helper()
	got := []byte(strings.TrimSpace(test.RenderToMarkup(c)) + "\n")
	path := filepath.Join("testdata", name+".xml")
	if *update {
		write(tb, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Errorf("no golden file (make it with -update): %v", err)
		return
	}
	if !bytes.Equal(got, want) {
		failed := filepath.Join("testdata", "failed", name+".xml")
		write(tb, failed, got)
		tb.Errorf("%s is not as it was: compare with %s, or accept it with -update", path, failed)
	}
}

// GoldenPicture compares pixels alone.
func GoldenPicture(tb testing.TB, name string, m image.Image) {
	tb.Helper()
	path := filepath.Join("testdata", name+".png")
	encode := func() []byte {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m); err != nil {
			tb.Fatal(err)
		}
		return b.Bytes()
	}
	if *update {
		write(tb, path, encode())
		return
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Errorf("no golden file (make it with -update): %v", err)
		return
	}
	want, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	if !samePixels(pixels(m), pixels(want)) {
		failed := filepath.Join("testdata", "failed", name+".png")
		write(tb, failed, encode())
		tb.Errorf("%s is not as it was: compare with %s, or accept it with -update", path, failed)
	}
}

func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
}

// A pixel may differ by so much in each colour: the rounding of the rasterizer's
// floating point differs between processors.
const tolerance = 3

func samePixels(got, want *image.NRGBA) bool {
	if got.Rect != want.Rect {
		return false
	}
	if bytes.Equal(got.Pix, want.Pix) {
		return true
	}
	for i, v := range got.Pix {
		if w := want.Pix[i]; max(v, w)-min(v, w) > tolerance {
			return false
		}
	}
	return true
}

// pixels is m in the one form that is compared.
func pixels(m image.Image) *image.NRGBA {
	if n, ok := m.(*image.NRGBA); ok && n.Stride == 4*n.Rect.Dx() {
		return n
	}
	n := image.NewNRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(n, n.Rect, m, m.Bounds().Min, draw.Src)
	return n
}
