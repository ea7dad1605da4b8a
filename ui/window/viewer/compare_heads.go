package viewer

import "easel/ui/window/gallery"

// Reread reads the titles again at another revision of the library.
func (c *Compare) Reread(revision uint64) {
	turn, ids := c.opened, c.IDs()
	changed := c.lib.Changes().Summary(c.seen, revision).Of(ids...)
	if c.seen = revision; changed == 0 {
		return
	}
	c.reading++
	c.tasks.Go(func() {
		images, err := c.lib.Get(c.ctx, ids...)
		c.k.Do(func() {
			c.reading--
			if turn != c.opened || err != nil {
				return
			}
			for _, p := range c.panes {
				for _, im := range images {
					if p.done && p.err == nil && p.id == im.ImageID {
						p.im = im
						c.describe(p)
					}
				}
			}
			c.tell()
			c.Refresh()
		})
	})
}

// describe says what a pane shows.
func (c *Compare) describe(p *pane) {
	p.head.caption.Set(gallery.Title(c.k, p.im), nil)
	detail := gallery.Detail(c.k, p.im)
	switch { // the versions of a figure have the same number, and often the same minute
	case p.im.ReplacedBy != "":
		detail += " · " + c.k.T("compare.earlier")
	case p.im.Versions > 1:
		detail += " · " + c.k.T("compare.newest")
	}
	p.head.detail.Set(detail, nil)
	p.stars.Set(p.im.Rating)
}

// tell updates the caption above the difference.
func (c *Compare) tell() {
	if len(c.panes) == 2 && c.Settled() {
		c.between.caption.Set(gallery.Title(c.k, c.panes[0].im)+"  ↔  "+gallery.Title(c.k, c.panes[1].im), nil)
		c.between.detail.Set(c.difference(), nil)
	}
}
