package export

import (
	"context"
	"errors"
	"image"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/picture"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// CopyCrop copies a part of a picture to the clipboard.
func (e *Exporter) CopyCrop(id string, r image.Rectangle) {
	e.port.Requests.Background("copy_crop", func(ctx context.Context) error {
		if e.port.CopyImage == nil {
			return errors.ErrUnsupported
		}
		data, _, err := e.port.Library.Read(ctx, id)
		if err != nil {
			return err
		}
		part, err := picture.Crop(data, r)
		if err != nil {
			return err
		}
		return e.port.CopyImage(ctx, part, "")
	}, func() { e.port.Say(kit.MarkCheck, e.port.Kit().T("flash.copied", e.port.Kit().T("what.image"))) })
}

// CopyRegion copies the description of a part of a picture, to paste into a chat.
func (e *Exporter) CopyRegion(id string, r image.Rectangle) {
	requests.Topic(e.port.Requests, "copy_region", command.DescribeRegion, command.SetRegionIn{ID: id, Rect: r}, func(out catalog.Region) {
		text := "Selected part of a plot in Easel: " + out.Text + "."
		if out.Crop != "" {
			text += "\nPicture: " + out.Crop
		}
		e.CopyText(text, e.port.Kit().T("what.region"))
	})
}
