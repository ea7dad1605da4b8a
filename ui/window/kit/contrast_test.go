package kit

import (
	"fmt"
	"image/color"
	"testing"

	"easel/ui/window/i18n"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// TestButtonsAreReadableInEveryState: the text of a button has 4.5 to 1, its edge and its focus
// ring 3 to 1. What is disabled is exempt.
func TestButtonsAreReadableInEveryState(t *testing.T) {
	uitest.App(t)
	for name, p := range map[string]*theme.Palette{"light": &theme.Light, "dark": &theme.Dark} {
		k := &Kit{P: p, Tr: i18n.New("en"), Do: func(f func()) { f() }}
		for _, behind := range []color.NRGBA{p.Panel, p.Side, p.Raised, p.Window} {
			for state := range 32 {
				kind, hovered, on := Kind(state%4), state&4 != 0, state&8 != 0
				text := map[bool]string{true: "Save"}[state&16 != 0]
				b := k.Button(kind, "save", text, "", nil)
				b.hovered, b.on, b.focused = hovered, on, true
				b.paint()
				what := fmt.Sprintf("%s: kind %d, hovered %v, on %v, text %q, on %s", name, kind, hovered, on, text, theme.Hex(behind))
				ground := color.Color(behind)
				if _, _, _, a := b.ground.FillColor.RGBA(); a != 0 {
					ground = b.ground.FillColor
				}
				if got := uitest.Contrast(b.label.Color, ground); got < 4.5 {
					t.Errorf("%s: text %.2f", what, got)
				}
				if got := uitest.Contrast(b.ring.StrokeColor, behind); got < 3 {
					t.Errorf("%s: focus ring %.2f", what, got)
				}
				if got := uitest.Contrast(b.ground.StrokeColor, behind); b.ground.StrokeWidth > 0 && got < 3 {
					t.Errorf("%s: edge %.2f", what, got)
				}
			}
		}
	}
}
