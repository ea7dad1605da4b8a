package animation

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"testing"
	"time"

	"easel/internal/require"
)

func readPNG(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	m, err := png.Decode(f)
	require.NoError(t, err)
	return m
}

// same compares two pictures as they look on white and on black, so that the colour of what is
// transparent does not count.
func same(t *testing.T, got, want image.Image) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Errorf("%v, want %v", got.Bounds(), want.Bounds())
		return
	}
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			r, g, b, a := got.At(x, y).RGBA()
			r2, g2, b2, a2 := want.At(x, y).RGBA()
			for i, d := range []int{int(r>>8) - int(r2>>8), int(g>>8) - int(g2>>8), int(b>>8) - int(b2>>8), int(a>>8) - int(a2>>8)} {
				if d != 0 {
					t.Errorf("at %d, %d: %v, want %v (channel %d)", x, y, got.At(x, y), want.At(x, y), i)
					return
				}
			}
		}
	}
}

var red, green, none = color.RGBA{0xFF, 0, 0, 0xFF}, color.RGBA{0, 0xFF, 0, 0xFF}, color.RGBA{}

// gifOf makes a GIF of frames of one colour each, with their areas and disposals.
func gifOf(t *testing.T, loop int, delays []int, disposals []byte, areas ...image.Rectangle) []byte {
	t.Helper()
	g := gif.GIF{LoopCount: loop, Config: image.Config{Width: 8, Height: 8}, Delay: delays, Disposal: disposals}
	for i, r := range areas {
		m := image.NewPaletted(r, color.Palette{none, red, green})
		for j := range m.Pix {
			m.Pix[j] = byte(1 + i%2)
		}
		g.Image = append(g.Image, m)
	}
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &g))
	return b.Bytes()
}

func open(t *testing.T, data []byte) *Animation {
	t.Helper()
	a, err := Open(data)
	require.NoError(t, err)
	return a
}

func TestTimesAndTurnsOfAGIFAreThoseOfBrowsers(t *testing.T) {
	whole := image.Rect(0, 0, 8, 8)
	for loop, plays := range map[int]int{-1: 1, 0: 0, 2: 3} {
		a := open(t, gifOf(t, loop, []int{0, 1, 2, 50}, make([]byte, 4), whole, whole, whole, whole))
		if a.Plays() != plays {
			t.Errorf("loop count %d: played %d times, want %d", loop, a.Plays(), plays)
		}
		for i, want := range []int{100, 100, 20, 500} {
			if got := a.Delay(i); got != time.Duration(want)*time.Millisecond {
				t.Errorf("frame %d is shown for %v, want %d ms", i, got, want)
			}
		}
	}
}

// TestDisposals draws a red frame, a green one on a part of it, and a red dot; what is seen
// beside the dot depends on what happens to the green one.
func TestDisposals(t *testing.T) {
	for name, tc := range map[string]struct {
		disposal byte
		want     color.RGBA
	}{
		"remains":  {gif.DisposalNone, green},
		"erased":   {gif.DisposalBackground, none},
		"restored": {gif.DisposalPrevious, red},
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, gifOf(t, 0, []int{10, 10, 10}, []byte{1, tc.disposal, 1}, image.Rect(0, 0, 8, 8), image.Rect(2, 2, 6, 6), image.Rect(2, 2, 3, 3)))
			for _, i := range []int{2, 1, 2, 0, 2} {
				m, err := a.Frame(t.Context(), i)
				require.NoError(t, err)
				want := map[int]color.RGBA{0: red, 1: green, 2: tc.want}[i]
				if got := m.RGBAAt(4, 4); got != want {
					t.Errorf("frame %d: %v, want %v", i, got, want)
				}
				if got := m.RGBAAt(7, 7); got != red {
					t.Errorf("frame %d, outside: %v", i, got)
				}
			}
		})
	}
}

