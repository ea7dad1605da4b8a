package window

import (
	"path/filepath"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/assets"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A settingsPage has the user's choices. Each counts at once; there is no Save.
type settingsPage struct {
	s      *shell
	root   fyne.CanvasObject
	column *kit.Column
	sets   []func(c state.Settings) // bring the controls up to date
	shown  state.Settings
	made   bool
	cards  *serversCard
	login  *kit.Button // start at login: on and off are two
	logoff *kit.Button
}

func newSettings(s *shell) *settingsPage {
	p := &settingsPage{s: s, column: s.k.Column(28, 10)}
	p.column.Most = 804
	p.root = s.k.Panel(s.k.P.Window, "", &fyne.Container{
		Objects: []fyne.CanvasObject{p.column},
		Layout: kit.LayoutFunc{Arrange: func(os []fyne.CanvasObject, size fyne.Size) {
			kit.Place(os[0], 0, 0, size.Width, size.Height)
		}},
	})
	return p
}

func (p *settingsPage) render(n *state.Snapshot) {
	if !p.made {
		p.made = true
		p.shown = n.Settings
		p.column.SetRows(p.rows()...)
		for _, set := range p.sets {
			set(n.Settings)
		}
	}
	p.cards.render(n)
	p.login.SetOn(n.Autostart)
	p.logoff.SetOn(!n.Autostart)
	if n.Settings != p.shown {
		p.shown = n.Settings
		for _, set := range p.sets {
			set(n.Settings)
		}
	}
}

func (p *settingsPage) rows() []fyne.CanvasObject {
	k, a := p.s.k, p.s.a
	rows := []fyne.CanvasObject{kit.NewPara(k.T("settings.title"), theme.TextHeading, k.P.Text, fyne.TextStyle{Bold: true})}
	group := func(title string, items ...fyne.CanvasObject) {
		rows = append(rows, k.Section(k.T(title)), p.card(items...))
	}
	general := []fyne.CanvasObject{
		p.item("settings.language", "", p.choice([]string{"", "en", "ja"}, []string{k.T("settings.system"), "English", "日本語"},
			func(c state.Settings) string { return c.Language }, func(c *state.Settings, v string) { c.Language = v })),
		p.item("settings.theme", "", p.picked([]string{"system", "light", "dark"}, []string{k.T("settings.system"), k.T("settings.light"), k.T("settings.dark")},
			func(c state.Settings) string { return c.Theme }, a.setTheme)),
		p.item("settings.on_close", "settings.on_close_hint", p.choice([]string{"hide", "quit"}, []string{k.T("settings.hide"), k.T("confirm.quit_yes")},
			func(c state.Settings) string { return c.OnClose }, func(c *state.Settings, v string) { c.OnClose = v })),
		p.item("settings.notify", "settings.notify_hint", p.choice([]string{"off", "hidden", "always"}, []string{k.T("settings.off"), k.T("settings.when_hidden"), k.T("settings.always")},
			func(c state.Settings) string { return c.Notify }, func(c *state.Settings, v string) { c.Notify = v })),
	}
	group("settings.general", general...)
	p.login = k.Button(kit.Quiet, "", k.T("settings.on"), "", func() { a.Autostart(true) })
	p.logoff = k.Button(kit.Quiet, "", k.T("settings.off"), "", func() { a.Autostart(false) })
	if a.cfg.Store.Snapshot().CanAutostart {
		rows[len(rows)-1] = p.card(append(general, p.item("settings.login", "settings.login_hint", kit.NewRow(4, -1, p.login, p.logoff)))...)
	}
	group("settings.assistants",
		p.item("settings.access", "settings.access_hint", p.picked(accessModes, []string{k.T("access.allow"), k.T("access.ask"), k.T("access.read_only")},
			func(c state.Settings) string { return c.Access }, a.setAccess)),
		p.item("settings.ask_for", "settings.ask_for_hint", p.number(10, 86_400, func(c state.Settings) int { return int(c.AskFor) }, func(c *state.Settings, v int) { c.AskFor = float64(v) })),
		p.item("settings.delivery", "settings.delivery_hint", p.choice([]string{"", "inline", "link", "none"},
			[]string{k.T("settings.by_client"), k.T("settings.inline"), k.T("settings.link"), k.T("settings.none")},
			func(c state.Settings) string { return c.Delivery }, func(c *state.Settings, v string) { c.Delivery = v })),
		p.item("settings.output", "settings.output_hint", p.number(1, state.MostOutputKB, func(c state.Settings) int { return c.OutputKB }, func(c *state.Settings, v int) { c.OutputKB = v })),
		p.item("settings.auto_raise", "settings.auto_raise_hint", p.flag(func(c state.Settings) bool { return c.AutoRaise }, func(c *state.Settings, v bool) { c.AutoRaise = v })),
		p.item("settings.token", "settings.token_hint", p.token()))
	group("settings.running",
		p.item("settings.timeout", "settings.timeout_hint", p.number(1, 86_400, func(c state.Settings) int { return int(c.Timeout) }, func(c *state.Settings, v int) { c.Timeout = float64(v) })),
		p.item("settings.spare", "settings.spare_hint", p.flag(func(c state.Settings) bool { return c.Spare }, func(c *state.Settings, v bool) { c.Spare = v })),
		p.item("settings.unused", "settings.unused_hint", p.number(0, state.MostUnusedHours, func(c state.Settings) int { return int(c.UnusedHours) }, func(c *state.Settings, v int) { c.UnusedHours = float64(v) })),
		p.item("settings.root", "settings.next_start", p.text(func(c state.Settings) string { return c.RootDir }, func(c *state.Settings, v string) { c.RootDir = v }, "~/Easel")),
		p.item("settings.port", "settings.next_start", p.number(1024, 65_535, func(c state.Settings) int { return c.Port }, func(c *state.Settings, v int) { c.Port = v })))
	p.cards = newServersCard(p)
	rows = append(rows, k.Section(k.T("settings.servers")), p.cards.root, p.card(
		p.item("settings.local_servers", "settings.local_servers_hint", p.flag(func(c state.Settings) bool { return c.LocalServers }, func(c *state.Settings, v bool) { c.LocalServers = v }))))
	group("settings.library",
		p.place("settings.place", "settings.place_hint", filepath.Join(a.cfg.DataDir, "library")),
		p.item("settings.quota", "settings.quota_hint", p.number(0, 10_000_000, func(c state.Settings) int { return int(c.QuotaMB) }, func(c *state.Settings, v int) { c.QuotaMB = int64(v) })),
		p.item("settings.trash_days", "settings.trash_days_hint", p.number(1, 3650, func(c state.Settings) int { return c.TrashDays }, func(c *state.Settings, v int) { c.TrashDays = v })))
	var about []fyne.CanvasObject
	about = append(about, p.item("settings.version", "", kit.NewLine("Easel "+a.cfg.Version, theme.TextBody, k.P.Text, fyne.TextStyle{}, 200)))
	about = append(about, p.place("settings.data", "settings.data_hint", a.cfg.DataDir),
		p.item("settings.licences", "settings.licences_hint", k.Button(kit.Quiet, "", k.T("settings.licences_show"), "", func() {
			p.s.sheet(k.T("settings.licences"), k.LongCode(assets.Licences))
		})))
	group("settings.about", about...)
	return rows
}

// place is a folder, and the way to it.
func (p *settingsPage) place(title, hint, path string) fyne.CanvasObject {
	k, a := p.s.k, p.s.a
	return p.item(title, hint, kit.NewRow(6, 0,
		kit.NewLine(path, theme.TextBody-1, k.P.Text, fyne.TextStyle{Monospace: true}, 280).Align(fyne.TextAlignTrailing),
		k.Button(kit.Quiet, "folder", "", k.T("properties.show_in_folder"), func() { a.reveal(path) })))
}

// card puts items on a raised ground with lines between them.
func (p *settingsPage) card(items ...fyne.CanvasObject) fyne.CanvasObject {
	k := p.s.k
	ground := kit.Fill(k.P.Raised, 8)
	ground.StrokeColor, ground.StrokeWidth = k.P.Line, 1
	objects := []fyne.CanvasObject{ground}
	var lines []fyne.CanvasObject
	total := float32(0)
	for i, o := range items {
		if i > 0 {
			l := canvas.NewRectangle(k.P.Line)
			lines = append(lines, l)
		}
		total += o.MinSize().Height
	}
	objects = append(append(objects, items...), lines...)
	return &fyne.Container{Objects: objects, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			y := float32(0)
			for i, o := range items {
				h := o.MinSize().Height
				if i > 0 {
					kit.Place(lines[i-1], 14, y, s.Width-28, 1)
				}
				kit.Place(o, 0, y, s.Width, h)
				y += h
			}
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, total) },
	}}
}

