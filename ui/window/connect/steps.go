package connect

import (
	"fmt"
	"net/url"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/clients"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// masked returns a text for display in which the token is hidden.
func masked(text, token string) string {
	if token == "" {
		return text
	}
	return strings.ReplaceAll(text, token, strings.Repeat("•", 12))
}

// steps returns the explanation of how to connect a client, and shows whether it works.
func (c *Page) steps(x clients.Client, n *state.Snapshot) []fyne.CanvasObject {
	k := c.k
	conn := c.connection(x)
	snippet := x.Snippet(conn)
	shown := snippet
	if !c.clear {
		shown = masked(snippet, conn.Token)
	}
	rows := []fyne.CanvasObject{
		kit.NewPara(k.T("connect.title", c.name(x)), theme.TextHeading, k.P.Text, fyne.TextStyle{Bold: true}),
		kit.NewPara(k.T("connect.intro"), theme.TextBody, k.P.Muted, fyne.TextStyle{}),
	}
	rows = append(rows, c.first(x)...)
	rows = append(rows, k.Code(shown, x.Language()), kit.NewFlow(8, c.buttons(x, snippet, conn)...),
		c.step(2, k.T("connect.step_then")), c.body(k.T(x.After)))
	if x.Note != "" {
		rows = append(rows, c.body(k.T(x.Note)))
	}
	rows = append(rows, c.step(3, k.T("connect.step_test")))
	return append(rows, c.test(x, n)...)
}

func (c *Page) body(text string) fyne.CanvasObject {
	return kit.NewPara(text, theme.TextBody, c.k.P.Text, fyne.TextStyle{})
}

func (c *Page) muted(text string) fyne.CanvasObject {
	return kit.NewPara(text, theme.TextBody, c.k.P.Muted, fyne.TextStyle{})
}

// step returns the number and the title of a step.
func (c *Page) step(n int, title string) fyne.CanvasObject {
	k := c.k
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

// first returns the first step: where to add Easel, and what to know about that file.
func (c *Page) first(x clients.Client) []fyne.CanvasObject {
	k, file := c.k, c.files[c.at]
	switch {
	case x.Name == "":
		return []fyne.CanvasObject{c.step(1, k.T("connect.step_other"))}
	case x.Format == clients.Dialog:
		return []fyne.CanvasObject{c.step(1, k.T("connect.step_paste")), c.muted(k.T("connect.paste"))}
	case x.Format == clients.Command:
		rows := []fyne.CanvasObject{c.step(1, k.T("connect.step_command"))}
		switch file.state {
		case clients.Other:
			rows = append(rows, c.muted(k.T("connect.remove_first")))
		case clients.Working:
			rows = append(rows, c.muted(k.T("connect.works")+" "+k.T("connect.works_remove")))
		case clients.Absent, clients.Same, clients.NotPlain:
		}
		return rows
	}
	path := kit.NewPara(clients.Tilde(file.path), theme.TextBody-1, k.P.Text, fyne.TextStyle{Monospace: true})
	return []fyne.CanvasObject{c.step(1, k.T("connect.step_file")), path, c.muted(k.T(advice(file.state)))}
}

// advice returns what to know about a client's file before changing it.
func advice(s clients.State) string {
	switch s {
	case clients.NotPlain:
		return "connect.not_plain"
	case clients.Other:
		return "connect.other_entry"
	case clients.Working:
		return "connect.works"
	default:
		return "connect.merge_write"
	}
}

// buttons returns the buttons for a client's snippet.
func (c *Page) buttons(x clients.Client, snippet string, conn clients.Connection) []fyne.CanvasObject {
	k, file := c.k, c.files[c.at]
	what, label := k.T("connect.snippet"), k.T("connect.copy_snippet")
	if x.Format == clients.Command {
		what, label = k.T("connect.command"), k.T("connect.copy_command")
	}
	copying := kit.Primary
	var buttons []fyne.CanvasObject
	if x.Writable() && file.path != "" && file.state != clients.NotPlain {
		copying = kit.Quiet
		put := k.Button(kit.Primary, "edit", k.T("connect.write"), k.T("connect.write_tip"), func() { c.write(x, file.path) })
		if file.state == clients.Same {
			put = k.Button(kit.Quiet, "check", k.T("connect.has_it"), "", nil)
			put.SetEnabled(false)
		}
		buttons = append(buttons, put)
	}
	buttons = append(buttons, k.Button(copying, "copy", label, "", func() { c.port.Copy(snippet, what) }))
	if x.Writable() && file.path != "" {
		buttons = append(buttons, k.Button(kit.Quiet, "copy", k.T("connect.copy_path"), "", func() { c.port.Copy(file.path, k.T("what.path")) }))
	}
	secret := strings.Contains(snippet, conn.Token)
	if secret || strings.Contains(snippet, "${input") {
		buttons = append(buttons,
			k.Button(kit.Quiet, "key", k.T("connect.copy_token"), "", func() { c.port.Copy(conn.Token, k.T("what.token")) }))
	}
	if secret {
		eye := k.Button(kit.Ghost, "eye", "", k.T("connect.show_token"), func() {
			c.clear = !c.clear
			c.Render(c.port.Snapshot())
		})
		eye.SetOn(c.clear)
		buttons = append(buttons, eye)
	}
	if page, err := url.Parse(x.Link); err == nil && x.Link != "" {
		buttons = append(buttons, k.Button(kit.Ghost, "external", k.T("connect.docs"), page.Host, func() { c.port.Browse(x.Link) }))
	}
	return buttons
}
