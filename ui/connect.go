package ui

import (
	"context"
	"fmt"
	"image/color"
	"net/url"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/clients"
	"easel/ui/kit"
	"easel/ui/state"
	"easel/ui/theme"
)

// A clientKind is a program that can be told to use Easel, and how.
type clientKind struct {
	name     string
	match    []string // parts of the names by which it presents itself
	language string   // of the snippet, for its colours
	snippet  func(c connection) string
	after    string // key of what to do then
}

// A connection is what a snippet is made of.
type connection struct{ url, token, exe string }

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// header is the Authorization header as JSON configurations have it.
func (c connection) header() string {
	return `{"Authorization": ` + quoted("Bearer "+c.token) + `}`
}

// clientKinds are the clients whose set-up is known, in the order of the page.
var clientKinds = []clientKind{
	{"Claude Code", []string{"claude-code"}, "bash", func(c connection) string {
		return "claude mcp add --transport http --scope user easel " + c.url + " \\\n  --header \"Authorization: Bearer " + c.token + "\""
	}, "connect.after_command"},
	{"Claude Desktop", []string{"claude-ai", "claude desktop"}, "json", func(c connection) string {
		return "{\n  \"mcpServers\": {\n    \"easel\": {\n      \"command\": " + quoted(c.exe) + ",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"
	}, "connect.after_restart"},
	{"Cursor", []string{"cursor"}, "json", func(c connection) string {
		return "{\n  \"mcpServers\": {\n    \"easel\": {\n      \"url\": " + quoted(c.url) + ",\n      \"headers\": " + c.header() + "\n    }\n  }\n}"
	}, "connect.after_restart"},
	{"VS Code", []string{"visual studio code", "vscode"}, "json", func(c connection) string {
		return "{\n  \"servers\": {\n    \"easel\": {\n      \"type\": \"http\",\n      \"url\": " + quoted(c.url) +
			",\n      \"headers\": {\"Authorization\": \"Bearer ${input:easel}\"}\n    }\n  },\n  \"inputs\": [\n    {\n      \"type\": \"promptString\", \"id\": \"easel\",\n      \"password\": true, \"description\": \"Easel token\"\n    }\n  ]\n}"
	}, "connect.after_vscode"},
	{"Cline", []string{"cline"}, "json", func(c connection) string {
		return "{\n  \"mcpServers\": {\n    \"easel\": {\n      \"type\": \"streamableHttp\",\n      \"url\": " + quoted(c.url) + ",\n      \"headers\": " + c.header() + ",\n      \"timeout\": 3600\n    }\n  }\n}"
	}, "connect.after_cline"},
	{"Codex", []string{"codex"}, "toml", func(c connection) string {
		return "[mcp_servers.easel]\nurl = " + quoted(c.url) + "\nbearer_token_env_var = \"EASEL_TOKEN\"\ntool_timeout_sec = 3600\n\n# in the shell that starts codex:\n# export EASEL_TOKEN=" + c.token
	}, "connect.after_codex"},
	{"Gemini CLI", []string{"gemini"}, "json", func(c connection) string {
		return "{\n  \"mcpServers\": {\n    \"easel\": {\n      \"httpUrl\": " + quoted(c.url) + ",\n      \"headers\": " + c.header() + ",\n      \"timeout\": 3600000\n    }\n  }\n}"
	}, "connect.after_restart"},
	{"", nil, "bash", func(c connection) string {
		return "# Streamable HTTP\n" + c.url + "\nAuthorization: Bearer " + c.token + "\n\n# or stdio\n" + c.exe + " mcp"
	}, "connect.after_other"},
}

// file is where the snippet belongs; empty: it is a command, or for any client.
func (c clientKind) file() string {
	if c.language == "bash" {
		return ""
	}
	return clients.File(c.name)
}

// seen finds the client of a kind among those that have connected.
func (c clientKind) seen(n *state.Snapshot) (state.Client, bool) {
	for _, x := range n.Clients {
		name := strings.ToLower(x.Name)
		for _, m := range c.match {
			if strings.Contains(name, m) {
				return x, true
			}
		}
		if c.match == nil && !known(name) {
			return x, true
		}
	}
	return state.Client{}, false
}

