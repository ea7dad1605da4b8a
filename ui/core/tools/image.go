package tools

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/picture"
	"easel/ui/core/tools/codes"
)

// pageOfImages is the default number of images in a page of resources.
const pageOfImages = 50

// pageFor returns the default number of entries in a page of a list. It is smaller for MCP
// clients, because entries cost the model tokens.
func pageFor(ctx context.Context) int {
	if tool.CallerFrom(ctx).Transport == tool.MCP {
		return 20
	}
	return 50
}

func (b *bodies) listSessionImages(ctx context.Context, in catalog.ListSessionImagesIn) (catalog.ListSessionImagesOut, error) {
	out := catalog.ListSessionImagesOut{Result: catalog.OK, Images: []catalog.Image{}}
	id, err := b.sessionID(ctx, in.SessionID)
	if err != nil {
		return out, err
	}
	images, next, err := b.Library.Images(ctx, library.Query{SessionID: id, Rating: -1}, library.Page{Cursor: in.Cursor, Limit: pageFor(ctx)})
	if err != nil {
		return out, err
	}
	freshen(ctx, b.Cells, id)
	for _, i := range images {
		i.Cell = b.Cells.Cell(id, i.ExecutionID)
		if b.Redrawer != nil && tool.CallerFrom(ctx).Transport != tool.Window {
			i.Redrawable = b.redrawable(ctx, i, false)
		}
		out.Images = append(out.Images, i.Image)
	}
	out.NextCursor = next
	return out, nil
}

// sessionID returns the id of a session, given its id or its kernel's id. It looks in the
// library first, then among the running kernels of all servers.
func (b *bodies) sessionID(ctx context.Context, id string) (string, error) {
	if s, err := b.Library.Session(ctx, id); err == nil {
		return s.ID, nil
	}
	s, err := b.Kernels.Known(ctx, id)
	return s, err
}

