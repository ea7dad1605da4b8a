package edits

import (
	"context"
	"slices"

	"easel/ui/core/command"
	"easel/ui/core/library"
)

// Undo undoes a change: the one with a Seq, or the last one if it is 0. The last one is the
// user's or an assistant's. A change of the view counts only while the user has not acted
// since, unless there is nothing else.
func (h *History) Undo(ctx context.Context, seq int64) (Result, error) {
	return h.move(ctx, false, func() (int, bool) {
		if seq != 0 {
			return index(h.made, seq), true
		}
		return h.last(), false
	})
}

// UndoAssistant undoes the last change by an assistant.
func (h *History) UndoAssistant(ctx context.Context) (Result, error) {
	return h.move(ctx, false, func() (int, bool) { return lastIndex(h.made, byAssistant), true })
}

// Redo makes a change again: the one with a Seq, or the last one undone if it is 0.
func (h *History) Redo(ctx context.Context, seq int64) (Result, error) {
	return h.move(ctx, true, func() (int, bool) {
		if seq != 0 {
			return index(h.undone, seq), true
		}
		return len(h.undone) - 1, false
	})
}

// Acted says that the user has acted in the window.
func (h *History) Acted() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.made {
		a.passed = true
	}
}

// Next returns the changes that Undo and Redo would take, and the number of changes by
// assistants that can be undone.
func (h *History) Next() (undo, redo command.Edit, assistants int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := h.last(); i >= 0 {
		undo = h.made[i].Edit
	}
	if n := len(h.undone); n > 0 {
		redo = h.undone[n-1].Edit
	}
	for _, a := range h.made {
		if byAssistant(a) {
			assistants++
		}
	}
	return undo, redo, assistants
}

// Forget drops the changes of images that were deleted permanently.
func (h *History) Forget(ids []string) {
	h.turn.Lock()
	defer h.turn.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	forget := func(a *Action) bool {
		if len(a.groups) == 0 {
			return false
		}
		for i, g := range a.groups {
			a.groups[i].targets = slices.DeleteFunc(slices.Clone(g.targets), func(t library.Target) bool { return gone[t.ID] })
		}
		a.groups = slices.DeleteFunc(a.groups, func(g group) bool { return len(g.targets) == 0 })
		a.Edit.Images = a.images()
		return len(a.groups) == 0
	}
	h.made, h.undone = slices.DeleteFunc(h.made, forget), slices.DeleteFunc(h.undone, forget)
}

func byAssistant(a *Action) bool { return a.By != "" }

func index(all []*Action, seq int64) int {
	return slices.IndexFunc(all, func(a *Action) bool { return a.Edit.Seq == seq })
}

func lastIndex(all []*Action, is func(*Action) bool) int {
	for i, a := range slices.Backward(all) {
		if is(a) {
			return i
		}
	}
	return -1
}

// last returns the index of the change that Undo takes, or -1.
func (h *History) last() int {
	if i := lastIndex(h.made, func(a *Action) bool { return len(a.groups) > 0 || !a.passed }); i >= 0 {
		return i
	}
	return len(h.made) - 1
}

// move undoes the change that pick chooses, or makes it again. If nothing of a change is left
// because its images were deleted, and pick does not insist on it, the next one follows.
func (h *History) move(ctx context.Context, forward bool, pick func() (i int, only bool)) (Result, error) {
	h.turn.Lock()
	defer h.turn.Unlock()
	for {
		h.mu.Lock()
		from, to := &h.made, &h.undone
		if forward {
			from, to = to, from
		}
		i, only := pick()
		if i < 0 {
			h.mu.Unlock()
			return Result{}, nil
		}
		a := (*from)[i]
		h.mu.Unlock()

		r, back, err := h.apply(ctx, a, forward)
		if err != nil {
			return Result{}, err
		}
		h.mu.Lock()
		*from = slices.DeleteFunc(*from, func(b *Action) bool { return b == a })
		if back != nil {
			*to = append(*to, back)
		}
		h.trim()
		h.mu.Unlock()
		if back != nil || r.Skipped > 0 || only {
			return r, nil
		}
	}
}

// apply changes marks and view from one side of a change to the other. back is what is left
// to be made again, or undone; nil if nothing was changed.
func (h *History) apply(ctx context.Context, a *Action, forward bool) (r Result, back *Action, err error) {
	var targets []library.Target
	var groups []int // of the targets
	for i, g := range a.groups {
		for _, t := range g.targets {
			targets, groups = append(targets, t), append(groups, i)
		}
	}
	if len(targets) > 0 {
		r.Changed, err = h.write(ctx, targets, func(i int, m *library.Marks) error {
			from, to := a.groups[groups[i]].after, a.groups[groups[i]].before
			if forward {
				from, to = to, from
			}
			if !replace(m, from, to) {
				r.Skipped++
			}
			return nil
		})
		if err != nil {
			return Result{}, nil, err
		}
	}
	next := *a
	next.passed = false
	next.fill(r.Changed, forward)
	viewed := a.View != nil && a.View(ctx, forward)
	r.Edit, r.By = next.Edit, a.By
	if len(r.Changed) == 0 && !viewed {
		return r, nil, nil
	}
	next.Editing = "" // what is typed from now on is another change
	return r, &next, nil
}