func known(name string) bool {
	for _, c := range clientKinds {
		for _, m := range c.match {
			if strings.Contains(name, m) {
				return true
			}
		}
	}
	return false
}

// A connectPage tells how to connect each client, and whether it has.
type connectPage struct {
	s      *shell
	root   fyne.CanvasObject
	list   *kit.Column
	detail *kit.Column
	at     int
	clear  bool // the token is shown
	print  string
	files  map[int]fileState // what was found in the clients' files
	look   int               // counts the readings of them
	looked int               // the last that has ended
}

// A fileState is a client's file, and what of Easel is in it.
type fileState struct {
	path  string
	state clients.State
}

func newConnect(s *shell) *connectPage {
	c := &connectPage{s: s, list: s.k.Column(10, 2), detail: s.k.Column(28, 12), files: make(map[int]fileState)}
	c.detail.Most = 764
	c.root = s.k.Panel(s.k.P.Window, "", &fyne.Container{
		Objects: []fyne.CanvasObject{s.k.Panel(s.k.P.Side, "r", c.list), c.detail},
		Layout: kit.LayoutFunc{Arrange: func(os []fyne.CanvasObject, size fyne.Size) {
			const w = 236
			kit.Place(os[0], 0, 0, w, size.Height)
			kit.Place(os[1], w, 0, size.Width-w, size.Height)
		}},
	})
	return c
}

func (c *connectPage) connection() connection {
	x := connection{token: "TOKEN", exe: c.s.a.cfg.Exe}
	if c.s.a.cfg.Token != nil {
		x.token = c.s.a.cfg.Token()
	}
	base := c.s.a.cfg.Store.Snapshot().URL
	if base == "" {
		base = "http://127.0.0.1:5149"
	}
	x.url, _ = url.JoinPath(base, "mcp")
	if x.exe == "" {
		x.exe = "easel"
	}
	return x
}

// reread looks into the clients' files: whether they lead to this Easel.
func (c *connectPage) reread() {
	c.look++
	look, conn, a := c.look, c.connection(), c.s.a
	a.tasks.Go(func() {
		found := make(map[int]fileState)
		for i, x := range clientKinds {
			if path := x.file(); path != "" {
				found[i] = fileState{path, clients.Look(path, x.snippet(conn))}
			}
		}
		a.cfg.Do(func() {
			if !a.closed && look == c.look {
				c.files, c.looked = found, look
				c.render(a.cfg.Store.Snapshot())
			}
		})
	})
}

// write adds Easel to the file of the client that is shown.
func (c *connectPage) write(x clientKind, path string) {
	a, snippet, backup := c.s.a, x.snippet(c.connection()), ""
	a.background("write_config", func(context.Context) (err error) {
		backup, err = clients.Write(path, snippet)
		return err
	}, func() {
		k := a.shell.k
		text := k.T("connect.written", clients.Tilde(path))
		if backup != "" {
			text += " " + k.T("connect.backup", filepath.Base(backup))
		}
		a.shell.offer(kit.MarkCheck, text, k.T("properties.show_in_folder"), func() { a.reveal(path) })
		a.shell.connect.reread()
	})
}

func (c *connectPage) render(n *state.Snapshot) {
	if c.look == 0 && c.s.page == pageConnect {
		c.reread()
	}
	var print strings.Builder
	fmt.Fprint(&print, n.URL, c.at, c.clear, c.connection(), c.files, c.s.top.chosen == "")
	for _, x := range n.Clients {
		fmt.Fprint(&print, x.Name, x.Calls, x.Last.Unix()/60)
	}
	if print.String() == c.print {
		return
	}
	c.print = print.String()
	k := c.s.k
	rows := []fyne.CanvasObject{kit.Box(kit.PadRow(8, 0, 0, k.Section(k.T("connect.clients"))), fyne.NewSize(0, 32))}
	for i, x := range clientKinds {
		rows = append(rows, c.card(i, x, n))
	}
	c.list.SetRows(append(rows, c.forPeople()...)...)
	c.detail.SetRows(c.steps(clientKinds[c.at], n)...)
}

