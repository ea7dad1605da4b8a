package plots

import (
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/picture"
)

// getSavedPicture returns a picture that is saved in a notebook.
func (r *reader) getSavedPicture(ctx context.Context, in catalog.GetImageResourceIn,
	name notebooks.PictureName,
) (catalog.GetImageResourceOut, error) {
	p, path, err := r.Saved(ctx, name)
	if why := damageOf(err); why != "" {
		return savedDamaged(in, p, path, why), nil
	}
	if err != nil {
		return catalog.GetImageResourceOut{}, err
	}
	if im, err := r.Library.Images.WithContent(ctx, notebooks.Sum(p.Data)); err == nil {
		in.ResourceURI = im.ResourceURI
		return r.getImageResource(ctx, in)
	}
	caller := tool.CallerFrom(ctx)
	out := savedImage(in, p, path)
	out.Blind = oversight.DeliveryTo(r.Store.Snapshot(), caller, "").Blind
	if p.MIME == picture.SVG {
		if caller.Transport != tool.MCP {
			out.Data, out.DataMIMEType = base64.StdEncoding.EncodeToString(p.Data), p.MIME
		}
		return out, nil
	}
	if _, wish, partly, err := wishOf(in); err != nil || partly {
		if err == nil {
			_, out.Width, out.Height, _ = picture.Sniff(p.Data)
			err = addPart(ctx, wholePicture{data: p.Data, mime: p.MIME, size: image.Pt(out.Width, out.Height)}, wish, &out)
		}
		return out, err
	}
	limit := 0
	if caller.Transport == tool.MCP {
		limit = MostPreview
	}
	preview, mime, _, _, err := picture.Preview(p.Data, p.MIME, in.MaxEdge, limit)
	if why := damageOf(err); why != "" {
		return savedDamaged(in, p, path, why), nil
	}
	if err != nil {
		return out, fmt.Errorf("scaling %s: %w", name, err)
	}
	_, out.Width, out.Height, _ = picture.Sniff(p.Data)
	switch {
	case caller.Transport != tool.MCP:
		out.Data, out.DataMIMEType = base64.StdEncoding.EncodeToString(preview), mime
	case !out.Blind:
		out.Preview, out.PreviewType = preview, mime
	}
	return out, nil
}

// savedImage describes a picture that is saved in a notebook.
func savedImage(in catalog.GetImageResourceIn, p notebooks.SavedPicture, path string) catalog.GetImageResourceOut {
	return catalog.GetImageResourceOut{
		Result: catalog.OK, Edge: in.MaxEdge, Asked: in.ResourceURI, Saved: true,
		Image: catalog.Image{
			ResourceURI: in.ResourceURI, MIMEType: p.MIME, Bytes: int64(len(p.Data)), Tags: []string{},
			Description: fmt.Sprintf("saved in the notebook %s, by the cell at index %d", path, p.Cell),
			Cell:        &catalog.PlotCell{CellID: p.CellID, Index: new(p.Cell), Count: p.Count},
		},
	}
}

func savedDamaged(in catalog.GetImageResourceIn, p notebooks.SavedPicture, path, why string) catalog.GetImageResourceOut {
	out := savedImage(in, p, path)
	out.Damaged = strings.TrimSuffix(why, ".")
	return out
}
