package inspect

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"easel/jupyter"
	"easel/ui/core/oversight"
)

//go:embed figure.py
var figureSource string

// mostFigure is the largest size of a redrawn figure that a kernel sends, in bytes.
const mostFigure = 32 << 20

// A FigureRequest says how a kernel draws a figure again.
type FigureRequest struct {
	Hashes        []string // SHA-256 of each form of the displayed picture, in hexadecimal
	Format        string   // png, jpeg, svg or pdf
	Width, Height float64  // of the picture, in inches; 0: as displayed
	DPI           float64  // 0: as displayed
	Scale         float64  // of DPI; 0: 1
	Theme         string   // light or dark; "": as displayed
	Roomy         bool     // a figure for which the size has too little room is laid out for a larger one, and drawn smaller
	Looking       bool     // the user only looks at the plot, so a session that is not joined stays so
	// Part is a part of the picture as displayed: its left, top, right and bottom edge as fractions; zero: the whole.
	Part [4]float64
	// Look also has a PNG with a long edge of about so many pixels drawn, and its texts and legends measured; 0: no.
	Look   int
	Within float64 // seconds; a figure that took longer when it was displayed is not drawn; 0: any
}

// A DrawnFigure is a figure that a kernel has drawn again.
type DrawnFigure struct {
	Data          []byte
	Width, Height float64 // in inches; 0 for a raster picture as displayed
	DPI           float64 // pixels per inch
	Seconds       float64 // that drawing took when it was displayed
	Crowded       bool    // the size has too little room: text is cut off, or axes are far smaller than before

	Preview    []byte          // a PNG of it; nil if none was asked for
	PreviewDPI float64         `json:"preview_dpi"`
	Drawing    json.RawMessage // what is wrong with the places of its texts and legends, as facts.ReadDrawing reads it
}

// A NoFigureError says why a kernel cannot draw a figure again.
type NoFigureError struct{ Reason NoFigure }

// A NoFigure is why a kernel has no figure to draw again.
type NoFigure string

// The reasons.
const (
	FigureUnknown NoFigure = "unknown" // the kernel has not drawn it, or has restarted since
	FigureOff     NoFigure = "off"     // the kernel keeps no figures
	FigureOld     NoFigure = "old"     // newer ones have taken its place
	FigureLarge   NoFigure = "large"   // it takes too much memory
	FigureChanged NoFigure = "changed" // the code changed it after it was displayed
	FigureFixed   NoFigure = "fixed"   // it cannot be copied, so its colours stay
	FigureSlow    NoFigure = "slow"    // drawing it takes too long to be done for the screen
	FigureAnswer  NoFigure = "answer"  // the new file is too large
)

func (e *NoFigureError) Error() string {
	return "the kernel has no figure to draw: " + string(e.Reason)
}

// DrawFigure draws a figure of a kernel again. It changes nothing there. A busy kernel is
// jupyter.ErrKernelBusy; a figure that is not kept is a [*NoFigureError]. The kernel draws on if
// ctx ends before.
func DrawFigure(ctx context.Context, k Kernel, q FigureRequest) (DrawnFigure, error) {
	call := fmt.Sprintf("draw(%%s, %s, %g, %g, %g, %g, %s, %g, %s, %d, %s, %d)", Quote(q.Format), q.Width, q.Height, q.DPI, q.Scale,
		Quote(q.Theme), q.Within, pythonBool(q.Roomy), mostFigure, pythonPart(q.Part), q.Look)
	var answer struct {
		figureAnswer
		DrawnFigure
	}
	ask := Question{Function: "draw", Args: []any{
		q.Hashes, q.Format, q.Width, q.Height, q.DPI, q.Scale, q.Theme, q.Within, mostFigure, q.Part == [4]float64{}, q.Look,
	}}
	if err := askFigure(ctx, k, call, ask, q.Hashes, &answer); err != nil {
		return DrawnFigure{}, err
	}
	return answer.DrawnFigure, nil
}

// mostValues is how many numbers of a figure a kernel sends if Easel asks for all.
const mostValues = 4 << 20

// FigureValues returns what a figure of a kernel shows in numbers, as [easel/ui/core/facts.ReadAll] reads it.
// The errors are those of [DrawFigure].
func FigureValues(ctx context.Context, k Kernel, hashes []string) ([]byte, error) {
	var answer struct {
		figureAnswer
		Facts string `json:"facts"`
	}
	if err := askFigure(ctx, k, fmt.Sprintf("values(%%s, %d)", mostValues), Question{}, hashes, &answer); err != nil {
		return nil, err
	}
	return []byte(answer.Facts), nil
}

// pythonPart is a part of a picture in Python.
func pythonPart(part [4]float64) string {
	if part == ([4]float64{}) {
		return "None"
	}
	return fmt.Sprintf("(%g, %g, %g, %g)", part[0], part[1], part[2], part[3])
}

// FindFigure returns a [*NoFigureError] if a kernel does not keep a figure, and
// jupyter.ErrKernelBusy if it cannot say so now.
func FindFigure(ctx context.Context, k Kernel, hashes []string) error {
	return askFigure(ctx, k, "has(%s)", Question{Function: "has", Args: []any{hashes}}, hashes, new(figureAnswer))
}

// A figureAnswer is what each answer about a figure begins with.
type figureAnswer struct {
	Missing NoFigure `json:"missing"`
}

func (a *figureAnswer) missing() NoFigure { return a.Missing }

// askFigure calls a function of figureSource with the hashes of a figure, in place of %s; in other languages, what ask says.
func askFigure(ctx context.Context, k Kernel, call string, ask Question, hashes []string, answer interface{ missing() NoFigure }) error {
	if !k.Settled(ctx) { // rcParams are those of the whole process, so no other thread may draw
		return jupyter.ErrKernelBusy
	}
	raw, err := json.Marshal(hashes)
	if err != nil {
		return err
	}
	ask.Task, ask.Python = "draw a plot again", Expression(strings.Replace(call, "%s", string(raw), 1), figureSource)
	if err := k.Evaluate(ctx, oversight.RedrawFigure, ask, false, answer); err != nil {
		return err
	}
	if why := answer.missing(); why != "" {
		return &NoFigureError{why}
	}
	return nil
}
