package plots

import (
	"context"
	"image"

	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/tools/codes"
)

// crop returns a part of an image as a PNG or JPEG within limits for models.
func (r *reader) crop(ctx context.Context, im library.Image, part image.Rectangle, maxEdge, maxBytes int) ([]byte, string, error) {
	data, _, err := r.Results.Source.Read(ctx, im.ImageID)
	if err != nil {
		return nil, "", codes.ImageNotFound(im.ResourceURI, err)
	}
	cropped, err := picture.Crop(data, part)
	if why := damageOf(err); why != "" {
		return nil, "", damagedPicture(why, err)
	}
	if err != nil {
		return nil, "", &tool.Error{Code: tool.NotExecutable, Detail: "There is no such part of the picture.", Hint: "The part is named as #xywh=x,y,width,height in pixels.", Err: err}
	}
	if maxEdge <= 0 {
		return cropped, picture.PNG, nil
	}
	out, mime, _, _, err := picture.Preview(cropped, picture.PNG, maxEdge, maxBytes)
	return out, mime, err
}
