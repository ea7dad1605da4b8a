package plots

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/picture/axes"
	"easel/ui/core/redraw"
	"easel/ui/core/tools/codes"
)

const (
	// worthwhile is how many times as many pixels a new picture must have to be drawn.
	worthwhile = 1.05
	// enough is the long edge, in pixels, to which a small part of a stored picture is enlarged, at most mostEnlarged times.
	enough       = 1024
	mostEnlarged = 4.0
)

// wishOf returns the part of a picture that a call asks for; ok is false if it asks for the whole.
func wishOf(in catalog.GetImageResourceIn) (uri string, w axes.Wish, ok bool, err error) {
	uri, pixels, ok := catalog.CutCrop(in.ResourceURI)
	if in.Region == "" {
		return uri, axes.Wish{Pixels: pixels}, ok, nil
	}
	if w, err = axes.ParseWish(in.Region); err != nil {
		return uri, w, false, badRegion(err)
	}
	return uri, w, true, nil
}

func badRegion(err error) error { return codes.BadValue("region", "cannot be found: "+err.Error()) }

// A wholePicture is what a part is cut from.
type wholePicture struct {
	data []byte
	mime string
	size image.Point
	// redraw draws a part with more pixels; nil if nothing can.
	redraw func(part redraw.Part, sharper float64) (redraw.Picture, error)
}

// closer adds a part of an image to a result: drawn with more pixels if that is possible.
func (r *reader) closer(ctx context.Context, im library.Image, w axes.Wish, out *catalog.GetImageResourceOut) error {
	if im.Interactive != "" {
		return &tool.Error{Code: tool.NotExecutable, Detail: im.Description + ".", Err: picture.ErrNoRaster}
	}
	if out.Damaged != "" {
		return nil // the result says so
	}
	data, im, err := r.Results.Source.Read(ctx, im.ImageID)
	if err != nil {
		return codes.ImageNotFound(im.ResourceURI, err)
	}
	s := wholePicture{data: data, mime: im.MIMEType, size: image.Pt(im.Width, im.Height)}
	if r.Results.Redrawer != nil && im.SessionID != "" {
		s.redraw = func(part redraw.Part, sharper float64) (redraw.Picture, error) {
			return r.Results.Redrawer.RedrawPart(ctx, im, part, sharper)
		}
	}
	return addPart(ctx, s, w, out)
}

// addPart adds a part of a stored picture to a result, and says what it shows and how it was made.
func addPart(ctx context.Context, s wholePicture, w axes.Wish, out *catalog.GetImageResourceOut) error {
	fig, ok := axes.Parse(s.data)
	if !ok {
		fig = axes.Figure{Width: s.size.X, Height: s.size.Y}
	}
	rect, err := fig.Place(w)
	if err != nil {
		return badRegion(err)
	}
	width, height := float64(fig.Width), float64(fig.Height)
	part := redraw.Part{Left: rect.X0 / width, Top: rect.Y0 / height, Right: rect.X1 / width, Bottom: rect.Y1 / height}
	sharper := float64(out.Edge) / max(rect.X1-rect.X0, rect.Y1-rect.Y0)
	data, made, err := s.part(part, sharper)
	if err != nil {
		return err
	}
	out.Region, out.Made = DescribePart(fig, rect, max(1, sharper)), made
	limit := 0
	if tool.CallerFrom(ctx).Transport == tool.MCP {
		limit = MostPreview
	}
	data, mime, _, _, err := picture.Preview(data, picture.PNG, out.Edge, limit)
	switch {
	case err != nil:
		return fmt.Errorf("scaling a part: %w", err)
	case limit == 0:
		out.Data, out.DataMIMEType = base64.StdEncoding.EncodeToString(data), mime
	case !out.Blind:
		out.Preview, out.PreviewType = data, mime
	}
	return nil
}

