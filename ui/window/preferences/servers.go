package preferences

import (
	"cmp"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A serversCard lists the Jupyter servers in the settings and lets the user add one.
type serversCard struct {
	p     *Page
	root  *fyne.Container
	rows  []fyne.CanvasObject
	drawn string   // a fingerprint of the rows
	known []string // names

	name, url, token *kit.Field
	add              fyne.CanvasObject
}

const (
	serverH float32 = 52
	addH    float32 = 88
)

func newServersCard(p *Page) *serversCard {
	k := p.k
	c := &serversCard{p: p, drawn: "?"}
	c.name, c.url, c.token = k.Field(k.T("servers.name")), k.Field("http://localhost:8888/"), k.Field(k.T("servers.token"))
	c.token.Password = true
	for _, f := range []*kit.Field{c.name, c.url, c.token} {
		f.OnSubmitted = func(string) { c.submit() }
		f.Forward = p.port.Forward
	}
	title := kit.NewLine(k.T("servers.add_title"), 12, k.P.Muted, fyne.TextStyle{}, 60)
	button := k.Button(kit.Quiet, "plus", k.T("servers.add"), "", c.submit)
	c.add = &fyne.Container{Objects: []fyne.CanvasObject{title, c.name, c.url, c.token, button}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(title, 14, 10, s.Width-28, 18)
			m := button.MinSize()
			left := s.Width - 28 - m.Width - 3*8
			kit.Place(c.name, 14, 36, left*0.24, 34)
			kit.Place(c.url, 14+left*0.24+8, 36, left*0.46, 34)
			kit.Place(c.token, 14+left*0.70+16, 36, left*0.30, 34)
			kit.Place(button, s.Width-14-m.Width, 38, m.Width, 30)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, addH) },
	}}
	ground := kit.Fill(k.P.Raised, 8)
	ground.StrokeColor, ground.StrokeWidth = k.P.Line, 1
	c.root = &fyne.Container{Objects: []fyne.CanvasObject{ground, c.add}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			y := float32(0)
			for _, r := range c.rows {
				kit.Place(r, 0, y, s.Width, serverH)
				y += serverH
			}
			kit.Place(c.add, 0, y, s.Width, addH)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, float32(len(c.rows))*serverH+addH) },
	}}
	return c
}

// render shows the servers of a state. It keeps what the user is typing.
func (c *serversCard) render(n *state.Snapshot) {
	k := c.p.k
	listed := slices.DeleteFunc(slices.Clone(n.Servers), ofProject)
	first := n.Settings.DefaultServer
	if !slices.ContainsFunc(listed, func(s state.Server) bool { return s.Name == first }) {
		first = defaultServer(listed)
	}
	parts := append([]string{first}, n.OwnServers...)
	for _, s := range listed {
		parts = append(parts, "", s.Name, s.State, s.URL, s.Message)
	}
	drawn := strings.Join(parts, "\x00")
	if drawn == c.drawn || k.Pressed(c.root, func() { c.render(n) }) {
		return
	}
	c.drawn = drawn
	c.rows, c.known = nil, nil
	for _, s := range listed {
		c.known = append(c.known, s.Name)
		c.rows = append(c.rows, c.row(s, s.Name == first, slices.Contains(n.OwnServers, s.Name)))
	}
	if len(listed) == 0 {
		c.rows = append(c.rows, kit.PadRow(14, 0, 0, kit.NewLine(k.T("servers.none"), theme.TextBody, k.P.Muted, fyne.TextStyle{}, 60)))
	}
	c.root.Objects = append([]fyne.CanvasObject{c.root.Objects[0], c.add}, c.rows...)
	c.root.Layout.Layout(c.root.Objects, c.root.Size())
	c.p.column.Relayout()
	c.root.Refresh()
}

// ofProject reports whether a server is that of a project, which comes and goes with its sessions.
func ofProject(s state.Server) bool { return s.Managed && s.Name != catalog.ManagedServer }

// defaultServer returns the server that is used if none is named: Easel's own, else the
// first; "" if there is none.
func defaultServer(servers []state.Server) (name string) {
	for _, s := range servers {
		if s.Managed || s.Name == "jupyter" {
			return s.Name
		}
		name = cmp.Or(name, s.Name)
	}
	return name
}

func (c *serversCard) row(s state.Server, first, own bool) fyne.CanvasObject {
	k := c.p.k
	mark := kit.MarkWait
	switch s.State {
	case "ready":
		mark = kit.MarkBusy
	case "failed", "unreachable", "unauthorized":
		mark = kit.MarkBad
	}
	detail := k.T("server.state." + s.State)
	if s.URL != "" {
		detail = s.URL + " · " + detail
	}
	switch {
	case s.Managed:
		detail += " · " + k.T("servers.own")
	case s.Name == "jupyter":
		detail += " · " + k.T("servers.given")
	case !own:
		detail += " · " + k.T("servers.found")
	}
	if s.Reason != "" {
		detail = k.Tr.ServerReason(s.ServerHealth) // it names the host
	}
	state := k.State(mark, 9)
	name := kit.NewLine(s.Name, theme.TextBody, k.P.Text, fyne.TextStyle{Bold: first}, 60)
	sub := kit.NewLine(detail, theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 60)
	prefer := k.Button(kit.Ghost, "", k.T("servers.prefer"), k.T("servers.prefer_tip"), func() { c.p.port.PreferServer(s.Name) }).Small()
	if first {
		prefer = k.Button(kit.Ghost, "check", k.T("servers.default"), k.T("servers.default_tip"), nil).Small()
		prefer.SetOn(true)
	}
	buttons := kit.NewRow(6, -1, prefer)
	if own {
		buttons.Add(k.Button(kit.Danger, "", k.T("servers.remove"), "", func() {
			c.p.port.Confirm(k.T("servers.remove_ask", s.Name), k.T("servers.remove_text"), k.T("servers.remove"), func() {
				c.p.port.RemoveServer(s.Name, func() { c.p.port.Say(kit.MarkCheck, k.T("servers.removed")) })
			})
		}).Small())
	}
	line := canvas.NewRectangle(k.P.Line)
	return &fyne.Container{Objects: []fyne.CanvasObject{state, name, sub, buttons, line}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, z fyne.Size) {
			m := buttons.MinSize()
			mm := state.MinSize()
			kit.Place(state, 14, (z.Height-mm.Height)/2, mm.Width, mm.Height)
			w := z.Width - 36 - m.Width - 24
			kit.Place(name, 36, 7, w, 20)
			kit.Place(sub, 36, 27, w, 17)
			kit.Place(buttons, z.Width-14-m.Width, (z.Height-m.Height)/2, m.Width, m.Height)
			kit.Place(line, 14, z.Height-1, z.Width-28, 1)
		},
	}}
}

// submit adds the server whose address and name the user typed.
func (c *serversCard) submit() {
	in := command.NamedServer{Name: strings.TrimSpace(c.name.Text), URL: strings.TrimSpace(c.url.Text), Token: strings.TrimSpace(c.token.Text)}
	if in.Name == "" || in.URL == "" {
		c.p.port.Say(kit.MarkBad, c.p.k.T("servers.missing"))
		return
	}
	said := "servers.added"
	if slices.Contains(c.known, in.Name) {
		said = "servers.renewed" // the known server gets the new token
	}
	c.p.port.AddServer(in, func() {
		for _, f := range []*kit.Field{c.name, c.url, c.token} {
			f.SetText("")
		}
		c.p.port.Say(kit.MarkCheck, c.p.k.T(said, in.Name))
	})
}
