package gallery

import (
	"context"
	"fmt"
	"slices"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
)

// A viewer filters, sorts and shows images.
type viewer struct {
	library    Library
	store      *state.Store
	find       *Finder
	views      *views
	showWindow func()
}

// windowed returns a check that fails if Easel runs without a window.
func windowed[In any](g *viewer) chain.Extra[In] {
	return chain.Extra[In]{Can: func(context.Context, In) error { return g.needWindow() }}
}

func (g *viewer) needWindow() error {
	if g.store.Snapshot().Window == state.WindowNone {
		return &tool.Error{
			Code: tool.NotExecutable, Detail: "This Easel runs without a window, so there is nothing to show it in.",
			Hint: "get_files_in_view and get_image_resource work without one.",
		}
	}
	return nil
}

func (g *viewer) filterByRating(ctx context.Context, in catalog.FilterByRatingIn) (catalog.ViewOut, error) {
	op := in.Op
	if op == "" { // called by the window, so the schema's default is not applied
		op = ">="
	}
	return g.views.narrow(ctx, func(s *state.Snapshot) { s.Query.Rating, s.Query.RatingOp = in.Rating, op })
}

func (g *viewer) clearRatingFilter(ctx context.Context, _ catalog.ClearRatingFilterIn) (catalog.ViewOut, error) {
	return g.views.change(ctx, func(s *state.Snapshot) { s.Query.Rating, s.Query.RatingOp = -1, "" })
}

func (g *viewer) filterByTag(ctx context.Context, in catalog.FilterByTagIn) (catalog.ViewOut, error) {
	return g.views.narrow(ctx, func(s *state.Snapshot) { s.Query.Tags, s.Query.AnyTag = slices.Clone(in.Tags), in.Mode == "any" })
}

func (g *viewer) clearTagFilter(ctx context.Context, _ catalog.ClearTagFilterIn) (catalog.ViewOut, error) {
	return g.views.change(ctx, func(s *state.Snapshot) { s.Query.Tags, s.Query.AnyTag = nil, false })
}

func (g *viewer) sortThumbnails(ctx context.Context, in catalog.SortThumbnailsIn) (catalog.ViewOut, error) {
	return g.views.change(ctx, func(s *state.Snapshot) {
		s.Query.ByCell = false
		if in.By != "" {
			s.Query.SortBy = in.By
		}
		if in.Order != "" {
			s.Query.Asc = in.Order == "asc"
		}
	})
}

func (g *viewer) showViewer(ctx context.Context, in catalog.ShowImageViewerIn) (catalog.ViewOut, error) {
	name := in.Path
	if name == "" {
		name = catalog.Selected
		if len(g.store.Snapshot().Selection) == 0 {
			name = catalog.Latest
		}
	}
	images, err := g.find.Resolve(ctx, name)
	if err != nil {
		return catalog.ViewOut{}, err
	}
	if len(images) == 0 {
		return catalog.ViewOut{}, notThere(name, library.ErrNotFound)
	}
	if images, err = g.find.newest(ctx, images); err != nil {
		return catalog.ViewOut{}, err
	}
	id := images[0].ImageID
	if g.showWindow != nil && tool.CallerFrom(ctx).Transport != tool.Window && g.store.Snapshot().Settings.AutoRaise {
		defer g.showWindow() // the user has allowed it
	}
	return g.views.change(ctx, func(s *state.Snapshot) {
		if in.Follow && (!s.Follows() || s.Mode != state.Viewer) {
			return // somebody has chosen a plot or closed the viewer since the window asked
		}
		s.Mode, s.Current, s.Selection, s.SelectedBy = state.Viewer, id, []string{id}, chooser(ctx, in.Follow)
	})
}

func (g *viewer) closeViewer(ctx context.Context, _ catalog.CloseImageViewerIn) (catalog.ViewOut, error) {
	s := g.store.Snapshot()
	ids, err := g.library.IDs(ctx, collection.Query(s))
	if err != nil {
		return catalog.ViewOut{}, err
	}
	return g.views.change(ctx, func(s *state.Snapshot) {
		s.Mode, s.Fullscreen, s.Focus = state.Grid, false, false
		s.Settle(ids)
	})
}

func (g *viewer) canNavigate(context.Context, catalog.NavigateImageIn) error {
	if err := g.needWindow(); err != nil {
		return err
	}
	if g.store.Snapshot().Mode != state.Viewer {
		return &tool.Error{Code: tool.NotExecutable, Detail: "The viewer is not open.", Hint: "Open it with show_image_viewer."}
	}
	return nil
}

func (g *viewer) navigate(ctx context.Context, in catalog.NavigateImageIn) (catalog.NavigateImageOut, error) {
	var none catalog.NavigateImageOut
	if err := g.find.listed(ctx); err != nil {
		return none, err
	}
	s := g.store.Snapshot()
	ids, err := g.library.IDs(ctx, collection.Query(s))
	if err != nil {
		return none, err
	}
	if len(ids) == 0 {
		return none, &tool.Error{Code: tool.NotExecutable, Detail: "There is no file in view."}
	}
	from, inView := s.Position(ids)
	at, err := destination(in, from, inView, len(ids))
	if err != nil {
		return none, err
	}
	images, err := g.library.Get(ctx, ids[at])
	if err != nil {
		return none, err
	}
	if len(images) == 0 {
		return none, notThere(ids[at], library.ErrNotFound)
	}
	out, err := g.views.change(ctx, func(s *state.Snapshot) {
		s.Current, s.Selection, s.SelectedBy = ids[at], []string{ids[at]}, chooser(ctx, false)
	})
	if err != nil {
		return none, err
	}
	return catalog.NavigateImageOut{Result: catalog.OK, View: out.View, File: file(images[0]), Index: at}, nil
}

// destination returns the index to navigate to among n images, from the index at (-1 if
// unknown). It does not wrap around. If the current image has left the view, inView is
// false and at is the index of the image that follows it.
func destination(in catalog.NavigateImageIn, at int, inView bool, n int) (int, error) {
	if in.Index != nil {
		if *in.Index < 0 || *in.Index >= n {
			return 0, &tool.Error{
				Code: tool.Validation, Detail: fmt.Sprintf("index is %d; there are %d files in view.", *in.Index, n),
				Fields: []tool.Field{{Pointer: "#/index", Detail: fmt.Sprintf("must be below %d", n)}},
			}
		}
		return *in.Index, nil
	}
	switch in.Direction {
	case "next":
		if !inView && at >= 0 {
			at--
		}
		return min(at+1, n-1), nil
	case "previous":
		return max(at-1, 0), nil
	case "first":
		return 0, nil
	default: // last
		return n - 1, nil
	}
}

// flip returns *on, or the opposite of is if on is nil.
func flip(on *bool, is bool) bool {
	if on != nil {
		return *on
	}
	return !is
}

func (g *viewer) toggleFullscreen(ctx context.Context, in catalog.ToggleFullscreenIn) (catalog.ViewOut, error) {
	return g.views.change(ctx, func(s *state.Snapshot) { s.Fullscreen = flip(in.On, s.Fullscreen) })
}

func (g *viewer) togglePanel(ctx context.Context, in catalog.TogglePropertiesPanelIn) (catalog.ViewOut, error) {
	return g.views.change(ctx, func(s *state.Snapshot) { s.PropertiesPanel = flip(in.On, s.PropertiesPanel) })
}

func (g *viewer) setTheme(ctx context.Context, in catalog.SetThemeIn) (catalog.ViewOut, error) {
	return g.views.change(ctx, func(s *state.Snapshot) { s.Settings.Theme = in.Theme })
}
