// Package redraw draws a figure of the library again: in another format, at another size and
// density, or for a light or dark background. A matplotlib figure is drawn by its kernel,
// which keeps the figures that it displayed. Plotly, Vega and other figures are drawn from
// their data by an engine.
//
// # Goroutines
//
// A Redrawer may be used on any goroutine, and starts none.
package redraw

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"easel/jupyter"
	"easel/ui/core/facts"
	"easel/ui/core/facts/words"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
)

// The formats.
const (
	PNG  = "png"
	JPEG = "jpeg"
	SVG  = "svg"
	PDF  = "pdf"
)

// Formats lists the formats.
var Formats = []string{PNG, JPEG, SVG, PDF}

// mimes are the types of the formats.
var mimes = map[string]string{PNG: picture.PNG, JPEG: picture.JPEG, SVG: picture.SVG, PDF: "application/pdf"}

// Limits of a Request.
const (
	LeastInches = 0.2
	MostInches  = 100.0
	LeastDPI    = 20.0
	MostDPI     = 1200.0
	MostPixels  = 40_000_000
)

// patience is how long drawing a figure may take.
const patience = 40 * time.Second

// quick is how long drawing a figure may have taken before, so that it is drawn for a zoom.
const quick = 500 * time.Millisecond

// A Request says how to draw a figure.
type Request struct {
	Format string
	// Width and Height are those of the picture, in inches. If one is 0, it follows from the
	// other and the picture's proportions. If both are 0, the size is that of the picture as
	// it was displayed.
	Width, Height float64
	DPI           float64 // pixels per inch; 0: as displayed
	// Scale is how many times the pixels as displayed the picture has in each direction, for
	// the screen; 0: as the other fields say. Only a kernel draws it.
	Scale float64
	// Within refuses a figure whose kernel took longer to draw it when it was displayed, because
	// the user's code would wait; 0: any. With Scale, 0 means half a second.
	Within time.Duration
	// Roomy has a figure for which the size has too little room laid out for a larger one, and drawn
	// smaller. An engine does so only for the legends of Plotly.
	Roomy bool
	// Looking means that the user only looks at the plot. Then Easel does not connect to a session
	// to which it is not connected.
	Looking bool
	// Stored has the stored figure of a plot drawn by a kernel of its own if its kernel cannot, which takes seconds.
	Stored bool
	// Look also has a preview drawn: the long edge in pixels; 0: no. A kernel also measures texts and legends, an engine draws
	// a preview only of a vector picture.
	Look int
	// Part is a part of the picture as displayed: its left, top, right and bottom edge as fractions;
	// zero: the whole. Only a kernel draws it.
	Part  [4]float64
	Theme string // light or dark: changes greys for such a background; "": as displayed
}

// A Picture is a figure that was drawn again.
type Picture struct {
	Data          []byte
	MIME          string
	Width, Height int        // in pixels; 0 for a vector picture
	Inches        [2]float64 // its width and height; 0 where unknown
	Engine        bool       // it was drawn from its data, not by its kernel
	Figure        bool       // it was drawn from its stored figure, by a kernel of its own
	Changes       []string   // what is not as it was when the figure was stored
	Preview       []byte     // a PNG of it; nil if there is none
	Placed        []string   // what is wrong with the places of texts and legends
	Crowded       bool       // the size has too little room: text is cut off, or axes are far smaller than before
}

// Kernels draws what kernels keep; a [kernels.Manager] does.
type Kernels interface {
	DrawFigure(ctx context.Context, session string, q inspect.FigureRequest) (inspect.DrawnFigure, error)
	FindFigure(ctx context.Context, session string, hashes []string) error
	// KeepsFigures says why the kernel of a session has no figure that was displayed at a time; nil if it may have it.
	KeepsFigures(session string, since time.Time) error
	FigureValues(ctx context.Context, session string, hashes []string) ([]byte, error)
	// Unmarked reports whether the kernel of a session draws plots again whose pictures do not say so. Those of matplotlib do.
	Unmarked(session string) bool
}

