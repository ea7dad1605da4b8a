package gallery

import (
	"context"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// A trash takes images out of the gallery.
type trash struct {
	library  Library
	store    *state.Store
	pictures *announce.Pictures
	leaver   Leaver // may be nil
	find     *Finder
	changes  *changes
}

func (g *trash) dispose(ctx context.Context, in command.DisposeIn) (command.DisposeOut, error) {
	c := callOf(ctx)
	c.Tool, c.unkept = string(in.Fate), in.Fate == command.FateEmpty || in.Fate == command.FateDelete
	if in.Fate == command.FateEmpty {
		return g.emptyTrash(ctx, in.Stopped)
	}
	images, err := g.find.ours(ctx, in.IDs)
	if err != nil {
		return command.DisposeOut{}, err
	}
	s := g.store.Snapshot()
	var was []string
	if s.Current != "" {
		if was, err = g.library.IDs(ctx, collection.Query(s)); err != nil {
			return command.DisposeOut{}, err
		}
	}
	ids := idsOf(images)
	next := neighbour(s, was, ids) // to show instead of the current one
	n := len(ids)
	if in.Fate == command.FateDelete {
		err = g.leave(ctx, command.FateDelete, images, next, func() (err error) {
			n, err = g.delete(ctx, ids, in.Stopped)
			return err
		})
	} else {
		err = g.place(ctx, in.Fate, images, next)
	}
	if err != nil {
		return command.DisposeOut{}, err
	}
	return command.DisposeOut{Images: n}, nil
}

// place moves images to the trash or back.
func (g *trash) place(ctx context.Context, fate command.Fate, images []library.Image, next string) error {
	return g.leave(ctx, fate, images, next, func() error {
		return g.changes.keep(ctx, command.Edit{}, images, "", func(m *library.Marks) error {
			m.Trashed = fate == command.FateTrash
			return nil
		})
	})
}

// deletedAtOnce is how many images are deleted before the user is told how far it is.
const deletedAtOnce = 100

// delete deletes images permanently, until stopped, which may be nil, says so. It returns how many.
func (g *trash) delete(ctx context.Context, ids []string, stopped func() bool) (n int, err error) {
	tell := tool.CallerFrom(ctx).Progress
	for part := range slices.Chunk(ids, deletedAtOnce) {
		if stopped != nil && stopped() {
			break
		}
		if err := g.library.Delete(ctx, part); err != nil {
			return n, err
		}
		g.changes.forget(part)
		if n += len(part); tell != nil {
			tell(tool.Progress{Done: float64(n), Total: float64(len(ids))})
		}
	}
	return n, nil
}

func (g *trash) emptyTrash(ctx context.Context, stopped func() bool) (command.DisposeOut, error) {
	ids, err := g.library.IDs(ctx, library.Query{Rating: -1, Trashed: true})
	if err != nil {
		return command.DisposeOut{}, err
	}
	images, err := g.library.Get(ctx, ids...)
	if err != nil {
		return command.DisposeOut{}, err
	}
	var n int
	err = g.leave(ctx, command.FateEmpty, images, "", func() (err error) {
		if n, err = g.delete(ctx, ids, stopped); err != nil || n < len(ids) {
			return err
		}
		_, err = g.library.PurgeTrash(ctx, time.Now().Add(time.Hour)) // files that no image has
		return err
	})
	return command.DisposeOut{Images: n}, err
}

// neighbour returns the id of the image that replaces the current one when the images going
// are removed from a view with these ids: the next one that stays, else the previous one. It
// returns "" if the current image stays, or if no image does.
func neighbour(s *state.Snapshot, ids, going []string) string {
	goes := setOf(going)
	at, _ := s.Position(ids)
	if !goes[s.Current] || at < 0 {
		return ""
	}
	for _, id := range ids[at:] {
		if !goes[id] {
			return id
		}
	}
	for _, id := range slices.Backward(ids[:at]) {
		if !goes[id] {
			return id
		}
	}
	return ""
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// leave shows images as gone before do moves or deletes them, which takes seconds if there are
// thousands. After an error, the window shows again what it showed.
func (g *trash) leave(ctx context.Context, fate command.Fate, images []library.Image, next string, do func() error) (err error) {
	back := func() {}
	edit, undo := deselect(ctx, idsOf(images), next)
	g.pictures.Turn(func(tell announce.Announcer) {
		if g.leaver != nil {
			back = g.leaver.Leave(images, fate)
		}
		tell(edit)
	})
	g.pictures.Turn(func(tell announce.Announcer) {
		err = do()
		if back(); err == nil {
			undo = nil
		}
		tell(undo)
	})
	return err
}

// deselect returns the edit that removes images from the selection. If the current image is among
// them, next becomes current and selected; if next is "", the viewer closes. undo restores what the
// user has not changed since.
func deselect(ctx context.Context, ids []string, next string) (edit, undo func(*state.Snapshot)) {
	going := setOf(ids)
	gone := func(id string) bool { return going[id] }
	var before, after display
	edit = recorded(ctx, func(s *state.Snapshot) {
		before = displayIn(s)
		defer func() { after = displayIn(s) }()
		s.Selection = slices.DeleteFunc(slices.Clone(s.Selection), gone)
		if !gone(s.Current) {
			return
		}
		if s.Current = next; next == "" {
			s.Mode, s.Fullscreen, s.Focus = state.Grid, false, false
		} else if len(s.Selection) == 0 || s.Mode == state.Viewer {
			s.Selection, s.SelectedBy = []string{next}, catalog.ByUser // the next Delete means this one
		}
	})
	return edit, recorded(ctx, func(s *state.Snapshot) { back(s, before, after) })
}
