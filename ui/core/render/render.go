// Package render draws figures that came without a picture: charts of Vega and Vega-Lite,
// SVG that package picture cannot draw, Plotly, Bokeh, folium, and other HTML. An engine
// does the drawing. None of them reaches the network, the user's files or Easel's own API:
// what a kernel displays may be hostile.
//
// # Goroutines
//
// A Renderer may be used on any goroutine. It starts none; its engines say which they start,
// and Close ends those.
package render

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Request is a figure to be drawn.
type Request struct {
	MIME   string  // of Data, as the kernel named it
	Data   []byte  // the figure's data: JSON, HTML or SVG
	Width  int     // of the space for it, in CSS pixels; 0: as wide as the figure says, or its library's default
	Height int     // likewise
	Scale  float64 // device pixels per CSS pixel, from 1 to 4; 0: 1
}

// A Picture is what an engine drew.
type Picture struct {
	PNG           []byte
	Width, Height int      // in device pixels
	Title         string   // of the figure; empty if it has none
	Pages         int      // of a PDF, of which the first is drawn; 0 for any other figure
	Blocked       []string // addresses that the figure asked for and did not get, each once
}

// An Engine draws figures of some types.
type Engine interface {
	// Name names the engine for the log and for easel doctor, for example "vl-convert".
	Name() string
	// Draws tells whether the engine knows how to draw data of a type.
	Draws(mime string) bool
	// Available is nil if the engine can draw now or can be started, else an UnavailableError.
	Available() error
	// Draw draws a figure. It starts the engine where needed. The error is an UnavailableError,
	// a RefusedError, or ctx's.
	Draw(ctx context.Context, r Request) (Picture, error)
	// Close stops the engine. Draw fails from then on.
	Close() error
}

// An UnavailableError tells why an engine cannot draw, and what the user can do about it.
type UnavailableError struct {
	Lacks  string // one of the constants below; empty if nothing is missing
	Reason string // for example "no Chrome, Edge or Chromium was found"
	Remedy string // for example "install Chromium"
}

// What an [UnavailableError] lacks.
const (
	LacksBrowser = "browser" // Chrome, Edge or Chromium
	LacksPython  = "python"  // the managed environment
	LacksPlotly  = "plotly"  // the package plotly, in any kernel's environment
)

func (e *UnavailableError) Error() string { return e.Reason + "; " + e.Remedy }

// A RefusedError tells why a figure cannot be drawn, whatever is installed: its data is not
// what it says it is, or it takes too much time or memory.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "this figure cannot be drawn: " + e.Reason }

// ErrClosed is the error of a Draw after Close.
var ErrClosed = errors.New("render: closed")

// A Renderer draws a figure with the first engine that can.
type Renderer struct{ engines []Engine }

// New makes a Renderer. The engines are asked in their order; Close closes them.
func New(engines ...Engine) *Renderer { return &Renderer{engines: engines} }

// Draws tells whether some engine knows how to draw data of a type.
func (d *Renderer) Draws(mime string) bool {
	return slices.ContainsFunc(d.engines, func(e Engine) bool { return e.Draws(mime) })
}

// Draw draws a figure with the first engine that knows its type and is available.
func (d *Renderer) Draw(ctx context.Context, r Request) (Picture, error) {
	var first error
	for _, e := range d.engines {
		if !e.Draws(r.MIME) {
			continue
		}
		if err := e.Available(); err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		return e.Draw(ctx, r)
	}
	if first == nil {
		first = &RefusedError{Reason: fmt.Sprintf("nothing here draws %q", r.MIME)}
	}
	return Picture{}, first
}

// Close closes the engines.
func (d *Renderer) Close() error {
	var errs []error
	for _, e := range d.engines {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}
