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

// Way returns how an image can be drawn again: one of the catalog's. With ask, it asks the kernel
// whether it still has the figure, unless it is busy. Otherwise it says what is likely.
func (d *Redrawer) Way(ctx context.Context, im library.Image, ask bool) string {
	if im.SessionID == "" {
		return catalog.RedrawnNot
	}
	if interactive(im) {
		return catalog.RedrawnStored
	}
	figure, displayed, err := d.ofMatplotlib(ctx, im)
	if err != nil {
		return catalog.RedrawnNot // its file is missing
	}
	keeps := displayed && d.Kernels.KeepsFigures(im.SessionID, im.CreatedAt)
	if ask && figure && d.Kernels.KeepsFigures(im.SessionID, im.CreatedAt) {
		hashes, _, err := d.hashes(ctx, im)
		missing := new(inspect.NoFigureError)
		if err == nil {
			err = d.Kernels.FindFigure(ctx, im.SessionID, hashes)
		}
		switch {
		case err == nil:
			keeps = true
		case errors.As(err, &missing):
			keeps = false
		}
	}
	switch {
	case keeps:
		return catalog.RedrawnByKernel
	case vector(im) != nil, d.Figures != nil && im.Figure != nil && d.Figures.Stored(ctx, im) == nil:
		return catalog.RedrawnStored
	case figure:
		return catalog.RedrawnByReplay
	}
	return catalog.RedrawnNot
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