// forPeople are the ways to the same things without an assistant.
func (c *connectPage) forPeople() []fyne.CanvasObject {
	k, a := c.s.k, c.s.a
	swagger := k.Button(kit.Quiet, "external", k.T("connect.swagger"), k.T("connect.swagger_tip"), a.swagger)
	ways := []fyne.CanvasObject{swagger}
	if a.cfg.JupyterLab != nil {
		lab := k.Button(kit.Quiet, "external", k.T("menu.jupyterlab"), k.T("connect.lab_tip"), func() { a.jupyterLab(c.s.top.chosen) })
		lab.SetEnabled(c.s.top.chosen != "")
		ways = append(ways, lab)
	}
	return []fyne.CanvasObject{
		kit.Box(kit.PadRow(8, 0, 0, k.Section(k.T("connect.people"))), fyne.NewSize(0, 36)),
		kit.Inset(8, kit.NewFlow(6, ways...)),
	}
}

func (c *connectPage) name(x clientKind) string {
	if x.name == "" {
		return c.s.k.T("connect.other")
	}
	return x.name
}

func (c *connectPage) card(i int, x clientKind, n *state.Snapshot) fyne.CanvasObject {
	k := c.s.k
	client, ok := x.seen(n)
	mark, text := kit.MarkIdle, k.T("connect.not_seen")
	if ok {
		mark, text = kit.MarkBusy, k.T("connect.seen", k.Tr.Clock(client.Last))
	} else if f := c.files[i].state; f == clients.Same {
		text = k.T("connect.set_up")
	} else if f == clients.Other {
		mark, text = kit.MarkWait, k.T("connect.outdated")
	}
	var base color.Color = color.Transparent
	if i == c.at {
		base = k.P.Selected
	}
	name := kit.NewLine(c.name(x), theme.TextBody, k.P.Text, fyne.TextStyle{Bold: i == c.at}, 40)
	state := kit.NewLine(text, theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 40)
	dot := k.State(mark, 9)
	return k.Tap(&fyne.Container{Objects: []fyne.CanvasObject{name, state, dot}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(name, 12, 5, s.Width-24, 20)
			kit.Place(dot, 12, 30, 9, 9)
			kit.Place(state, 27, 26, s.Width-39, 17)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(100, 48) },
	}}, base, "", func() {
		c.at = i
		c.render(c.s.a.cfg.Store.Snapshot())
		c.detail.ScrollToTop()
	})
}

// masked hides the token in a text that is only looked at.
func masked(text, token string) string {
	if token == "" {
		return text
	}
	return strings.ReplaceAll(text, token, strings.Repeat("•", 12))
}

