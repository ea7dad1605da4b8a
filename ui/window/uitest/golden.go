package uitest

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/internal/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares what a canvas shows with testdata/NAME.txt, its texts, and
// testdata/NAME.png, its pixels. Under the race detector it does not compare pixels,
// because the test run without it does.
func Golden(tb testing.TB, name string, c fyne.Canvas) {
	tb.Helper()
	GoldenText(tb, name, strings.Join(Texts(c), "\n")+"\n")
	if !underRace {
		GoldenPicture(tb, name, c.Capture())
	}
}

// GoldenText compares a text with testdata/NAME.txt.
func GoldenText(tb testing.TB, name, got string) {
	tb.Helper()
	if hasPaths(name) {
		return
	}
	path := filepath.Join("testdata", name+".txt")
	want, ok := golden(tb, path, []byte(got))
	if ok && got != string(want) {
		failed := fail(tb, path, []byte(got))
		tb.Errorf("%s differs; %s has what was drawn, -update accepts it:\n%s", path, failed, Diff(string(want), got))
	}
}

// GoldenPicture compares pixels with testdata/NAME.png.
func GoldenPicture(tb testing.TB, name string, m image.Image) {
	tb.Helper()
	if hasPaths(name) {
		return
	}
	path := filepath.Join("testdata", name+".png")
	var b bytes.Buffer
	if *update {
		encode(tb, &b, m)
	}
	raw, ok := golden(tb, path, b.Bytes())
	if !ok {
		return
	}
	want, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	if d := compare(pixels(m), pixels(want)); d != "" {
		encode(tb, &b, m)
		tb.Errorf("%s differs: %s; %s has what was drawn, -update accepts it", path, d, fail(tb, path, b.Bytes()))
	}
}

// hasPaths reports whether a golden file shows paths as Linux writes them, and this is
// Windows. Then the files are not compared.
func hasPaths(name string) bool {
	if runtime.GOOS != "windows" {
		return false
	}
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	return err == nil && (bytes.Contains(text, []byte("~/")) || bytes.Contains(text, []byte("/home/")))
}

// golden reads a golden file. With -update it writes the file instead and returns
// false.
func golden(tb testing.TB, path string, got []byte) (want []byte, ok bool) {
	tb.Helper()
	if *update {
		write(tb, path, got)
		return nil, false
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Errorf("no golden file (make it with -update): %v", err)
		return nil, false
	}
	return want, true
}

// fail saves what differs from a golden file and returns the path.
func fail(tb testing.TB, path string, got []byte) string {
	tb.Helper()
	failed := filepath.Join(filepath.Dir(path), "failed", filepath.Base(path))
	write(tb, failed, got)
	if abs, err := filepath.Abs(failed); err == nil {
		return abs
	}
	return failed
}

func encode(tb testing.TB, b *bytes.Buffer, m image.Image) {
	tb.Helper()
	require.NoError(tb, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(b, m))
}

func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(tb, os.WriteFile(path, data, 0o600))
}

// tolerance is the maximum difference of each channel of a pixel. The rounding of the
// rasterizer's floating point differs between processors.
const tolerance = 3

// compare returns how many pixels of two pictures differ, and where; empty if none do.
func compare(got, want *image.NRGBA) string {
	if got.Rect != want.Rect {
		return fmt.Sprintf("it is %v, want %v", got.Rect.Size(), want.Rect.Size())
	}
	if bytes.Equal(got.Pix, want.Pix) {
		return ""
	}
	n, box := 0, image.Rectangle{}
	for i := 0; i < len(got.Pix); i += 4 {
		if !near(got.Pix[i:i+4], want.Pix[i:i+4]) {
			x, y := i/4%got.Rect.Dx(), i/4/got.Rect.Dx()
			n, box = n+1, box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d pixels, within x %d to %d, y %d to %d", n, len(got.Pix)/4, box.Min.X, box.Max.X-1, box.Min.Y, box.Max.Y-1)
}

// near reports whether two pixels are equal within the tolerance.
func near(got, want []byte) bool {
	for i, v := range got {
		if w := want[i]; max(v, w)-min(v, w) > tolerance {
			return false
		}
	}
	return true
}

// pixels returns m in the format that is compared.
func pixels(m image.Image) *image.NRGBA {
	if n, ok := m.(*image.NRGBA); ok && n.Stride == 4*n.Rect.Dx() {
		return n
	}
	n := image.NewNRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(n, n.Rect, m, m.Bounds().Min, draw.Src)
	return n
}
