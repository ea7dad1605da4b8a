package reproduce

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
	"easel/ui/core/render"
	"easel/ui/core/reproduce/difference"
)

// compare compares an image with its counterpart among the figures that its cell drew
// again.
func (c *Checker) compare(ctx context.Context, im library.Image, again [][]mimebundle.Content) (outcome, error) {
	before, err := c.cfg.Library.Images.DrawnBy(ctx, im.ExecutionID)
	if err != nil {
		return outcome{}, err
	}
	fresh, ok := counterpart(im.ImageID, before, again)
	var found outcome
	if ok {
		if found, err = c.compareTo(ctx, im, fresh); err != nil {
			return outcome{}, err
		}
	}
	if ok && found.check.Status == catalog.CheckReproduced || len(before) == len(again) {
		if !ok {
			return missing(), nil
		}
		return found, nil
	}
	// Some of its siblings were deleted, so its place is not certain.
	for _, versions := range again {
		other, err := c.compareTo(ctx, im, versions[len(versions)-1])
		if err == nil && other.check.Status == catalog.CheckReproduced {
			return other, nil
		}
	}
	if !ok {
		return missing(), nil
	}
	return found, nil
}

func missing() outcome {
	return outcome{check: catalog.Check{Status: catalog.CheckNotReplayable, Reason: catalog.CheckNoPicture}}
}

// counterpart returns the content in the place of an image: of the same figure of the
// cell, and of its versions the one that is as far from the last.
func counterpart(image string, before []library.DrawnFigure, again [][]mimebundle.Content) (mimebundle.Content, bool) {
	for i, versions := range before {
		at := slices.Index(versions, image)
		if at < 0 {
			continue
		}
		if i >= len(again) {
			break
		}
		fromEnd := len(versions) - 1 - at
		return again[i][max(0, len(again[i])-1-fromEnd)], true
	}
	return mimebundle.Content{}, false
}

// compareTo compares an image with what was displayed in its place.
func (c *Checker) compareTo(ctx context.Context, im library.Image, fresh mimebundle.Content) (outcome, error) {
	for _, f := range fresh.Forms {
		if !raster(f.MIME) {
			continue
		}
		stored, err := c.storedPicture(ctx, im, f.MIME)
		if err != nil {
			return outcome{}, err
		}
		if stored == nil {
			break
		}
		r, err := difference.Pictures(stored, f.Data)
		if err != nil {
			return outcome{}, err
		}
		return outcome{check: checkOf(r), fresh: &library.Form{MIME: f.MIME, Data: f.Data}}, nil
	}
	return c.compareData(ctx, im, fresh)
}

// raster reports whether a type is that of a picture with pixels.
func raster(mime string) bool {
	return slices.Contains([]string{picture.PNG, picture.JPEG, picture.GIF, picture.WebP}, mime)
}

// storedPicture returns the stored picture of a type, or else the first with pixels, or nil.
func (c *Checker) storedPicture(ctx context.Context, im library.Image, mime string) ([]byte, error) {
	found := ""
	for _, f := range im.Forms {
		if f.MIME == mime || found == "" && raster(f.MIME) {
			found = f.MIME
		}
	}
	if found == "" {
		return nil, nil
	}
	return c.cfg.Library.Images.ReadForm(ctx, im, found)
}

// compareData compares the data of figures that came without a picture, and what an engine
// draws from it if that differs.
func (c *Checker) compareData(ctx context.Context, im library.Image, fresh mimebundle.Content) (outcome, error) {
	for _, f := range fresh.Forms {
		i := slices.IndexFunc(im.Forms, func(s library.StoredForm) bool { return sameType(s.MIME, f.MIME) })
		if i < 0 {
			continue
		}
		stored, err := c.cfg.Library.Images.ReadForm(ctx, im, im.Forms[i].MIME)
		if err != nil {
			return outcome{}, err
		}
		r := difference.Data(f.MIME, stored, f.Data)
		found := outcome{check: checkOf(r), fresh: &library.Form{MIME: f.MIME, Data: f.Data}}
		if r.Verdict == difference.Identical {
			found.fresh = nil // it looks as before
			return found, nil
		}
		c.comparePictures(ctx, f.MIME, stored, f.Data, &found)
		return found, nil
	}
	return outcome{check: catalog.Check{Status: catalog.CheckDifferent}, fresh: firstForm(fresh)}, nil
}

func firstForm(fresh mimebundle.Content) *library.Form {
	if len(fresh.Forms) == 0 {
		return nil
	}
	return &library.Form{MIME: fresh.Forms[0].MIME, Data: fresh.Forms[0].Data}
}

// sameType reports whether a stored type is that of the kernel.
func sameType(stored, mime string) bool {
	return stored == mime || strings.EqualFold(stored, strings.TrimSpace(mime))
}

// comparePictures draws two figures whose data differs and compares the pictures. If they
// look alike, the figure counts as reproduced. Without an engine, the data decides.
func (c *Checker) comparePictures(ctx context.Context, mime string, stored, fresh []byte, found *outcome) {
	before, err := c.draw(ctx, mime, stored)
	if err != nil {
		return
	}
	after, err := c.draw(ctx, mime, fresh)
	if err != nil {
		return
	}
	r, err := difference.Pictures(before, after)
	if err != nil {
		return
	}
	keys := found.check.Keys
	found.check, found.fresh = checkOf(r), &library.Form{MIME: picture.PNG, Data: after}
	found.check.Keys, found.check.Exact = keys, false
}

// draw draws a figure as the gallery does.
func (c *Checker) draw(ctx context.Context, mime string, data []byte) ([]byte, error) {
	if c.cfg.Renderer == nil {
		return nil, fmt.Errorf("no engine draws %q", mime)
	}
	if mime == "text/html" {
		if vega, spec, ok := mimebundle.VegaSpec(data); ok {
			mime, data = vega, spec
		}
	}
	drawn, err := c.cfg.Renderer.Draw(ctx, render.Request{MIME: mime, Data: data, Scale: 2})
	return drawn.PNG, err
}

// checkOf returns the result of a comparison.
func checkOf(r difference.Result) catalog.Check {
	c := catalog.Check{Status: catalog.CheckReproduced, Exact: r.Verdict == difference.Identical, Keys: r.Keys}
	if r.Verdict != difference.Different {
		return c
	}
	c.Status = catalog.CheckDifferent
	if r.Sizes[0] != r.Sizes[1] {
		c.Sizes = []int{r.Sizes[0].X, r.Sizes[0].Y, r.Sizes[1].X, r.Sizes[1].Y}
		return c
	}
	c.Changed = r.Share()
	if b := r.Box; !b.Empty() {
		c.Box = []int{b.Min.X, b.Min.Y, b.Dx(), b.Dy()}
	}
	return c
}

// Difference returns the stored picture of an image, the new one and their differences as
// one PNG whose longer side has at most edge pixels. They are beside each other, or, if
// stack is set, below each other if that leaves more room for them. The error is that of
// picture.Decode.
func Difference(stored, fresh []byte, edge int, stack bool) ([]byte, error) {
	a, err := picture.Decode(stored)
	if err != nil {
		return nil, err
	}
	b, err := picture.Decode(fresh)
	if err != nil {
		return nil, err
	}
	r := difference.Images(a, b)
	if r.Marked == nil {
		return picture.EncodeThumb(difference.Beside(edge, stack, a, b))
	}
	return picture.EncodeThumb(difference.Beside(edge, stack, a, b, r.Marked))
}
