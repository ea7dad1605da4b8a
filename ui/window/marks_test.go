package window

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"testing"

	"easel/internal/require"
	"easel/ui/core/command"
	"easel/ui/core/facts"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/picture/axes"
	"easel/ui/core/plotdata"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

var (
	heldInk  = color.RGBA{0, 0xC0, 0, 0xFF} // points with the same value
	otherInk = color.RGBA{0xC0, 0, 0, 0xFF}
)

// A scatter is a picture of points of known places, as matplotlib draws it, and its numbers.
type scatter struct {
	png   []byte
	facts facts.Figure
}

// scattered draws 16 points of the same value and 60 others in axes from 1 to 1000, each linear or logarithmic.
func scattered(t *testing.T, logX, logY bool) scatter {
	t.Helper()
	const left, top, right, bottom = 80, 40, 560, 360
	m := image.NewRGBA(image.Rect(0, 0, 600, 400))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	value := func(share float64, log bool) float64 { // at a share of an axis
		if log {
			return math.Pow(1000, share)
		}
		return 1 + 999*share
	}
	var x, y []float64
	point := func(px, py int, ink color.RGBA) {
		draw.Draw(m, image.Rect(px-2, py-2, px+3, py+3), image.NewUniform(ink), image.Point{}, draw.Src)
		x = append(x, value((float64(px)+0.5-left)/(right-left), logX))
		y = append(y, value((bottom-float64(py)-0.5)/(bottom-top), logY))
	}
	for i := range 16 {
		point(95+29*i, 200, heldInk)
	}
	for i := range 60 {
		py := 50 + (i*67)%120
		if i%2 == 1 {
			py += 180 // far from the others
		}
		point(90+7*i+i%5, py, otherInk)
	}
	scale := map[bool]string{false: "", true: "log"}
	f := facts.Figure{Axes: []facts.Axes{{
		Number: 1, X: facts.Axis{From: 1, To: 1000, Scale: facts.Scale(scale[logX])}, Y: facts.Axis{From: 1, To: 1000, Scale: facts.Scale(scale[logY])},
		Series: []facts.Series{{Kind: facts.Points, Label: "A", Count: len(x), Columns: []facts.Column{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}}},
	}}}
	text := fmt.Sprintf(`{"v":1,"size":[600,400],"axes":[{"n":1,"box":[%d,%d,%d,%d],"x":{"lim":[1,1000],"scale":%q},"y":{"lim":[1,1000],"scale":%q}}]}`,
		left, top, right, bottom, scale[logX], scale[logY])
	return scatter{described(t, m, text), f}
}

// described encodes a picture with a description of its axes.
func described(t *testing.T, m image.Image, text string) []byte {
	t.Helper()
	var b, packed bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	z := zlib.NewWriter(&packed)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	body := "iTXt" + axes.Keyword + "\x00\x01\x00\x00\x00" + packed.String()
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(body)-4)), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE([]byte(body)))
	end := b.Len() - 12
	return append(append(bytes.Clone(b.Bytes()[:end]), chunk...), b.Bytes()[end:]...)
}

// dots returns the middles of the points of a colour on the screen.
func dots(m image.Image, ink color.RGBA) (middles []image.Point) {
	var boxes []image.Rectangle
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if !alike(m.At(x, y), ink, 30) {
				continue
			}
			at, known := image.Rect(x, y, x+1, y+1), false
			for i := range boxes {
				if known = at.Overlaps(boxes[i].Inset(-3)); known {
					boxes[i] = boxes[i].Union(at)
					break
				}
			}
			if !known {
				boxes = append(boxes, at)
			}
		}
	}
	for _, b := range boxes {
		middles = append(middles, b.Min.Add(b.Max).Div(2))
	}
	return middles
}

// alike reports whether two colours differ by no more than that.
func alike(a, b color.Color, most int) bool {
	x, y := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	for _, d := range []int{int(x.R) - int(y.R), int(x.G) - int(y.G), int(x.B) - int(y.B)} {
		if max(d, -d) > most {
			return false
		}
	}
	return true
}

// encircled reports whether a ring is around a place of the screen: on all four sides, as far from it.
func encircled(m image.Image, at image.Point) bool {
	var far []int
	for _, step := range []image.Point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		for d := 3; d < 14; d++ {
			p := at.Add(step.Mul(d))
			if alike(m.At(p.X, p.Y), theme.Light.Accent, 60) {
				far = append(far, d)
				break
			}
		}
	}
	return len(far) == 4 && max(far[0], far[1], far[2], far[3])-min(far[0], far[1], far[2], far[3]) <= 2
}

// TestMarksAreOnThePointsOfTheFinding compares what is on the screen: a ring is around each point that is meant, and
// around no other, on linear and logarithmic axes, fitted and zoomed.
func TestMarksAreOnThePointsOfTheFinding(t *testing.T) {
	for name, log := range map[string][2]bool{"linear": {false, false}, "log x": {true, false}, "log y": {false, true}, "log-log": {true, true}} {
		t.Run(name, func(t *testing.T) {
			s, lib := scattered(t, log[0], log[1]), galleryOf(t, 1)
			im, err := lib.Library.Images.Add(t.Context(), library.NewImage{
				SessionID: uitest.SessionID(0), Title: "Scatter", CreatedAt: uitest.Start.Add(1e12), Forms: []library.Form{{MIME: picture.PNG, Data: s.png}},
				Facts: facts.Write(s.facts),
			})
			require.NoError(t, err)
			w := newWorld(t, wide, lib, busy)
			reader := &plotdata.Reader{Images: lib.Library.Images}
			command.FindingsOf.Handle(w.bus, func(ctx context.Context, id string) ([]command.PlotFinding, error) {
				im, err := lib.Library.Images.Image(ctx, id)
				return reader.ForUser(ctx, im), err
			}, nil)
			list := reader.ForUser(t.Context(), im)
			if len(list) == 0 {
				t.Fatal("nothing is found")
			}
			keys, err := reader.Keys(t.Context(), im)
			require.NoError(t, err)
			require.NoError(t, lib.Library.Images.SetFound(t.Context(), im.ImageID, keys))
			w.choose(im.ImageID)
			w.app.finder.choose(im.ImageID, list[0])
			w.settled()
			for _, zoom := range []string{"fitted", "100 %", "larger"} {
				switch v := w.app.shell.gallery.view; zoom {
				case "100 %":
					v.Actual()
				case "larger":
					v.Larger()
				}
				shot := w.app.win.Canvas().Capture()
				held, others := dots(shot, heldInk), dots(shot, otherInk)
				if len(held) < 8 || len(others) < 20 {
					t.Fatalf("%s: %d points and %d others are on the screen", zoom, len(held), len(others))
				}
				for _, at := range held {
					if !encircled(shot, at) {
						t.Errorf("%s: the point at %v has no ring (%s)", zoom, at, list[0].English)
					}
				}
				for _, at := range others {
					if encircled(shot, at) {
						t.Errorf("%s: another point, at %v, has a ring", zoom, at)
					}
				}
			}
		})
	}
}
