package external

import (
	"context"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/gallery"
)

// A Library reads the plots.
type Library interface {
	Read(ctx context.Context, id string) ([]byte, library.Image, error)
}

// OpensWith reports whether plots can be opened with other programs.
func (o *Opener) OpensWith() bool { return o.port.OpenWith != nil }

// With opens a copy of a plot, which the program cannot change, with a program that the user
// chooses. OpensWith must be true.
func (o *Opener) With(id string) {
	failed, window := o.failed("external.program"), o.port.Window()
	o.port.Requests.Background("open_with", func(ctx context.Context) error {
		data, im, err := o.port.Library.Read(ctx, id)
		if err != nil {
			return err
		}
		file, err := o.port.HandOut(o.FileName(im), data)
		if err != nil {
			return err
		}
		return failed(o.port.OpenWith(window, file))
	}, nil)
}

// FileName returns the name of a plot's file for other programs.
func (o *Opener) FileName(im library.Image) string {
	return o.port.Name(gallery.Title(o.port.Kit(), im), picture.DataEnding(im.MIMEType, im.Path))
}