func (b *bodies) getImageResource(ctx context.Context, in catalog.GetImageResourceIn) (catalog.GetImageResourceOut, error) {
	uri, part, cropped := catalog.CutCrop(in.ResourceURI)
	if name, ok := notebooks.ParsePictureName(uri); ok && b.saved != nil {
		return b.getSavedPicture(ctx, in, name)
	}
	image, err := b.named(ctx, uri)
	if err != nil {
		return catalog.GetImageResourceOut{}, err
	}
	image = b.drawn(ctx, image)
	freshen(ctx, b.Cells, image.SessionID)
	image.Cell = b.Cells.Cell(image.SessionID, image.ExecutionID)
	image.Damaged = b.examined.damage(ctx, b.images(), image.Image)
	b.sayRedrawable(ctx, true, &image.Image)
	caller := tool.CallerFrom(ctx)
	out := catalog.GetImageResourceOut{
		Result: catalog.OK, Image: image.Image, Edge: in.MaxEdge, Asked: in.ResourceURI,
		Blind: oversight.DeliveryTo(b.Store.Snapshot(), caller, "").Blind,
	}
	if cropped {
		out.Crop = catalog.CropURI(cmp.Or(image.ResourceURI, image.ImageID), part)
	}
	if caller.Transport == tool.MCP {
		return out, nil // the host adds the picture to the result
	}
	if image.Interactive != "" || image.Damaged != "" {
		return out, nil // there is no picture; the result says so
	}
	var data []byte
	var mime string
	if cropped {
		data, mime, err = b.crop(ctx, image, part, in.MaxEdge, 0)
	} else {
		data, mime, err = b.preview(ctx, image, in.MaxEdge, 0)
	}
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
func (b *bodies) drawn(ctx context.Context, im library.Image) library.Image {
	if im.Interactive == "" || b.Collection == nil {
		return im
	}
	drawing := b.Collection.Drawing(im)
	if drawing == nil {
		im.Description = b.describe(ctx, im.Image)
		return im
	}
	patience := time.NewTimer(figurePatience)
	defer patience.Stop()
	select {
	case <-drawing:
		if now, err := b.Library.Image(ctx, im.ImageID); err == nil {
			im = now
		}
	case <-patience.C:
	case <-tool.CallerFrom(ctx).Cancelled:
	case <-ctx.Done():
	}
	im.Description = b.describe(ctx, im.Image)
	return im
}

// describe returns the description of an image. That of a figure without a picture says
// that Easel is about to draw it or why it could not, or how the code gets a picture.
func (b *bodies) describe(ctx context.Context, im catalog.Image) string {
	kind, ok := picture.InteractiveOf(im.Interactive)
	if !ok || b.Collection == nil {
		return im.Description
	}
	now, err := b.Collection.Get(ctx, im.ImageID)
	if err != nil || len(now) != 1 {
		return im.Description
	}
	switch why := now[0].NotDrawn; {
	case why.Lacks != "":
		return im.Description
	case why.Reason != "":
		return mimebundle.DescribeRefused(kind, why.Reason)
	case b.Collection.Drawing(now[0]) != nil:
		return mimebundle.DescribeUndrawn(kind)
	default:
		return im.Description
	}
}

// named returns the image that a URI, an id, a path, selected or latest names.
func (b *bodies) named(ctx context.Context, name string) (library.Image, error) {
	if name == catalog.Selected || name == catalog.Latest {
		found, err := b.gallery.resolve(ctx, name)
		if err != nil {
			return library.Image{}, err
		}
		if len(found) == 0 { // it has been deleted since
			return library.Image{}, codes.ImageNotFound(name, library.ErrNotFound)
		}
		return found[0], nil
	}
	image, err := b.images().Image(ctx, name)
	if errors.Is(err, library.ErrNotFound) && filepath.IsAbs(name) {
		image, err = b.gallery.byPath(ctx, name)
	}
	return image, codes.ImageNotFound(name, err)
}

func (b *bodies) listImages(ctx context.Context, in catalog.ListImagesIn) (catalog.ListImagesOut, error) {
	out := catalog.ListImagesOut{Images: []catalog.ListedImage{}}
	limit := in.Limit
	if limit <= 0 {
		limit = pageOfImages
	}
	images, next, err := b.Library.Images(ctx, library.Query{URIPrefix: in.URIPrefix, Rating: -1}, library.Page{Cursor: in.Cursor, Limit: limit})
	if err != nil {
		return out, err
	}
	for _, i := range images {
		out.Images = append(out.Images, catalog.ListedImage{Image: i.Image, Name: fmt.Sprintf("matplotlib output [%d]", i.N)})
	}
	out.NextCursor = next
	return out, nil
}

func (b *bodies) readImage(ctx context.Context, in catalog.ReadImageIn) (catalog.ReadImageOut, error) {
	uri, part, cropped := catalog.CutCrop(in.URI)
	image, err := b.images().Image(ctx, uri)
	if err != nil {
		return catalog.ReadImageOut{}, codes.ImageNotFound(in.URI, err)
	}
	if cropped {
		data, mime, err := b.crop(ctx, image, part, in.MaxEdge, in.MaxBytes)
		return catalog.ReadImageOut{Image: image.Image, MIMEType: mime, Data: data, ETag: fmt.Sprintf("%s-%d-%v", image.ETag, in.MaxEdge, part)}, err
	}
	if in.MaxEdge <= 0 {
		if tool.CallerFrom(ctx).Transport == tool.MCP { // others may want the file as it is
			if err := b.whole(ctx, image.Image); err != nil {
				return catalog.ReadImageOut{}, err
			}
		}
		data, image, err := b.images().Read(ctx, image.ImageID)
		return catalog.ReadImageOut{Image: image.Image, MIMEType: image.MIMEType, Data: data, ETag: image.ETag}, codes.ImageNotFound(in.URI, err)
	}
	data, mime, err := b.preview(ctx, image, in.MaxEdge, in.MaxBytes)
	return catalog.ReadImageOut{
		Image: image.Image, MIMEType: mime, Data: data, ETag: fmt.Sprintf("%s-%d", image.ETag, in.MaxEdge),
	}, err
}

// images returns the source of images: plots and, if directories are supported, the files
// in the open directory.
func (b *bodies) images() interface {
	Image(ctx context.Context, idOrURI string) (library.Image, error)
	Read(ctx context.Context, idOrURI string) ([]byte, library.Image, error)
} {
	if b.Collection != nil {
		return b.Collection
	}
	return b.Library
}

// preview returns the image scaled to limits for models, and its type. An SVG without a
// raster form is returned unchanged.
func (b *bodies) preview(ctx context.Context, image library.Image, maxEdge, maxBytes int) ([]byte, string, error) {
	if image.Interactive != "" {
		return nil, "", &tool.Error{Code: tool.NotExecutable, Detail: image.Description + ".", Err: picture.ErrNoRaster}
	}
	data, image, err := b.images().Read(ctx, image.ImageID)
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
