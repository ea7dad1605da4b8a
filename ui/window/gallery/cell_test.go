package gallery

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/library"
)

// TestARecycledCellTakesUpTheProportionsOfItsNextImage covers a cell that shows a wide
// plot and then a square one. It checks what is painted, not what is laid out.
func TestARecycledCellTakesUpTheProportionsOfItsNextImage(t *testing.T) {
	g, _, _, _ := newTestGrid(t, 1)
	c := newCell(g)
	w := test.NewWindow(c)
	t.Cleanup(w.Close)
	w.SetPadded(false)
	w.Resize(g.flow.cellSize())
	green := color.RGBA{0, 0xC0, 0, 0xFF}
	for i, size := range []image.Point{{200, 60}, {100, 100}, {40, 120}, {60, 40}} {
		m := image.NewRGBA(image.Rectangle{Max: size})
		draw.Draw(m, m.Rect, image.NewUniform(green), image.Point{}, draw.Src)
		c.set(string(rune('a' + i)))
		c.describe(library.Image{}, g.colour(""))
		c.show(m, nil)
		c.paint()
		box := image.Rectangle{}
		shot := w.Canvas().Capture()
		for y := range shot.Bounds().Dy() {
			for x := range shot.Bounds().Dx() {
				if color.RGBAModel.Convert(shot.At(x, y)) == green {
					box = box.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		want := float64(size.X) / float64(size.Y)
		if got := float64(box.Dx()) / float64(box.Dy()); math.Abs(got-want)/want > 0.03 {
			t.Errorf("%v is painted as %v", size, box.Size())
		}
		if im := c.picture.Object().(*canvas.Image); math.Abs(float64(im.Aspect())-want) > 0.001 {
			t.Errorf("%v: the image's proportions are %v", size, im.Aspect())
		}
	}
}

// TestAnOlderSizeDoesNotReplaceANewerOne covers a window that was enlarged while the
// small thumbnail was being read.
func TestAnOlderSizeDoesNotReplaceANewerOne(t *testing.T) {
	g, _, _, _ := newTestGrid(t, 1)
	c := g.cells[g.list.ids[0]]
	now := g.thumbRequest(c)
	large, small := image.NewRGBA(image.Rect(0, 0, 40, 30)), image.NewRGBA(image.Rect(0, 0, 20, 15))
	g.gotThumb(now, large, nil)
	older := now
	older.W, older.H = 20, 15
	g.gotThumb(older, small, nil)
	if c.shown != large {
		t.Error("the thumbnail of the former size stands in the cell")
	}
}

// TestAPictureIsOnlyInterpolatedIfItDoesNotFit: to interpolate takes a third longer without a graphics card.
func TestAPictureIsOnlyInterpolatedIfItDoesNotFit(t *testing.T) {
	g, _, _, _ := newTestGrid(t, 1)
	c := g.cells[g.list.ids[0]]
	im := c.picture.Object().(*canvas.Image)
	for _, s := range []struct {
		w, h int
		want canvas.ImageScale
	}{{40, 30, canvas.ImageScalePixels}, {4000, 30, canvas.ImageScaleFastest}, {30, 40, canvas.ImageScalePixels}} {
		c.show(image.NewRGBA(image.Rect(0, 0, s.w, s.h)), nil)
		c.paint()
		if im.ScaleMode != s.want {
			t.Errorf("%d×%d: scaled by %v, want %v", s.w, s.h, im.ScaleMode, s.want)
		}
	}
}

// TestAMatteIsOnlyDrawnIfItDiffersFromItsCard: a white matte on a white card is half of a gallery's pixels.
func TestAMatteIsOnlyDrawnIfItDiffersFromItsCard(t *testing.T) {
	g, _, _, _ := newTestGrid(t, 1)
	c := g.cells[g.list.ids[0]]
	c.g.k.P.Raised = c.g.k.P.Matte
	drawn := func() color.Color { return test.WidgetRenderer(c.matte).Objects()[0].(*canvas.Rectangle).FillColor }
	c.paint()
	if _, _, _, a := drawn().RGBA(); a != 0 {
		t.Errorf("it is drawn in %v on the same", drawn())
	}
	c.selected = true
	c.paint()
	if drawn() != c.g.k.P.Matte {
		t.Errorf("on a selected card it is %v", drawn())
	}
	c.selected, c.g.k.P.Raised = false, color.NRGBA{A: 0xFF}
	c.paint()
	if drawn() != c.g.k.P.Matte {
		t.Errorf("on a dark card it is %v", drawn())
	}
	c.im.Interactive = "plotly"
	c.figure()
	c.paint()
	if drawn() != c.g.k.P.Code {
		t.Errorf("for a figure without a picture it is %v", drawn())
	}
}
