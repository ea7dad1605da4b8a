package redraw

import (
	"context"
	"errors"
	"image"
	"math"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/picture"
)

// Limits of drawing a part of a picture with more pixels.
const (
	mostSharper = 16.0            // times the pixels of the stored picture, in each direction
	partWithin  = 5 * time.Second // that drawing the figure took when it was displayed: the user's code may have to wait
	distortion  = 0.02            // by which an engine's picture may have other proportions than the stored one
)

// A Part is a part of a picture, as fractions of it from its top left corner.
type Part struct{ Left, Top, Right, Bottom float64 }

// Pixels returns the part in pixels of a picture of a size.
func (p Part) Pixels(w, h int) image.Rectangle {
	x, y := float64(w), float64(h)
	const slack = 1e-6 // of a pixel
	low, high := func(v float64) int { return int(math.Floor(v + slack)) }, func(v float64) int { return int(math.Ceil(v - slack)) }
	return image.Rect(low(p.Left*x), low(p.Top*y), high(p.Right*x), high(p.Bottom*y))
}

// RedrawPart draws a part of an image as a PNG, with sharper times as many pixels in each direction as
// the stored picture has, or with as many as possible. If that is impossible, the error is an [*Error].
func (d *Redrawer) RedrawPart(ctx context.Context, im library.Image, part Part, sharper float64) (Picture, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, &Error{Reason: Slow})
	defer cancel()
	sharper = min(sharper, mostSharper)
	if interactive(im) {
		return d.partByEngine(ctx, im, part, sharper)
	}
	q := Request{
		Format: PNG, Scale: sharper, Part: [4]float64{part.Left, part.Top, part.Right, part.Bottom}, Within: partWithin, Looking: true,
	}
	p, err := d.byKernel(ctx, im, q)
	if err != nil && vector(im) != nil { // an SVG is sharp at every size
		if p, err := d.partByEngine(ctx, im, part, sharper); err == nil {
			return p, nil
		}
	}
	if refused := new(Error); errors.As(err, &refused) {
		q.Within, q.Looking = 0, false // none of the user's code waits
		return d.byFigure(ctx, im, q, false, refused)
	}
	return p, err
}

// Values returns all values of the figure of an image, as facts.ReadAll reads them, from its kernel or from the stored
// figure.
func (d *Redrawer) Values(ctx context.Context, im library.Image) ([]byte, error) {
	if im.SessionID == "" {
		return nil, &Error{Reason: File}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, &Error{Reason: Slow})
	defer cancel()
	hashes, _, err := d.hashes(ctx, im)
	if err != nil {
		return nil, err
	}
	raw, err := d.Kernels.FigureValues(ctx, im.SessionID, hashes)
	if err == nil {
		return raw, nil
	}
	refused := new(Error)
	if err = kernelError(ctx, err); !errors.As(err, &refused) || d.Figures == nil || !lasting(refused.Reason) || len(hashes) == 0 {
		return nil, err
	}
	if raw, err = d.Figures.Values(ctx, im, hashes); err != nil {
		return nil, figureError(ctx, err, refused)
	}
	return raw, nil
}

// partByEngine draws the whole figure from its data, and cuts the part out of it.
func (d *Redrawer) partByEngine(ctx context.Context, im library.Image, part Part, sharper float64) (Picture, error) {
	if im.Width > 0 && im.Height > 0 {
		sharper = min(sharper, math.Sqrt(MostPixels/float64(im.Width*im.Height)))
	}
	whole, err := d.byEngine(ctx, im, Request{Format: PNG, DPI: min(cssDPI*sharpness*sharper, MostDPI)})
	if err != nil {
		return Picture{}, err
	}
	if im.Width > 0 && im.Height > 0 && im.MIMEType != picture.SVG {
		if now := float64(whole.Width) * float64(im.Height) / float64(whole.Height) / float64(im.Width); math.Abs(now-1) > distortion {
			return Picture{}, &Error{Reason: Failed, Detail: "the new picture has other proportions", Err: errors.New("proportions")}
		}
	}
	cut, err := picture.Crop(whole.Data, part.Pixels(whole.Width, whole.Height))
	if err != nil {
		return Picture{}, &Error{Reason: Failed, Detail: err.Error(), Err: err}
	}
	p := Picture{Data: cut, MIME: picture.PNG, Engine: true}
	_, p.Width, p.Height, err = picture.Sniff(cut)
	return p, err
}
