package preferences

import (
	"fyne.io/fyne/v2"

	"easel/ui/core/state"
)

// viewer returns the items about how the user looks at large plots.
func (p *Page) viewer() []fyne.CanvasObject {
	k := p.k
	return []fyne.CanvasObject{
		p.item("settings.enlarge", "settings.enlarge_hint", p.choice(
			[]string{string(state.EnlargeFocused), string(state.EnlargeAlways), string(state.EnlargeNever)},
			[]string{k.T("settings.enlarge_focused"), k.T("settings.always"), k.T("settings.never")},
			func(c state.Settings) string { return string(c.Layout.Enlarge) },
			func(c *state.Settings, v string) { c.Layout.Enlarge = state.Enlargement(v) })),
		p.item("settings.wheel", "settings.wheel_hint", p.choice(
			[]string{string(state.WheelSteps), string(state.WheelZooms)}, []string{k.T("settings.wheel_steps"), k.T("settings.wheel_zooms")},
			func(c state.Settings) string { return string(c.Layout.Wheel) },
			func(c *state.Settings, v string) { c.Layout.Wheel = state.WheelUse(v) })),
	}
}
