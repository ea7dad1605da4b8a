package run

import (
	"context"
	"slices"
	"sync"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// mostResends is how many plots wait to be sent again. A new one replaces the oldest.
const mostResends = 20

// resends are the plots that the user sends to assistants again. They wait for the next result to the
// client, in memory: who restarts Easel can send them once more.
type resends struct {
	store *state.Store
	image func(ctx context.Context, ref string) (library.Image, error)

	mu      sync.Mutex
	waiting []command.SendAgainIn // oldest first
}

func (r *resends) send(ctx context.Context, in command.SendAgainIn) (struct{}, error) {
	if _, err := r.image(ctx, in.ImageID); err != nil {
		return struct{}{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = slices.DeleteFunc(r.waiting, func(o command.SendAgainIn) bool { return o == in })
	r.waiting = append(r.waiting, in)
	r.waiting = r.waiting[max(0, len(r.waiting)-mostResends):]
	return struct{}{}, nil
}

// announce answers catalog.AnnouncePlots: with the first plots, as many as one result shows. A plot that was
// deleted meanwhile is left out.
func (r *resends) announce(ctx context.Context, _ struct{}) (list []catalog.SentAgain, _ error) {
	caller := tool.CallerFrom(ctx)
	s := r.store.Snapshot()
	if caller.Transport != tool.MCP || s.Paused {
		return nil, nil
	}
	var taken []command.SendAgainIn
	r.mu.Lock()
	r.waiting = slices.DeleteFunc(r.waiting, func(o command.SendAgainIn) bool {
		mine := o.Client == caller.Name && len(taken) < catalog.MostPictures
		if mine {
			taken = append(taken, o)
		}
		return mine
	})
	r.mu.Unlock()
	how := oversight.DeliveryTo(s, caller, "")
	for _, o := range taken {
		im, err := r.image(ctx, o.ImageID)
		if err != nil {
			continue
		}
		x := catalog.SentAgain{Plot: im.ResourceURI, Title: im.Title, MIME: im.MIMEType, Inline: how.Mode == catalog.ImagesInline && im.Raster()}
		if !x.Inline {
			x.Path = im.Path
		}
		list = append(list, x)
	}
	return list, nil
}