// item is a choice with its name and, under it, what it means.
func (p *settingsPage) item(title, hint string, control fyne.CanvasObject) fyne.CanvasObject {
	k := p.s.k
	name := kit.NewLine(k.T(title), theme.TextBody, k.P.Text, fyne.TextStyle{}, 60)
	objects := []fyne.CanvasObject{name, control}
	high := float32(46)
	var sub *kit.Line
	if hint != "" {
		sub = kit.NewLine(k.T(hint), theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 60)
		objects = append(objects, sub)
		high = 56
	}
	return &fyne.Container{Objects: objects, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			m := control.MinSize()
			w := s.Width - m.Width - 14*3
			kit.Place(control, s.Width-14-m.Width, (s.Height-m.Height)/2, m.Width, m.Height)
			if sub == nil {
				kit.Place(name, 14, 0, w, s.Height)
				return
			}
			kit.Place(name, 14, 9, w, 20)
			kit.Place(sub, 14, 29, w, 18)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, high) },
	}}
}

// choice is one of a few.
func (p *settingsPage) choice(values, names []string, get func(state.Settings) string, set func(*state.Settings, string)) fyne.CanvasObject {
	return p.picked(values, names, get, func(v string) { p.s.a.settings(func(c *state.Settings) { set(c, v) }) })
}

