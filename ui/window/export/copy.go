package export

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/kit"
)

// CopyText copies a text to the clipboard. what names it in the message, for example
// "code".
func (e *Exporter) CopyText(text, what string) {
	e.port.Clipboard(text)
	e.port.Say(kit.MarkCheck, e.port.Kit().T("flash.copied", what))
}

// CopyImage copies a picture to the clipboard, or its path if that is not possible. If the
// viewer shows an animation, it copies the frame that is shown. For a figure without a
// picture, it copies the data.
func (e *Exporter) CopyImage(id string) { e.copyImage(id, false) }

// CopyMarked copies a picture with the user's marks on it, and their numbers.
func (e *Exporter) CopyMarked(id string) { e.copyImage(id, true) }

func (e *Exporter) copyImage(id string, marked bool) {
	var im library.Image
	var text string  // the data of a figure without a picture
	var failed error // why the picture is not on the clipboard
	unmarked := false
	frame := e.port.Frame(id)
	e.port.Requests.Background("copy_image", func(ctx context.Context) error {
		data, found, err := e.port.Library.Read(ctx, id)
		if err != nil {
			return err
		}
		im = found
		if im.Interactive != "" {
			text = string(data)
			return nil
		}
		data, err = e.asPNG(ctx, data, found, frame)
		if err != nil {
			return err
		}
		file := found.Path
		if frame != nil {
			file = "" // it contains all frames
		}
		if marked {
			file = ""
			if data, err = e.mark(ctx, id, data); data == nil {
				unmarked = err == nil
				return err
			}
		}
		if e.port.CopyImage == nil {
			failed = errors.ErrUnsupported
		} else if failed = e.port.CopyImage(ctx, data, file); failed != nil {
			e.port.Log.WarnContext(ctx, "a picture could not be copied", "err", failed)
		}
		return nil
	}, func() {
		if text != "" {
			e.CopyText(text, e.port.Kit().T("what.data"))
			return
		}
		if unmarked {
			e.port.Say(kit.MarkBad, e.port.Kit().T("flash.no_marks"))
			return
		}
		if failed == nil {
			e.port.Say(kit.MarkCheck, e.port.Kit().T("flash.copied", e.port.Kit().T("what.image")))
			return
		}
		e.port.Clipboard(im.Path)
		e.port.Say(kit.MarkBad, e.port.Kit().T("flash.copied_path"))
	})
}

// mark returns a picture with the user's marks; nil if there are none.
func (e *Exporter) mark(ctx context.Context, id string, data []byte) ([]byte, error) {
	notes, err := e.port.Library.Questions(ctx, id)
	if err != nil || len(notes) == 0 {
		return nil, err
	}
	m, err := picture.Decode(data)
	if err != nil {
		return nil, err
	}
	if m, err = e.port.Marked(m, notes); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// asPNG returns an image as a PNG, because not every program pastes other formats. If
// frame is not nil, it is the picture.
func (e *Exporter) asPNG(ctx context.Context, data []byte, im library.Image, frame image.Image) ([]byte, error) {
	if frame == nil && im.MIMEType == picture.PNG {
		return data, nil
	}
	var err error
	switch {
	case frame != nil:
	case im.MIMEType == picture.SVG:
		return e.port.Library.ReadForm(ctx, im, picture.PNG)
	default:
		frame, err = picture.Decode(data)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = png.Encode(&b, frame)
	return b.Bytes(), err
}

// CopyCode copies the code that drew a plot.
func (e *Exporter) CopyCode(id string) {
	e.copyOf(id, "copy_code", "what.code", func(im library.Image) string { return im.Code })
}

// CopyPath copies the path of a plot's file.
func (e *Exporter) CopyPath(id string) {
	e.copyOf(id, "copy_path", "what.path", func(im library.Image) string { return im.Path })
}

func (e *Exporter) copyOf(id, request, what string, text func(library.Image) string) {
	var found string
	e.port.Requests.Background(request, func(ctx context.Context) error {
		images, err := e.port.Library.Get(ctx, id)
		if err == nil && len(images) > 0 {
			found = text(images[0])
		}
		return err
	}, func() { e.CopyText(found, e.port.Kit().T(what)) })
}
