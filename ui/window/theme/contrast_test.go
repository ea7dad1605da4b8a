package theme_test

import (
	"image/color"
	"testing"

	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// A Pair is a foreground on a background, with the contrast that it needs.
type Pair struct {
	Name   string
	Fg, Bg color.NRGBA
	Least  float64
}

// The least contrast of text, and of shapes that carry meaning (WCAG 2.2, 1.4.3 and 1.4.11).
const (
	text  = 4.5
	shape = 3
)

// pairs lists the combinations of colours that are used, in every state: at rest, under the
// pointer, selected, on, and with the focus. What is disabled is exempt, and so are lines
// that only decorate.
func pairs(p *theme.Palette) []Pair {
	var ps []Pair
	all := func(what string, fg color.NRGBA, least float64, grounds map[string]color.NRGBA) {
		for on, ground := range grounds {
			ps = append(ps, Pair{what + " on " + on, fg, ground, least})
		}
	}
	plain := map[string]color.NRGBA{
		"window": p.Window, "side": p.Side, "panel": p.Panel, "raised": p.Raised, "code": p.Code, "hover": p.Hover, "selected": p.Selected,
	}
	tinted := map[string]color.NRGBA{"accent ground": p.AccentBg, "good ground": p.GoodBg, "warn ground": p.WarnBg, "bad ground": p.BadBg}
	for _, grounds := range []map[string]color.NRGBA{plain, tinted} {
		all("text", p.Text, text, grounds)
		all("muted", p.Muted, text, grounds)
		all("focus ring", p.Accent, shape, grounds)
		all("outline", p.Edge, shape, grounds)
	}
	for name, c := range map[string]color.NRGBA{"accent": p.Accent, "good": p.Good, "warn": p.Warn, "bad": p.Bad} {
		all(name, c, text, plain)
	}
	all("star", p.Star, shape, plain)
	for name, g := range plain {
		ps = append(ps, Pair{"scroll bar on " + name, theme.Over(p.ScrollBar(), g), g, shape})
	}
	for _, c := range p.Sessions {
		all("session bar "+theme.Hex(c), c, shape, plain)
	}
	for _, s := range p.Syntax() {
		all("syntax "+s.Name, s.Colour, text, map[string]color.NRGBA{"code": p.Code, "raised": p.Raised, "selected": p.Selected})
	}
	return append(ps,
		Pair{"on accent", p.OnAccent, p.Accent, text},
		Pair{"on accent under the pointer", p.OnAccent, p.PrimaryHover(), text},
		Pair{"accent on its ground", p.Accent, p.AccentBg, text},
		Pair{"good on its ground", p.Good, p.GoodBg, text},
		Pair{"warn on its ground", p.Warn, p.WarnBg, text},
		Pair{"bad on its ground", p.Bad, p.BadBg, text},
		Pair{"tip", p.Window, p.Text, text},
		Pair{"badge", p.OnDim, theme.Over(p.Dim, p.Matte), text},
		Pair{"progress", p.Accent, p.Pressed, shape})
}

func TestTextAndShapesAreReadableOnEveryGround(t *testing.T) {
	for name, p := range map[string]*theme.Palette{"light": &theme.Light, "dark": &theme.Dark} {
		for _, pair := range pairs(p) {
			if got := uitest.Contrast(pair.Fg, pair.Bg); got < pair.Least {
				t.Errorf("%s: %s: contrast %.2f, want at least %.1f (%s on %s)", name, pair.Name, got, pair.Least, theme.Hex(pair.Fg), theme.Hex(pair.Bg))
			}
		}
	}
}