// part returns the picture of a part, and how it was made.
func (s wholePicture) part(part redraw.Part, sharper float64) (data []byte, made string, err error) {
	why := ""
	if s.redraw != nil && sharper > worthwhile {
		p, err := s.redraw(part, sharper)
		if err == nil {
			by := "its kernel"
			switch {
			case p.Engine:
				by = "an engine, from its data"
			case p.Figure:
				by = strings.Join(append([]string{"another kernel, from its stored figure"}, p.Changes...), ", with ")
			}
			times := float64(p.Width) / ((part.Right - part.Left) * float64(s.size.X))
			return p.Data, fmt.Sprintf("drawn again by %s, with %s times the pixels in each direction", by, short(times)), nil
		}
		if refused, ok := errors.AsType[*redraw.Error](err); ok && refused.Reason != redraw.Plain {
			why = ": " + refused.Error()
		}
	}
	data, err = picture.Crop(s.data, part.Pixels(s.size.X, s.size.Y))
	switch {
	case errors.Is(err, picture.ErrNoRaster):
		return nil, "", &tool.Error{Code: tool.NotExecutable, Detail: "There is no such part of the picture" + why + ".", Err: err}
	case err != nil:
		if damage := damageOf(err); damage != "" {
			return nil, "", damagedPicture(damage, err)
		}
		return nil, "", err
	}
	made = "cut from the stored picture"
	long := max((part.Right-part.Left)*float64(s.size.X), (part.Bottom-part.Top)*float64(s.size.Y))
	if by := min(mostEnlarged, sharper, enough/long); by > worthwhile {
		if data, err = picture.Enlarge(data, by); err != nil {
			return nil, "", fmt.Errorf("enlarging a part: %w", err)
		}
		made += ", enlarged " + short(by) + " times"
	}
	return data, made + why, nil
}

func short(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// DescribePart describes a part of a picture. sharper is how many times the pixels of the picture distinguish its values.
func DescribePart(fig axes.Figure, rect axes.Rect, sharper float64) *catalog.Region {
	px := redraw.Part{Left: rect.X0, Top: rect.Y0, Right: rect.X1, Bottom: rect.Y1}.Pixels(1, 1)
	out := &catalog.Region{X: px.Min.X, Y: px.Min.Y, Width: px.Dx(), Height: px.Dy()}
	w, h := float64(fig.Width), float64(fig.Height)
	for i, v := range []float64{rect.X0 / w, rect.Y0 / h, rect.X1 / w, rect.Y1 / h} {
		out.Fractions[i] = math.Round(v*1e4) / 1e4
	}
	out.Text = fmt.Sprintf("pixels %d,%d,%d,%d of %d × %d", out.X, out.Y, out.Width, out.Height, fig.Width, fig.Height)
	if len(fig.Axes) == 0 {
		return out
	}
	fine, at := fig.Scaled(sharper), rect.Scale(sharper)
	out.Axes = RegionAxes(fine, at)
	if text := fine.Text(at); text != "" {
		out.Text = text + "; " + out.Text
	} else {
		out.Text = "outside of the axes; " + out.Text
	}
	return out
}

// RegionAxes returns what of each axes is in a rectangle of a picture.
func RegionAxes(fig axes.Figure, rect axes.Rect) (list []catalog.RegionAxes) {
	parts, _ := fig.In(rect)
	for _, p := range parts {
		list = append(list, catalog.RegionAxes{
			Axes: p.Axes.Number, Kind: p.Axes.Kind, Of: p.Axes.Of, Title: p.Axes.Title, Projection: p.Axes.Projection,
			X: regionRange(p.Axes.XLabel, p.Axes.X, p.X), Y: regionRange(p.Axes.YLabel, p.Axes.Y, p.Y),
		})
	}
	return list
}

func regionRange(label string, axis *axes.Axis, r *axes.Range) *catalog.RegionRange {
	if r == nil {
		return nil
	}
	out := &catalog.RegionRange{Label: label, Scale: string(axis.Scale), From: r.From, To: r.To, Names: r.Names}
	if r.Date {
		out.From, out.To = r.Texts[0], r.Texts[1]
	}
	return out
}
