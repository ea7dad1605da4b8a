package gallery

import (
	"context"

	"easel/mcphost/catalog"
	"easel/ui/core/collection"
	"easel/ui/core/state"
)

// inView returns the ids in view, in order. It returns nil if no image can leave the view
// by a change of its annotations, or if none is selected or current.
func (g *Gallery) inView(ctx context.Context) ([]string, error) {
	s := g.Store.Snapshot()
	if !s.Query.Narrows() || s.Current == "" && len(s.Selection) == 0 {
		return nil, nil
	}
	return g.Library.IDs(ctx, collection.Query(s))
}

// depart returns the edit of the state after images have changed: those that no longer match the
// filters are deselected. was is the result of inView before the change. An error is ignored
// here, because the change is already stored; the window gets the same error when it reads
// the list, and reports it.
func (g *Gallery) depart(ctx context.Context, was []string) func(*state.Snapshot) {
	if was == nil {
		return nil
	}
	now, err := g.Library.IDs(ctx, collection.Query(g.Store.Snapshot()))
	if err != nil {
		return nil
	}
	return g.recorded(ctx, func(s *state.Snapshot) { s.Depart(was, now, true) })
}

// narrow is like change, for an edit of the filters. It deselects the images that they
// hide.
func (g *Gallery) narrow(ctx context.Context, edit func(*state.Snapshot)) (catalog.ViewOut, error) {
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
