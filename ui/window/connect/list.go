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

// groups returns the clients that match the search, as indexes into clients.All: those
// that are installed here or have connected, and the others.
func (c *Page) groups(n *state.Snapshot) (here, others []int) {
	find := strings.ToLower(strings.TrimSpace(c.find.Text))
	for i, x := range clients.All {
		if !strings.Contains(strings.ToLower(c.name(x)), find) {
			continue
		}
		if _, connected := seen(x, n); connected || c.files[i].installed {
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

// slimCard returns the row of a client that is not installed here.
func (c *Page) slimCard(i int, x clients.Client, _ *state.Snapshot) fyne.CanvasObject {
	name := c.title(i, x)
	return c.tap(i, &fyne.Container{Objects: []fyne.CanvasObject{name}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) { kit.Place(name, 12, 4, s.Width-24, s.Height-8) },
		Min:     func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(100, 29) },
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
	return c.k.Tap(content, base, "", func() { c.choose(i) })
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
	case clients.Same:
		return kit.MarkIdle, k.T("connect.set_up")
	case clients.Other:
		return kit.MarkWait, k.T("connect.outdated")
	case clients.Absent, clients.NotPlain:
	}
	return kit.MarkIdle, k.T("connect.not_seen")
}
