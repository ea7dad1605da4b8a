package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"easel/ui/core/picture"
)

// A Drawing is a picture that Easel drew of a figure that came without one.
type Drawing struct {
	PNG         []byte
	Title       string // of the figure; empty: it stays as it is
	Description string // a line that tells what it is
}

// A drawnRecord tells of a Drawing.
type drawnRecord struct {
	ID          string     `json:"id"`
	Form        formRecord `json:"form"`
	Width       int        `json:"width"`
	Height      int        `json:"height"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description"`
}

// Undrawn tells whether an image has no pixels, and a drawing would give it some: a figure that
// came without a picture, or an SVG alone.
func Undrawn(im Image) bool {
	return im.Interactive != "" || im.MIMEType == picture.SVG && !slices.ContainsFunc(im.Forms, func(f StoredForm) bool { return raster(f.MIME) })
}

// undrawn is Undrawn of an image in the database.
func undrawn(interactive string, main formRecord, others []formRecord) bool {
	return interactive != "" || main.MIME == picture.SVG && !slices.ContainsFunc(others, func(f formRecord) bool { return raster(f.MIME) })
}

// AddDrawing gives an image that is Undrawn the picture that Easel drew of it. It is
// an image like any other from then on: the drawing is its first form, and its data, which is
// kept, comes behind it. Its id stays, its URI has another ending. It is on the disk when
// AddDrawing returns. An image that has a picture stays as it is. ErrNotFound if there is no
// such image, ErrInvalid if the drawing is no picture.
func (l *Library) AddDrawing(ctx context.Context, idOrURI string, d Drawing) (Image, error) {
	old, err := l.imageRow(ctx, idOrURI)
	if err != nil {
		return Image{}, err
	}
	if !undrawn(old.interactive, old.main, parseForms(old.forms)) {
		return l.Image(ctx, old.id)
	}
	form, w, h := l.newForm(Form{MIME: picture.PNG, Data: d.PNG})
	if form.MIME != picture.PNG || w == 0 {
		return Image{}, fmt.Errorf("%w: the drawing is no PNG", ErrInvalid)
	}
	files := map[string]newFile{form.name(): {l.formPath(form), d.PNG}}
	if err := l.makeRoom(ctx, files); err != nil {
		return Image{}, err
	}
	drawn := drawnRecord{ID: old.id, Form: form, Width: w, Height: h, Title: clean(d.Title), Description: clean(d.Description)}
	if err := l.keepDrawing(ctx, drawn, files[form.name()]); err != nil {
		return Image{}, fmt.Errorf("keep the drawing: %w", err)
	}
	images, err := l.Get(ctx, old.id)
	if err == nil && len(images) == 0 {
		err = fmt.Errorf("%w: it was deleted meanwhile", ErrNotFound)
	}
	return one(images, err)
}

func (l *Library) keepDrawing(ctx context.Context, d drawnRecord, file newFile) error {
	l.files.RLock() // so that no purge deletes the file before its row is there
	defer l.files.RUnlock()
	if !holdsFile(file) {
		if err := l.writeFiles([]newFile{file}); err != nil {
			return err
		}
	}
	return l.write(ctx, survivesPowerLoss, func(t *tx) error {
		var there int
		err := t.row(`select 1 from images where id = ?`, d.ID).Scan(&there)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: it was deleted meanwhile", ErrNotFound)
		}
		if err != nil {
			return err
		}
		return t.record(record{Drawn: &d})
	})
}

// applyDrawn puts a drawing before the other forms of an image without pixels.
func (t *tx) applyDrawn(d drawnRecord) error {
	var main formRecord
	var interactive, rest string
	err := t.row(`select interactive, mime, hash, ext, bytes, forms from images where id = ?`, d.ID).
		Scan(&interactive, &main.MIME, &main.Hash, &main.Ext, &main.Bytes, &rest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // in a replay: purged since
	}
	others := parseForms(rest)
	if err != nil || !undrawn(interactive, main, others) {
		return err
	}
	forms := imageRecord{Forms: append([]formRecord{d.Form, main}, others...)}
	_, err = t.exec(`update images set mime = ?, hash = ?, ext = ?, bytes = ?, width = ?, height = ?, forms = ?, interactive = '',
		description = ?, title = case when named = 1 or ? = '' then title else ? end where id = ?`,
		d.Form.MIME, d.Form.Hash, d.Form.Ext, d.Form.Bytes, d.Width, d.Height, forms.others(), d.Description, d.Title, d.Title, d.ID)
	if err != nil {
		return err
	}
	if err := t.ref(d.Form); err != nil {
		return err
	}
	return t.reword(d.ID)
}

// hasForm tells whether an image has a form whose file ends so.
func (r imageRow) hasForm(ext string) bool {
	if r.main.Ext == ext {
		return true
	}
	for _, f := range parseForms(r.forms) {
		if strings.EqualFold(f.Ext, ext) {
			return true
		}
	}
	return false
}
