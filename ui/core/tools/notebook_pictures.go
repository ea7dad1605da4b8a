package tools

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/picture"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
)

// A picture that is saved in a notebook has a name, by which get_image_resource returns it. It is
// not added to the library: nobody drew it here. If the library has the same picture, that is
// returned, with what the user said about it.

// findPlots adds the plots of the library to the pictures in cells that are the same.
func (n *notebookBodies) findPlots(ctx context.Context, cells []catalog.NotebookCell) {
	for _, c := range cells {
		for _, o := range c.Outputs {
			for i, f := range o.Data {
				if f.ResourceURI == "" || f.Sum == "" {
					continue
				}
				if im, err := n.Library.WithContent(ctx, f.Sum); err == nil {
					o.Data[i].Plot = &im.Image
				}
			}
		}
	}
}

// savedPicture reads a picture that is saved in a notebook. path is the server's own spelling.
func (n *notebookBodies) savedPicture(ctx context.Context, name notebooks.PictureName) (p notebooks.SavedPicture, path string, err error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	at, _, err := n.locate(ctx, "", name.Path)
	if err != nil {
		return p, "", err
	}
	_, book, _, err := n.look(ctx, at)
	if err != nil {
		return p, "", n.documentError(ctx, at, err)
	}
	p, err = book.Picture(name)
	if errors.Is(err, notebooks.ErrNoPicture) {
		return p, "", &tool.Error{
			Code: tool.ImageNotFound, Detail: fmt.Sprintf("No picture is saved in this output: %q.", name),
			Hint: "notebook_read names the pictures in a notebook's outputs.", Err: err,
		}
	}
	if errors.Is(err, notebooks.ErrCellNotFound) {
		err = codes.Notebook(at.path, err)
	}
	return p, at.own(), err
}

// getSavedPicture returns a picture that is saved in a notebook.
func (b *bodies) getSavedPicture(ctx context.Context, in catalog.GetImageResourceIn, name notebooks.PictureName) (catalog.GetImageResourceOut, error) {
	p, path, err := b.saved(ctx, name)
	if why := damageOf(err); why != "" {
		return savedDamaged(in, p, path, why), nil
	}
	if err != nil {
		return catalog.GetImageResourceOut{}, err
	}
	if im, err := b.Library.WithContent(ctx, notebooks.Sum(p.Data)); err == nil {
		in.ResourceURI = im.ResourceURI
		return b.getImageResource(ctx, in)
	}
	caller := tool.CallerFrom(ctx)
	out := savedImage(in, p, path)
	out.Blind = oversight.DeliveryTo(b.Store.Snapshot(), caller, "").Blind
	if p.MIME == picture.SVG {
		if caller.Transport != tool.MCP {
			out.Data, out.DataMIMEType = base64.StdEncoding.EncodeToString(p.Data), p.MIME
		}
		return out, nil
	}
	limit := 0
	if caller.Transport == tool.MCP {
		limit = mostPreview
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
