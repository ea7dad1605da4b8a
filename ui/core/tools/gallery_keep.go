package tools

import (
	"context"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// ours returns the newest versions of images in the library. It fails for files on disk,
// which Easel neither renames nor deletes.
func (g *gallery) ours(ctx context.Context, ids []string) ([]library.Image, error) {
	images, err := g.Library.Get(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, i := range images {
		if i.SessionID == "" {
			return nil, &tool.Error{Code: tool.NotExecutable, Detail: "This is a file on disk. Easel changes only images in its library."}
		}
	}
	if len(images) < len(ids) || len(ids) == 0 {
		return nil, notThere("", library.ErrNotFound)
	}
	return g.newest(ctx, images)
}

func (g *gallery) setTitle(ctx context.Context, in catalog.SetTextIn) (catalog.SetTextOut, error) {
	return g.setText(ctx, in, func(i library.Image) string { return i.Title }, g.Library.SetTitle)
}

func (g *gallery) setNote(ctx context.Context, in catalog.SetTextIn) (catalog.SetTextOut, error) {
	return g.setText(ctx, in, func(i library.Image) string { return i.Note }, g.Library.SetNote)
}

func (g *gallery) setText(ctx context.Context, in catalog.SetTextIn, get func(library.Image) string,
	set func(context.Context, string, string) (library.Image, error),
) (catalog.SetTextOut, error) {
	images, err := g.ours(ctx, []string{in.ID})
	if err != nil {
		return catalog.SetTextOut{}, err
	}
	was, err := g.inView(ctx)
	if err != nil {
		return catalog.SetTextOut{}, err
	}
	i, err := set(ctx, images[0].ImageID, in.Text)
	if err != nil {
		return catalog.SetTextOut{}, err
	}
	g.changed(ctx, was)
	catalog.Changes.Notify(g.Bus, catalog.Change{Name: catalog.ImageChanged, Object: i.Image})
	return catalog.SetTextOut{Before: get(images[0])}, nil
}

func (g *gallery) dispose(ctx context.Context, in catalog.DisposeIn) (catalog.DisposeOut, error) {
	var out catalog.DisposeOut
	name := catalog.ImageRemoved
	var images []library.Image
	var err error
	next := "" // the image to show instead of the current one
	if in.Fate == catalog.FateEmpty {
		out.Images, err = g.Library.PurgeTrash(ctx, time.Now().Add(time.Hour))
	} else {
		if images, err = g.ours(ctx, in.IDs); err != nil {
			return out, err
		}
		ids := idsOf(images)
		out.Images = len(ids)
		if next, err = g.neighbour(ctx, ids); err != nil {
			return out, err
		}
		switch in.Fate {
		case catalog.FateRestore:
			name = catalog.ImageAdded
			err = g.Library.Restore(ctx, ids)
		case catalog.FateDelete:
			err = g.Library.Delete(ctx, ids)
		default:
			err = g.Library.Trash(ctx, ids)
		}
	}
	if err != nil {
		return catalog.DisposeOut{}, err
	}
	g.dropFromView(ctx, images, next)
	if in.Fate == catalog.FateRestore {
		if images, err = g.restored(ctx, images); err != nil {
			return catalog.DisposeOut{}, err
		}
	}
	for _, i := range images {
		if i.Trashed.IsZero() || in.Fate == catalog.FateRestore { // the others were removed when trashed
			catalog.Changes.Notify(g.Bus, catalog.Change{Name: name, Object: i.Image})
		}
	}
	return out, nil
}

// restored returns the images that were restored, without those that have a newer version:
// lists already contain that version. It notifies the watchers of these versions.
func (g *gallery) restored(ctx context.Context, images []library.Image) ([]library.Image, error) {
	images, err := g.Library.Get(ctx, idsOf(images)...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(images, func(i library.Image) bool {
		if i.ReplacedBy == "" {
			return false
		}
		now, err := g.newest(ctx, []library.Image{i})
		if err == nil {
			catalog.Changes.Notify(g.Bus, catalog.Change{Name: catalog.ImageChanged, Object: now[0].Image})
		}
		return true
	}), nil
}

// neighbour returns the id of the image that replaces the current one when the images going
// are removed: the next in view that stays, else the previous one. It returns "" if the
// current image stays, or if no image does.
func (g *gallery) neighbour(ctx context.Context, going []string) (string, error) {
	s := g.Store.Snapshot()
	if !slices.Contains(going, s.Current) {
		return "", nil
	}
	ids, err := g.Library.IDs(ctx, collection.Query(s))
	at, _ := s.Position(ids)
	if err != nil || at < 0 {
		return "", err
	}
	goes := make(map[string]bool, len(going))
	for _, id := range going {
		goes[id] = true
	}
	for _, id := range ids[at:] {
		if !goes[id] {
			return id, nil
		}
	}
	for _, id := range slices.Backward(ids[:at]) {
		if !goes[id] {
			return id, nil
		}
	}
	return "", nil
}

// dropFromView updates the state after images were removed from the view. If the current
// image was among them, next becomes current and selected; if next is "", the viewer
// closes.
func (g *gallery) dropFromView(ctx context.Context, images []library.Image, next string) {
	gone := func(id string) bool {
		return slices.ContainsFunc(images, func(i library.Image) bool { return i.ImageID == id })
	}
	newest := ""
	if ids, err := g.Library.IDs(ctx, library.Query{Rating: -1}); err == nil && len(ids) > 0 {
		newest = ids[0]
	}
	g.Store.Update(func(s *state.Snapshot) {
		s.Gallery++
		if gone(s.Newest) {
			s.Newest = newest
		}
		s.Selection = slices.DeleteFunc(slices.Clone(s.Selection), gone)
		if !gone(s.Current) {
			return
		}
		if s.Current = next; next == "" {
			s.Mode, s.Fullscreen = state.Grid, false
		} else if len(s.Selection) == 0 || s.Mode == state.Viewer {
			s.Selection, s.SelectedBy = []string{next}, catalog.ByUser // the next Delete means this one
		}
	})
}

func (g *gallery) openTrash(ctx context.Context, _ struct{}) (struct{}, error) {
	g.opening.Lock()
	defer g.opening.Unlock()
	_, err := g.change(ctx, func(s *state.Snapshot) {
		s.Folder, s.Mode, s.Selection, s.Current = state.Folder{Kind: state.Trash}, state.Grid, nil, ""
	})
	if g.Directories != nil {
		g.Directories.CloseDirectory()
	}
	return struct{}{}, err
}
