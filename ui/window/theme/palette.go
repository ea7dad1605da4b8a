package theme

import "image/color"

// A Palette contains the colours of a variant. Text has a contrast of at least 4.5 to 1 with
// every background that it is used on, and the focus, outlines, marks and bars one of 3 to 1
// (WCAG 2.2, 1.4.3 and 1.4.11). Line only decorates, and Faint is only for what is disabled.
type Palette struct {
	Dark bool

	// Backgrounds, from back to front.
	Window color.NRGBA // behind the gallery
	Side   color.NRGBA // rail and sidebar
	Panel  color.NRGBA // bars, properties, dock
	Raised color.NRGBA // cards, popups, fields
	Code   color.NRGBA // behind code and output

	Line     color.NRGBA // hairlines between regions
	Edge     color.NRGBA // outlines of fields, buttons and menus
	Hover    color.NRGBA // background under the pointer
	Pressed  color.NRGBA
	Selected color.NRGBA // background of the selection

	Text  color.NRGBA
	Muted color.NRGBA // second lines, units, hints
	Faint color.NRGBA // disabled; not for text that must be read

	Accent   color.NRGBA // focus, selection, primary actions
	OnAccent color.NRGBA
	AccentBg color.NRGBA // subtle accented background, for example of an active filter

	Good, GoodBg color.NRGBA
	Warn, WarnBg color.NRGBA
	Bad, BadBg   color.NRGBA

	Star  color.NRGBA // on Panel and Raised
	Matte color.NRGBA // behind pictures
	OnDim color.NRGBA // text on Dim
	Dim   color.NRGBA // badge on a picture

	Sessions [8]color.NRGBA // colour bars of sessions
}

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xFF}
}

// Light is the palette for bright rooms.
var Light = Palette{
	Window: rgb(0xF1F3F7), Side: rgb(0xE9ECF2), Panel: rgb(0xFAFBFD), Raised: rgb(0xFFFFFF), Code: rgb(0xF4F6FA),
	Line: rgb(0xDCE0E8), Edge: rgb(0x788192), Hover: rgb(0xDFE4ED), Pressed: rgb(0xD2D8E4), Selected: rgb(0xDDE3FB),
	Text: rgb(0x1A1E27), Muted: rgb(0x535C6B), Faint: rgb(0x9AA3B2),
	Accent: rgb(0x3F51D8), OnAccent: rgb(0xFFFFFF), AccentBg: rgb(0xE6EAFD),
	Good: rgb(0x14703F), GoodBg: rgb(0xDDF3E6), Warn: rgb(0x855200), WarnBg: rgb(0xFCEFD2), Bad: rgb(0xB42323), BadBg: rgb(0xFCE4E4),
	Star: rgb(0xB07000), Matte: rgb(0xFFFFFF), OnDim: rgb(0xFFFFFF), Dim: color.NRGBA{0x14, 0x18, 0x22, 0xD8},
	Sessions: [8]color.NRGBA{
		rgb(0x4C5FE8), rgb(0x0B877A), rgb(0xC2620A), rgb(0xB83280),
		rgb(0x267BCF), rgb(0x63851E), rgb(0xC0392B), rgb(0x7D5BA6),
	},
}

// Dark is the palette for dark rooms. Plots keep their white matte.
var Dark = Palette{
	Dark:   true,
	Window: rgb(0x12151B), Side: rgb(0x171A21), Panel: rgb(0x1B1F27), Raised: rgb(0x232833), Code: rgb(0x151920),
	Line: rgb(0x2B313D), Edge: rgb(0x7A8496), Hover: rgb(0x272D39), Pressed: rgb(0x313949), Selected: rgb(0x2A3260),
	Text: rgb(0xE7EAF0), Muted: rgb(0xA3ADBD), Faint: rgb(0x667083),
	Accent: rgb(0x8E9EFF), OnAccent: rgb(0x10142B), AccentBg: rgb(0x252C52),
	Good: rgb(0x55D08C), GoodBg: rgb(0x173527), Warn: rgb(0xF2B84B), WarnBg: rgb(0x3A2E15), Bad: rgb(0xFF8585), BadBg: rgb(0x40201F),
	Star: rgb(0xFFC24B), Matte: rgb(0xFFFFFF), OnDim: rgb(0xFFFFFF), Dim: color.NRGBA{0x14, 0x18, 0x22, 0xD8},
	Sessions: [8]color.NRGBA{
		rgb(0x7C8CFF), rgb(0x3CC5B4), rgb(0xF2994A), rgb(0xE56BB0),
		rgb(0x5DADEC), rgb(0xA3C65C), rgb(0xF07167), rgb(0xB497E7),
	},
}

// Session returns the colour of a session's bar. n may be any number.
func (p *Palette) Session(n int) color.NRGBA {
	return p.Sessions[((n%len(p.Sessions))+len(p.Sessions))%len(p.Sessions)]
}

// PrimaryHover returns the background of a filled button under the pointer.
func (p *Palette) PrimaryHover() color.NRGBA {
	return Over(color.NRGBA{p.Text.R, p.Text.G, p.Text.B, 0x20}, p.Accent)
}

// ScrollBar returns the colour of scroll bars, which lets what is below shine through.
func (p *Palette) ScrollBar() color.NRGBA {
	return color.NRGBA{p.Muted.R, p.Muted.G, p.Muted.B, 0xB8}
}

// Over returns a blended over the opaque colour b.
func Over(a, b color.NRGBA) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8((int(x)*int(a.A) + int(y)*(255-int(a.A))) / 255) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}
