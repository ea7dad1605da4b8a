package gallery

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/edits"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
)

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
	here := s.Current == s.Newer(after.current)
	put(before.mode != after.mode, s.Mode == after.mode && (here || before.mode != state.Viewer), func() { s.Mode = before.mode }) // the viewer opens with its image
	put(before.current != after.current, here, func() { s.Current = s.Newer(before.current) })
	put(!slices.Equal(before.selection, after.selection), slices.Equal(s.Selection, after.selection), func() {
		s.Selection, s.SelectedBy = slices.Clone(before.selection), before.selectedBy
		for i, id := range s.Selection {
			s.Selection[i] = s.Newer(id)
		}
	})
	put(before.fullscreen != after.fullscreen, s.Fullscreen == after.fullscreen, func() { s.Fullscreen = before.fullscreen })
	put(before.propertiesPanel != after.propertiesPanel, s.PropertiesPanel == after.propertiesPanel, func() { s.PropertiesPanel = before.propertiesPanel })
	put(before.theme != after.theme, s.Settings.Theme == after.theme, func() { s.Settings.Theme = before.theme })
	return !was.equal(shownIn(s))
}

// A call is a call of a tool or topic, with what it has changed.
type call struct {
	chain.Call
	unkept bool // its changes cannot be undone

	before, after shown
	viewed        bool // before and after are set
	edit          command.Edit
}

type callKey struct{}

// begin returns a context that collects what is changed with it, for end; see chain.Chain.
func (g *Gallery) begin(ctx context.Context, of chain.Call) (_ context.Context, end func(error)) {
	c := &call{Call: of}
	return context.WithValue(ctx, callKey{}, c), func(err error) {
		if !c.unkept {
			g.end(c, err)
		}
	}
}

// callOf returns the call that ctx belongs to. Other changes are the user's.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// end keeps what a call has changed, also before an error, and shows it in the window.
func (g *Gallery) end(c *call, err error) {
	if c.By == "" {
		g.history.Acted()
	}
	if c.viewed && !c.before.equal(c.after) && (c.By != "" || c.edit.Seq != 0) {
		view := func(ctx context.Context, forward bool) bool {
			if forward {
				return g.reshow(ctx, c.after, c.before)
			}
			return g.reshow(ctx, c.before, c.after)
		}
		if !g.history.Attach(c.edit.Seq, view) {
			e := command.Edit{Client: c.Client, Tool: c.Tool, Rating: c.after.query.Rating}
			c.edit = g.history.Push(edits.Action{Edit: e, By: c.By, View: view})
		}
	}
	g.Store.Update(func(s *state.Snapshot) {
		g.undoable(s)
		if c.By == "" && c.edit.Seq != 0 {
			s.Edited = c.edit
		}
		switch {
		case err != nil:
		case c.By == "":
			s.ByAssistant, s.Change = "", command.Edit{}
		default:
			s.ByAssistant = c.By
			if c.edit.Seq != 0 {
				s.Change = c.edit
			}
		}
	})
}

// undoable sets what can be undone.
func (g *Gallery) undoable(s *state.Snapshot) { s.Undo, s.Redo, s.Undoable = g.history.Next() }

// update edits the state and adds the edit to the call of ctx.
func (g *Gallery) update(ctx context.Context, edit func(*state.Snapshot)) {
	g.Store.Update(g.recorded(ctx, edit))
}

// recorded returns an edit of the state that also adds it to the call of ctx.
func (g *Gallery) recorded(ctx context.Context, edit func(*state.Snapshot)) func(*state.Snapshot) {
	c := callOf(ctx)
	return func(s *state.Snapshot) {
		before := shownIn(s)
		edit(s)
		if !c.viewed {
			c.before, c.viewed = before, true
		}
		c.after = shownIn(s)
	}
}

// mark changes the marks of images and, in the same update, the view. editing is as in
// edits.Action.
func (g *Gallery) mark(ctx context.Context, e command.Edit, images []library.Image, editing string, do func(*library.Marks) error) (err error) {
	g.Pictures.Turn(func(tell announce.Announcer) {
		var was []string
		if was, err = g.inView(ctx); err != nil {
			return
		}
		if err = g.keep(ctx, e, images, editing, do); err == nil {
			tell(g.depart(ctx, was))
		}
	})
	return err
}

