package window

import (
	"image/color"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/clients"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A proof is what is known of a client: each step implies those before it.
type proof struct {
	connected bool
	client    state.Client
	name      string // by which its deliveries are decided; empty: it was never heard of
	decided   string // the form in which the user wants it to get pictures, if they said so
}

// proofOf looks for what is known of a client.
func proofOf(x clients.Client, n *state.Snapshot) proof {
	var p proof
	p.client, p.connected = seen(x, n)
	p.name = p.client.Name
	if p.name == "" { // not since the start, but the user may have decided before
		all := n.Settings.DeliveryBy.Clients()
		if i := slices.IndexFunc(all, func(name string) bool { found, _ := clients.Find(name); return found.Name == x.Name && x.Name != "" }); i >= 0 {
			p.name = all[i]
		}
	}
	p.decided = n.Settings.DeliveryBy.Of(p.name)
	return p
}

// asks reports whether only the user can tell if the last picture was seen.
func (p proof) asks() bool { return p.decided == "" && p.client.Picture.Inline }

// complete reports whether nothing is left to find out.
func (p proof) complete() bool {
	return p.client.Calls > 0 && p.client.Picture.URI != "" && !p.asks()
}

// test is the third step: what to ask the assistant, and what came of it.
func (c *connectPage) test(x clients.Client, n *state.Snapshot) []fyne.CanvasObject {
	k, p := c.s.k, proofOf(x, n)
	prompt := k.T("connect.test_prompt")
	rows := []fyne.CanvasObject{
		c.body(k.T("connect.test_intro")),
		c.panel(k.P.Raised, kit.NewPara(prompt, theme.TextBody, k.P.Text, fyne.TextStyle{})),
		kit.NewFlow(8, k.Button(kit.Quiet, "copy", k.T("connect.copy", k.T("connect.prompt")), "", func() { c.s.a.copyText(prompt, k.T("connect.prompt")) })),
	}
	results := []fyne.CanvasObject{c.resultConnected(p), c.resultCalled(p), c.resultPicture(p)}
	if text := c.verdict(p); text != "" {
		results = append(results, kit.NewPara(text, theme.TextBody, k.P.Muted, fyne.TextStyle{}))
	}
	if act := c.decide(x, p); act != nil {
		results = append(results, act)
	}
	ground := k.P.Raised
	if p.complete() {
		ground = k.P.GoodBg
	}
	return append(rows, c.panel(ground, kit.NewStack(8, results...)))
}

// panel is a frame around results.
func (c *connectPage) panel(ground color.Color, in fyne.CanvasObject) fyne.CanvasObject {
	fill := kit.Fill(ground, theme.Radius)
	fill.StrokeColor, fill.StrokeWidth = c.s.k.P.Line, 1
	return kit.Frame(fill, 12, in)
}

// result is a line of the panel.
func (c *connectPage) result(m kit.Mark, text string) fyne.CanvasObject {
	k := c.s.k
	ink := k.P.Text
	if m == kit.MarkIdle {
		ink = k.P.Muted
	}
	return kit.NewRow(10, 1, k.State(m, 11), kit.NewLine(text, theme.TextBody, ink, fyne.TextStyle{}, 60))
}

func (c *connectPage) resultConnected(p proof) fyne.CanvasObject {
	k := c.s.k
	if !p.connected {
		return c.result(kit.MarkIdle, k.T("connect.waiting"))
	}
	return c.result(kit.MarkCheck, k.T("connect.connected", strings.TrimSpace(p.client.Name+" "+p.client.Version), k.Tr.Clock(p.client.First)))
}

func (c *connectPage) resultCalled(p proof) fyne.CanvasObject {
	k := c.s.k
	if p.client.Calls == 0 {
		return c.result(kit.MarkIdle, k.T("connect.not_called"))
	}
	return c.result(kit.MarkCheck, k.Tr.N("connect.called", p.client.Calls, k.Tr.Clock(p.client.Last)))
}

func (c *connectPage) resultPicture(p proof) fyne.CanvasObject {
	k, picture := c.s.k, p.client.Picture
	switch {
	case picture.URI == "":
		return c.result(kit.MarkIdle, k.T("connect.no_picture"))
	case !picture.Inline:
		return c.result(kit.MarkCheck, k.T("connect.sent_link", k.Tr.Clock(picture.At)))
	case p.asks():
		return c.result(kit.MarkLost, k.T("connect.sent_inline", k.Tr.Clock(picture.At)))
	default:
		return c.result(kit.MarkCheck, k.T("connect.sent_inline", k.Tr.Clock(picture.At)))
	}
}

// verdict is what is known of the client and pictures: from the user, or from tests.
func (c *connectPage) verdict(p proof) string {
	k := c.s.k
	switch p.decided {
	case catalog.ImagesInline:
		return k.T("connect.decided_inline")
	case catalog.ImagesLink, catalog.ImagesNone:
		return k.T("connect.decided_link")
	}
	if p.name == "" {
		return ""
	}
	mode, version, ok := oversight.Tested(p.name)
	switch {
	case !ok:
		return k.T("connect.untested")
	case mode == catalog.ImagesLink:
		return strings.TrimSpace(k.T("connect.tested_link", version))
	default:
		return strings.TrimSpace(k.T("connect.tested_inline", version))
	}
}

// decide is the question that only the user can answer, or the way to answer it anew.
func (c *connectPage) decide(x clients.Client, p proof) fyne.CanvasObject {
	k := c.s.k
	switch {
	case p.asks():
		yes := k.Button(kit.Quiet, "check", k.T("connect.yes"), "", func() { c.deliver(x, p, catalog.ImagesInline) })
		no := k.Button(kit.Quiet, "close", k.T("connect.no"), k.T("connect.no_tip"), func() { c.deliver(x, p, catalog.ImagesLink) })
		return kit.NewStack(8, c.body(k.T("connect.did_it_see")), kit.NewFlow(8, yes, no))
	case p.decided != "":
		return kit.NewFlow(8, k.Button(kit.Quiet, "refresh", k.T("connect.ask_again"), k.T("connect.ask_again_tip"), func() { c.deliver(x, p, "") }))
	case p.client.Picture.URI != "" && !p.client.Picture.Inline:
		return kit.NewFlow(8, k.Button(kit.Quiet, "image", k.T("connect.send_pictures"), k.T("connect.send_pictures_tip"), func() { c.deliver(x, p, catalog.ImagesInline) }))
	default:
		return nil
	}
}

// deliver changes the form in which a client gets pictures, and offers to change it back.
func (c *connectPage) deliver(x clients.Client, p proof, mode string) {
	k, a := c.s.k, c.s.a
	set := func(mode string) {
		a.settings(func(s *state.Settings) { s.DeliveryBy = s.DeliveryBy.With(p.name, mode) })
	}
	set(mode)
	name := x.Name
	if name == "" {
		name = p.client.Name
	}
	text := map[string]string{
		catalog.ImagesInline: "connect.now_inline", catalog.ImagesLink: "connect.now_link", "": "connect.now_default",
	}[mode]
	c.s.offer(kit.MarkCheck, k.T(text, name), k.T("undo.undo"), func() { set(p.decided) })
}