// TestFramesNeverChange: one that was handed out is still what it was after others were drawn.
func TestFramesNeverChange(t *testing.T) {
	a := open(t, gifOf(t, 0, []int{10, 10, 10}, []byte{1, 1, 1}, image.Rect(0, 0, 8, 8), image.Rect(0, 0, 8, 8), image.Rect(0, 0, 8, 8)))
	first, err := a.Frame(t.Context(), 0)
	require.NoError(t, err)
	if _, err := a.Frame(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := first.RGBAAt(0, 0); got != red {
		t.Errorf("the first frame has become %v", got)
	}
}

// TestAFarFrameKeepsFewInMemory seeks through more frames than may be kept.
func TestAFarFrameKeepsFewInMemory(t *testing.T) {
	var areas []image.Rectangle
	for i := range 40 {
		areas = append(areas, image.Rect(i%8, 0, i%8+1, 8))
	}
	a := open(t, gifOf(t, 0, make([]int, 40), make([]byte, 40), areas...))
	a.kept.most = 3
	for _, i := range []int{39, 20, 0, 39} {
		if _, err := a.Frame(t.Context(), i); err != nil {
			t.Fatal(err)
		}
		if n := len(a.kept.frames); n > 3 {
			t.Fatalf("%d frames are kept", n)
		}
	}
}

func TestWhatIsNoAnimation(t *testing.T) {
	var still bytes.Buffer
	require.NoError(t, png.Encode(&still, image.NewGray(image.Rect(0, 0, 4, 4))))
	whole := image.Rect(0, 0, 8, 8)
	one := gifOf(t, 0, []int{10}, []byte{0}, whole)
	two := gifOf(t, 0, []int{10, 10}, []byte{0, 0}, whole, whole)
	for name, tc := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":               {nil, ErrStill},
		"a text":                {[]byte("GIF89b, or so"), ErrStill},
		"a still PNG":           {still.Bytes(), ErrStill},
		"one frame":             {one, ErrStill},
		"a GIF's first bytes":   {two[:9], ErrDamaged},
		"cut within the second": {two[:len(two)-4], ErrStill},
		"no frames":             {append(bytes.Clone(one[:13+12]), gifTrailer), ErrStill},
		"a huge canvas":         {withScreen(two, 65535, 65535), ErrTooLarge},
		"no canvas":             {withScreen(two, 0, 8), ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(tc.data); !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			if n, err := Count(bytes.NewReader(tc.data), int64(len(tc.data))); n != 1 || err != nil {
				t.Errorf("%d frames, %v", n, err)
			}
		})
	}
	if n, err := Count(bytes.NewReader(two), int64(len(two))); n != 2 || err != nil {
		t.Errorf("%d frames of two, %v", n, err)
	}
}

func withScreen(data []byte, w, h uint16) []byte {
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint16(data[6:], w)
	binary.LittleEndian.PutUint16(data[8:], h)
	return data
}

// TestADamagedFrameIsAnError: the frames before it can still be had afterwards.
func TestADamagedFrameIsAnError(t *testing.T) {
	whole := image.Rect(0, 0, 8, 8)
	data := gifOf(t, 0, []int{10, 10, 10}, []byte{0, 0, 0}, whole, whole, whole)
	last := bytes.LastIndexByte(data, gifImage)
	data[last+1+gifDescriptorBytes+tableBytes(data[last+gifDescriptorBytes])] = 99 // no code has so many bits
	a := open(t, data)
	if _, err := a.Frame(t.Context(), 2); !errors.Is(err, ErrDamaged) {
		t.Errorf("%v, want %v", err, ErrDamaged)
	}
	if m, err := a.Frame(t.Context(), 1); err != nil || m.RGBAAt(0, 0) != green {
		t.Errorf("the frame before it: %v", err)
	}
}

// FuzzAnimation: no file makes Easel panic or allocate more than the canvas allows, and what
// is counted can be opened.
func FuzzAnimation(f *testing.F) {
	t := &testing.T{}
	whole := image.Rect(0, 0, 8, 8)
	f.Add(gifOf(t, 0, []int{10, 10}, []byte{2, 3}, whole, image.Rect(1, 1, 4, 4)))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Count(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		a, err := Open(data)
		if (err == nil) != (n > 1) || err == nil && a.Len() != n {
			t.Fatalf("%d frames are counted, but: %v", n, err)
		}
		if err != nil || a.Size().X*a.Size().Y > 1<<20 {
			return
		}
		for i := range min(a.Len(), 5) {
			if m, err := a.Frame(t.Context(), i); err == nil && m.Rect.Size() != a.Size() {
				t.Fatalf("frame %d is %v of %v", i, m.Rect, a.Size())
			}
		}
	})
}
