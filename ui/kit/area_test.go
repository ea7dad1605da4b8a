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
	"fyne.io/fyne/v2/test"
)

// A program is given all numbers that it asks for, and no others, or it draws nonsense.
func TestAreasGiveTheirProgramsWhatTheyAskFor(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	declared := regexp.MustCompile(`uniform float ([^;]+);`)
	for _, radius := range []float32{0, 8} {
		a := k.Area(color.NRGBA{0x20, 0x40, 0x80, 0xFF}, radius)
		a.Resize(fyne.NewSize(120, 50))
		s, ok := test.WidgetRenderer(a).Objects()[0].(*canvas.Shader)
		if !ok {
			t.Fatalf("radius %v: it is drawn by %T", radius, test.WidgetRenderer(a).Objects()[0])
		}
		var want []string
		for _, m := range declared.FindAllStringSubmatch(string(s.SourceES), -1) {
			want = append(want, strings.Split(m[1], ", ")...)
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(s.Uniforms)); !slices.Equal(got, want) {
			t.Errorf("radius %v: it is given %v, and asks for %v", radius, got, want)
		}
		if got := s.Uniforms["fillBlue"]; got != float32(0x80)/255 {
			t.Errorf("radius %v: blue is %v", radius, got)
		}
		if radius > 0 && s.Uniforms["units"] != 120 {
			t.Errorf("it takes its width for %v, want 120", s.Uniforms["units"])
		}
		if s.Size() != a.Size() || s.Hidden {
			t.Errorf("radius %v: the program draws %v of %v, hidden: %v", radius, s.Size(), a.Size(), s.Hidden)
		}
	}
}

func TestAnAreaThatShowsNothingCostsNothing(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	a := k.Area(color.Transparent, 8)
	if !a.shade.Hidden {
		t.Error("it is drawn without a colour")
	}
	accent := color.NRGBA{0x8E, 0x9E, 0xFF, 0xFF}
	if a.Paint(color.Transparent, accent, 2); a.shade.Hidden {
		t.Error("its edge is not drawn")
	}
	if u := a.shade.Uniforms; u["fillRed"] != u["edgeRed"] || u["fillAlpha"] != 0 {
		t.Errorf("an edge alone fades into another colour: %v", u)
	}
}
