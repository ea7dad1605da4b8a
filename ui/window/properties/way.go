package properties

import (
	"context"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A WayReader returns how a plot can be drawn again. It is called on the reader's goroutine.
type WayReader func(ctx context.Context, id string) (command.PlotWay, error)

// way returns the rows that say how the plot can be drawn again. If only its code can, they offer the check that runs it.
func (p *Panel) way(f facts) []fyne.CanvasObject {
	k, w := p.k, f.way
	key := ""
	switch {
	case w.By == catalog.RedrawnByKernel:
		key = "way.kernel"
	case w.By == catalog.RedrawnStored && w.Data:
		key = "way.data"
	case w.By == catalog.RedrawnStored:
		key = "way.stored"
	case w.By == catalog.RedrawnByReplay:
		key = "way.replay"
	default:
		return nil
	}
	rows := []fyne.CanvasObject{k.Fact(k.T("fact.redraw"), k.T(key), nil)}
	if why := whyNotStored(k, w); why != "" {
		rows = append(rows, kit.NewPara(why, theme.TextCaption, k.P.Muted, fyne.TextStyle{}))
	}
	if id := f.images[0].ImageID; w.By == catalog.RedrawnByReplay && p.act.Check != nil {
		check := k.Button(kit.Ghost, "refresh", k.T("menu.check"), "", func() { p.act.Check(id) }).Small()
		rows = append(rows, kit.NewRow(0, 0, check))
	}
	return rows
}

// whyNotStored says in the user's language why the figure of a plot is not stored; "" if that is not known.
func whyNotStored(k *kit.Kit, w command.PlotWay) string {
	if w.Unstored == "" {
		return ""
	}
	why := k.T("way.unstored." + w.Unstored)
	if w.Detail != "" {
		why += ": " + w.Detail
	}
	return why
}
