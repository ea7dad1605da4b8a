// Package theme defines Easel's appearance: two palettes, the sizes, the fonts and the
// icons. Its Theme is a fyne.Theme, so Fyne's own widgets look like ours.
//
// # Goroutines
//
// A Theme is immutable. The cache of icons may only be used on the UI goroutine.
package theme

import (
	"fmt"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"

	"easel/assets"
)

// The sizes of text in points.
const (
	TextCaption float32 = 11
	TextBody    float32 = 13
	TextTitle   float32 = 15
	TextHeading float32 = 20
)

// The dimensions of the layout, in Fyne units. Gap is the unit: positions are multiples
// of half a Gap.
const (
	Gap    float32 = 8
	Radius float32 = 6
)

// A Theme is Easel's theme. Variant is what the user chose: "light", "dark", or
// anything else for the system's.
type Theme struct {
	Variant string
	regular fyne.Resource
	bold    fyne.Resource
	mono    fyne.Resource
}

// New returns the theme of a variant: light, dark, or system.
func New(variant string) *Theme {
	return &Theme{
		Variant: variant,
		regular: fyne.NewStaticResource(assets.FontJPName, assets.FontJP),
		bold:    fyne.NewStaticResource("NotoSansCJKjp-Bold-subset.otf", assets.FontJPBold),
		mono:    fyne.NewStaticResource("NotoSansCJKjp-Mono-subset.otf", assets.FontJPMono),
	}
}

// Palette returns the palette to use if the system's variant is v.
func (t *Theme) Palette(v fyne.ThemeVariant) *Palette {
	switch {
	case t.Variant == "dark", t.Variant != "light" && v == fynetheme.VariantDark:
		return &Dark
	default:
		return &Light
	}
}

// Font returns a font that Fyne uses before its own font of the style. It contains only
// the Japanese characters and a space as wide as that of Fyne's font. So Latin text,
// bold and monospace stay Fyne's, and Japanese does not depend on the system's fonts.
func (t *Theme) Font(s fyne.TextStyle) fyne.Resource {
	switch {
	case s.Symbol:
		return fynetheme.DefaultTheme().Font(s)
	case s.Monospace:
		return t.mono
	case s.Bold:
		return t.bold
	default:
		return t.regular
	}
}

// Icon returns Fyne's own icons, which its entries and menus use.
func (t *Theme) Icon(n fyne.ThemeIconName) fyne.Resource { return fynetheme.DefaultTheme().Icon(n) }

// Size implements fyne.Theme.
func (t *Theme) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case fynetheme.SizeNameText:
		return TextBody
	case fynetheme.SizeNameCaptionText:
		return TextCaption
	case fynetheme.SizeNameSubHeadingText:
		return TextTitle
	case fynetheme.SizeNameHeadingText:
		return TextHeading
	case fynetheme.SizeNamePadding:
		return 4
	case fynetheme.SizeNameInnerPadding:
		return 7
	case fynetheme.SizeNameScrollBar:
		return 10
	case fynetheme.SizeNameScrollBarSmall:
		return 5
	case fynetheme.SizeNameInputRadius, fynetheme.SizeNameSelectionRadius, fynetheme.SizeNameButtonRadius:
		return Radius
	case fynetheme.SizeNameInlineIcon:
		return 18
	default:
		return fynetheme.DefaultTheme().Size(n)
	}
}

