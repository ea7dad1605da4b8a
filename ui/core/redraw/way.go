package redraw

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/picture/axes"
)

// A Way is how an image can be drawn again.
type Way struct {
	By   string // one of the catalog's
	Data bool   // if By is stored: an engine draws it from its data
	// Why says why neither its kernel nor a stored figure draws it; nil if one does, or nothing is known.
	Why *Error
}

// Way returns how an image can be drawn again. With ask, it asks the kernel whether it still has the figure, unless
// it is busy. Otherwise it says what is likely.
func (d *Redrawer) Way(ctx context.Context, im library.Image, ask bool) Way {
	if im.SessionID == "" {
		return Way{By: catalog.RedrawnNot, Why: &Error{Reason: File}}
	}
	if interactive(im) {
		return d.wayOfEngine(ctx, im)
	}
	figure, displayed, err := d.ofMatplotlib(ctx, im)
	if err != nil {
		return Way{By: catalog.RedrawnNot} // its file is missing
	}
	if d.Kernels.Unmarked(im.SessionID) {
		figure, displayed = true, true
	}
	refused := d.refusal(ctx, im, figure, displayed, ask)
	switch {
	case refused == nil:
		return Way{By: catalog.RedrawnByKernel}
	case vector(im) != nil:
		return Way{By: catalog.RedrawnStored, Data: true}
	case !figure:
		return Way{By: catalog.RedrawnNot, Why: &Error{Reason: Plain}}
	}
	if d.Figures == nil {
		return Way{By: catalog.RedrawnByReplay, Why: refused}
	}
	if err := d.Figures.Stored(ctx, im); err != nil {
		errors.As(figureError(ctx, err, refused), &refused)
		return Way{By: catalog.RedrawnByReplay, Why: refused}
	}
	return Way{By: catalog.RedrawnStored}
}

// wayOfEngine returns how an interactive figure is drawn again: by an engine that is available.
func (d *Redrawer) wayOfEngine(ctx context.Context, im library.Image) Way {
	if refused, ok := errors.AsType[*Error](engineError(ctx, d.Engines.CanDraw(ctx, im))); ok {
		return Way{By: catalog.RedrawnNot, Why: refused}
	}
	return Way{By: catalog.RedrawnStored, Data: true}
}

// refusal returns why the kernel of an image does not draw it; nil if it does, or probably does.
func (d *Redrawer) refusal(ctx context.Context, im library.Image, figure, displayed, ask bool) (refused *Error) {
	err := d.Kernels.KeepsFigures(im.SessionID, im.CreatedAt)
	keeps := err == nil
	if keeps && !displayed {
		err = &inspect.NoFigureError{Reason: inspect.FigureUnknown}
	}
	if ask && figure && keeps {
		hashes, _, failed := d.hashes(ctx, im)
		if failed == nil {
			failed = d.Kernels.FindFigure(ctx, im.SessionID, hashes)
		}
		if failed == nil || errors.As(failed, new(*inspect.NoFigureError)) {
			err = failed // otherwise, it is not known
		}
	}
	if err != nil {
		errors.As(kernelError(ctx, err), &refused)
	}
	return refused
}

// ofMatplotlib reports whether matplotlib has written an image, and whether it did so to display it
// in a kernel that keeps figures: then the picture describes its axes.
func (d *Redrawer) ofMatplotlib(ctx context.Context, im library.Image) (figure, displayed bool, err error) {
	for _, f := range im.Forms {
		if !strings.HasPrefix(f.MIME, "image/") && f.MIME != mimes[PDF] {
			continue
		}
		data, err := d.Library.ReadForm(ctx, im, f.MIME)
		if err != nil {
			return false, false, err
		}
		figure = figure || bytes.Contains(data, []byte("atplotlib v"))
		displayed = displayed || f.MIME == mimes[PNG] && bytes.Contains(data, []byte(axes.Keyword))
	}
	return figure || displayed, displayed, nil
}
