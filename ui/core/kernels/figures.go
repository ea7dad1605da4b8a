package kernels

import (
	"context"
	"time"

	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
	"easel/ui/core/language"
)

// keptFigures are the figures that the joined kernels keep of what they drew. Nothing in it connects to a kernel.
type keptFigures struct {
	recorders *recorderRegistry
	ending    func(ctx context.Context, session string) // see Events.Ending; may be nil
}

// Unmarked reports whether the kernel of a session draws plots again whose pictures do not say so, as R's does.
func (f *keptFigures) Unmarked(id string) bool {
	r := f.recorders.find(id)
	return r != nil && language.Of(r.Link.Info().Language).Can("draw")
}

// KeepsFigures returns nil if the kernel of a session runs, is to keep its figures, and has not been replaced since a
// time. Otherwise, the error is one of DrawFigure. It does not ask the kernel.
func (f *keptFigures) KeepsFigures(id string, since time.Time) error {
	r := f.recorders.find(id)
	if r == nil {
		return ErrSessionNotFound
	}
	v := r.Session.View()
	switch {
	case v.Gone:
		return ErrSessionNotFound
	case v.Replaced != nil && !v.Replaced.At.Before(since):
		return &inspect.NoFigureError{Reason: inspect.FigureUnknown}
	case !r.Figures.Kept():
		return &inspect.NoFigureError{Reason: inspect.FigureOff}
	}
	return nil
}

// TakeFigure takes a figure out of the kernel of a session, to store it; see [inspect.TakeFigure]. The error is
// [inspect.ErrNotStored] for a kernel that no server of Easel's own has started.
func (f *keptFigures) TakeFigure(ctx context.Context, id string, q inspect.TakeRequest) (p inspect.PickledFigure, waits bool, err error) {
	r := f.recorders.find(id)
	if r == nil || !r.Figures.Stored() {
		return p, false, inspect.ErrNotStored
	}
	return inspect.TakeFigure(ctx, r.Inquiry, q)
}

const (
	// takeTime is how long a kernel that is about to end may take to hand over its last figures, and
	// takeTimeBusy if it runs code: then somebody wants to stop that.
	takeTime     = 2 * time.Second
	takeTimeBusy = 400 * time.Millisecond
)

// takeLast has what the kernel of a recorder has drawn last stored, before the kernel ends.
func (f *keptFigures) takeLast(ctx context.Context, r *record.Recorder) {
	if f.ending == nil || !r.Figures.Stored() {
		return
	}
	patience := takeTime
	if !r.Inquiry.Settled(ctx) {
		patience = takeTimeBusy
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f.ending(ctx, r.Session.Stored().ID)
}

// CheckFigures has every kernel keep its figures, or release them, as the settings say now.
func (f *keptFigures) CheckFigures() {
	for _, r := range f.recorders.all() {
		r.Figures.Keep()
	}
}
