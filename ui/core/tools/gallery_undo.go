package tools

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// mostChanges is the largest number of changes by assistants that can be undone.
const mostChanges = 50

// A shown is the part of the state that the gallery's tools change.
type shown struct {
	folder                      state.Folder
	query                       state.Query
	mode                        state.Mode
	current                     string
	selection                   []string
	selectedBy                  string
	fullscreen, propertiesPanel bool
	theme                       string
}

func shownIn(s *state.Snapshot) shown {
	return shown{s.Folder, s.Query, s.Mode, s.Current, s.Selection, s.SelectedBy, s.Fullscreen, s.PropertiesPanel, s.Settings.Theme}
}

func sameRating(a, b state.Query) bool { return a.Rating == b.Rating && a.RatingOp == b.RatingOp }
func sameTags(a, b state.Query) bool   { return slices.Equal(a.Tags, b.Tags) && a.AnyTag == b.AnyTag }

func sameOrder(a, b state.Query) bool {
	return a.SortBy == b.SortBy && a.Asc == b.Asc && a.ByCell == b.ByCell
}

func (a shown) equal(b shown) bool {
	return a.folder == b.folder && sameRating(a.query, b.query) && sameTags(a.query, b.query) && sameOrder(a.query, b.query) &&
		a.mode == b.mode && a.current == b.current && slices.Equal(a.selection, b.selection) &&
		a.fullscreen == b.fullscreen && a.propertiesPanel == b.propertiesPanel && a.theme == b.theme
}

// back restores the fields of s that differ between before and after, except those that
// have changed since after: the user's changes stay. It reports whether it restored
// anything.
func back(s *state.Snapshot, before, after shown) bool {
	was := shownIn(s)
	put := func(changed, still bool, restore func()) {
		if changed && still {
			restore()
		}
	}
	put(before.folder != after.folder, s.Folder == after.folder, func() { s.Folder = before.folder })
	put(!sameRating(before.query, after.query), sameRating(s.Query, after.query), func() {
		s.Query.Rating, s.Query.RatingOp = before.query.Rating, before.query.RatingOp
	})
	put(!sameTags(before.query, after.query), sameTags(s.Query, after.query), func() {
		s.Query.Tags, s.Query.AnyTag = before.query.Tags, before.query.AnyTag
	})
	put(!sameOrder(before.query, after.query), sameOrder(s.Query, after.query), func() {
		s.Query.SortBy, s.Query.Asc, s.Query.ByCell = before.query.SortBy, before.query.Asc, before.query.ByCell
	})
	put(before.mode != after.mode, s.Mode == after.mode, func() { s.Mode = before.mode })
	put(before.current != after.current, s.Current == after.current, func() { s.Current = before.current })
	put(!slices.Equal(before.selection, after.selection), slices.Equal(s.Selection, after.selection), func() {
		s.Selection, s.SelectedBy = before.selection, before.selectedBy
	})
	put(before.fullscreen != after.fullscreen, s.Fullscreen == after.fullscreen, func() { s.Fullscreen = before.fullscreen })
	put(before.propertiesPanel != after.propertiesPanel, s.PropertiesPanel == after.propertiesPanel, func() { s.PropertiesPanel = before.propertiesPanel })
	put(before.theme != after.theme, s.Settings.Theme == after.theme, func() { s.Settings.Theme = before.theme })
	return !was.equal(shownIn(s))
}

// A change is what one call by an assistant changed in the state and the library.
type change struct {
	by            string
	before, after shown
	viewed        bool // before and after are set
	edits         []annotationEdit
}

// An annotationEdit is an image before and after its stars or tags were changed.
type annotationEdit struct{ before, after library.Image }

// An undoStack keeps the last changes.
type undoStack struct {
	mu      sync.Mutex
	changes []*change // oldest first
}

type changeKey struct{}

func changeOf(ctx context.Context) *change {
	d, _ := ctx.Value(changeKey{}).(*change)
	return d
}

// watch returns a context that collects the changes made with it, for keep.
func (u *undoStack) watch(ctx context.Context, by string) context.Context {
	return context.WithValue(ctx, changeKey{}, &change{by: by})
}

// keep pushes the change that ctx has collected, unless it is empty. It returns the number
// of changes that can be undone, and a description of this one.
func (u *undoStack) keep(ctx context.Context) (remaining int, told state.Change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if d := changeOf(ctx); d != nil && (len(d.edits) > 0 || d.viewed && !d.before.equal(d.after)) {
		u.changes = append(u.changes, d)
		u.changes = u.changes[max(len(u.changes)-mostChanges, 0):]
		told = d.tell()
	}
	return len(u.changes), told
}

// tell returns the description of a change that the window shows.
func (d *change) tell() state.Change {
	told := state.Change{Changed: true, Images: len(d.edits), Rating: d.after.query.Rating}
	if len(d.edits) > 0 {
		told.Rating = d.edits[0].after.Rating
	}
	for _, m := range d.edits {
		told.Added = append(told.Added, missing(m.after.Tags, slices.Concat(m.before.Tags, told.Added))...)
		told.Removed = append(told.Removed, missing(m.before.Tags, slices.Concat(m.after.Tags, told.Removed))...)
	}
	return told
}

func (u *undoStack) remaining() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.changes)
}

func (u *undoStack) pop() *change {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.changes) == 0 {
		return nil
	}
	d := u.changes[len(u.changes)-1]
	u.changes = u.changes[:len(u.changes)-1]
	return d
}

