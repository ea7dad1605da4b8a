package theme

import (
	"image/color"
	"math"
)

// A Palette is the colours of one variant. Text colours reach a contrast of 4.5
// to 1 on every ground that they are used on; see Pairs.
type Palette struct {
	Dark bool

	// Grounds, from the back to the front.
	Window color.NRGBA // behind the gallery
	Side   color.NRGBA // rail and library
	Panel  color.NRGBA // bars, properties, dock
	Raised color.NRGBA // cards, popups, fields
	Code   color.NRGBA // behind code and output

	Line     color.NRGBA // hairlines between regions
	Edge     color.NRGBA // outlines of fields and buttons
	Hover    color.NRGBA // ground under the pointer
	Pressed  color.NRGBA
	Selected color.NRGBA // ground of what is selected

	Text  color.NRGBA
	Muted color.NRGBA // second lines, units, hints
	Faint color.NRGBA // disabled; not for text that must be read

	Accent   color.NRGBA // focus, selection, primary actions
	OnAccent color.NRGBA
	AccentBg color.NRGBA // quiet ground of an accent, as a filter that is on

	Good, GoodBg color.NRGBA
	Warn, WarnBg color.NRGBA
	Bad, BadBg   color.NRGBA

	Star  color.NRGBA // on Panel and Raised
	Matte color.NRGBA // behind pictures
	OnDim color.NRGBA // text on Dim
	Dim   color.NRGBA // badge on a picture

	Sessions [8]color.NRGBA // colour bars
}

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xFF}
}

// Light is the palette for bright rooms.
var Light = Palette{
	Window: rgb(0xF1F3F7), Side: rgb(0xE9ECF2), Panel: rgb(0xFAFBFD), Raised: rgb(0xFFFFFF), Code: rgb(0xF4F6FA),
	Line: rgb(0xDCE0E8), Edge: rgb(0xC5CCD8), Hover: rgb(0xDFE4ED), Pressed: rgb(0xD2D8E4), Selected: rgb(0xDDE3FB),
	Text: rgb(0x1A1E27), Muted: rgb(0x535C6B), Faint: rgb(0x9AA3B2),
	Accent: rgb(0x3F51D8), OnAccent: rgb(0xFFFFFF), AccentBg: rgb(0xE6EAFD),
	Good: rgb(0x14703F), GoodBg: rgb(0xDDF3E6), Warn: rgb(0x855200), WarnBg: rgb(0xFCEFD2), Bad: rgb(0xB42323), BadBg: rgb(0xFCE4E4),
	Star: rgb(0xB87400), Matte: rgb(0xFFFFFF), OnDim: rgb(0xFFFFFF), Dim: color.NRGBA{0x14, 0x18, 0x22, 0xD8},
	Sessions: [8]color.NRGBA{
		rgb(0x4C5FE8), rgb(0x0E9384), rgb(0xD9730D), rgb(0xB83280),
		rgb(0x2E86DE), rgb(0x6B8E23), rgb(0xC0392B), rgb(0x7D5BA6),
	},
}

// Dark is the palette for dark rooms. Plots keep their white matte.
var Dark = Palette{
	Dark:   true,
	Window: rgb(0x12151B), Side: rgb(0x171A21), Panel: rgb(0x1B1F27), Raised: rgb(0x232833), Code: rgb(0x151920),
	Line: rgb(0x2B313D), Edge: rgb(0x3D4554), Hover: rgb(0x272D39), Pressed: rgb(0x313949), Selected: rgb(0x2A3260),
	Text: rgb(0xE7EAF0), Muted: rgb(0xA3ADBD), Faint: rgb(0x667083),
	Accent: rgb(0x8E9EFF), OnAccent: rgb(0x10142B), AccentBg: rgb(0x252C52),
	Good: rgb(0x55D08C), GoodBg: rgb(0x173527), Warn: rgb(0xF2B84B), WarnBg: rgb(0x3A2E15), Bad: rgb(0xFF8585), BadBg: rgb(0x40201F),
	Star: rgb(0xFFC24B), Matte: rgb(0xFFFFFF), OnDim: rgb(0xFFFFFF), Dim: color.NRGBA{0x14, 0x18, 0x22, 0xD8},
	Sessions: [8]color.NRGBA{
		rgb(0x7C8CFF), rgb(0x3CC5B4), rgb(0xF2994A), rgb(0xE56BB0),
		rgb(0x5DADEC), rgb(0xA3C65C), rgb(0xF07167), rgb(0xB497E7),
	},
}

// Session is the colour of a session's bar; n may be any number.
func (p *Palette) Session(n int) color.NRGBA {
	return p.Sessions[((n%len(p.Sessions))+len(p.Sessions))%len(p.Sessions)]
}

// A Pair is a foreground on a ground, with the contrast that it needs.
type Pair struct {
	Name   string
	Fg, Bg color.NRGBA
	Least  float64
}

// Pairs lists what is drawn upon what: 4.5 to 1 for text, 3 to 1 for shapes that
// carry meaning (WCAG 2.2, 1.4.3 and 1.4.11).
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

// Over blends a over the opaque b.
func Over(a, b color.NRGBA) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8((int(x)*int(a.A) + int(y)*(255-int(a.A))) / 255) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}

// Contrast is the contrast ratio of two opaque colours, 1 to 21, by WCAG 2.
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