// Color implements fyne.Theme.
func (t *Theme) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	p := t.Palette(v)
	switch n {
	case fynetheme.ColorNameBackground:
		return p.Window
	case fynetheme.ColorNameForeground:
		return p.Text
	case fynetheme.ColorNamePlaceHolder:
		return p.Muted
	case fynetheme.ColorNameDisabled:
		return p.Faint
	case fynetheme.ColorNamePrimary, fynetheme.ColorNameHyperlink, fynetheme.ColorNameFocus:
		return p.Accent
	case fynetheme.ColorNameForegroundOnPrimary:
		return p.OnAccent
	case fynetheme.ColorNameButton, fynetheme.ColorNameInputBackground, fynetheme.ColorNameMenuBackground,
		fynetheme.ColorNameOverlayBackground:
		return p.Raised
	case fynetheme.ColorNameHeaderBackground:
		return p.Panel
	case fynetheme.ColorNameDisabledButton:
		return p.Panel
	case fynetheme.ColorNameInputBorder:
		return p.Edge
	case fynetheme.ColorNameHover:
		return p.Hover
	case fynetheme.ColorNamePressed:
		return p.Pressed
	case fynetheme.ColorNameSelection:
		return p.Selected
	case fynetheme.ColorNameSeparator:
		return p.Line
	case fynetheme.ColorNameSuccess:
		return p.Good
	case fynetheme.ColorNameWarning:
		return p.Warn
	case fynetheme.ColorNameError:
		return p.Bad
	case fynetheme.ColorNameScrollBar:
		return p.ScrollBar()
	case fynetheme.ColorNameScrollBarBackground:
		return color.NRGBA{}
	case fynetheme.ColorNameShadow:
		return color.NRGBA{0, 0, 0, 0x18}
	default:
		variant := fynetheme.VariantLight
		if p.Dark {
			variant = fynetheme.VariantDark
		}
		return fynetheme.DefaultTheme().Color(n, variant)
	}
}

// Hex formats c as in SVG.
func Hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// Icon returns one of our icons in a colour.
func Icon(name string, c color.NRGBA) fyne.Resource {
	hex := Hex(c)
	return fyne.NewStaticResource(name+hex+".svg", assets.Icon(name, hex))
}

// IconOn returns one of our icons in a colour, on a ground that hides what is below: Fyne scrolls the text of a field
// below its icon.
func IconOn(name string, c, ground color.NRGBA) fyne.Resource {
	svg := strings.Replace(string(Icon(name, c).Content()), ">", `><rect width="24" height="24" fill="`+Hex(ground)+`"/>`, 1)
	return fyne.NewStaticResource(name+Hex(c)+Hex(ground)+".svg", []byte(svg))
}

// slim is a theme with less space inside fields.
type slim struct{ fyne.Theme }

// Slim returns t with less space inside fields.
func Slim(t fyne.Theme) fyne.Theme { return slim{t} }

// Size implements fyne.Theme.
func (s slim) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case fynetheme.SizeNameInnerPadding:
		return 4
	case fynetheme.SizeNameText:
		return TextBody - 1
	default:
		return s.Theme.Size(n)
	}
}

// iconField is a theme for a field with an icon.
type iconField struct{ fyne.Theme }

// IconField returns t for a field of one line with an icon: text that scrolls has neither a scroll bar nor a shadow.
func IconField(t fyne.Theme) fyne.Theme { return iconField{t} }

// Size implements fyne.Theme.
func (s iconField) Size(n fyne.ThemeSizeName) float32 {
	switch n {
	case fynetheme.SizeNameScrollBar, fynetheme.SizeNameScrollBarSmall:
		return 0
	default:
		return s.Theme.Size(n)
	}
}

// Color implements fyne.Theme.
func (s iconField) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	if n == fynetheme.ColorNameShadow {
		return color.NRGBA{}
	}
	return s.Theme.Color(n, v)
}

// track is a theme in which the track of a slider is visible on every background.
type track struct{ fyne.Theme }

// Track returns t with a visible slider track.
func Track(t fyne.Theme) fyne.Theme { return track{t} }

// Color implements fyne.Theme.
func (t track) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	switch n {
	case fynetheme.ColorNameInputBackground:
		return t.Theme.Color(fynetheme.ColorNameInputBorder, v)
	case fynetheme.ColorNameForeground:
		return t.Theme.Color(fynetheme.ColorNamePrimary, v)
	default:
		return t.Theme.Color(n, v)
	}
}
