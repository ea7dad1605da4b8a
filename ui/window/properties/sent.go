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
			never = append(never, name)
			continue
		}
		rows = append(rows, k.Fact(name, Sent(k, d), nil))
	}
	if p.act.Clients != nil && len(named) > 0 {
		for _, c := range p.act.Clients() { // those that could have got it
			if name := clientTitle(c.Name); c.First.Before(im.CreatedAt) && !slices.Contains(named, name) {
				named, never = append(named, name), append(never, name)
			}
		}
	}
	if len(never) > 0 {
		rows = append(rows, k.Fact(k.T("sent.never"), strings.Join(never, k.T("activity.comma")), nil))
	}
	if len(rows) == 0 {
		return nil
	}
	return []fyne.CanvasObject{k.Section(k.T("properties.sent")), kit.NewStack(0, rows...)}
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