func (c *connectPage) steps(x clientKind, n *state.Snapshot) []fyne.CanvasObject {
	k, a := c.s.k, c.s.a
	conn := c.connection()
	snippet := x.snippet(conn)
	shown := snippet
	if !c.clear {
		shown = masked(snippet, conn.token)
	}
	body := func(text string) fyne.CanvasObject {
		return kit.NewPara(text, theme.TextBody, k.P.Text, fyne.TextStyle{})
	}
	rows := []fyne.CanvasObject{
		kit.NewPara(k.T("connect.title", c.name(x)), theme.TextHeading, k.P.Text, fyne.TextStyle{Bold: true}),
		kit.NewPara(k.T("connect.intro"), theme.TextBody, k.P.Muted, fyne.TextStyle{}),
	}
	step := func(n int, title string) fyne.CanvasObject {
		disc := canvas.NewCircle(k.P.AccentBg)
		num := kit.Text(fmt.Sprint(n), 12, k.P.Accent, fyne.TextStyle{Bold: true})
		num.Alignment = fyne.TextAlignCenter
		badge := &fyne.Container{Objects: []fyne.CanvasObject{disc, num}, Layout: kit.LayoutFunc{
			Arrange: func([]fyne.CanvasObject, fyne.Size) {
				kit.Place(disc, 0, 0, 24, 24)
				kit.Place(num, 0, (24-num.MinSize().Height)/2, 24, num.MinSize().Height)
			},
			Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(24, 24) },
		}}
		return kit.NewRow(10, 1, badge, kit.NewLine(title, theme.TextTitle, k.P.Text, fyne.TextStyle{Bold: true}, 60))
	}
	first, what := k.T("connect.step_command"), k.T("connect.command")
	file := c.files[c.at]
	if file.path != "" {
		first, what = k.T("connect.step_file", clients.Tilde(file.path)), k.T("connect.snippet")
	}
	if x.name == "" {
		first = k.T("connect.step_other")
	}
	rows = append(rows, step(1, first))
	if file.path != "" {
		rows = append(rows, kit.NewPara(k.T(c.advice(x, file)), theme.TextBody, k.P.Muted, fyne.TextStyle{}))
	}
	copying := kit.Primary
	var buttons []fyne.CanvasObject
	if x.language == "json" && file.path != "" && file.state != clients.NotPlain {
		copying = kit.Quiet
		put := k.Button(kit.Primary, "edit", k.T("connect.write"), k.T("connect.write_tip"), func() { c.write(x, file.path) })
		if file.state == clients.Same {
			put = k.Button(kit.Quiet, "check", k.T("connect.has_it"), "", nil)
			put.SetEnabled(false)
		}
		buttons = append(buttons, put)
	}
	buttons = append(buttons, k.Button(copying, "copy", k.T("connect.copy", what), "", func() { a.copyText(snippet, what) }))
	if file.path != "" {
		buttons = append(buttons, k.Button(kit.Quiet, "copy", k.T("connect.copy_path"), "", func() { a.copyText(file.path, k.T("what.path")) }))
	}
	if strings.Contains(snippet, conn.token) || strings.Contains(snippet, "${input") {
		buttons = append(buttons,
			k.Button(kit.Quiet, "key", k.T("connect.copy_token"), "", func() { a.copyText(conn.token, k.T("what.token")) }))
	}
	if strings.Contains(snippet, conn.token) {
		eye := k.Button(kit.Ghost, "eye", "", k.T("connect.show_token"), func() {
			c.clear = !c.clear
			c.render(a.cfg.Store.Snapshot())
		})
		eye.SetOn(c.clear)
		buttons = append(buttons, eye)
	}
	rows = append(rows, k.Code(shown, x.language), kit.NewFlow(8, buttons...),
		step(2, k.T("connect.step_then")), body(k.T(x.after)),
		step(3, k.T("connect.step_try")), body(k.T("empty.waiting_text", k.T("empty.example"))),
		c.light(x, n))
	return rows
}

// advice is what to know about a client's file before it is changed.
func (c *connectPage) advice(x clientKind, f fileState) string {
	switch {
	case f.state == clients.NotPlain && x.language == "json":
		return "connect.not_plain"
	case f.state == clients.Other:
		return "connect.other_entry"
	case x.language == "json":
		return "connect.merge_write"
	default:
		return "connect.merge"
	}
}

// light says whether the client has connected, and called a tool.
func (c *connectPage) light(x clientKind, n *state.Snapshot) fyne.CanvasObject {
	k := c.s.k
	client, ok := x.seen(n)
	ground, mark, text := k.P.Raised, kit.MarkIdle, k.T("connect.waiting")
	switch {
	case ok && client.Calls > 0:
		ground, mark = k.P.GoodBg, kit.MarkCheck
		text = k.T("connect.called", strings.TrimSpace(client.Name+" "+client.Version), client.Calls, k.Tr.Clock(client.Last))
	case ok:
		ground, mark = k.P.GoodBg, kit.MarkBusy
		text = k.T("connect.connected", strings.TrimSpace(client.Name+" "+client.Version))
	}
	fill := kit.Fill(ground, theme.Radius)
	fill.StrokeColor, fill.StrokeWidth = k.P.Line, 1
	row := kit.PadRow(12, 10, 1, k.State(mark, 11), kit.NewLine(text, theme.TextBody, k.P.Text, fyne.TextStyle{}, 60))
	return kit.Box(&fyne.Container{Objects: []fyne.CanvasObject{fill, row}, Layout: kit.LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			for _, o := range os {
				kit.Place(o, 0, 0, s.Width, s.Height)
			}
		},
	}}, fyne.NewSize(60, 42))
}
