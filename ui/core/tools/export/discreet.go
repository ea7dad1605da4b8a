package export

import (
	"context"
	"strings"

	"easel/internal/mask"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/redraw"
)

// discreet makes exports read through a mask, because they are for others.
func (d *Deps) discreet() {
	l := discreetLibrary{d.Library, d.Mask}
	d.Library = l
	if draw := d.Redraw; draw != nil { // a vector picture has its texts as such
		d.Redraw = func(ctx context.Context, im library.Image, q redraw.Request) (redraw.Picture, error) {
			p, err := draw(ctx, im, q)
			if q.Format == redraw.SVG {
				p.Data = l.form(im, picture.SVG, p.Data)
			}
			return p, err
		}
	}
	for _, values := range []*func(context.Context, library.Image) ([]byte, bool){&d.Values, &d.Stored} {
		if read := *values; read != nil {
			*values = func(ctx context.Context, im library.Image) ([]byte, bool) {
				csv, sample := read(ctx, im)
				if csv == nil {
					return nil, sample
				}
				return []byte(d.Mask(im.SessionID).String(string(csv))), sample
			}
		}
	}
}

// A discreetLibrary hides secrets in what it reads. Pictures pass.
type discreetLibrary struct {
	Library
	mask func(session string) *mask.Mask
}

func (l discreetLibrary) hide(im *library.Image) {
	m := l.mask(im.SessionID)
	for _, text := range []*string{&im.Title, &im.Description, &im.Note, &im.Code} {
		*text = m.String(*text)
	}
	im.Tags = append([]string(nil), im.Tags...)
	for i, tag := range im.Tags {
		im.Tags[i] = m.String(tag)
	}
}

// Get implements Library.
func (l discreetLibrary) Get(ctx context.Context, ids ...string) ([]library.Image, error) {
	all, err := l.Library.Get(ctx, ids...)
	for i := range all {
		l.hide(&all[i])
	}
	return all, err
}

// Image implements Library.
func (l discreetLibrary) Image(ctx context.Context, idOrURI string) (library.Image, error) {
	im, err := l.Library.Image(ctx, idOrURI)
	l.hide(&im)
	return im, err
}

// Read implements Library.
func (l discreetLibrary) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	data, im, err := l.Library.Read(ctx, id)
	l.hide(&im)
	return l.form(im, im.MIMEType, data), im, err
}

// ReadForm implements Library.
func (l discreetLibrary) ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error) {
	data, err := l.Library.ReadForm(ctx, im, mime)
	return l.form(im, mime, data), err
}

// form hides secrets in a form that is text, such as the data of a figure.
func (l discreetLibrary) form(im library.Image, mime string, data []byte) []byte {
	switch {
	case strings.HasSuffix(mime, "json"):
		return l.mask(im.SessionID).JSON(data)
	case strings.HasPrefix(mime, "text/"), mime == "image/svg+xml":
		return []byte(l.mask(im.SessionID).String(string(data)))
	}
	return data
}

// Execution implements Library.
func (l discreetLibrary) Execution(ctx context.Context, id string) (library.Execution, error) {
	x, err := l.Library.Execution(ctx, id)
	m := l.mask(x.SessionID)
	x.Code, x.Result = m.String(x.Code), m.String(x.Result)
	if x.Error != nil {
		e := *x.Error
		e.Message, e.Traceback = m.String(e.Message), m.String(e.Traceback)
		x.Error = &e
	}
	return x, err
}
