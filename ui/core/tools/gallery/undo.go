package gallery

import (
	"context"
	"errors"
	"reflect"

	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/edits"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
)

// changes keep what calls change, and undo it.
type changes struct {
	edits    *edits.History
	library  Library
	store    *state.Store
	pictures *announce.Pictures
	views    *views
	folders  *folderOpener
}

// A call is a call of a tool or topic, with what it has changed.
type call struct {
	chain.Call
	unkept bool // its changes cannot be undone
	told   bool // the window shows what it has changed

	before, after display
	viewed        bool // before and after are set
	edit          command.Edit
}

type callKey struct{}

// begin returns a context that collects what is changed with it, for end; see chain.Chain.
func (g *changes) begin(ctx context.Context, of chain.Call) (_ context.Context, end func(error)) {
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
func (g *changes) end(c *call, err error) {
	if c.By == "" && !c.told && (err == nil || c.edit.Seq != 0) { // a request that failed is no action
		g.edits.Acted()
	}
	if c.viewed && !c.before.equal(c.after) && (c.By != "" || c.edit.Seq != 0) {
		view := func(ctx context.Context, forward bool) bool {
			if forward {
				return g.folders.reshow(ctx, c.after, c.before)
			}
			return g.folders.reshow(ctx, c.before, c.after)
		}
		if !g.edits.Attach(c.edit.Seq, view) {
			e := command.Edit{Client: c.Client, Tool: c.Tool, Rating: c.after.query.Rating}
			c.edit = g.edits.Push(edits.Action{Edit: e, By: c.By, View: view})
		}
	}
	if !c.told {
		g.store.Update(func(s *state.Snapshot) { g.show(s, c, err) })
	}
}

// show says in the state what c has changed, and what can be undone.
func (g *changes) show(s *state.Snapshot, c *call, err error) {
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
}

// undoable sets what can be undone.
func (g *changes) undoable(s *state.Snapshot) { s.Undo, s.Redo, s.Undoable = g.edits.Next() }

// mark changes the marks of images and, in the same update of the state, the view and what can be
// undone. editing is as in edits.Action.
func (g *changes) mark(ctx context.Context, e command.Edit, images []library.Image, editing string,
	do func(*library.Marks) error,
) (err error) {
	g.pictures.Turn(func(tell announce.Announcer) {
		var was []string
		if was, err = g.views.inView(ctx); err != nil {
			return
		}
		if err = g.keep(ctx, e, images, editing, do); err != nil {
			return
		}
		c, depart := callOf(ctx), g.views.depart(ctx, was)
		if c.edit.Seq == 0 {
			tell(depart)
			return
		}
		if c.told = true; c.By == "" {
			g.edits.Acted()
		}
		tell(func(s *state.Snapshot) {
			if depart != nil {
				depart(s)
			}
			g.show(s, c, nil)
		})
	})
	return err
}

// keep changes the marks of images, and keeps the change.
func (g *changes) keep(ctx context.Context, e command.Edit, images []library.Image, editing string, do func(*library.Marks) error) error {
	c := callOf(ctx)
	e.Client, e.Tool = c.Client, c.Tool
	if len(images) == 1 {
		e.Title = file(images[0]).Name
	}
	var targets []library.Target
	for _, id := range idsOf(images) {
		targets = append(targets, library.Target{ID: id})
	}
	edit, _, err := g.edits.Mark(ctx, edits.Action{Edit: e, By: c.By, Editing: editing}, targets, do)
	if edit.Seq != 0 {
		c.edit = edit
	}
	return err
}

func (g *changes) canUndo(context.Context, command.UndoAssistantIn) error {
	if _, _, n := g.edits.Next(); n == 0 {
		return &tool.Error{Code: tool.NotExecutable, Detail: "No assistant has changed anything that could be undone."}
	}
	return nil
}

func (g *changes) undo(ctx context.Context, in command.UndoIn) (command.UndoOut, error) {
	return g.revise(ctx, func() (edits.Result, error) { return g.edits.Undo(ctx, in.Seq) })
}

func (g *changes) redo(ctx context.Context, in command.UndoIn) (command.UndoOut, error) {
	return g.revise(ctx, func() (edits.Result, error) { return g.edits.Redo(ctx, in.Seq) })
}

func (g *changes) undoAssistant(ctx context.Context, in command.UndoAssistantIn) (command.UndoAssistantOut, error) {
	out := command.UndoAssistantOut{Undone: []string{}}
	var failed error
	for range max(in.Count, 1) {
		by := ""
		last, err := g.revise(ctx, func() (edits.Result, error) {
			r, err := g.edits.UndoAssistant(ctx)
			by = r.By
			return r, err
		})
		if failed = errors.Join(failed, err); err != nil || last.Edit.Seq == 0 {
			break
		}
		out.Undone = append(out.Undone, by)
	}
	_, _, out.Remaining = g.edits.Next()
	return out, failed
}

// revise undoes or redoes a change with step, and updates the view.
func (g *changes) revise(ctx context.Context, step func() (edits.Result, error)) (out command.UndoOut, err error) {
	g.pictures.Turn(func(tell announce.Announcer) {
		out, err = g.reviseNow(ctx, step, tell)
	})
	return out, err
}

// reviseNow is revise while it is its turn to announce changes.
func (g *changes) reviseNow(ctx context.Context, step func() (edits.Result, error), tell announce.Announcer) (command.UndoOut, error) {
	before := g.store.Snapshot()
	was, err := g.library.IDs(ctx, collection.Query(before))
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
		edit, _ := deselect(ctx, left, neighbour(before, was, left))
		tell(edit)
	}
	after := g.store.Snapshot()
	now, err := g.library.IDs(ctx, collection.Query(after))
	if err != nil {
		return out, err
	}
	hidden := edits.Missing(after.Selection, now) // what was selected then, by a filter that is newer
	if after.Current != "" {
		hidden = append(hidden, edits.Missing([]string{after.Current}, now)...)
	}
	tell(recorded(ctx, func(s *state.Snapshot) {
		g.undoable(s)
		s.ByAssistant, s.Change = "", command.Edit{}
		if after.Folder == before.Folder && len(left) == 0 {
			s.Depart(was, now, reflect.DeepEqual(after.Query, before.Query))
		}
		s.Depart(hidden, now, false)
	}))
	_, err = g.views.count(ctx)
	return out, err
}

// forget drops the changes of images that were deleted, which cannot be undone any more.
func (g *changes) forget(ids []string) {
	g.edits.Forget(ids)
	g.store.Update(g.undoable)
}
