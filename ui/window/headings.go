package window

import (
	"cmp"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/gallery"
)

// headings reports whether the user wants headings in the gallery.
func headings(n *state.Snapshot) bool { return n.Settings.Layout.Headings.Or(true) }

// sections divides the gallery: in the order of time, into days and hours; in the order of sessions,
// into those; and in the order of a notebook's cells, into the plots that have a cell and the others.
func (c *galleryPage) sections(q library.Query, all []library.ListEntry) []gallery.Section {
	k := c.s.k
	if q.SortBy == library.ByCell {
		return c.celled(q, all)
	}
	if !headings(c.s.a.cfg.Store.Snapshot()) {
		return nil
	}
	switch q.SortBy {
	case "", "created", "modified":
		return gallery.ByTime(k, all)
	case "session":
		return gallery.BySession(k, all, func(id string) string { return cmp.Or(c.s.knownName(id), k.T("gallery.session")) })
	default:
		return nil
	}
}

// celled divides the gallery in the order of a notebook's cells.
func (c *galleryPage) celled(q library.Query, all []library.ListEntry) []gallery.Section {
	ids := make([]string, len(all))
	for i, l := range all {
		ids[i] = l.ID
	}
	switch at := c.s.a.cfg.Library.Placed(q, ids); at {
	case len(ids):
		return nil
	case 0:
		return []gallery.Section{{Title: c.s.k.T("gallery.no_cell")}}
	default:
		return []gallery.Section{{}, {From: at, Title: c.s.k.T("gallery.no_cell")}}
	}
}

// renderHeadings divides the gallery again if the user wants other headings, or on the next day.
func (c *galleryPage) renderHeadings(n *state.Snapshot) {
	now := c.s.a.cfg.Now()
	headed := now.Format("2006-01-02")
	if headings(n) {
		headed += " headings"
	}
	if c.headed != "" && c.headed != headed {
		c.grid.Divide()
	}
	c.headed = headed
}
