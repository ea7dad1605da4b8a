package kit

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/canvas"
)

// TestALineOfCodeIsDrawnInFewTexts: to draw a text takes long, however short it is.
func TestALineOfCodeIsDrawnInFewTexts(t *testing.T) {
	k := newKit(t)
	k.Shaders = true
	c := k.Code("    ax.plot(x, y[1], label=name) # far\n", "python")
	c.HeightFor(600)
	var drawn []string
	for _, o := range c.texts[2:] { // without the box and the number
		drawn = append(drawn, o.(*canvas.Text).Text)
	}
	if want := []string{"ax plot x  y     label name", ".    ( ,  [ ],      =    )", "1", "# far"}; !slices.Equal(drawn, want) {
		t.Errorf("drawn as %q, want %q", drawn, want)
	}
}

// TestJoinedPartsAreWhereTheyWere: each character is in its colour and at its place.
func TestJoinedPartsAreWhereTheyWere(t *testing.T) {
	const char = 7.8
	a, b := color.NRGBA{A: 1}, color.NRGBA{A: 2}
	type dot struct {
		r   rune
		ink color.Color
	}
	for _, line := range [][]run{
		{{"    ", a}, {"x", a}, {" ", b}, {"=", b}, {" y", a}, {"  ", b}, {"+ ", b}, {"z   ", a}},
		{{"name", a}, {strings.Repeat("b", 8), b}, {"near", a}, {strings.Repeat("b", 9), b}, {"far", a}},
		{{"値 = ", a}, {"'", b}, {"温度", b}, {"'", b}, {"x", a}, {" y", a}},
		{{"   ", a}},
	} {
		want, got := map[float32]dot{}, map[float32]dot{}
		see := func(to map[float32]dot, p part) {
			for i, r := range []rune(p.text) {
				if at := float32(int((p.x+float32(i)*char)*10+0.5)) / 10; r != ' ' {
					to[at] = dot{r, p.ink}
				}
			}
		}
		var parts []part
		x := float32(8)
		for _, r := range line {
			p := part{r, x}
			parts = append(parts, p)
			see(want, p)
			for _, c := range r.text {
				x += map[bool]float32{true: char, false: 13}[c < 0x80]
			}
		}
		for _, p := range joined(parts, char) {
			see(got, p)
		}
		if len(got) != len(want) {
			t.Errorf("%v: %d characters, want %d", line, len(got), len(want))
		}
		for at, d := range want {
			if got[at] != d {
				t.Errorf("%v: at %v is %v, want %v", line, at, got[at], d)
			}
		}
	}
}
