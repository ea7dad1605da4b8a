package properties

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/clients"
	"easel/ui/core/library"
	"easel/ui/window/kit"
)

// sent returns the rows that say what each assistant got of the plot. There are none if nothing is known of
// that: an earlier version of Easel did not record it.
func (p *Panel) sent(f facts) []fyne.CanvasObject {
	k, im := p.k, f.images[0]
	var rows []fyne.CanvasObject
	var named, never []string
	for _, d := range f.sent {
		name := clientTitle(d.Client)
		if named = append(named, name); d.How == "" {
			never = append(never, d.Client)
			continue
		}
		rows = append(rows, k.Fact(name, Sent(k, d), p.again(im, d.Client)))
	}
	if p.act.Clients != nil && len(named) > 0 {
		for _, c := range p.act.Clients() { // those that could have got it
			if name := clientTitle(c.Name); c.First.Before(im.CreatedAt) && !slices.Contains(named, name) {
				named, never = append(named, name), append(never, c.Name)
			}
		}
	}
	if len(never) <= mostNever {
		for _, client := range never {
			rows = append(rows, k.Fact(clientTitle(client), k.T("sent.never"), p.again(im, client)))
		}
	} else {
		for i := range never {
			never[i] = clientTitle(never[i])
		}
		rows = append(rows, k.Fact(k.T("sent.never"), strings.Join(never, k.T("activity.comma")), nil))
	}
	if len(rows) == 0 {
		return nil
	}
	return []fyne.CanvasObject{k.Section(k.T("properties.sent")), kit.NewStack(0, rows...)}
}

// mostNever is how many clients that got nothing have a row each.
const mostNever = 4

// again returns the button that sends a plot to a client again; nil if that is not possible.
func (p *Panel) again(im library.Image, client string) fyne.CanvasObject {
	if p.act.SendAgain == nil || im.SessionID == "" {
		return nil
	}
	return p.k.Button(kit.Ghost, "up", "", p.k.T("sent.again", clientTitle(client)), func() { p.act.SendAgain(im.ImageID, client) }).Small()
}

// clientTitle returns what a client is called, for the name that it sends.
func clientTitle(name string) string {
	if c, ok := clients.Find(name); ok && c.Name != "" {
		return c.Name
	}
	return name
}

// Sent says what a client got of a plot.
func Sent(k *kit.Kit, d library.Delivery) string {
	at := d.At.Local().Format("15:04")
	switch {
	case d.How == catalog.SentInline && d.Width > 0:
		return k.T("sent.inline", d.Width, d.Height, at)
	case d.How == catalog.SentPart && d.Width > 0:
		return k.T("sent.part", d.Width, d.Height, at)
	case d.How == catalog.SentInline || d.How == catalog.SentPart: // an SVG
		return k.T("sent.file", at)
	case d.How == catalog.SentLink:
		return k.T("sent.link", at)
	default:
		return k.T("sent.text", at)
	}
}
