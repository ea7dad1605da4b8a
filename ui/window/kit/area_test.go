package kit

import (
	"image/color"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"
)

// shown returns the visible shaders of an area, in drawing order.
func shown(t *testing.T, a *Area) []*canvas.Shader {
	t.Helper()
	var found []*canvas.Shader
	for _, o := range test.WidgetRenderer(a).Objects() {
		s, ok := o.(*canvas.Shader)
		if !ok {
			t.Fatalf("it is drawn by %T", o)
		}
		if !s.Hidden {
			found = append(found, s)
		}
	}
	return found
}

// TestAreasGiveTheirProgramsWhatTheyAskFor checks that each shader gets exactly the
// uniforms that it declares. Otherwise it would draw nonsense.
func TestAreasGiveTheirProgramsWhatTheyAskFor(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	declared := regexp.MustCompile(`uniform float ([^;]+);`)
	blue := color.NRGBA{0x20, 0x40, 0x80, 0xFF}
	for _, radius := range []float32{0, 8} {
		a := k.Area(blue, radius)
		if radius > 0 {
			a.Paint(blue, color.White, 1)
		}
		test.NewTempWindow(t, container.NewWithoutLayout(a))
		a.Resize(fyne.NewSize(120, 50))
		programs := shown(t, a)
		if radius > 0 {
			programs = append(programs, a.whole)
			a.colour(a.whole, 0, 0)
		}
		for _, s := range programs {
			var want []string
			for _, m := range declared.FindAllStringSubmatch(string(s.SourceES), -1) {
				want = append(want, strings.Split(m[1], ", ")...)
			}
			slices.Sort(want)
			if got := slices.Sorted(maps.Keys(s.Uniforms)); !slices.Equal(got, want) {
				t.Errorf("radius %v: %s is given %v, and asks for %v", radius, s.Name, got, want)
			}
			if got := s.Uniforms["fillBlue"]; got != float32(0x80)/255 && s != a.left && s != a.right {
				t.Errorf("radius %v: blue is %v in %s", radius, got, s.Name)
			}
		}
	}
}

// TestThePartsOfAnAreaCoverIt checks that the parts, as Fyne draws them, cover the area
// exactly.
func TestThePartsOfAnAreaCoverIt(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	a := k.Area(color.Black, 8)
	a.Paint(color.Black, color.White, 2)
	w := test.NewTempWindow(t, container.NewWithoutLayout(a))
	for scale, soft := range map[float32]float32{1: 1, 2: 1, 3: 2} {
		w.Canvas().(software.WindowlessCanvas).SetScale(scale)
		drawn := func(s *canvas.Shader, by float32) [4]float32 {
			p, size := s.Position(), s.Size()
			return [4]float32{p.X - by, p.Y - by, p.X + size.Width + by, p.Y + size.Height + by}
		}
		a.Resize(fyne.NewSize(120, 50))
		a.MinSize()
		if got := len(shown(t, a)); got != 5 {
			t.Fatalf("scale %v: %d parts, want 5", scale, got)
		}
		for _, c := range []struct {
			name      string
			got, want [4]float32
		}{
			{"the upper strip", drawn(a.top, 0), [4]float32{0, 0, 120, 8}},
			{"the lower strip", drawn(a.bottom, 0), [4]float32{0, 42, 120, 50}},
			{"the left edge", drawn(a.left, 0), [4]float32{0, 8, 2, 42}},
			{"the right edge", drawn(a.right, 0), [4]float32{118, 8, 120, 42}},
			{"the inside", drawn(a.front, soft), [4]float32{2, 8, 118, 42}},
		} {
			if c.got != c.want {
				t.Errorf("scale %v: %s is drawn at %v, want %v", scale, c.name, c.got, c.want)
			}
		}
		if up, low := a.top.Uniforms, a.bottom.Uniforms; up["above"] != 0 || up["below"] != 42 || low["above"] != 42 || low["below"] != 0 {
			t.Errorf("scale %v: the strips do not know the rest: %v and %v", scale, up, low)
		}
	}
}

// TestAnEdgeHasNoInside: the ring around a selected plot is as large as the plot.
func TestAnEdgeHasNoInside(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	a := k.Area(color.Transparent, 8)
	a.Paint(color.Transparent, color.Black, 2)
	test.NewTempWindow(t, container.NewWithoutLayout(a))
	a.Resize(fyne.NewSize(200, 200))
	pixels := float32(0)
	for _, s := range shown(t, a) {
		pixels += s.Size().Width * s.Size().Height
	}
	if most := float32(2*200*8 + 2*200*2); pixels > most {
		t.Errorf("%v pixels are drawn for an edge, want at most %v", pixels, most)
	}
	if u := a.left.Uniforms; u["fillRed"] != 0 || u["fillAlpha"] != 1 || a.top.Uniforms["fillAlpha"] != 0 {
		t.Errorf("its side is %v, and its strip %v", u, a.top.Uniforms)
	}
}

// TestAnAreaIsDrawnWholeWhereItsPartsWouldNotFit checks that a single shader draws an
// area that is translucent, small, or at a scale at which parts would not be at whole
// pixels.
func TestAnAreaIsDrawnWholeWhereItsPartsWouldNotFit(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	for _, c := range []struct {
		name  string
		scale float32
		size  fyne.Size
		fill  color.Color
	}{
		{"a scale without whole pixels", 1.5, fyne.NewSize(120, 50), color.Black},
		{"smaller than its corners", 1, fyne.NewSize(120, 17), color.Black},
		{"translucent", 1, fyne.NewSize(120, 50), color.NRGBA{0, 0, 0, 0x80}},
	} {
		a := k.Area(c.fill, 8)
		w := test.NewTempWindow(t, container.NewWithoutLayout(a))
		w.Canvas().(software.WindowlessCanvas).SetScale(c.scale)
		a.Resize(c.size)
		if got := shown(t, a); len(got) != 1 || got[0] != a.whole || got[0].Size() != c.size {
			t.Errorf("%s: it is drawn by %v", c.name, got)
		}
	}
}

// TestAnAreaFollowsTheScale covers a new scale, for example on another screen. Fyne
// does not report it, but it calls MinSize.
func TestAnAreaFollowsTheScale(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	a := k.Area(color.Black, 8)
	w := test.NewTempWindow(t, container.NewWithoutLayout(a))
	a.Resize(fyne.NewSize(120, 50))
	before := a.front.Position()
	w.Canvas().(software.WindowlessCanvas).SetScale(3)
	if a.MinSize(); a.front.Position() == before {
		t.Errorf("its inside is at %v as before", before)
	}
}

func TestAnAreaThatShowsNothingCostsNothing(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	a := k.Area(color.Transparent, 8)
	if got := shown(t, a); len(got) > 0 {
		t.Errorf("it is drawn without a colour, by %v", got)
	}
	accent := color.NRGBA{0x8E, 0x9E, 0xFF, 0xFF}
	if a.Paint(color.Transparent, accent, 2); len(shown(t, a)) != 1 {
		t.Error("its edge is not drawn")
	}
	if u := a.whole.Uniforms; u["fillRed"] != u["edgeRed"] || u["fillAlpha"] != 0 {
		t.Errorf("an edge alone fades into another colour: %v", u)
	}
}
