package theme

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"golang.org/x/image/font/sfnt"

	"easel/assets"
)

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
