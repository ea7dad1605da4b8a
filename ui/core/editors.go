package core

import (
	"context"
	"strings"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/editors"
	"easel/ui/core/library"
)

// newEditors returns what serves the extensions of the user's editors.
func (c *Core) newEditors() *editors.Hub {
	newest := &newestPlot{images: c.Library.Images}
	c.editors = &editors.Hub{
		Kernels: c.local, Log: c.cfg.Log, Watch: c.Store.OnChange, Show: c.cfg.ShowWindow,
		Shown: func(ctx context.Context) catalog.ShownToEditor {
			now := c.Store.Snapshot()
			s := catalog.ShownToEditor{Questions: len(now.Approvals) + len(now.Inputs)}
			s.Plot, s.Title = newest.get(ctx, now.Newest)
			return s
		},
	}
	return c.editors
}

// plotPatience is how long the newest plot may take to be read.
const plotPatience = 5 * time.Second

// A newestPlot is where editors get the newest plot. It is read once, although the state changes often.
type newestPlot struct {
	images *library.Images

	mu                 sync.Mutex
	id, address, title string // of the plot that was read last
}

// get returns the address of a plot's picture, and its title; both are "" if there is none.
func (p *newestPlot) get(ctx context.Context, id string) (address, title string) {
	if id == "" {
		return "", ""
	}
	p.mu.Lock()
	was, address, title := p.id, p.address, p.title
	p.mu.Unlock()
	if id == was {
		return address, title
	}
	ctx, cancel := context.WithTimeout(ctx, plotPatience)
	defer cancel()
	found, err := p.images.Get(ctx, id)
	switch {
	case err != nil:
		return address, title // the one before, until it can be read
	case len(found) == 0:
		return "", "" // it was deleted
	}
	im := found[0]
	address, title = "/api/resources/"+strings.TrimPrefix(im.ResourceURI, "jupyter://"), im.Title
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id, p.address, p.title = id, address, title
	return address, title
}
