// Package edits keeps the changes of plots by the user and by assistants, and undoes them.
//
// A change records what it replaced, in the same transaction as it is made. Undo puts that
// back where the change's own value still is: what somebody has changed since stays.
//
// # Goroutines
//
// The package starts none. A [History] is safe for concurrent use. It makes one change at a
// time, so that the order of its changes is that of the library.
package edits

import (
	"context"
	"slices"
	"sync"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
)

const (
	// MostChanges is the largest number of changes that can be undone.
	MostChanges = 1000
	// MostViews is the largest number of changes among them that changed only what is shown.
	MostViews = 50
	// mostImages is the largest number of images in all changes.
	mostImages = 1_000_000
)

// Library is the part of the library that a History uses.
type Library interface {
	Mark(ctx context.Context, targets []library.Target, edit func(i int, m *library.Marks) error) ([]library.MarkEdit, error)
}

// An Action is a change of marks or of what is shown.
type Action struct {
	Edit command.Edit
	By   string // as in state.ByAssistant; empty if the user made it
	// Editing is not empty for a text that is stored while it is typed: changes with the same
	// value are one.
	Editing string
	// View undoes and redoes what an assistant changed in the window besides marks. It
	// reports whether anything was left to change. May be nil.
	View func(ctx context.Context, forward bool) bool

	groups []group
	passed bool // the user has acted since an assistant changed the view
}

// A group is targets whose marks changed in the same way.
type group struct {
	before, after marks
	targets       []library.Target
}

// images returns the number of targets.
func (a *Action) images() (n int) {
	for _, g := range a.groups {
		n += len(g.targets)
	}
	return n
}

// A Result is what Undo or Redo has changed.
type Result struct {
	Edit    command.Edit // Images is the number of images changed; Seq is 0 if there was nothing to do
	By      string
	Changed []library.MarkEdit
	Skipped int // images that have been changed since
}

// A History keeps the last changes.
type History struct {
	lib  Library
	turn sync.Mutex // held while marks change

	mu     sync.Mutex // guards what follows
	seq    int64
	undone []*Action // that can be redone, the last at the end
	made   []*Action // that can be undone, the last at the end
}

// New returns an empty History.
func New(lib Library) *History { return &History{lib: lib} }

// Mark changes marks, as library.Annotations.Mark does, and keeps the change. The returned Edit
// has a Seq if anything has changed.
func (h *History) Mark(ctx context.Context, a Action, targets []library.Target, edit func(*library.Marks) error) (command.Edit,
	[]library.MarkEdit, error,
) {
	h.turn.Lock()
	defer h.turn.Unlock()
	changed, err := h.write(ctx, targets, func(_ int, m *library.Marks) error { return edit(m) })
	if err != nil {
		return command.Edit{}, nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(changed) == 0 {
		if i := h.editing(a.Editing); i >= 0 {
			return h.made[i].Edit, nil, nil
		}
		return command.Edit{}, nil, nil
	}
	a.fill(changed, true)
	for _, m := range changed {
		a.Edit.Added = append(a.Edit.Added, Missing(m.After.Tags, slices.Concat(m.Before.Tags, a.Edit.Added))...)
		a.Edit.Removed = append(a.Edit.Removed, Missing(m.Before.Tags, slices.Concat(m.After.Tags, a.Edit.Removed))...)
	}
	if a.By == "" {
		h.undone = nil
	}
	return h.push(&a), changed, nil
}

// write changes marks in one transaction, and tells the caller how far it is. If ctx ends before
// the last of them, nothing is changed.
func (h *History) write(ctx context.Context, targets []library.Target, edit func(i int, m *library.Marks) error) (
	[]library.MarkEdit, error,
) {
	tell := tool.CallerFrom(ctx).Progress
	return h.lib.Mark(ctx, targets, func(i int, m *library.Marks) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if tell != nil {
			tell(tool.Progress{Done: float64(i), Total: float64(len(targets))})
		}
		return edit(i, m)
	})
}

// Push keeps a change of the view.
func (h *History) Push(a Action) command.Edit {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.push(&a)
}

// Attach adds to a change of marks what it changed in the window besides. It returns false if
// there is no such change.
func (h *History) Attach(seq int64, view func(ctx context.Context, forward bool) bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := index(h.made, seq)
	if seq == 0 || i < 0 {
		return false
	}
	h.made[i].View = view
	return true
}

func (h *History) push(a *Action) command.Edit {
	if h.merge(a) {
		return command.Edit{}
	}
	if a.Edit.Seq == 0 {
		h.seq++
		a.Edit.Seq = h.seq
	}
	h.made = append(h.made, a)
	h.trim()
	return a.Edit
}

// editing returns the index of the change that the editing of a text has made so far, or -1.
func (h *History) editing(token string) int {
	if token == "" {
		return -1
	}
	return slices.IndexFunc(h.made, func(a *Action) bool { return a.Editing == token })
}

// merge makes one change of a and an earlier change by the same editing, unless the text was
// changed in between. It reports whether nothing is left of it: the text is as before.
func (h *History) merge(a *Action) (nothing bool) {
	i := h.editing(a.Editing)
	if i < 0 {
		return false
	}
	was, now := h.made[i].groups[0], &a.groups[0]
	if was.after != now.before {
		return false
	}
	a.Edit.Seq, now.before = h.made[i].Edit.Seq, was.before
	h.made = slices.Delete(h.made, i, i+1)
	return now.before == now.after
}

// fill sets the groups of a change. Forward is the direction in which the marks were changed.
func (a *Action) fill(changed []library.MarkEdit, forward bool) {
	type states struct{ before, after marks }
	index := make(map[states]int)
	a.groups = nil
	for _, m := range changed {
		var s states
		if s.before, s.after = differences(m.Before, m.After); !forward {
			s.before, s.after = s.after, s.before
		}
		i, ok := index[s]
		if !ok {
			i = len(a.groups)
			index[s] = i
			a.groups = append(a.groups, group{before: s.before, after: s.after})
		}
		a.groups[i].targets = append(a.groups[i].targets, m.Target)
	}
	a.Edit.Images = len(changed)
}

// trim drops the oldest changes beyond the limits.
func (h *History) trim() {
	h.undone = slices.Delete(h.undone, 0, max(len(h.undone)-MostChanges, 0))
	views, images := 0, 0
	for _, a := range h.undone {
		images += a.images()
	}
	drop := make(map[*Action]bool)
	for _, a := range slices.Backward(h.made) {
		if len(a.groups) == 0 {
			views++
		}
		images += a.images()
		drop[a] = len(a.groups) == 0 && views > MostViews || images > mostImages && a != h.made[len(h.made)-1]
	}
	h.made = slices.DeleteFunc(h.made, func(a *Action) bool { return drop[a] })
	h.made = slices.Delete(h.made, 0, max(len(h.made)-MostChanges, 0))
}
