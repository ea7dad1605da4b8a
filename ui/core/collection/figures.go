package collection

import (
	"context"
	"errors"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
)

// Figures draws figures that came without a picture. A figures.Drawer is one.
type Figures interface {
	Draw(im library.Image) <-chan struct{}
	Problem(id string) error
	Rasterize(ctx context.Context, svg []byte) (png []byte, err error)
}

// DrawFigures makes c request a drawing of each figure without a picture (see
// [library.Undrawn]) when it is read. It must be called before all other methods.
func (c *Collection) DrawFigures(f Figures) { c.figures = f }

// Drawing requests a drawing of im if it has no picture. The returned channel is closed when
// im was drawn or has a reason in NotDrawn. It is nil if there is nothing to wait for: im has
// a picture, or nothing here draws it.
func (c *Collection) Drawing(im library.Image) <-chan struct{} {
	if c.figures == nil || !library.Undrawn(im) {
		return nil
	}
	return c.figures.Draw(im)
}

// explain sets im.NotDrawn if im is a figure that could not be drawn.
func (c *Collection) explain(im *library.Image) {
	if c.figures == nil || !library.Undrawn(*im) {
		return
	}
	err := c.figures.Problem(im.ImageID)
	if err == nil {
		return
	}
	im.NotDrawn.Reason = err.Error()
	if missing, ok := errors.AsType[*render.UnavailableError](err); ok {
		im.NotDrawn.Lacks = missing.Lacks
	}
	if refused, ok := errors.AsType[*render.RefusedError](err); ok {
		im.NotDrawn.Reason = refused.Reason
	}
}

// rasterize draws an SVG on disk.
func (c *Collection) rasterize(ctx context.Context, id string) ([]byte, error) {
	data, _, err := c.Read(ctx, id)
	if err == nil && c.figures == nil {
		err = picture.ErrNoRaster
	}
	if err != nil {
		return nil, err
	}
	return c.figures.Rasterize(ctx, data)
}
