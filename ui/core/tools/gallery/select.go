package gallery

import (
	"context"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// A selector selects images.
type selector struct {
	find  *Finder
	views *views
}

func (g *selector) selectFile(ctx context.Context, in catalog.SelectFileIn) (catalog.SelectFileOut, error) {
	if in.Path == "" && len(in.Paths) == 0 {
		g.selected(ctx, nil, in) // the user clicked beside the files; the schema forbids it to clients
		return catalog.SelectFileOut{Result: catalog.OK, Selected: []catalog.File{}}, nil
	}
	images, err := g.find.targets(ctx, in.Path, in.Paths)
	if err != nil {
		return catalog.SelectFileOut{}, err
	}
	if images, err = g.find.newest(ctx, images); err != nil {
		return catalog.SelectFileOut{}, err
	}
	g.selected(ctx, idsOf(images), in)
	return catalog.SelectFileOut{Result: catalog.OK, Selected: fileList(images)}, nil
}

// chooser returns who makes the selection: the assistant, the user, or the window by itself
// if follow is set.
func chooser(ctx context.Context, follow bool) string {
	switch {
	case tool.CallerFrom(ctx).Transport != tool.Window:
		return catalog.ByAssistant
	case follow:
		return catalog.ByFollow
	default:
		return catalog.ByUser
	}
}

func (g *selector) selected(ctx context.Context, ids []string, in catalog.SelectFileIn) {
	g.views.update(ctx, func(s *state.Snapshot) {
		if in.Follow && (!s.Follows() || s.Mode == state.Viewer || s.Query.Narrows()) {
			return // somebody has chosen a plot, or searches, since the window asked
		}
		s.Selection, s.SelectedBy = ids, chooser(ctx, in.Follow)
		switch {
		case in.Current != "":
			s.Current = s.Newer(in.Current)
		case len(ids) > 0:
			s.Current = ids[len(ids)-1]
		}
	})
}
