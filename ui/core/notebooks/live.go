package notebooks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"easel/internal/truncate"
)

// A channel reaches a notebook where the user has it open. It changes one cell at a time,
// because the user may type in between.
type channel interface {
	// read returns the notebook, with the user's unsaved edits.
	read(ctx context.Context) (*Notebook, error)
	// glance is Document.Glance.
	glance(ctx context.Context, r Ref) (*Notebook, error)
	// apply makes one change, and returns the id of the cell. It returns ErrChanged, and
	// leaves the cell as the user wants it, if its text is not Before.
	apply(ctx context.Context, c Change) (id string, err error)
}

// An OpenError reports that a notebook is open and cannot be written there. Nothing was
// changed.
type OpenError struct {
	Reason string
	Remedy string   // what makes it possible
	Shown  tabCount // where
}

// tabCount is in how many tabs a notebook is open, as far as it matters.
type tabCount int

const (
	elsewhere tabCount = iota // not in the tabs that answered
	nobody                    // no tab answered
	several                   // in more than one
	unknown                   // a tab is there that did not answer
)

// Nobody reports whether no tab can be asked.
func (e *OpenError) Nobody() bool { return e.Shown == nobody }

// Unknown reports whether a tab may show it that could not say so.
func (e *OpenError) Unknown() bool { return e.Shown == unknown }

// Several reports whether the notebook is open in more than one tab.
func (e *OpenError) Several() bool { return e.Shown == several }

// Error returns the Reason.
func (e *OpenError) Error() string { return e.Reason }

// ErrUnproved means that an edit was sent to an open notebook, but is not seen there.
var ErrUnproved = errors.New("the edit is not seen in the open notebook")

// edit applies e to the open notebook: it reads the notebook, finds out what e changes,
// makes these changes, and reads the notebook again to prove that they have arrived. If the
// user changes something in between, it tries again, as Files.Edit does.
func edit(ctx context.Context, ch channel, e *Edit) error {
	for range attempts {
		n, err := ch.glance(ctx, e.target)
		if errors.Is(err, ErrChanged) {
			continue
		}
		if err != nil {
			return err
		}
		if err := e.Apply(n); err != nil {
			return err
		}
		err = apply(ctx, ch, e)
		if errors.Is(err, ErrChanged) {
			continue
		}
		if err != nil {
			return err
		}
		return prove(ctx, ch, e)
	}
	return fmt.Errorf("%w, repeatedly", ErrChanged)
}

// apply makes the changes of e. If it is not known whether a change was made, because the
// connection was lost or the tab did not answer, the error is ErrUnproved.
func apply(ctx context.Context, ch channel, e *Edit) error {
	for i, c := range e.changes {
		id, err := ch.apply(ctx, c)
		if _, open := errors.AsType[*OpenError](err); err != nil && (!open || errors.Is(err, errNoTab)) && !errors.Is(err, ErrChanged) &&
			!errors.Is(err, ErrUnproved) {
			return fmt.Errorf("%w: %w", ErrUnproved, err)
		}
		if err != nil {
			return err
		}
		if e.Cell != nil && e.Cell.id == c.Cell {
			e.Cell.id = id
		}
		e.changes[i].Cell = id
	}
	return nil
}

// prove checks that the open notebook has the changes of e, and updates where they are. The
// user may have typed into a cell since: then it has neither the former nor the new text.
func prove(ctx context.Context, ch channel, e *Edit) error {
	for _, c := range e.changes {
		r := Ref{ID: c.Cell}
		n, err := ch.glance(ctx, r)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnproved, err)
		}
		e.Total = len(n.Cells)
		i, err := n.Find(r)
		switch {
		case c.Op == opDelete && err == nil:
			return fmt.Errorf("%w: the cell is still there", ErrUnproved)
		case c.Op == opDelete:
			continue
		case err != nil:
			return fmt.Errorf("%w: the cell is not there", ErrUnproved)
		}
		if e.Cell != nil && e.Cell.id == c.Cell {
			e.Index = i
		}
		if text := n.Cells[i].Source(); c.Op == opSet && text != c.Source && text == c.Before {
			return fmt.Errorf("%w: the cell has its former text", ErrUnproved)
		}
	}
	return nil
}

// carry returns the text onto with what the user typed into base, which made it typed.
func carry(base, typed, onto string) string {
	head := 0
	for head < min(len(base), len(typed)) && base[head] == typed[head] {
		head++
	}
	tail := 0
	for tail < min(len(base), len(typed))-head && base[len(base)-1-tail] == typed[len(typed)-1-tail] {
		tail++
	}
	head = len(truncate.TrimEnd(typed[:head]))
	end := len(truncate.TrimEnd(typed[:len(typed)-tail]))
	at := len(truncate.TrimEnd(onto[:min(head, len(onto))]))
	return onto[:at] + strings.ToValidUTF8(typed[head:max(head, end)], "") + onto[at:]
}
