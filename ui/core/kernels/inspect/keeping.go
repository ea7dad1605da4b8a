package inspect

import (
	"context"
	"encoding/json"
	"errors"

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

// Switch tells a kernel to keep its figures or to release them.
func (q FigureKeeper) Switch(ctx context.Context, k Kernel, on bool) error {
	sources, _ := json.Marshal(q.Sources) // cannot fail for strings
	ask := Question{
		Task: "keep the plots", Python: Expression("switch("+string(sources)+", "+pythonBool(on)+")", figureSource),
		Function: "keep", Args: []any{on},
	}
	err := k.Evaluate(ctx, oversight.KeepFigures, ask, true, new(bool))
	if errors.Is(err, jupyter.ErrKernelBusy) { // it has no subshells
		err = k.Evaluate(ctx, oversight.KeepFigures, ask, false, new(bool))
	}
	return err
}

func pythonBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}