// keep changes the marks of images, and keeps the change.
func (g *Gallery) keep(ctx context.Context, e command.Edit, images []library.Image, editing string, do func(*library.Marks) error) error {
	c := callOf(ctx)
	e.Client, e.Tool = c.Client, c.Tool
	if len(images) == 1 {
		e.Title = file(images[0]).Name
	}
	var targets []library.Target
	for _, id := range idsOf(images) {
		targets = append(targets, library.Target{ID: id})
	}
	edit, _, err := g.history.Mark(ctx, edits.Action{Edit: e, By: c.By, Editing: editing}, targets, do)
	if edit.Seq != 0 {
		c.edit = edit
	}
	return err
}

func (g *Gallery) canUndo(context.Context, command.UndoAssistantIn) error {
	if _, _, n := g.history.Next(); n == 0 {
		return &tool.Error{Code: tool.NotExecutable, Detail: "No assistant has changed anything that could be undone."}
	}
	return nil
}

func (g *Gallery) undo(ctx context.Context, in command.UndoIn) (command.UndoOut, error) {
	return g.revise(ctx, func() (edits.Result, error) { return g.history.Undo(ctx, in.Seq) })
}

func (g *Gallery) redo(ctx context.Context, in command.UndoIn) (command.UndoOut, error) {
	return g.revise(ctx, func() (edits.Result, error) { return g.history.Redo(ctx, in.Seq) })
}

func (g *Gallery) undoAssistant(ctx context.Context, in command.UndoAssistantIn) (command.UndoAssistantOut, error) {
	out := command.UndoAssistantOut{Undone: []string{}}
	var failed error
	for range max(in.Count, 1) {
		by := ""
		last, err := g.revise(ctx, func() (edits.Result, error) {
			r, err := g.history.UndoAssistant(ctx)
			by = r.By
			return r, err
		})
		if failed = errors.Join(failed, err); err != nil || last.Edit.Seq == 0 {
			break
		}
		out.Undone = append(out.Undone, by)
	}
	_, _, out.Remaining = g.history.Next()
	return out, failed
}

// revise undoes or redoes a change with step, and updates the view.
func (g *Gallery) revise(ctx context.Context, step func() (edits.Result, error)) (out command.UndoOut, err error) {
	g.Pictures.Turn(func(tell announce.Announcer) {
		out, err = g.reviseNow(ctx, step, tell)
	})
	return out, err
}

// reviseNow is revise while it is its turn to announce changes.
func (g *Gallery) reviseNow(ctx context.Context, step func() (edits.Result, error), tell announce.Announcer) (command.UndoOut, error) {
	before := g.Store.Snapshot()
	was, err := g.Library.IDs(ctx, collection.Query(before))
	if err != nil {
		return command.UndoOut{}, err
	}
	r, err := step()
	if err != nil {
		return command.UndoOut{}, err
	}
	out := command.UndoOut{Edit: r.Edit, Skipped: r.Skipped}
	var left []string // the view
	for _, m := range r.Changed {
		if m.Before.Trashed != m.After.Trashed && m.Before.Trashed == (before.Folder.Kind == state.Trash) {
			left = append(left, m.ID)
		}
	}
	if len(left) > 0 {
		edit, _ := g.deselect(ctx, left, neighbour(before, was, left))
		tell(edit)
	}
	after := g.Store.Snapshot()
	now, err := g.Library.IDs(ctx, collection.Query(after))
	if err != nil {
		return out, err
	}
	hidden := edits.Missing(after.Selection, now) // what was selected then, by a filter that is newer
	if after.Current != "" {
		hidden = append(hidden, edits.Missing([]string{after.Current}, now)...)
	}
	tell(g.recorded(ctx, func(s *state.Snapshot) {
		g.undoable(s)
		s.ByAssistant, s.Change = "", command.Edit{}
		if after.Folder == before.Folder && len(left) == 0 {
			s.Depart(was, now, reflect.DeepEqual(after.Query, before.Query))
		}
		s.Depart(hidden, now, false)
	}))
	_, err = g.count(ctx)
	return out, err
}

// reshow restores what the window showed, as far as it still shows what replaced it.
func (g *Gallery) reshow(ctx context.Context, before, after shown) (changed bool) {
	g.opening.Lock()
	defer g.opening.Unlock()
	if before.folder != after.folder && g.Store.Snapshot().Folder == after.folder && !g.reopen(ctx, before.folder) {
		before = after // the folder no longer exists, so keep the current one and its selection
		g.reopen(ctx, after.folder)
	}
	g.Store.Update(func(s *state.Snapshot) { changed = back(s, before, after) })
	return changed
}
