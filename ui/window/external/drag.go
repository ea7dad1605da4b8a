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
		var files []string
		var data []byte
		for _, id := range ids {
			bytes, im, err := o.port.Library.Read(ctx, id)
			if err != nil {
				return err
			}
			file, err := o.port.HandOut(o.FileName(im), bytes)
			if err != nil {
				return err
			}
			files = append(files, file)
			if im.MIMEType == picture.PNG && im.Interactive == "" {
				data = bytes
			}
		}
		_, err := o.port.Drag(ctx, window, files, data)
		return err
	}, nil)
}
