package theme

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"golang.org/x/image/font/sfnt"

	"easel/assets"
)

// A Pair is a foreground on a background, with the contrast that it needs.
type Pair struct {
	Name   string
	Fg, Bg color.NRGBA
	Least  float64
}

// Pairs lists the combinations of colours that are used. Text needs a contrast of 4.5
// to 1, shapes that carry meaning 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11).
func (p *Palette) Pairs() []Pair {
	grounds := map[string]color.NRGBA{
		"window": p.Window, "side": p.Side, "panel": p.Panel, "raised": p.Raised,
		"code": p.Code, "hover": p.Hover, "selected": p.Selected,
	}
	var ps []Pair
	for name, g := range grounds {
		ps = append(ps, Pair{"text on " + name, p.Text, g, 4.5}, Pair{"muted on " + name, p.Muted, g, 4.5})
	}
	for name, g := range map[string]color.NRGBA{"side": p.Side, "panel": p.Panel, "raised": p.Raised} {
		ps = append(ps,
			Pair{"accent on " + name, p.Accent, g, 4.5}, Pair{"good on " + name, p.Good, g, 4.5},
			Pair{"warn on " + name, p.Warn, g, 4.5}, Pair{"bad on " + name, p.Bad, g, 4.5},
			Pair{"star on " + name, p.Star, g, 3})
	}
	ps = append(ps,
		Pair{"on accent", p.OnAccent, p.Accent, 4.5}, Pair{"accent on its quiet ground", p.Accent, p.AccentBg, 4.5},
		Pair{"text on accent ground", p.Text, p.AccentBg, 4.5},
		Pair{"good on its ground", p.Good, p.GoodBg, 4.5}, Pair{"text on good ground", p.Text, p.GoodBg, 4.5},
		Pair{"warn on its ground", p.Warn, p.WarnBg, 4.5}, Pair{"text on warn ground", p.Text, p.WarnBg, 4.5},
		Pair{"bad on its ground", p.Bad, p.BadBg, 4.5}, Pair{"text on bad ground", p.Text, p.BadBg, 4.5},
		Pair{"muted on good ground", p.Muted, p.GoodBg, 4.5}, Pair{"muted on warn ground", p.Muted, p.WarnBg, 4.5},
		Pair{"muted on bad ground", p.Muted, p.BadBg, 4.5}, Pair{"muted on accent ground", p.Muted, p.AccentBg, 4.5},
		Pair{"badge", p.OnDim, Over(p.Dim, p.Matte), 4.5},
		Pair{"sign of a figure on its disc", p.Accent, p.Hover, 4.5}, Pair{"sign of a figure on its card", p.Accent, p.Code, 4.5},
		Pair{"selection ring on window", p.Accent, p.Window, 3})
	for _, s := range p.Sessions {
		ps = append(ps, Pair{"session bar on side", s, p.Side, 2.5})
	}
	for _, s := range p.Syntax() {
		ps = append(ps, Pair{"syntax " + s.Name, s.Colour, p.Code, 4.5})
	}
	return ps
}

// Contrast returns the contrast ratio of two opaque colours, 1 to 21, by WCAG 2.
func Contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func TestTextIsReadableOnEveryGround(t *testing.T) {
	for name, p := range map[string]*Palette{"light": &Light, "dark": &Dark} {
		for _, pair := range p.Pairs() {
			if got := Contrast(pair.Fg, pair.Bg); got < pair.Least {
				t.Errorf("%s: %s: contrast %.2f, want at least %.1f (%s on %s)", name, pair.Name, got, pair.Least, Hex(pair.Fg), Hex(pair.Bg))
			}
		}
	}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	if got := Contrast(rgb(0x000000), rgb(0xFFFFFF)); got < 20.99 || got > 21.01 {
		t.Errorf("black on white: got %.3f, want 21", got)
	}
	if got := Contrast(rgb(0x777777), rgb(0xFFFFFF)); got < 4.47 || got > 4.49 {
		t.Errorf("#777 on white: got %.3f, want 4.48", got)
	}
}

func TestVariantFollowsTheUserBeforeTheSystem(t *testing.T) {
	for _, c := range []struct {
		variant string
		system  fyne.ThemeVariant
		dark    bool
	}{
		{"light", fynetheme.VariantDark, false},
		{"dark", fynetheme.VariantLight, true},
		{"system", fynetheme.VariantDark, true},
		{"system", fynetheme.VariantLight, false},
		{"", fynetheme.VariantDark, true},
	} {
		if got := New(c.variant).Palette(c.system).Dark; got != c.dark {
			t.Errorf("%q on system %v: dark = %v, want %v", c.variant, c.system, got, c.dark)
		}
	}
}

func TestTheBundledFontsHaveJapaneseAndNothingElse(t *testing.T) {
	for name, data := range map[string][]byte{"regular": assets.FontJP, "bold": assets.FontJPBold, "mono": assets.FontJPMono} {
		f, err := sfnt.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b sfnt.Buffer
		for _, r := range "あア図鬱ｱ、。「」ー々" {
			if i, err := f.GlyphIndex(&b, r); err != nil || i == 0 {
				t.Errorf("%s has no %q: %v", name, r, err)
			}
		}
		if i, err := f.GlyphIndex(&b, ' '); err != nil || i == 0 {
			t.Errorf("%s has no space: one after a Japanese word would be drawn as U+FFFD", name)
		}
		for _, r := range "Aa1é" { // a Latin glyph here would replace Fyne's bold and monospace ones
			if i, _ := f.GlyphIndex(&b, r); i != 0 {
				t.Errorf("%s has %q", name, r)
			}
		}
	}
}

func TestLatinKeepsItsOwnFont(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(New("light"))
	for _, style := range []fyne.TextStyle{{}, {Bold: true}, {Monospace: true}} {
		w, i := fyne.MeasureText("WWW", 40, style).Width, fyne.MeasureText("iii", 40, style).Width
		if style.Monospace != (w == i) {
			t.Errorf("%+v: WWW is %v wide, iii %v", style, w, i)
		}
		want := float32(40)
		if style.Monospace { // two cells
			want = 2 * fyne.MeasureText("0", 40, style).Width
		}
		if got := fyne.MeasureText("図", 40, style).Width; got < want-0.5 || got > want+0.5 {
			t.Errorf("%+v: 図 is %v wide at size 40, want %v: not from the bundled font", style, got, want)
		}
		apart := fyne.MeasureText("a", 40, style).Width + fyne.MeasureText(" ", 40, style).Width + fyne.MeasureText("b", 40, style).Width
		if got := fyne.MeasureText("a b", 40, style).Width; got < apart-0.5 || got > apart+0.5 {
			t.Errorf("%+v: a space alone is not as wide as one between words: %v, %v", style, apart, got)
		}
	}
}
