package run

import (
	"context"
	"slices"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// mostResends is how many plots wait to be sent again. A new one replaces the oldest.
const mostResends = 20

// resends sends plots to assistants again. They wait in the state, which Easel keeps.
type resends struct {
	store *state.Store
	image func(ctx context.Context, ref string) (library.Image, error)
}

func (r *resends) send(ctx context.Context, in command.SendAgainIn) (struct{}, error) {
	if _, err := r.image(ctx, in.ImageID); err != nil {
		return struct{}{}, err
	}
	r.store.Update(func(s *state.Snapshot) {
		x := state.Resend(in)
		waiting := slices.DeleteFunc(slices.Clone(s.Resends), func(o state.Resend) bool { return o == x })
		waiting = append(waiting, x)
		s.Resends = waiting[max(0, len(waiting)-mostResends):]
	})
	return struct{}{}, nil
}

// announce answers catalog.AnnouncePlots: with the first plots, as many as one result shows. A plot that was
// deleted meanwhile is left out.
func (r *resends) announce(ctx context.Context, _ struct{}) (list []catalog.SentAgain, _ error) {
	caller := tool.CallerFrom(ctx)
	s := r.store.Snapshot()
	waits := slices.ContainsFunc(s.Resends, func(o state.Resend) bool { return o.Client == caller.Name })
	if caller.Transport != tool.MCP || s.Paused || !waits {
		return nil, nil
	}
	var taken []state.Resend
	r.store.Update(func(s *state.Snapshot) {
		s.Resends = slices.DeleteFunc(slices.Clone(s.Resends), func(o state.Resend) bool {
			mine := o.Client == caller.Name && len(taken) < catalog.MostPictures
			if mine {
				taken = append(taken, o)
			}
			return mine
		})
	})
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