// Engines draws figures from their data; a figures.Drawer does.
type Engines interface {
	// Render draws an image from the first of its forms that can be drawn. Change may alter
	// each request before.
	Render(ctx context.Context, im library.Image, change func(render.Request) (render.Request, error)) (render.Picture, error)
	// CanDraw returns nil if an engine draws an image now, and otherwise why none does.
	CanDraw(ctx context.Context, im library.Image) error
}

// Library reads images.
type Library interface {
	// ReadForm reads the form of an image that has this MIME type.
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
}

// Figures draws stored figures; a [figurestore.Drawer] does.
type Figures interface {
	Stored(ctx context.Context, im library.Image) error
	// Draw draws a figure. ask is whether the user may be asked for permission. changes says what is not as it was
	// when the figure was stored.
	Draw(ctx context.Context, im library.Image, q inspect.FigureRequest, ask bool) (drawn inspect.DrawnFigure, changes []string, err error)
	// Values returns all values of a figure. It asks nobody.
	Values(ctx context.Context, im library.Image, hashes []string) ([]byte, error)
}

// A Redrawer draws figures again.
type Redrawer struct {
	Kernels Kernels
	Engines Engines
	Library Library
	Figures Figures // nil: none is stored
}

// Redraw draws the figure of an image. If that is impossible, the error is an [*Error].
func (d *Redrawer) Redraw(ctx context.Context, im library.Image, q Request) (Picture, error) {
	if err := check(q); err != nil {
		return Picture{}, err
	}
	p, err := d.draw(ctx, im, q)
	if refused := new(Error); errors.As(err, &refused) && q.Stored && q.Scale == 0 && !interactive(im) {
		return d.byFigure(ctx, im, q, true, refused)
	}
	return p, err
}

// draw draws the figure of an image with what needs no permission.
func (d *Redrawer) draw(ctx context.Context, im library.Image, q Request) (Picture, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, &Error{Reason: Slow})
	defer cancel()
	if q.Scale > 0 {
		q.Within = cmp.Or(q.Within, quick)
		return d.byKernel(ctx, im, q)
	}
	if interactive(im) {
		return d.byEngine(ctx, im, q)
	}
	p, err := d.byKernel(ctx, im, q)
	if refused := new(Error); errors.As(err, &refused) && refused.Reason != Busy && q.Theme == "" {
		if form := vector(im); form != nil { // an SVG is sharp at every size
			if p, err := d.byEngine(ctx, im, q); err == nil {
				return p, nil
			}
		}
	}
	return p, err
}

// interactive reports whether an image came with data that an engine draws.
func interactive(im library.Image) bool {
	for _, f := range im.Forms {
		if _, ok := picture.InteractiveData(f.MIME); ok || f.MIME == "text/html" {
			return true
		}
	}
	return false
}

// vector is an image's SVG; nil if it has none.
func vector(im library.Image) *library.StoredForm {
	for i, f := range im.Forms {
		if strings.HasPrefix(f.MIME, picture.SVG) {
			return &im.Forms[i]
		}
	}
	return nil
}

// byKernel has the kernel draw the figure that it keeps.
func (d *Redrawer) byKernel(ctx context.Context, im library.Image, q Request) (Picture, error) {
	if im.SessionID == "" {
		return Picture{}, &Error{Reason: File}
	}
	hashes, plain, err := d.hashes(ctx, im)
	if err != nil {
		return Picture{}, err
	}
	plain = plain && !d.Kernels.Unmarked(im.SessionID)
	drawn, err := d.Kernels.DrawFigure(ctx, im.SessionID, q.ofFigure(hashes))
	if err != nil {
		err = kernelError(ctx, err)
		if e := new(Error); plain && errors.As(err, &e) && (e.Reason == Gone || e.Reason == Off) {
			e.Reason = Plain
		}
		return Picture{}, err
	}
	return ofFigure(drawn, q)
}