// picked is one of a few that f takes.
func (p *settingsPage) picked(values, names []string, get func(state.Settings) string, f func(string)) fyne.CanvasObject {
	row := kit.NewRow(4, -1)
	buttons := make([]*kit.Button, len(values))
	for i, v := range values {
		buttons[i] = p.s.k.Button(kit.Quiet, "", names[i], "", func() { f(v) })
		row.Add(buttons[i])
	}
	p.sets = append(p.sets, func(c state.Settings) {
		for i, v := range values {
			buttons[i].SetOn(get(c) == v)
		}
	})
	return row
}

// flag is yes or no.
func (p *settingsPage) flag(get func(state.Settings) bool, set func(*state.Settings, bool)) fyne.CanvasObject {
	k := p.s.k
	return p.choice([]string{"on", "off"}, []string{k.T("settings.on"), k.T("settings.off")}, func(c state.Settings) string {
		if get(c) {
			return "on"
		}
		return "off"
	}, func(c *state.Settings, v string) { set(c, v == "on") })
}

func (p *settingsPage) number(least, most int, get func(state.Settings) int, set func(*state.Settings, int)) fyne.CanvasObject {
	return p.field(110, func(c state.Settings) string { return strconv.Itoa(get(c)) }, func(text string) bool {
		v, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || v < least || v > most {
			p.s.flash(kit.MarkBad, p.s.k.T("settings.range", least, most))
			return false
		}
		p.s.a.settings(func(c *state.Settings) { set(c, v) })
		return true
	}, "")
}

func (p *settingsPage) text(get func(state.Settings) string, set func(*state.Settings, string), hint string) fyne.CanvasObject {
	return p.field(260, get, func(text string) bool {
		p.s.a.settings(func(c *state.Settings) { set(c, strings.TrimSpace(text)) })
		return true
	}, hint)
}

func (p *settingsPage) field(width float32, get func(state.Settings) string, set func(string) bool, hint string) fyne.CanvasObject {
	f := p.s.k.Field(hint)
	keep := func(text string) {
		if text != get(p.shown) && !set(text) {
			f.SetText(get(p.shown))
		}
	}
	f.OnSubmitted = keep
	f.OnLeave = func() { keep(f.Text) }
	f.Forward = p.s.a.shortcut
	p.sets = append(p.sets, func(c state.Settings) {
		if f.Text != get(c) {
			f.SetText(get(c))
		}
	})
	return kit.Box(f, fyne.NewSize(width, 32))
}

// token shows that there is one, and takes it to the clipboard.
func (p *settingsPage) token() fyne.CanvasObject {
	k, a := p.s.k, p.s.a
	row := kit.NewRow(6, -1, kit.NewLine(strings.Repeat("•", 12), theme.TextBody, k.P.Muted, fyne.TextStyle{Monospace: true}, 110))
	if a.cfg.Token != nil {
		row.Add(k.Button(kit.Quiet, "copy", k.T("settings.copy"), "", func() { a.copyText(a.cfg.Token(), k.T("what.token")) }))
	}
	if a.cfg.RotateToken != nil {
		row.Add(k.Button(kit.Danger, "refresh", k.T("settings.rotate"), "", func() {
			p.s.confirm(k.T("settings.rotate_ask"), k.T("settings.rotate_text"), k.T("settings.rotate"), a.rotateToken)
		}))
	}
	return row
}
