package redraw

import (
	"context"
	"errors"

	"easel/ui/core/figurestore"
	"easel/ui/core/figurestore/sealed"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// byFigure has the stored figure of an image drawn by a kernel of its own. ask is whether the user may be asked for
// permission, and refused why it was not drawn otherwise.
func (d *Redrawer) byFigure(ctx context.Context, im library.Image, q Request, ask bool, refused *Error) (Picture, error) {
	if d.Figures == nil || !lasting(refused.Reason) {
		return Picture{}, refused
	}
	hashes, _, err := d.hashes(ctx, im)
	if err != nil || len(hashes) == 0 {
		return Picture{}, refused
	}
	drawn, changes, err := d.Figures.Draw(ctx, im, q.ofFigure(hashes), ask)
	if err != nil {
		return Picture{}, figureError(ctx, err, refused)
	}
	p, err := ofFigure(drawn, q)
	p.Figure, p.Changes = true, changes
	return p, err
}

// lasting reports whether a kernel of its own may draw a figure that is not drawn for a reason.
func lasting(r Reason) bool {
	switch r {
	case Busy, Ended, Unjoined, Gone, Off, Old, Changed, Fixed, Failed:
		return true
	case Plain, Large, File, Language, Engine, Format, Theme, TooLarge, Slow, Invalid, Denied, Foreign, Unloaded:
	}
	return false
}

// figureError says why a stored figure was not drawn. If there is none, it is refused.
func figureError(ctx context.Context, err error, refused *Error) error {
	if unstored, ok := errors.AsType[*figurestore.UnstoredError](err); ok {
		if refused.Reason == Busy || refused.Reason == Fixed { // the kernel has the figure
			return refused
		}
		return &Error{Reason: refused.Reason, Detail: "the figure is not stored, because " + unstored.Error(), Err: err}
	}
	if unloaded, ok := errors.AsType[*figurestore.LoadError](err); ok {
		return &Error{Reason: Unloaded, Detail: unloaded.Why, Err: err}
	}
	if forbidden, ok := errors.AsType[*oversight.ForbiddenError](err); ok {
		return &Error{Reason: Denied, Detail: forbidden.Error(), Err: err}
	}
	switch {
	case errors.Is(err, library.ErrNotFound):
		return refused
	case errors.Is(err, sealed.ErrForeign), errors.Is(err, sealed.ErrOther), errors.Is(err, sealed.ErrNewer):
		return &Error{Reason: Foreign, Detail: err.Error(), Err: err}
	case errors.Is(err, oversight.ErrPaused), errors.Is(err, oversight.ErrReadOnly), errors.Is(err, oversight.ErrForgotten),
		errors.Is(err, oversight.ErrUnasked),
		errors.Is(err, oversight.ErrUnanswered), errors.Is(err, oversight.ErrNoGate),
		errors.Is(err, figurestore.ErrProject):
		return &Error{Reason: Denied, Detail: err.Error(), Err: err}
	}
	if denied, ok := errors.AsType[*oversight.DeniedError](err); ok {
		return &Error{Reason: Denied, Detail: denied.Error(), Err: err}
	}
	if none, ok := errors.AsType[*inspect.NoFigureError](err); ok && none.Reason == inspect.FigureAnswer {
		return &Error{Reason: TooLarge, Err: err}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Reason: Slow, Err: err}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &Error{Reason: Unloaded, Detail: err.Error(), Err: err}
}
