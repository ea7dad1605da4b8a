// Package preferences draws the page of settings, with the list of Jupyter servers.
//
// # Goroutines
//
// Everything belongs to the UI goroutine and does no I/O. Changes to files and servers
// go through the port, which calls back.
package preferences

import (
	"cmp"
	"path/filepath"
	"runtime"
	"strconv"

	"fyne.io/fyne/v2"

	"easel/assets"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/window/assistants"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A Port is what the page may read and do in the window. Its functions are called on
// the UI goroutine and must not block.
type Port struct {
	Snapshot func() *state.Snapshot // the newest state
	Version  string
	DataDir  string
	Token    func() string // returns the token that clients need; may be nil
	Given    Overrides

	Settings     func(edit func(*state.Settings)) // changes the user's settings
	SetTheme     func(name string)
	SetAccess    func(mode string)
	SetAutostart func(on bool)
	RotateToken  func(done func(error)) // creates a new token, then calls done; may be nil

	PreferServer func(name string)
	AddServer    func(in command.NamedServer, done func()) // shows an error, or calls done
	RemoveServer func(name string, done func())            // shows an error, or calls done

	PythonMenu  func(root string, at fyne.Position) // lets the user choose a project's Python
	OpenProject func()                              // lets the user choose a project

	Keys       KeysPort
	Assistants assistants.Port // its Relayout is the page's

	Confirm func(title, text, yes string, do func()) // asks for confirmation, then calls do
	Sheet   func(title string, body fyne.CanvasObject)
	Say     func(kit.Mark, string)
	Copy    func(text, what string) // copies to the clipboard
	Reveal  func(path string)       // shows a file in the file manager
	Focus   func(fyne.Focusable)    // gives the keyboard to a control
	Forward func(fyne.Shortcut)     // gets the shortcuts that a field does not use
}

// Overrides contains the settings that the command line or the environment overrides.
type Overrides struct {
	Port, RootDir Override
}

// An Override is a value that overrides a setting until Easel restarts.
type Override struct {
	Value string
	By    string // the flag or environment variable; empty if the setting is not overridden
}

// A Page shows the user's settings. Each change takes effect immediately; there is no
// Save button.
type Page struct {
	k        *kit.Kit
	port     Port
	root     fyne.CanvasObject
	column   *kit.Column
	updates  []func(c state.Settings) // update the controls
	shown    state.Settings
	made     bool
	items    []item // in the order of the page
	servers  *serversCard
	projects *projectsCard
	each     *assistants.List
	login    *kit.Button // turns starting at login on
	logoff   *kit.Button // turns starting at login off
}

// New returns a page. Its controls are created when it is first rendered.
func New(k *kit.Kit, port Port) *Page {
	p := &Page{k: k, port: port, column: k.Column(28, 10)}
	p.column.Most = 804
	p.root = k.Panel(k.P.Window, "", &fyne.Container{
		Objects: []fyne.CanvasObject{p.column},
		Layout: kit.LayoutFunc{Arrange: func(os []fyne.CanvasObject, size fyne.Size) {
			kit.Place(os[0], 0, 0, size.Width, size.Height)
		}},
	})
	return p
}

// An item is a setting on the page.
type item struct {
	key string // the message ID of its name
	row fyne.CanvasObject
}

// Items returns the message IDs of the names of all settings.
func (p *Page) Items() []string {
	keys := make([]string, len(p.items))
	for i, x := range p.items {
		keys[i] = x.key
	}
	return keys
}

// Reveal scrolls to a setting and gives it the keyboard. key is the message ID of its name.
func (p *Page) Reveal(key string) {
	for _, x := range p.items {
		if x.key == key {
			p.column.RevealWithin(x.row)
			if f := kit.FirstStop(x.row); f != nil {
				p.port.Focus(f)
			}
		}
	}
}

// Object returns the object to put into the window.
func (p *Page) Object() fyne.CanvasObject { return p.root }

// Render shows a state.
func (p *Page) Render(n *state.Snapshot) {
	if !p.made {
		p.made = true
		p.shown = n.Settings
		p.column.SetRows(p.rows()...)
		for _, set := range p.updates {
			set(n.Settings)
		}
	}
	p.each.Render(n)
	p.servers.render(n)
	p.projects.render(n)
	p.login.SetOn(n.Autostart)
	p.logoff.SetOn(!n.Autostart)
	if n.Settings != p.shown {
		p.shown = n.Settings
		for _, set := range p.updates {
			set(n.Settings)
		}
	}
}

func (p *Page) rows() []fyne.CanvasObject {
	k := p.k
	rows := []fyne.CanvasObject{kit.NewPara(k.T("settings.title"), theme.TextHeading, k.P.Text, fyne.TextStyle{Bold: true})}
	group := func(title string, items ...fyne.CanvasObject) {
		rows = append(rows, k.Section(k.T(title)), newCard(k, items...))
	}
	general := p.general()
	group("settings.general", general...)
	p.login = k.Button(kit.Quiet, "", k.T("settings.on"), "", func() { p.port.SetAutostart(true) })
	p.logoff = k.Button(kit.Quiet, "", k.T("settings.off"), "", func() { p.port.SetAutostart(false) })
	if p.port.Snapshot().CanAutostart {
		rows[len(rows)-1] = newCard(k, append(general, p.item("settings.login", "settings.login_hint", kit.NewRow(4, -1, p.login, p.logoff)))...)
	}
	group("settings.assistants",
		p.item("settings.access", "settings.access_hint", p.picked(oversight.AccessModes, []string{k.T("access.allow"), k.T("access.ask_risky"), k.T("access.ask"), k.T("access.read_only")},
			func(c state.Settings) string { return c.Access }, p.port.SetAccess)),
		p.item("settings.ask_for", "settings.ask_for_hint", p.number(10, 86_400, func(c state.Settings) int { return int(c.AskFor) }, func(c *state.Settings, v int) { c.AskFor = float64(v) })),
		p.item("settings.delivery", "settings.delivery_hint", p.choice([]string{"", "inline", "link", "none"},
			[]string{k.T("settings.by_client"), k.T("settings.inline"), k.T("settings.link"), k.T("settings.none")},
			func(c state.Settings) string { return c.Delivery }, func(c *state.Settings, v string) { c.Delivery = v })),
		p.item("settings.output", "settings.output_hint", p.number(1, state.MostOutputKB, func(c state.Settings) int { return c.OutputKB }, func(c *state.Settings, v int) { c.OutputKB = v })),
		p.item("settings.hide_secrets", "settings.hide_secrets_hint", p.flag(func(c state.Settings) bool { return !c.ShowSecrets }, func(c *state.Settings, v bool) { c.ShowSecrets = !v })),
		p.item("settings.auto_raise", "settings.auto_raise_hint", p.flag(func(c state.Settings) bool { return c.AutoRaise }, func(c *state.Settings, v bool) { c.AutoRaise = v })),
		p.item("settings.token", "settings.token_hint", p.token()))
	rows = append(rows, k.Section(k.T("assistants.title")), p.eachAssistant())
	group("settings.running",
		p.item("settings.timeout", "settings.timeout_hint", p.number(1, 86_400, func(c state.Settings) int { return int(c.Timeout) }, func(c *state.Settings, v int) { c.Timeout = float64(v) })),
		p.item("settings.prestart", "settings.prestart_hint", p.flag(func(c state.Settings) bool { return c.Prestart }, func(c *state.Settings, v bool) { c.Prestart = v })),
		p.item("settings.unused", "settings.unused_hint", p.number(0, state.MostUnusedHours, func(c state.Settings) int { return int(c.UnusedHours) }, func(c *state.Settings, v int) { c.UnusedHours = float64(v) })),
		p.item("settings.keep_figures", "settings.keep_figures_hint", p.flag(func(c state.Settings) bool { return c.KeepFigures }, func(c *state.Settings, v bool) { c.KeepFigures = v })),
		p.item("settings.keep_theirs", "settings.keep_theirs_hint", p.flag(func(c state.Settings) bool { return c.KeepTheirFigures }, func(c *state.Settings, v bool) { c.KeepTheirFigures = v })),
		p.item("settings.check", "settings.check_hint", p.number(1, 1440, func(c state.Settings) int { return c.CheckMinutes }, func(c *state.Settings, v int) { c.CheckMinutes = v })),
		p.unless(p.port.Given.RootDir, "settings.root", "settings.next_start", p.text(func(c state.Settings) string { return c.RootDir }, func(c *state.Settings, v string) { c.RootDir = v }, defaultRoot())),
		p.unless(p.port.Given.Port, "settings.port", "settings.next_start", p.number(1024, 65_535, func(c state.Settings) int { return c.Port }, func(c *state.Settings, v int) { c.Port = v })))
	group("settings.viewer", p.viewer()...)
	group("settings.plots",
		p.item("settings.plot_facts", "settings.plot_facts_hint", p.flag(func(c state.Settings) bool { return c.PlotFacts }, func(c *state.Settings, v bool) { c.PlotFacts = v })),
		p.item("settings.draw_text", "settings.draw_text_hint", p.flag(func(c state.Settings) bool { return c.DrawText }, func(c *state.Settings, v bool) { c.DrawText = v })))
	p.projects = newProjectsCard(p)
	rows = append(rows, newChecksCard(p).root, k.Section(k.T("settings.projects")), p.projects.root)
	p.servers = newServersCard(p)
	rows = append(rows, k.Section(k.T("settings.servers")), p.servers.root, newCard(k,
		p.item("settings.local_servers", "settings.local_servers_hint", p.flag(func(c state.Settings) bool { return c.LocalServers }, func(c *state.Settings, v bool) { c.LocalServers = v }))))
	group("settings.library",
		p.place("settings.place", "settings.place_hint", filepath.Join(p.port.DataDir, "library")),
		p.item("settings.quota", "settings.quota_hint", p.number(0, 10_000_000, func(c state.Settings) int { return int(c.QuotaMB) }, func(c *state.Settings, v int) { c.QuotaMB = int64(v) })),
		p.item("settings.trash_days", "settings.trash_days_hint", p.number(1, 3650, func(c state.Settings) int { return c.TrashDays }, func(c *state.Settings, v int) { c.TrashDays = v })))
	group("settings.about", p.about()...)
	return rows
}

// general returns the settings of the window.
func (p *Page) general() []fyne.CanvasObject {
	k := p.k
	items := []fyne.CanvasObject{
		p.item("settings.language", "", p.choice([]string{"", "en", "ja"}, []string{k.T("settings.system"), "English", "日本語"},
			func(c state.Settings) string { return c.Language }, func(c *state.Settings, v string) { c.Language = v })),
		p.item("settings.theme", "", p.picked([]string{"system", "light", "dark"}, []string{k.T("settings.system"), k.T("settings.light"), k.T("settings.dark")},
			func(c state.Settings) string { return c.Theme }, p.port.SetTheme)),
		p.item("settings.text_size", "settings.text_size_hint", p.textSize()),
		p.item("settings.keys", "settings.keys_hint", p.k.Button(kit.Quiet, "", p.k.T("settings.keys_change"), "", p.showKeys)),
		p.item("settings.on_close", "settings.on_close_hint", p.choice([]string{"hide", "quit"}, []string{k.T("settings.hide"), k.T("confirm.quit_yes")},
			func(c state.Settings) string { return c.OnClose }, func(c *state.Settings, v string) { c.OnClose = v })),
		p.item("settings.notify", "settings.notify_hint", p.choice([]string{"off", "questions", "hidden", "always"},
			[]string{k.T("settings.off"), k.T("settings.questions_only"), k.T("settings.when_hidden"), k.T("settings.always")},
			func(c state.Settings) string { return c.Notify }, func(c *state.Settings, v string) { c.Notify = v })),
		p.item("settings.long_run", "settings.long_run_hint", p.number(1, 86_400,
			func(c state.Settings) int { return int(c.LongRun().Seconds()) }, func(c *state.Settings, v int) { c.LongRunSeconds = v })),
	}
	if runtime.GOOS != "darwin" { // there the title may become part of a script
		items = append(items, p.item("settings.notify_plots", "settings.notify_plots_hint",
			p.flag(func(c state.Settings) bool { return c.NotifyPlots }, func(c *state.Settings, v bool) { c.NotifyPlots = v })))
	}
	return items
}

// eachAssistant returns the list of what each assistant may do.
func (p *Page) eachAssistant() fyne.CanvasObject {
	port := p.port.Assistants
	port.Relayout = p.column.Relayout
	p.each = assistants.New(p.k, port)
	p.items = append(p.items, item{"assistants.title", p.each.Object()})
	return p.each.Object()
}

// about returns the rows about this Easel.
func (p *Page) about() []fyne.CanvasObject {
	k := p.k
	return []fyne.CanvasObject{
		p.item("settings.version", "", kit.NewLine("Easel "+p.port.Version, theme.TextBody, k.P.Text, fyne.TextStyle{}, 200)),
		p.place("settings.data", "settings.data_hint", p.port.DataDir),
		p.item("settings.licences", "settings.licences_hint", k.Button(kit.Quiet, "", k.T("settings.licences_show"), "", func() {
			p.port.Sheet(k.T("settings.licences"), k.LongCode(assets.Licences))
		})),
	}
}

// textSizes are the sizes of texts and controls, in percent. Fyne rounds to tenths.
var textSizes = []int{90, 100, 110, 120, 130, 150}

// textSize returns the control for the size of texts and controls.
func (p *Page) textSize() fyne.CanvasObject {
	var values, names []string
	for _, n := range textSizes {
		values, names = append(values, strconv.Itoa(n)), append(names, strconv.Itoa(n)+" %")
	}
	return p.choice(values, names, func(c state.Settings) string { return strconv.Itoa(cmp.Or(c.Layout.TextPercent, 100)) },
		func(c *state.Settings, v string) {
			n, _ := strconv.Atoi(v)
			if c.Layout.TextPercent = n; n == 100 {
				c.Layout.TextPercent = 0
			}
		})
}

// defaultRoot returns the root directory if none is set, as the system's users write it.
func defaultRoot() string {
	if runtime.GOOS == "windows" {
		return `%USERPROFILE%\Easel`
	}
	return "~/Easel"
}
