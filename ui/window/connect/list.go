package connect

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/clients"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// place decides which clients are listed as installed or connected, when the page is opened
// and the clients' files have been read.
func (c *Page) place(n *state.Snapshot) map[int]bool {
	placed := make(map[int]bool)
	for i, x := range clients.All {
		_, connected := seen(x, n)
		placed[i] = connected || c.files[i].installed
	}
	if c.done > 0 && c.done == c.begun {
		c.placed = placed
	}
	return placed
}

// groups returns the clients that match the search, as indexes into clients.All: those
// that were installed here or had connected when the page was opened, and the others.
func (c *Page) groups(n *state.Snapshot) (here, others []int) {
	placed := c.placed
	if placed == nil {
		placed = c.place(n)
	}
	find := strings.ToLower(strings.TrimSpace(c.find.Text))
	for i, x := range clients.All {
		if !strings.Contains(strings.ToLower(c.name(x)), find) {
			continue
		}
		if placed[i] {
			here = append(here, i)
		} else {
			others = append(others, i)
		}
	}
	return here, others
}

// rows returns the list of clients and what is below it.
func (c *Page) rows(n *state.Snapshot) []fyne.CanvasObject {
	k := c.k
	here, others := c.groups(n)
	var rows []fyne.CanvasObject
	group := func(title string, all []int, card func(int, clients.Client, *state.Snapshot) fyne.CanvasObject) {
		if len(all) == 0 {
			return
		}
		rows = append(rows, kit.Box(kit.PadRow(8, 0, 0, k.Section(k.T(title))), fyne.NewSize(0, 30)))
		for _, i := range all {
			rows = append(rows, card(i, clients.All[i], n))
		}
	}
	group("connect.here", here, c.card)
	title := "connect.clients"
	if len(here) > 0 {
		title = "connect.others"
	}
	group(title, others, c.slimCard)
	if len(rows) == 0 {
		rows = append(rows, kit.Inset(8, kit.NewPara(k.T("connect.no_match"), theme.TextBody, k.P.Muted, fyne.TextStyle{})))
	}
	return append(rows, c.forPeople()...)
}

// forPeople returns the buttons for using the same features without an assistant.
func (c *Page) forPeople() []fyne.CanvasObject {
	k := c.k
	swagger := k.Button(kit.Quiet, "external", k.T("connect.swagger"), k.T("connect.swagger_tip"), c.port.Swagger)
	buttons := []fyne.CanvasObject{swagger}
	if c.port.JupyterLab != nil {
		lab := k.Button(kit.Quiet, "external", k.T("menu.jupyterlab"), k.T("connect.lab_tip"), func() { c.port.JupyterLab(c.port.Session()) })
		lab.SetEnabled(c.port.Session() != "")
		buttons = append(buttons, lab)
	}
	return []fyne.CanvasObject{
		kit.Box(kit.PadRow(8, 0, 0, k.Section(k.T("connect.people"))), fyne.NewSize(0, 36)),
		kit.Inset(8, kit.NewFlow(6, buttons...)),
	}
}

// card returns the row of a client, with its state below its name.
func (c *Page) card(i int, x clients.Client, n *state.Snapshot) fyne.CanvasObject {
	k := c.k
	mark, text := c.stateOf(i, x, n)
	name := c.title(i, x)
	state := kit.NewLine(text, theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 40)
	dot := k.State(mark, 9)
	return c.tap(i, &fyne.Container{Objects: []fyne.CanvasObject{name, state, dot}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(name, 12, 5, s.Width-24, 20)
			kit.Place(dot, 12, 30, 9, 9)
			kit.Place(state, 27, 26, s.Width-39, 17)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(100, 48) },
	}})
}

// slimCard returns the row of a client that was not installed here when the page was
// opened. It has a mark if the client has connected since.
func (c *Page) slimCard(i int, x clients.Client, n *state.Snapshot) fyne.CanvasObject {
	name := c.title(i, x)
	os := []fyne.CanvasObject{name}
	if _, connected := seen(x, n); connected {
		os = append(os, c.k.State(kit.MarkBusy, 9))
	}
	return c.tap(i, &fyne.Container{Objects: os, Layout: kit.LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			kit.Place(name, 12, 4, s.Width-24-float32(len(os)-1)*15, s.Height-8)
			for _, dot := range os[1:] {
				kit.Place(dot, s.Width-21, (s.Height-9)/2, 9, 9)
			}
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(100, 29) },
	}})
}

func (c *Page) title(i int, x clients.Client) *kit.Line {
	return kit.NewLine(c.name(x), theme.TextBody, c.k.P.Text, fyne.TextStyle{Bold: i == c.at}, 40)
}

func (c *Page) tap(i int, content fyne.CanvasObject) fyne.CanvasObject {
	var base color.Color = color.Transparent
	if i == c.at {
		base = c.k.P.Selected
	}
	return c.k.Stop(content, base, "", func() { c.choose(i) })
}

// stateOf says how far a client has been set up.
func (c *Page) stateOf(i int, x clients.Client, n *state.Snapshot) (kit.Mark, string) {
	k := c.k
	if client, ok := seen(x, n); ok {
		if x.Name == "" {
			return kit.MarkBusy, k.T("connect.seen_as", client.Name, k.Tr.Clock(client.Last))
		}
		return kit.MarkBusy, k.T("connect.seen", k.Tr.Clock(client.Last))
	}
	switch c.files[i].state {
	case clients.Same, clients.Working:
		return kit.MarkIdle, k.T("connect.set_up")
	case clients.Other:
		return kit.MarkWait, k.T("connect.outdated")
	case clients.Absent, clients.NotPlain:
	}
	return kit.MarkIdle, k.T("connect.not_seen")
}
