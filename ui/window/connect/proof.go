package connect

import (
	"cmp"
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

// A proof is what is known about a client. Each step implies those before it.
type proof struct {
	connected bool
	client    state.Client
	name      string // the name by which delivery is configured; empty if it is unknown
	decided   string // how the user wants it to get pictures; empty if they have not decided
}

// proofOf collects what is known about a client.
func proofOf(x clients.Client, n *state.Snapshot) proof {
	var p proof
	p.client, p.connected = seen(x, n)
	p.name = p.client.Name
	if p.name == "" { // not connected since the start, but the user may have decided earlier
		all := n.Settings.DeliveryBy.Clients()
		if i := slices.IndexFunc(all, func(name string) bool {
			found, _ := clients.Find(name)
			return found.Name == x.Name &&
				x.Name != ""
		}); i >= 0 {
			p.name = all[i]
		}
	}
	p.decided = n.Settings.DeliveryBy.Of(p.name)
	return p
}

// asks reports whether only the user can say if the last picture was visible.
func (p proof) asks() bool { return p.decided == "" && p.client.Picture.Inline }

// complete reports whether nothing is left to find out.
func (p proof) complete() bool {
	return p.client.Calls > 0 && p.client.Picture.URI != "" && !p.asks()
}

// test returns the third step: what to ask the assistant, and the results.
func (c *Page) test(x clients.Client, n *state.Snapshot) []fyne.CanvasObject {
	k, p := c.k, proofOf(x, n)
	prompt := k.T("connect.test_prompt")
	rows := []fyne.CanvasObject{
		c.body(k.T("connect.test_intro")),
		c.panel(k.P.Raised, kit.NewPara(prompt, theme.TextBody, k.P.Text, fyne.TextStyle{})),
		kit.NewFlow(8, k.Button(kit.Quiet, "copy", k.T("connect.copy_prompt"), "", func() { c.port.Copy(prompt, k.T("connect.prompt")) })),
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

// panel puts a frame around results.
func (c *Page) panel(ground color.Color, in fyne.CanvasObject) fyne.CanvasObject {
	fill := kit.Fill(ground, theme.Radius)
	fill.StrokeColor, fill.StrokeWidth = c.k.P.Line, 1
	return kit.Frame(fill, 12, in)
}

// result returns one line of the panel.
func (c *Page) result(m kit.Mark, text string) fyne.CanvasObject {
	k := c.k
	ink := k.P.Text
	if m == kit.MarkIdle {
		ink = k.P.Muted
	}
	return kit.NewRow(10, 1, k.State(m, 11), kit.NewLine(text, theme.TextBody, ink, fyne.TextStyle{}, 60))
}

func (c *Page) resultConnected(p proof) fyne.CanvasObject {
	k := c.k
	if !p.connected {
		return c.result(kit.MarkIdle, k.T("connect.waiting"))
	}
	return c.result(kit.MarkCheck, k.T("connect.connected", strings.TrimSpace(p.client.Name+" "+p.client.Version), k.Tr.Clock(p.client.First)))
}

func (c *Page) resultCalled(p proof) fyne.CanvasObject {
	k := c.k
	if p.client.Calls == 0 {
		return c.result(kit.MarkIdle, k.T("connect.not_called"))
	}
	return c.result(kit.MarkCheck, k.Tr.N("connect.called", p.client.Calls, k.Tr.Clock(p.client.Last)))
}

func (c *Page) resultPicture(p proof) fyne.CanvasObject {
	k, picture := c.k, p.client.Picture
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

// verdict says how the client handles pictures: as the user decided, or as tests showed.
func (c *Page) verdict(p proof) string {
	k := c.k
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

// decide returns the question that only the user can answer, or a button to answer it
// again.
func (c *Page) decide(x clients.Client, p proof) fyne.CanvasObject {
	k := c.k
	switch {
	case p.asks():
		yes := k.Button(kit.Quiet, "check", k.T("connect.yes"), "", func() { c.deliver(x, p, catalog.ImagesInline) })
		no := k.Button(kit.Quiet, "close", k.T("connect.no"), k.T("connect.no_tip"), func() { c.deliver(x, p, catalog.ImagesLink) })
		return kit.NewStack(8, c.body(k.T("connect.did_it_see")), kit.NewFlow(8, yes, no))
	case p.decided != "":
		return kit.NewFlow(8, k.Button(kit.Quiet, "refresh", k.T("connect.ask_again"), k.T("connect.ask_again_tip"),
			func() { c.deliver(x, p, "") }))
	case p.client.Picture.URI != "" && !p.client.Picture.Inline:
		return kit.NewFlow(8, k.Button(kit.Quiet, "image", k.T("connect.send_pictures"), k.T("connect.send_pictures_tip"),
			func() { c.deliver(x, p, catalog.ImagesInline) }))
	default:
		return nil
	}
}

// deliver changes how a client gets pictures, and offers to undo that.
func (c *Page) deliver(x clients.Client, p proof, mode string) {
	k := c.k
	set := func(mode string) {
		c.port.Settings(func(s *state.Settings) { s.DeliveryBy = s.DeliveryBy.With(p.name, mode) })
	}
	set(mode)
	name := x.Name
	name = cmp.Or(name, p.client.Name)
	text := map[string]string{
		catalog.ImagesInline: "connect.now_inline", catalog.ImagesLink: "connect.now_link", "": "connect.now_default",
	}[mode]
	c.port.Say(kit.MarkCheck, k.T(text, name), k.T("undo.undo"), func() { set(p.decided) })
}
