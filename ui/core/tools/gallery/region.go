package gallery

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/picture/axes"
	"easel/ui/core/state"
	"easel/ui/core/tools/plots"
)

// regions are parts of images that the user has drawn.
type regions struct {
	library Library
	store   *state.Store
}

// setRegion selects a region of an image, which the user has drawn in the window.
func (g *regions) setRegion(ctx context.Context, in command.SetRegionIn) (struct{}, error) {
	im, err := g.library.Image(ctx, in.ID)
	if err != nil {
		return struct{}{}, err
	}
	rect := within(in.Rect, im)
	g.store.Update(func(s *state.Snapshot) { s.SetRegion(im.ImageID, rect) })
	return struct{}{}, nil
}

// describeRegion describes a region for the user.
func (g *regions) describeRegion(ctx context.Context, in command.SetRegionIn) (catalog.Region, error) {
	im, err := g.library.Image(ctx, in.ID)
	if err != nil {
		return catalog.Region{}, err
	}
	rect := within(in.Rect, im)
	if rect.Empty() {
		return catalog.Region{}, &tool.Error{Code: tool.Validation, Detail: "The region is outside of the picture."}
	}
	return g.region(ctx, im, rect), nil
}

// A drawnRegion is a rectangle that the user has drawn, and the image on which.
type drawnRegion struct {
	on   library.Image
	rect image.Rectangle
}

// drawnRegions returns the regions by the address (see addressOf) of the newest version of each
// figure. A region on that version wins, then the one that was drawn last.
func (g *regions) drawnRegions(ctx context.Context, s *state.Snapshot) (map[string]drawnRegion, error) {
	ids := make([]string, len(s.Regions))
	for i, r := range s.Regions {
		ids[i] = r.ID
	}
	images, err := g.library.Get(ctx, ids...)
	if err != nil {
		return nil, err
	}
	drawn := make(map[string]drawnRegion, len(images))
	for _, im := range images {
		newest := cmp.Or(im.ReplacedBy, addressOf(im))
		if before, ok := drawn[newest]; !ok || addressOf(before.on) != newest {
			drawn[newest] = drawnRegion{im, s.RegionOf(im.ImageID)}
		}
	}
	return drawn, nil
}

// addressOf returns the URI of a plot, or the id of a file, which has no URI.
func addressOf(im library.Image) string { return cmp.Or(im.ResourceURI, im.ImageID) }

// within returns the part of a region that lies in the picture.
func within(r image.Rectangle, im library.Image) image.Rectangle {
	if im.Width > 0 && im.Height > 0 {
		return r.Intersect(image.Rect(0, 0, im.Width, im.Height))
	}
	return r
}

// mark describes a place that the user has marked: for an arrow, where it points, and from where.
func (g *regions) mark(ctx context.Context, im library.Image, m catalog.Mark) catalog.Region {
	if m.Shape == catalog.Box {
		return g.region(ctx, im, m.Rect)
	}
	out := g.region(ctx, im, image.Rectangle{Min: m.To, Max: m.To.Add(image.Pt(1, 1))})
	fig, _ := g.figure(ctx, im)
	at := func(p image.Point) string {
		place := fmt.Sprintf("pixel %d, %d", p.X, p.Y)
		if text := fig.TextAt(float64(p.X)+0.5, float64(p.Y)+0.5); text != "" {
			place = text + "; " + place
		}
		return place
	}
	if out.Text = "point at " + at(m.To); m.Shape == catalog.Arrow {
		out.Text = "arrow to " + at(m.To) + "; from " + at(m.From)
	}
	out.Text += fmt.Sprintf(" of %d × %d", im.Width, im.Height)
	return out
}

// figure returns where the axes are in an image, if that is known.
func (g *regions) figure(ctx context.Context, im library.Image) (fig axes.Figure, ok bool) {
	if im.MIMEType != picture.PNG {
		return fig, false
	}
	data, _, err := g.library.Read(ctx, im.ImageID)
	if err != nil {
		return fig, false
	}
	return axes.Parse(data)
}

// region describes a region of an image. A picture that cannot be read has no coordinates.
func (g *regions) region(ctx context.Context, im library.Image, r image.Rectangle) catalog.Region {
	out := catalog.Region{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
	if w, h := float64(im.Width), float64(im.Height); w > 0 && h > 0 {
		for i, v := range []float64{float64(r.Min.X) / w, float64(r.Min.Y) / h, float64(r.Max.X) / w, float64(r.Max.Y) / h} {
			out.Fractions[i] = math.Round(v*1e4) / 1e4
		}
	}
	if im.MIMEType != picture.SVG && im.Interactive == "" {
		out.Crop = catalog.CropURI(addressOf(im), r)
	}
	out.Text = fmt.Sprintf("pixels x %d–%d, y %d–%d of %d × %d", r.Min.X, r.Max.X, r.Min.Y, r.Max.Y, im.Width, im.Height)
	fig, ok := g.figure(ctx, im)
	if !ok {
		return out
	}
	rect := axes.Rect{X0: float64(r.Min.X), Y0: float64(r.Min.Y), X1: float64(r.Max.X), Y1: float64(r.Max.Y)}
	out.Axes = plots.RegionAxes(fig, rect)
	if text := fig.Text(rect); text != "" {
		out.Text = text + "; " + out.Text
	} else {
		out.Text = "outside of the axes; " + out.Text
	}
	return out
}
