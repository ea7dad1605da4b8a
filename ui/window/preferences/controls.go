package preferences

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// place returns an item with a folder and a button that opens it.
func (p *Page) place(title, hint, path string) fyne.CanvasObject {
	k := p.k
	return p.item(title, hint, kit.NewRow(6, 0,
		kit.NewLine(path, theme.TextBody-1, k.P.Text, fyne.TextStyle{Monospace: true}, 280).Align(fyne.TextAlignTrailing),
		k.Button(kit.Quiet, "folder", "", k.T("properties.show_in_folder"), func() { p.port.Reveal(path) })))
}

// unless returns an item or, if its setting is overridden, the effective value and what
// set it.
func (p *Page) unless(o Override, title, hint string, control fyne.CanvasObject) fyne.CanvasObject {
	if o.By == "" {
		return p.item(title, hint, control)
	}
	value := kit.NewLine(o.Value, theme.TextBody, p.k.P.Text, fyne.TextStyle{Monospace: true}, 280).Align(fyne.TextAlignTrailing)
	return p.named(title, p.k.T("settings.given", o.By), value)
}

// item returns a control with its name and, below the name, a hint. title and hint are
// message IDs.
func (p *Page) item(title, hint string, control fyne.CanvasObject) fyne.CanvasObject {
	if hint != "" {
		hint = p.k.T(hint)
	}
	return p.named(title, hint, control)
}

// named is like item, but the hint is a text.
func (p *Page) named(title, hint string, control fyne.CanvasObject) fyne.CanvasObject {
	row := newSettingRow(p.k, p.k.T(title), hint, control)
	p.items = append(p.items, item{title, row})
	return row
}

// choice returns a control that sets a setting to one of a few values.
func (p *Page) choice(values, names []string, get func(state.Settings) string, set func(*state.Settings, string)) fyne.CanvasObject {
	return p.picked(values, names, get, func(v string) { p.port.Settings(func(c *state.Settings) { set(c, v) }) })
}

// picked returns a control that calls f with one of a few values.
func (p *Page) picked(values, names []string, get func(state.Settings) string, f func(string)) fyne.CanvasObject {
	row := kit.NewRow(4, -1)
	buttons := make([]*kit.Button, len(values))
	for i, v := range values {
		buttons[i] = p.k.Button(kit.Quiet, "", names[i], "", func() { f(v) })
		row.Add(buttons[i])
	}
	p.updates = append(p.updates, func(c state.Settings) {
		for i, v := range values {
			buttons[i].SetOn(get(c) == v)
		}
	})
	return row
}

// flag returns a control for a setting that is on or off.
func (p *Page) flag(get func(state.Settings) bool, set func(*state.Settings, bool)) fyne.CanvasObject {
	k := p.k
	return p.choice([]string{"on", "off"}, []string{k.T("settings.on"), k.T("settings.off")}, func(c state.Settings) string {
		if get(c) {
			return "on"
		}
		return "off"
	}, func(c *state.Settings, v string) { set(c, v == "on") })
}

// number returns a control for a setting that is a whole number in a range.
func (p *Page) number(least, most int, get func(state.Settings) int, set func(*state.Settings, int)) fyne.CanvasObject {
	return p.field(110, func(c state.Settings) string { return strconv.Itoa(get(c)) }, func(text string) bool {
		v, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || v < least || v > most {
			p.port.Say(kit.MarkBad, p.k.T("settings.range", least, most))
			return false
		}
		p.port.Settings(func(c *state.Settings) { set(c, v) })
		return true
	}, "")
}

// text returns a control for a setting that is a text.
func (p *Page) text(get func(state.Settings) string, set func(*state.Settings, string), hint string) fyne.CanvasObject {
	return p.field(260, get, func(text string) bool {
		p.port.Settings(func(c *state.Settings) { set(c, strings.TrimSpace(text)) })
		return true
	}, hint)
}

// field returns a text field. It calls set when the user leaves it, and restores the
// old text if set returns false.
func (p *Page) field(width float32, get func(state.Settings) string, set func(string) bool, hint string) fyne.CanvasObject {
	f := p.k.Field(hint)
	keep := func(text string) {
		if text != get(p.shown) && !set(text) {
			f.SetText(get(p.shown))
		}
	}
	f.OnSubmitted = keep
	f.OnLeave = func() { keep(f.Text) }
	f.Forward = p.port.Forward
	p.updates = append(p.updates, func(c state.Settings) {
		if f.Text != get(c) {
			f.SetText(get(c))
		}
	})
	return kit.Box(f, fyne.NewSize(width, 32))
}

// token returns a row with a placeholder for the token and buttons to copy the token
// and to create a new one.
func (p *Page) token() fyne.CanvasObject {
	k := p.k
	row := kit.NewRow(6, -1, kit.NewLine(strings.Repeat("•", 12), theme.TextBody, k.P.Muted, fyne.TextStyle{Monospace: true}, 110))
	if p.port.Token != nil {
		row.Add(k.Button(kit.Quiet, "copy", k.T("settings.copy"), "", func() { p.port.Copy(p.port.Token(), k.T("what.token")) }))
	}
	if p.port.RotateToken != nil {
		row.Add(k.Button(kit.Danger, "refresh", k.T("settings.rotate"), "", func() {
			p.port.Confirm(k.T("settings.rotate_ask"), k.T("settings.rotate_text"), k.T("settings.rotate"), p.rotate)
		}))
	}
	return row
}

// rotate creates a new token.
func (p *Page) rotate() {
	p.port.RotateToken(func(err error) {
		if err != nil {
			p.port.Say(kit.MarkBad, err.Error())
			return
		}
		p.port.Say(kit.MarkCheck, p.k.T("settings.rotated"))
	})
}
