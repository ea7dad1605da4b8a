package redraw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/draw"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
)

const (
	cssDPI = 96.0 // of the engines' pixels
	// sharpness is how many pixels an engine draws per CSS pixel if the request does not say.
	sharpness = 2.0
	// mostGrowth is how many times as large a figure may be laid out, and drawn smaller. Beyond
	// that, its text would be too small.
	mostGrowth = 2.0
)

// byEngine draws a figure from its data. A figure that keeps its own size is scaled, and keeps
// its proportions.
func (d *Redrawer) byEngine(ctx context.Context, im library.Image, q Request) (Picture, error) {
	q = proportioned(im, q)
	scale := sharpness
	if q.DPI > 0 {
		scale = q.DPI / cssDPI
	}
	want := image.Pt(int(math.Round(q.Width*cssDPI*scale)), int(math.Round(q.Height*cssDPI*scale)))
	draw := func(grow, scale float64) (render.Picture, error) {
		return d.Engines.Render(ctx, im, func(r render.Request) (render.Request, error) {
			r.Width, r.Height = int(math.Round(q.Width*cssDPI)), int(math.Round(q.Height*cssDPI))
			r.Scale = scale
			if grow > 1 { // as many times as large as what was drawn, and not one pixel larger than wanted, which would be scaled
				r.Height = int(math.Round(float64(r.Height) * grow))
				r.Width = int(math.Round(float64(r.Height*want.X) / float64(want.Y)))
				r.Scale = min(float64(want.X)/float64(r.Width), float64(want.Y)/float64(r.Height))
			}
			if q.Format == SVG || q.Format == PDF {
				r.Format = q.Format
			}
			var err error
			r.Data, err = changed(r, q.Theme)
			return r, err
		})
	}
	drawn, err := draw(1, scale)
	if err == nil && q.Roomy && q.Width > 0 {
		drawn, err = withRoom(drawn, func(grow float64) (render.Picture, error) { return draw(grow, scale) })
	}
	if err != nil {
		return Picture{}, engineError(ctx, err)
	}
	p := Picture{MIME: mimes[q.Format], Engine: true, Crowded: drawn.Grow > 1}
	if drawn.Data != nil {
		p.Data = drawn.Data
		p.Inches = [2]float64{drawn.Inches[0], drawn.Inches[1]}
		p.Preview = d.lookAt(ctx, im, p, q.Look)
		return p, nil
	}
	if grow := fitting(image.Pt(drawn.Width, drawn.Height), want); want != (image.Point{}) && grow > 1.02 {
		if drawn, err = draw(1, scale*grow); err != nil { // it keeps its size
			return Picture{}, engineError(ctx, err)
		}
	}
	if p, err = p.encoded(drawn.PNG, want, q); err != nil {
		return Picture{}, err
	}
	p.Inches = [2]float64{float64(p.Width) / (scale * cssDPI), float64(p.Height) / (scale * cssDPI)}
	return p, nil
}

// lookAt draws a vector picture that was written, so that it can be looked at; nil if that fails.
func (d *Redrawer) lookAt(ctx context.Context, im library.Image, p Picture, edge int) []byte {
	if edge <= 0 {
		return nil
	}
	drawn, err := d.Engines.Render(ctx, im, func(r render.Request) (render.Request, error) {
		r = render.Request{MIME: p.MIME, Data: p.Data, Scale: 1}
		if long := max(p.Inches[0], p.Inches[1]) * cssDPI; long > 0 {
			r.Scale = float64(edge) / long
		}
		return r, nil
	})
	if err != nil {
		return nil
	}
	return drawn.PNG
}

// withRoom draws a figure whose legends have too little room larger, so that they have enough. If
// the figure would have to be too large for that, it stays as it was drawn first.
func withRoom(first render.Picture, draw func(grow float64) (render.Picture, error)) (render.Picture, error) {
	if first.Grow <= 1 || first.Grow > mostGrowth {
		return first, nil
	}
	drawn, err := draw(first.Grow)
	if err != nil || drawn.Grow <= 1 {
		return drawn, err
	}
	// The legend got only a part of what the figure gained. What it lacked, and lacks, is in units of
	// the figure's first height.
	gained, lacked, lacks := first.Grow-1, first.Grow-1, (drawn.Grow-1)*first.Grow
	grow := 1.01 * (first.Grow + gained*lacks/(lacked-lacks)) // a little more, because Plotly rounds
	if lacks >= lacked || grow > mostGrowth {
		return first, nil
	}
	if drawn, err = draw(grow); err == nil && drawn.Grow > 1 {
		return first, nil
	}
	return drawn, err
}

// proportioned fills in the side that a request leaves open.
func proportioned(im library.Image, q Request) Request {
	if im.Width <= 0 || im.Height <= 0 {
		return q
	}
	if q.Width > 0 && q.Height == 0 {
		q.Height = q.Width * float64(im.Height) / float64(im.Width)
	} else if q.Height > 0 && q.Width == 0 {
		q.Width = q.Height * float64(im.Width) / float64(im.Height)
	}
	return q
}

// fitting is by what a picture has to be scaled to fit into a box.
func fitting(size, box image.Point) float64 {
	if size.X <= 0 || size.Y <= 0 {
		return 1
	}
	return min(float64(box.X)/float64(size.X), float64(box.Y)/float64(size.Y))
}

// encoded scales a PNG down into the wanted box, if it has to, and writes it in the format.
func (p Picture) encoded(data []byte, box image.Point, q Request) (Picture, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Picture{}, &Error{Reason: Failed, Detail: err.Error(), Err: err}
	}
	size := image.Pt(c.Width, c.Height)
	if shrink := fitting(size, box); box != (image.Point{}) && shrink < 1 {
		size = image.Pt(max(1, int(math.Round(float64(size.X)*shrink))), max(1, int(math.Round(float64(size.Y)*shrink))))
	}
	p.Width, p.Height, p.Data = size.X, size.Y, data
	if size == image.Pt(c.Width, c.Height) && q.Format == PNG {
		return p, nil
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return Picture{}, &Error{Reason: Failed, Detail: err.Error(), Err: err}
	}
	if size != im.Bounds().Size() {
		im = picture.Area(im, size.X, size.Y)
	}
	var out bytes.Buffer
	if q.Format == JPEG {
		flat := image.NewRGBA(im.Bounds())
		draw.Draw(flat, flat.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(flat, flat.Rect, im, im.Bounds().Min, draw.Over)
		err = jpeg.Encode(&out, flat, &jpeg.Options{Quality: 92})
	} else {
		err = png.Encode(&out, im)
	}
	if err != nil {
		return Picture{}, fmt.Errorf("encode: %w", err)
	}
	p.Data = out.Bytes()
	return p, nil
}

// engineError says why no engine has drawn a figure.
func engineError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, new(*Error)):
		return err
	case errors.Is(err, render.ErrFormat):
		return &Error{Reason: Format, Err: err}
	}
	return &Error{Reason: Engine, Detail: strings.TrimPrefix(err.Error(), "this figure cannot be drawn: "), Err: err}
}
