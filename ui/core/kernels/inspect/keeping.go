package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"easel/jupyter"
	"easel/ui/core/oversight"
)

// A FigureKeeper says which kernels keep the figures that they display, so that DrawFigure can
// draw them again, and how.
type FigureKeeper struct {
	// Wanted reports whether the kernels of the managed server, or of others, keep them.
	Wanted func(managed bool) bool
	// Sources are the sources of the Python modules that keep them, by name.
	Sources map[string]string
}

// A FigureKeeping is whether a kernel keeps its figures. In the zero value, that is not known.
type FigureKeeping struct {
	turn sync.Mutex // held while the kernel is told

	mu    sync.Mutex
	known bool
	on    bool
}

// Begin notes that the kernel is a new process. Only those of the managed server keep figures
// then.
func (f *FigureKeeping) Begin(managed bool) { f.set(true, managed) }

// Doubt notes that the kernel may not do what it was told.
func (f *FigureKeeping) Doubt() { f.set(false, false) }

// On reports whether the kernel keeps its figures, or is being told to.
func (f *FigureKeeping) On() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known && f.on
}

// set reports whether that is new.
func (f *FigureKeeping) set(known, on bool) (changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed = f.known != known || f.on != on
	f.known, f.on = known, on
	return changed
}

// Apply tells the kernel to keep its figures or to release them, as q says now, unless it does so
// already.
func (f *FigureKeeping) Apply(ctx context.Context, k Kernel, q FigureKeeper, managed bool) error {
	f.turn.Lock()
	defer f.turn.Unlock()
	on := q.Wanted(managed)
	if !f.set(true, on) {
		return nil
	}
	sources, _ := json.Marshal(q.Sources) // cannot fail for strings
	expr := Expression("switch("+string(sources)+", "+pythonBool(on)+")", figureSource)
	err := k.Evaluate(ctx, oversight.KeepFigures, expr, true, new(bool))
	if errors.Is(err, jupyter.ErrKernelBusy) { // it has no subshells
		err = k.Evaluate(ctx, oversight.KeepFigures, expr, false, new(bool))
	}
	return err
}

func pythonBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}
