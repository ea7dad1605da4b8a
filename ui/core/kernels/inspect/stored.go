package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"easel/ui/core/oversight"
)

// A PickledFigure is a figure of a kernel that another process can draw, or why there is none.
type PickledFigure struct {
	Names  []string `json:"names"` // SHA-256 of each form of the displayed picture, in hexadecimal
	Why    string   `json:"why"`   // why it cannot be stored; "" if it can
	How    []byte   `json:"how"`   // how it was printed: a compressed pickle
	Figure []byte   `json:"figure"`
	FigureOrigin
}

// A FigureOrigin is what a pickled figure depends on.
type FigureOrigin struct {
	Python     string   `json:"python"` // its version
	Executable string   `json:"executable"`
	Matplotlib string   `json:"matplotlib"` // its version
	Directory  string   `json:"directory"`  // in which the kernel worked
	Path       []string `json:"path"`       // on which Python looks for modules
}

// ErrNotStored means that figures are not taken out of a kernel.
var ErrNotStored = errors.New("its figures are not stored")

// A TakeRequest asks a kernel for a figure that is to be stored.
type TakeRequest struct {
	// Received are the names of the figure that was received before. The kernel keeps each figure until then,
	// because an answer may be lost.
	Received []string
	// Ends has the kernel pickle its figures at once, because it is about to end.
	Ends bool
}

// TakeFigure takes a figure that is to be stored out of a kernel. It has no names if there is none.
// waits is whether figures were still to be pickled when the kernel was asked.
func TakeFigure(ctx context.Context, k Kernel, q TakeRequest) (f PickledFigure, waits bool, err error) {
	var answer struct {
		PickledFigure
		Waits bool `json:"waits"`
	}
	received, err := json.Marshal(append([]string{}, q.Received...))
	if err != nil {
		return f, false, err
	}
	call := fmt.Sprintf("take(%s, %s)", received, pythonBool(q.Ends))
	err = k.Ask(ctx, oversight.StoreFigure, Question{Task: "store the plots", Python: Expression(call, figureSource)}, &answer)
	return answer.PickledFigure, answer.Waits, err
}

// AdoptFigure has a kernel load a figure that Easel has stored, so that DrawFigure can draw it. Loading
// it runs code: the caller has checked where the figure comes from, and that it may be loaded now. It
// returns what the kernel has in place of what the figure depends on, and why it cannot load the figure.
func AdoptFigure(ctx context.Context, k Kernel, f PickledFigure) (now FigureOrigin, why string, err error) {
	raw, err := json.Marshal([]any{f.Names[0], f.How, f.Figure, f.Path})
	if err != nil {
		return FigureOrigin{}, "", err
	}
	var answer struct {
		Why string `json:"why"`
		FigureOrigin
	}
	ask := Question{Task: "load a plot", Python: Expression(fmt.Sprintf("adopt(*%s)", raw), figureSource)}
	err = k.Evaluate(ctx, oversight.LoadFigure, ask, false, &answer)
	return answer.FigureOrigin, answer.Why, err
}
