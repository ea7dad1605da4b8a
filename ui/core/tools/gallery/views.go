package gallery

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"easel/mcphost/catalog"
	"easel/ui/core/collection"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// views change what the window shows, and describe it.
type views struct {
	library     Library
	store       *state.Store
	directories Directories // may be nil
}

// view converts the snapshot to a catalog.View, with counts read from the library.
func (g *views) view(ctx context.Context, s *state.Snapshot) (catalog.View, error) {
	q := collection.Query(s)
	listing := s.Folder.Kind == state.Directory && g.directories != nil && g.directories.Listing() // asked before the count
	total, matching, err := g.library.Count(ctx, q)
	if err != nil {
		return catalog.View{}, err
	}
	v := catalog.View{
		Folder: folderPath(s.Folder), Kind: string(s.Folder.Kind), Mode: string(s.Mode),
		Count: total, Matching: matching, Counting: listing,
		Sort:       catalog.ViewSort{By: sortBy(q.SortBy), Order: order(q.Asc)},
		Filters:    catalog.ViewFilters{Text: s.Query.Text, Findings: s.Query.Findings},
		Fullscreen: s.Fullscreen, PropertiesPanel: s.PropertiesPanel,
		Theme: s.Settings.Theme, Window: string(s.Window),
	}
	v.Kind = cmp.Or(v.Kind, string(state.AllSessions))
	v.Mode = cmp.Or(v.Mode, string(state.Grid))
	if s.Query.RatingOp != "" && s.Query.Rating >= 0 {
		v.Filters.Rating = &catalog.RatingFilter{Op: s.Query.RatingOp, Value: s.Query.Rating}
	}
	if len(s.Query.Tags) > 0 {
		mode := "all"
		if s.Query.AnyTag {
			mode = "any"
		}
		v.Filters.Tags = &catalog.TagFilter{Tags: s.Query.Tags, Mode: mode}
	}
	if s.Current != "" {
		if im, err := g.library.Image(ctx, s.Current); err == nil {
			v.Current = cmp.Or(im.ResourceURI, im.Path)
		}
	}
	return v, nil
}

func sortBy(by string) string {
	if by == "" {
		return "created"
	}
	return by
}

func order(asc bool) string {
	if asc {
		return "asc"
	}
	return "desc"
}

// change edits the state, updates its counts and returns the view.
func (g *views) change(ctx context.Context, edit func(*state.Snapshot)) (catalog.ViewOut, error) {
	g.update(ctx, edit)
	return g.count(ctx)
}

// count updates the counts in the state, and returns the view.
func (g *views) count(ctx context.Context) (catalog.ViewOut, error) {
	v, err := g.view(ctx, g.store.Snapshot())
	if err != nil {
		return catalog.ViewOut{}, err
	}
	g.store.Update(func(s *state.Snapshot) { s.Total, s.Matching = v.Count, v.Matching })
	return catalog.ViewOut{Result: catalog.OK, View: v}, nil
}

// file converts an image to a catalog.File, with the name that its card shows.
func file(i library.Image) catalog.File {
	name := i.Title
	switch {
	case name != "":
	case i.N > 0:
		name = fmt.Sprintf("Plot %d", i.N)
	default:
		name = filepath.Base(i.Path)
	}
	return catalog.File{Image: i.Image, Name: name}
}

func fileList(images []library.Image) []catalog.File {
	fs := make([]catalog.File, len(images))
	for i, im := range images {
		fs[i] = file(im)
	}
	return fs
}

// update edits the state and adds the edit to the call of ctx.
func (g *views) update(ctx context.Context, edit func(*state.Snapshot)) {
	g.store.Update(recorded(ctx, edit))
}

// recorded returns an edit of the state that also adds it to the call of ctx.
func recorded(ctx context.Context, edit func(*state.Snapshot)) func(*state.Snapshot) {
	c := callOf(ctx)
	return func(s *state.Snapshot) {
		before := displayIn(s)
		edit(s)
		if !c.viewed {
			c.before, c.viewed = before, true
		}
		c.after = displayIn(s)
	}
}

// inView returns the ids in view, in order. It returns nil if no image can leave the view
// by a change of its annotations, or if none is selected or current.
func (g *views) inView(ctx context.Context) ([]string, error) {
	s := g.store.Snapshot()
	if !s.Query.Narrows() || s.Current == "" && len(s.Selection) == 0 {
		return nil, nil
	}
	return g.library.IDs(ctx, collection.Query(s))
}

// depart returns the edit of the state after images have changed: those that no longer match the
// filters are deselected. was is the result of inView before the change. An error is ignored
// here, because the change is already stored; the window gets the same error when it reads
// the list, and reports it.
func (g *views) depart(ctx context.Context, was []string) func(*state.Snapshot) {
	if was == nil {
		return nil
	}
	now, err := g.library.IDs(ctx, collection.Query(g.store.Snapshot()))
	if err != nil {
		return nil
	}
	return recorded(ctx, func(s *state.Snapshot) { s.Depart(was, now, true) })
}

// narrow is like change, for an edit of the filters. It deselects the images that they
// hide.
func (g *views) narrow(ctx context.Context, edit func(*state.Snapshot)) (catalog.ViewOut, error) {
	before := g.store.Snapshot()
	next := *before
	edit(&next)
	if before.Current == "" && len(before.Selection) == 0 {
		return g.change(ctx, edit)
	}
	was, err := g.library.IDs(ctx, collection.Query(before))
	if err != nil {
		return catalog.ViewOut{}, err
	}
	now, err := g.library.IDs(ctx, collection.Query(&next))
	if err != nil {
		return catalog.ViewOut{}, err
	}
	return g.change(ctx, func(s *state.Snapshot) {
		edit(s)
		s.Depart(was, now, false)
	})
}
