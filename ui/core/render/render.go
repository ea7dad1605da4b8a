// Package render draws figures that came without a picture: Vega and Vega-Lite charts, SVG,
// Plotly, Bokeh, folium, and other HTML. It defines
// engines, which do the drawing. What a kernel displays may be hostile, so no engine lets a
// figure access the network, the user's files or Easel's API.
//
// # Goroutines
//
// A Renderer is safe for concurrent use and starts no goroutines. The engines document
// theirs. Close ends them.
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
	Width  int     // of the available space, in CSS pixels; 0: the figure's or its library's default
	Height int     // likewise
	Scale  float64 // device pixels per CSS pixel, from 1 to 8; 0: 1
	Format string  // "": PNG; or svg or pdf
}

// A Picture is what an engine drew.
type Picture struct {
	PNG           []byte
	Width, Height int        // in device pixels
	Data          []byte     // the SVG or PDF instead, if the request wants one
	Inches        [2]float64 // its width and height
	Title         string     // of the figure; empty if it has none
	Grow          float64    // how many times as large the figure has to be so that no legend needs a scroll bar; 0 or 1: it has room
	Pages         int        // of a PDF, of which the first is drawn; 0 for any other figure
	Blocked       []string   // addresses that the figure requested and did not get, without duplicates
	Facts         []byte     // what it shows in numbers, as facts.Read reads it; nil if the engine cannot tell
}

// An Engine draws figures of certain types. Its methods are safe for concurrent use.
type Engine interface {
	// Name returns the engine's name for the log and for easel doctor, for example
	// "vl-convert".
	Name() string
	// Draws reports whether the engine supports a MIME type.
	Draws(mime string) bool
	// Available returns nil if the engine can draw now or can be started, and an
	// UnavailableError otherwise.
	Available() error
	// Draw draws a figure. It starts the engine if necessary. The error is an
	// UnavailableError, a RefusedError, ErrClosed, or ctx's.
	Draw(ctx context.Context, r Request) (Picture, error)
	// Prepare starts the engine if necessary, so that the next figure of a type that it
	// supports is drawn sooner. It does nothing while the engine draws. Errors are Draw's.
	Prepare(ctx context.Context, mime string) error
	// Close stops the engine. After that, Draw and Prepare return ErrClosed.
	Close() error
}

// An UnavailableError says why an engine cannot draw, and what the user can do about it.
type UnavailableError struct {
	Lacks  string // one of the constants below; empty if nothing is missing
	Reason string // for example "no Chrome, Edge or Chromium was found"
	Remedy string // for example "install Chromium"
}

// Values of [UnavailableError.Lacks].
const (
	LacksBrowser = "browser" // Chrome, Edge or Chromium
	LacksPython  = "python"  // the managed environment
	LacksYet     = "yet"     // a part of the managed environment that is being installed
	LacksPlotly  = "plotly"  // the package plotly, in an environment on this computer
)

func (e *UnavailableError) Error() string { return e.Reason + "; " + e.Remedy }

// A RefusedError says why a figure cannot be drawn even though the engine is available: for
// example, its data is invalid, or it takes too much time or memory.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "this figure cannot be drawn: " + e.Reason }

// ErrFormat is the error of an engine that cannot write the requested format.
var ErrFormat = errors.New("render: this engine writes only PNG")

// ErrClosed is the error of Draw after Close.
var ErrClosed = errors.New("render: closed")

// A Checker is an engine that may lack what it needs for figures of some types.
type Checker interface {
	// Lacks returns nil if the engine, which is available, has what it needs for a MIME type, and an
	// UnavailableError otherwise. It draws nothing.
	Lacks(mime string) error
}

// A Renderer draws each figure with the first engine that can.
type Renderer struct{ engines []Engine }

// New returns a Renderer that tries the engines in the given order. Close closes them.
func New(engines ...Engine) *Renderer { return &Renderer{engines: engines} }

// Draws reports whether an engine supports a MIME type.
func (d *Renderer) Draws(mime string) bool {
	return slices.ContainsFunc(d.engines, func(e Engine) bool { return e.Draws(mime) })
}

// Draw draws a figure with the first engine that supports its type and is available. If
// none is available, it returns the first engine's UnavailableError.
func (d *Renderer) Draw(ctx context.Context, r Request) (Picture, error) {
	e, err := d.engine(r.MIME)
	if err != nil {
		return Picture{}, err
	}
	return e.Draw(ctx, r)
}

// CanDraw returns nil if an engine that supports a type is available, and the error of Draw otherwise. It starts no engine.
func (d *Renderer) CanDraw(mime string) error {
	e, err := d.engine(mime)
	if err != nil {
		return err
	}
	if c, ok := e.(Checker); ok {
		return c.Lacks(mime)
	}
	return nil
}

// Prepare calls Prepare of the engine that draws a type.
func (d *Renderer) Prepare(ctx context.Context, mime string) error {
	e, err := d.engine(mime)
	if err != nil {
		return err
	}
	return e.Prepare(ctx, mime)
}

// engine returns the first engine that supports a type and is available.
func (d *Renderer) engine(mime string) (Engine, error) {
	var first error
	for _, e := range d.engines {
		if !e.Draws(mime) {
			continue
		}
		err := e.Available()
		if err == nil {
			return e, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = &RefusedError{Reason: fmt.Sprintf("nothing here draws %q", mime)}
	}
	return nil, first
}

// Close closes the engines.
func (d *Renderer) Close() error {
	var errs []error
	for _, e := range d.engines {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}
