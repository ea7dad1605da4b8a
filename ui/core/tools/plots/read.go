package plots

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/picture"
	"easel/ui/core/tools/codes"
)

// pageOfImages is the default number of images in a page of resources.
const pageOfImages = 50

func (r *reader) listSessionImages(ctx context.Context, in catalog.ListSessionImagesIn) (catalog.ListSessionImagesOut, error) {
	out := catalog.ListSessionImagesOut{Result: catalog.OK, Images: []catalog.Image{}}
	id, err := r.SessionID(ctx, in.SessionID)
	if err != nil {
		return out, err
	}
	images, next, err := r.Library.Images.Page(ctx, library.Query{SessionID: id, Rating: -1},
		library.Page{Cursor: in.Cursor, Limit: PageFor(ctx)})
	if err != nil {
		return out, err
	}
	Freshen(ctx, r.Cells, id)
	for _, i := range images {
		i.Cell = r.Cells.Cell(id, i.ExecutionID)
		if r.Results.Redrawer != nil && tool.CallerFrom(ctx).Transport != tool.Window {
			i.Redrawable = r.Results.Way(ctx, i, false).By
		}
		out.Images = append(out.Images, i.Image)
	}
	out.NextCursor = next
	return out, nil
}

func (r *reader) getImageResource(ctx context.Context, in catalog.GetImageResourceIn) (catalog.GetImageResourceOut, error) {
	uri, wish, partly, err := wishOf(in)
	if err != nil {
		return catalog.GetImageResourceOut{}, err
	}
	if name, ok := notebooks.ParsePictureName(uri); ok && r.Saved != nil {
		return r.getSavedPicture(ctx, in, name)
	}
	image, err := r.Names.Find(ctx, uri)
	if err != nil {
		return catalog.GetImageResourceOut{}, err
	}
	image = r.drawn(ctx, image)
	Freshen(ctx, r.Cells, image.SessionID)
	image.Cell = r.Cells.Cell(image.SessionID, image.ExecutionID)
	image.Damaged = r.Results.Damage(ctx, image.Image)
	r.Results.sayRedrawable(ctx, true, &image.Image)
	r.Results.SayAll(ctx, &image)
	caller := tool.CallerFrom(ctx)
	out := catalog.GetImageResourceOut{
		Result: catalog.OK, Image: image.Image, Edge: in.MaxEdge, Asked: in.ResourceURI,
		Blind: oversight.DeliveryTo(r.Store.Snapshot(), caller, "").Blind,
	}
	if partly {
		err := r.closer(ctx, image, wish, &out)
		return out, err
	}
	if caller.Transport == tool.MCP {
		return out, nil // the host adds the picture to the result
	}
	if image.Interactive != "" || image.Damaged != "" {
		return out, nil // there is no picture; the result says so
	}
	data, mime, err := r.preview(ctx, image, in.MaxEdge, 0)
	if err != nil {
		return out, err
	}
	out.Data, out.DataMIMEType = base64.StdEncoding.EncodeToString(data), mime
	return out, nil
}

// figurePatience is how long a caller that asks for the picture of a figure waits for Easel
// to draw it. The first start of a browser takes several seconds.
const figurePatience = 15 * time.Second

// drawn waits up to figurePatience for the picture of a figure that Easel draws, and returns
// the image as it is then. It returns any other image immediately.
func (r *reader) drawn(ctx context.Context, im library.Image) library.Image {
	if im.Interactive == "" || r.Results.Drawings == nil {
		return im
	}
	drawing := r.Results.Drawings.Drawing(im)
	if drawing == nil {
		im.Description = r.Results.describe(ctx, im.Image)
		return im
	}
	patience := time.NewTimer(figurePatience)
	defer patience.Stop()
	select {
	case <-drawing:
		if now, err := r.Library.Images.Image(ctx, im.ImageID); err == nil {
			im = now
		}
	case <-patience.C:
	case <-tool.CallerFrom(ctx).Cancelled:
	case <-ctx.Done():
	}
	im.Description = r.Results.describe(ctx, im.Image)
	return im
}

func (r *reader) listImages(ctx context.Context, in catalog.ListImagesIn) (catalog.ListImagesOut, error) {
	out := catalog.ListImagesOut{Images: []catalog.ListedImage{}}
	limit := in.Limit
	if limit <= 0 {
		limit = pageOfImages
	}
	images, next, err := r.Library.Images.Page(ctx, library.Query{URIPrefix: in.URIPrefix, Rating: -1},
		library.Page{Cursor: in.Cursor, Limit: limit})
	if err != nil {
		return out, err
	}
	for _, i := range images {
		out.Images = append(out.Images, catalog.ListedImage{Image: i.Image, Name: fmt.Sprintf("matplotlib output [%d]", i.N)})
	}
	out.NextCursor = next
	return out, nil
}

func (r *reader) readImage(ctx context.Context, in catalog.ReadImageIn) (catalog.ReadImageOut, error) {
	uri, part, cropped := catalog.CutCrop(in.URI)
	image, err := r.Results.Source.Image(ctx, uri)
	if err != nil {
		return catalog.ReadImageOut{}, codes.ImageNotFound(in.URI, err)
	}
	if cropped {
		data, mime, err := r.crop(ctx, image, part, in.MaxEdge, in.MaxBytes)
		return catalog.ReadImageOut{
			Image: image.Image, MIMEType: mime, Data: data,
			ETag: fmt.Sprintf("%s-%d-%v", image.ETag, in.MaxEdge, part),
		}, err
	}
	if in.MaxEdge <= 0 {
		if tool.CallerFrom(ctx).Transport == tool.MCP { // others may want the file as it is
			if err := r.Results.whole(ctx, image.Image); err != nil {
				return catalog.ReadImageOut{}, err
			}
		}
		data, image, err := r.Results.Source.Read(ctx, image.ImageID)
		return catalog.ReadImageOut{Image: image.Image, MIMEType: image.MIMEType, Data: data, ETag: image.ETag}, codes.ImageNotFound(in.URI, err)
	}
	data, mime, err := r.preview(ctx, image, in.MaxEdge, in.MaxBytes)
	return catalog.ReadImageOut{
		Image: image.Image, MIMEType: mime, Data: data, ETag: fmt.Sprintf("%s-%d", image.ETag, in.MaxEdge),
	}, err
}

// preview returns the image scaled to limits for models, and its type. An SVG without a
// raster form is returned unchanged.
func (r *reader) preview(ctx context.Context, image library.Image, maxEdge, maxBytes int) ([]byte, string, error) {
	if image.Interactive != "" {
		return nil, "", &tool.Error{Code: tool.NotExecutable, Detail: image.Description + ".", Err: picture.ErrNoRaster}
	}
	data, image, err := r.Results.Source.Read(ctx, image.ImageID)
	if err != nil {
		return nil, "", codes.ImageNotFound(image.ResourceURI, err)
	}
	if strings.HasPrefix(image.MIMEType, "image/svg") {
		return data, image.MIMEType, nil // no raster form: a model reads its text
	}
	out, mime, _, _, err := picture.Preview(data, image.MIMEType, maxEdge, maxBytes)
	if why := damageOf(err); why != "" {
		return nil, "", damagedPicture(why, err)
	}
	if err != nil {
		return nil, "", fmt.Errorf("scaling %s: %w", image.ResourceURI, err)
	}
	return out, mime, nil
}
