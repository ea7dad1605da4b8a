package viewer

import (
	"slices"

	"easel/ui/core/library"
	"easel/ui/window/gallery"
)

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
			if left := c.remaining(images); len(left) < len(c.panes) {
				c.leave(left)
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

// remaining returns the panes' images without those that were deleted; images are those that the library still has.
func (c *Compare) remaining(images []library.Image) []string {
	return slices.DeleteFunc(c.IDs(), func(id string) bool {
		kept := c.act.Rates != nil && !c.act.Rates(id) // it was never in the library
		return !kept && !slices.ContainsFunc(images, func(im library.Image) bool { return im.ImageID == id })
	})
}

// leave goes on with the images that are left, if they can be compared.
func (c *Compare) leave(left []string) {
	if len(left) < Few {
		c.act.Close()
		return
	}
	mode := c.mode
	c.Open(left)
	c.SetMode(mode)
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
