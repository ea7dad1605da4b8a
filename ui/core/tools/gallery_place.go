package tools

import (
	"context"

	"easel/mcphost/catalog"
	"easel/ui/core/collection"
	"easel/ui/core/state"
)

// inView is what is in view, in order, if images may leave it by a change to them: nil
// without a filter, or if none is selected or current.
func (g *gallery) inView(ctx context.Context) ([]string, error) {
	s := g.Store.Snapshot()
	if !s.Query.Narrows() || s.Current == "" && len(s.Selection) == 0 {
		return nil, nil
	}
	return g.Library.IDs(ctx, collection.Query(s))
}

// changed tells the state that images have changed. was is what inView gave before: the
// selection moves on from those that the filters no longer let pass. The change itself is
// kept by now, so that an error here is none of it: whoever shows the view reads the same
// list and reports it.
func (g *gallery) changed(ctx context.Context, was []string) {
	if was == nil {
		g.Store.Update(func(s *state.Snapshot) { s.Gallery++ })
		return
	}
	now, err := g.Library.IDs(ctx, collection.Query(g.Store.Snapshot()))
	g.update(ctx, func(s *state.Snapshot) {
		s.Gallery++
		if err == nil {
			s.Depart(was, now, true)
		}
	})
}

// narrow is change for an edit of the filters: what they hide is no longer selected.
func (g *gallery) narrow(ctx context.Context, edit func(*state.Snapshot)) (catalog.ViewOut, error) {
	before := g.Store.Snapshot()
	next := *before
	edit(&next)
	if before.Current == "" && len(before.Selection) == 0 {
		return g.change(ctx, edit)
	}
	was, err := g.Library.IDs(ctx, collection.Query(before))
	if err != nil {
		return catalog.ViewOut{}, err
	}
	now, err := g.Library.IDs(ctx, collection.Query(&next))
	if err != nil {
		return catalog.ViewOut{}, err
	}
	return g.change(ctx, func(s *state.Snapshot) {
		edit(s)
		s.Depart(was, now, false)
	})
}