// ofFigure is the request to a kernel.
func (q Request) ofFigure(hashes []string) inspect.FigureRequest {
	return inspect.FigureRequest{
		Hashes: hashes, Format: q.Format, Width: q.Width, Height: q.Height, DPI: q.DPI, Scale: q.Scale, Theme: q.Theme,
		Within: q.Within.Seconds(), Roomy: q.Roomy, Looking: q.Looking, Part: q.Part, Look: q.Look,
	}
}

// ofFigure is what a kernel has drawn.
func ofFigure(drawn inspect.DrawnFigure, q Request) (p Picture, err error) {
	p = Picture{
		Data: drawn.Data, MIME: mimes[q.Format], Inches: [2]float64{drawn.Width, drawn.Height},
		Crowded: drawn.Crowded, Preview: drawn.Preview,
	}
	p.Placed = words.Drawing(facts.ReadDrawing(drawn.Drawing), drawn.PreviewDPI)
	if q.Format == PNG || q.Format == JPEG {
		if _, p.Width, p.Height, err = picture.Sniff(p.Data); err != nil {
			return Picture{}, &Error{Reason: Failed, Detail: err.Error()}
		}
		if p.Inches[0] == 0 && drawn.DPI > 0 {
			p.Inches = [2]float64{float64(p.Width) / drawn.DPI, float64(p.Height) / drawn.DPI}
		}
	}
	return p, nil
}

// hashes are those of an image's forms. It is plain if matplotlib has not written it: PNG, SVG and
// PDF say so. A JPEG does not, but Pillow displays its pictures as JPEG, too, besides PNG.
func (d *Redrawer) hashes(ctx context.Context, im library.Image) (hashes []string, plain bool, err error) {
	tells, figure := false, false
	for _, f := range im.Forms {
		if !strings.HasPrefix(f.MIME, "image/") && f.MIME != mimes[PDF] {
			continue
		}
		data, err := d.Library.ReadForm(ctx, im, f.MIME)
		if err != nil {
			return nil, false, err
		}
		tells = tells || f.MIME != mimes[JPEG]
		figure = figure || bytes.Contains(data, []byte("atplotlib v")) // small in matplotlib 3.2 and before
		sum := sha256.Sum256(data)
		hashes = append(hashes, hex.EncodeToString(sum[:]))
	}
	return hashes, (tells || len(hashes) == 0) && !figure, nil
}

// kernelError says why a kernel has not drawn a figure.
func kernelError(ctx context.Context, err error) error {
	if _, known := errors.AsType[*Error](err); known {
		return err
	}
	if _, refused := errors.AsType[*kernels.RefusedError](err); refused {
		return err // whoever asks must read it: nothing else draws the figure
	}
	if none, ok := errors.AsType[*inspect.NoFigureError](err); ok {
		return &Error{Reason: cmp.Or(missing[none.Reason], Gone), Err: err}
	}
	if _, ok := errors.AsType[*kernels.UnusedError](err); ok {
		return &Error{Reason: Ended, Err: err}
	}
	switch {
	case errors.Is(err, jupyter.ErrKernelBusy):
		return &Error{Reason: Busy, Err: err}
	case errors.Is(err, kernels.ErrNotJoined):
		return &Error{Reason: Unjoined, Err: err}
	case errors.Is(err, kernels.ErrSessionNotFound), errors.Is(err, jupyter.ErrNotFound):
		return &Error{Reason: Ended, Err: err}
	case errors.Is(err, jupyter.ErrKernelRestarted):
		return &Error{Reason: Gone, Err: err}
	case errors.Is(err, inspect.ErrLanguage):
		return &Error{Reason: Language, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Reason: Slow, Err: err}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &Error{Reason: Failed, Detail: err.Error(), Err: err}
}

// missing maps what a kernel says to a reason.
var missing = map[inspect.NoFigure]Reason{
	inspect.FigureUnknown: Gone, inspect.FigureOff: Off, inspect.FigureOld: Old, inspect.FigureLarge: Large,
	inspect.FigureChanged: Changed, inspect.FigureFixed: Fixed, inspect.FigureAnswer: TooLarge,
	inspect.FigureSlow: Slow,
}
