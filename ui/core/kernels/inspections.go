package kernels

import (
	"context"
	"errors"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
)

// readable is joined for a caller that reads what a session has: the user must allow its project still. If asks
// is set, it asks them.
func (m *Manager) readable(ctx context.Context, id string, asks bool,
	find func(context.Context, string) (*record.Recorder, error),
) (*record.Recorder, error) {
	r, err := find(ctx, id)
	if err != nil {
		return nil, err
	}
	if err = m.cfg.Gate.Read(ctx, r.Session.Stored().Project, asks); err != nil {
		return nil, &RefusedError{err}
	}
	return r, nil
}

// A RefusedError says why a caller may not read what the kernel of a session has.
type RefusedError struct{ Err error }

// Error returns the reason.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// Variables describes the user's variables in a session; see [inspect.Variables].
func (m *Manager) Variables(ctx context.Context, id, filter string) ([]catalog.Variable, error) {
	r, err := m.readable(ctx, id, true, m.joined)
	if err != nil {
		return []catalog.Variable{}, err
	}
	return inspect.Variables(ctx, r.Inquiry, filter)
}

// DataFrame describes a table of a session; see [inspect.DataFrame].
func (m *Manager) DataFrame(ctx context.Context, id, name string, head int, columns []string) (catalog.GetDataFrameInfoOut, error) {
	r, err := m.readable(ctx, id, true, m.joined)
	if err != nil {
		return catalog.GetDataFrameInfoOut{}, err
	}
	return inspect.DataFrame(ctx, r.Inquiry, name, head, columns)
}

// Table asks the kernel of a session something about a table; see [inspect.Table]. A session that is not joined is not
// joined for that: its error is ErrNotJoined.
func Table(ctx context.Context, m *Manager, id, op, name string, beside bool, query, into any) error {
	r, err := m.readable(ctx, id, false, m.looked)
	if err != nil {
		return err
	}
	return inspect.Table(ctx, r.Inquiry, op, name, beside, query, into)
}

// DrawFigure draws a figure of a session's kernel again; see [inspect.DrawFigure]. A session that
// is not joined is joined, or with q.Looking, the error is ErrNotJoined.
func (m *Manager) DrawFigure(ctx context.Context, id string, q inspect.FigureRequest) (inspect.DrawnFigure, error) {
	find := m.joined
	if q.Looking {
		find = m.looked
	}
	r, err := m.readable(ctx, id, !q.Looking, find)
	if err != nil {
		return inspect.DrawnFigure{}, err
	}
	drawn, err := inspect.DrawFigure(ctx, r.Inquiry, q)
	none, missing := errors.AsType[*inspect.NoFigureError](err)
	if missing && none.Reason == inspect.FigureOff && r.Figures.KeepAnew() { // the kernel is new, or of another environment
		err = &inspect.NoFigureError{Reason: inspect.FigureUnknown}
	}
	return drawn, err
}

// findFigure is how long FindFigure waits for the kernel.
const findFigure = 2 * time.Second

// FindFigure returns a [*inspect.NoFigureError] if the kernel of a joined session does not keep a
// figure; see [inspect.FindFigure].
func (m *Manager) FindFigure(ctx context.Context, id string, hashes []string) error {
	ctx, cancel := context.WithTimeout(ctx, findFigure)
	defer cancel()
	r, err := m.looked(ctx, id)
	if err != nil {
		return err
	}
	return inspect.FindFigure(ctx, r.Inquiry, hashes)
}

// FigureValues returns all values of a figure of a session that is joined; see [inspect.FigureValues].
func (m *Manager) FigureValues(ctx context.Context, id string, hashes []string) ([]byte, error) {
	r, err := m.readable(ctx, id, false, m.looked)
	if err != nil {
		return nil, err
	}
	return inspect.FigureValues(ctx, r.Inquiry, hashes)
}

// AwaitEnvironment waits until it is stored in what environment an execution of a session ran that has just
// drawn plots, or until ctx ends. It does not wait for other code of the session.
func (m *Manager) AwaitEnvironment(ctx context.Context, session, execution string) {
	if r := m.recorders.find(session); r != nil {
		r.AwaitEnvironment(ctx, execution)
	}
}
