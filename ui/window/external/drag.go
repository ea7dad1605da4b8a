package external

import (
	"context"

	"easel/ui/core/picture"
)

// Drag lets the user drop copies of plots on other programs. Call it while the primary mouse
// button is pressed. It does nothing if the desktop does not allow it.
func (o *Opener) Drag(ids []string) {
	if o.port.Drag == nil {
		return
	}
	window := o.port.Window()
	if window == 0 {
		return
	}
	o.port.Requests.Background("drag", func(ctx context.Context) error {
		_, err := o.port.Drag(ctx, window, func(ctx context.Context) ([]string, []byte, error) { return o.copies(ctx, ids) })
		return err
	}, nil)
}

// copies makes copies of plots for other programs. It also returns the data of the last PNG.
func (o *Opener) copies(ctx context.Context, ids []string) (files []string, png []byte, err error) {
	for _, id := range ids {
		data, im, err := o.port.Library.Read(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		file, err := o.port.HandOut(o.FileName(im), data)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
		if im.MIMEType == picture.PNG && im.Interactive == "" {
			png = data
		}
	}
	return files, png, nil
}