// update edits the state and adds the edit to the change that ctx collects.
func (g *gallery) update(ctx context.Context, edit func(*state.Snapshot)) {
	d := changeOf(ctx)
	g.Store.Update(func(s *state.Snapshot) {
		before := shownIn(s)
		edit(s)
		if d == nil {
			return
		}
		if !d.viewed {
			d.before, d.viewed = before, true
		}
		d.after = shownIn(s)
	})
}

// noteEdits adds images whose stars or tags have changed to the change that ctx collects.
func noteEdits(ctx context.Context, before, after []library.Image) {
	d := changeOf(ctx)
	if d == nil {
		return
	}
	for _, b := range before {
		i := slices.IndexFunc(after, func(a library.Image) bool { return a.ImageID == b.ImageID })
		if i >= 0 && (after[i].Rating != b.Rating || !slices.Equal(after[i].Tags, b.Tags)) {
			d.edits = append(d.edits, annotationEdit{b, after[i]})
		}
	}
}

func (g *gallery) canUndo(context.Context, catalog.UndoAssistantIn) error {
	if g.undo.remaining() == 0 {
		return &tool.Error{Code: tool.NotExecutable, Detail: "No assistant has changed anything that could be undone."}
	}
	return nil
}

func (g *gallery) undoAssistant(ctx context.Context, in catalog.UndoAssistantIn) (catalog.UndoAssistantOut, error) {
	out := catalog.UndoAssistantOut{Undone: []string{}}
	before := g.Store.Snapshot()
	was, failed := g.Library.IDs(ctx, collection.Query(before))
	for range max(in.Count, 1) {
		d := g.undo.pop()
		if d == nil {
			break
		}
		if err := g.undoChange(ctx, d); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		out.Undone = append(out.Undone, d.by)
	}
	out.Remaining = g.undo.remaining()
	after := g.Store.Snapshot()
	now, err := g.Library.IDs(ctx, collection.Query(after))
	if err != nil {
		return out, errors.Join(failed, err)
	}
	_, err = g.change(ctx, func(s *state.Snapshot) {
		s.ByAssistant, s.Change, s.Undoable = "", state.Change{}, out.Remaining
		if after.Folder == before.Folder {
			s.Depart(was, now, reflect.DeepEqual(after.Query, before.Query))
		}
	})
	return out, errors.Join(failed, err)
}

func (g *gallery) undoChange(ctx context.Context, d *change) error {
	if d.viewed {
		g.undoView(ctx, d)
	}
	return g.undoEdits(ctx, d.edits)
}

func (g *gallery) undoView(ctx context.Context, d *change) {
	g.opening.Lock()
	defer g.opening.Unlock()
	before := d.before
	if before.folder != d.after.folder && g.Store.Snapshot().Folder == d.after.folder && !g.reopen(ctx, before.folder) {
		before = d.after // the folder no longer exists, so keep the current one and its selection
		g.reopen(ctx, d.after.folder)
	}
	g.Store.Update(func(s *state.Snapshot) { back(s, before, d.after) })
}

// undoEdits restores the stars of images, if they still have those that the assistant gave,
// and reverts its changes of tags.
func (g *gallery) undoEdits(ctx context.Context, edits []annotationEdit) error {
	var changed []library.Image
	for _, m := range edits {
		now, err := g.Library.Get(ctx, m.after.ImageID)
		if err != nil {
			return err
		}
		add := missing(m.before.Tags, m.after.Tags)
		remove := missing(m.after.Tags, m.before.Tags)
		if len(now) == 0 {
			if err := g.undoElsewhere(ctx, m, add, remove); err != nil {
				return err
			}
			continue
		}
		ids := []string{m.after.ImageID}
		if m.before.Rating != m.after.Rating && now[0].Rating == m.after.Rating {
			if now, err = g.Library.SetRating(ctx, ids, m.before.Rating); err != nil {
				return err
			}
		}
		if len(add)+len(remove) > 0 {
			if now, err = g.Library.SetTags(ctx, ids, add, remove); err != nil {
				return err
			}
		}
		changed = append(changed, now...)
	}
	if len(edits) > 0 {
		g.Store.Update(func(s *state.Snapshot) { s.Gallery++ })
	}
	for _, i := range changed {
		catalog.Changes.Notify(g.Bus, catalog.Change{Name: catalog.ImageChanged, Object: i.Image})
	}
	return nil
}

// undoElsewhere undoes the edit of a file whose folder is no longer open. It does nothing
// for a deleted image.
func (g *gallery) undoElsewhere(ctx context.Context, m annotationEdit, add, remove []string) error {
	if g.Directories == nil || m.after.SessionID != "" || m.after.ETag == "" {
		return nil
	}
	if m.before.Rating != m.after.Rating {
		if _, err := g.Directories.SetFileRating(ctx, m.after.Path, m.after.ETag, m.before.Rating); err != nil {
			return err
		}
	}
	if len(add)+len(remove) > 0 {
		_, err := g.Directories.SetFileTags(ctx, m.after.Path, m.after.ETag, add, remove)
		return err
	}
	return nil
}

// missing returns the elements of a that are not in b.
func missing(a, b []string) (out []string) {
	for _, t := range a {
		if !slices.Contains(b, t) {
			out = append(out, t)
		}
	}
	return out
}
