package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"easel/ui/core/library/disk"
	"easel/ui/core/library/feed"
	"easel/ui/core/library/search"
	"easel/ui/core/library/thumbnails"
	"easel/ui/core/picture"
)

// A Drawing is a picture that Easel drew for a figure without a picture.
type Drawing struct {
	PNG         []byte
	Title       string // of the figure; if empty, the title is unchanged
	Description string // one line
	Facts       []byte // what the plot shows in numbers, as facts.Read reads it; nil if that is unknown
}

// A drawnRecord is the journal record of a Drawing.
type drawnRecord struct {
	ID          string      `json:"id"`
	Form        formRecord  `json:"form"`
	Facts       *formRecord `json:"facts,omitempty"`
	Width       int         `json:"width"`
	Height      int         `json:"height"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description"`
}

// Undrawn reports whether an image needs a drawing, because none of its forms has
// pixels: a figure without a picture, or an SVG only.
func Undrawn(im Image) bool {
	return im.Interactive != "" || im.MIMEType == picture.SVG &&
		!slices.ContainsFunc(im.Forms, func(f StoredForm) bool { return thumbnails.HasPixels(f.MIME) })
}

// undrawn is Undrawn for a row.
func undrawn(interactive string, main formRecord, others []formRecord) bool {
	return interactive != "" || main.MIME == picture.SVG &&
		!slices.ContainsFunc(others, func(f formRecord) bool { return thumbnails.HasPixels(f.MIME) })
}

// AddDrawing adds the picture that Easel drew to an image for which Undrawn is true. The
// drawing becomes the image's first form, before its data. The image keeps its id; its
// URI gets another extension. When AddDrawing returns, the drawing is on the disk. An
// image that already has a picture is not changed. The error is ErrNotFound if the image
// does not exist and ErrInvalid if the drawing is not a picture.
func (m *Images) AddDrawing(ctx context.Context, idOrURI string, d Drawing) (Image, error) {
	old, err := m.imageRow(ctx, idOrURI)
	if err != nil {
		return Image{}, err
	}
	if !undrawn(old.interactive, old.main, parseForms(old.forms)) {
		return m.Image(ctx, old.id)
	}
	form, w, h := m.s.files.newForm(Form{MIME: picture.PNG, Data: d.PNG})
	if form.MIME != picture.PNG || w == 0 {
		return Image{}, fmt.Errorf("%w: the drawing is no PNG", ErrInvalid)
	}
	files := map[string]disk.File{form.name(): {Path: m.s.files.path(form), Data: d.PNG}}
	drawn := drawnRecord{ID: old.id, Form: form, Width: w, Height: h, Title: search.Clean(d.Title), Description: search.Clean(d.Description)}
	if len(d.Facts) > 0 {
		numbers := factsForm(d.Facts)
		files[numbers.name()] = disk.File{Path: m.s.files.path(numbers), Data: d.Facts}
		drawn.Facts = &numbers
	}
	if err := m.makeRoom(ctx, files); err != nil {
		return Image{}, err
	}
	err = m.s.writeWithFiles(ctx, files, func(t *tx) error {
		if err := t.hasImage(drawn.ID); err != nil {
			return err
		}
		return t.record(record{Drawn: &drawn})
	})
	if err != nil {
		return Image{}, fmt.Errorf("keep the drawing: %w", err)
	}
	images, err := m.Get(ctx, old.id)
	if err == nil && len(images) == 0 {
		err = fmt.Errorf("%w: it was deleted meanwhile", ErrNotFound)
	}
	return one(images, err)
}

// applyDrawn inserts a drawing before the other forms of an image without pixels.
func (t *tx) applyDrawn(d drawnRecord) error {
	var main formRecord
	var interactive, rest string
	err := t.row(`select interactive, mime, hash, ext, bytes, forms from images where id = ?`, d.ID).
		Scan(&interactive, &main.MIME, &main.Hash, &main.Ext, &main.Bytes, &rest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // replayed, and purged later
	}
	others := parseForms(rest)
	if err != nil || !undrawn(interactive, main, others) {
		return err
	}
	forms := imageRecord{Forms: append([]formRecord{d.Form, main}, others...)}
	if d.Facts != nil && !slices.ContainsFunc(others, isFacts) {
		forms.Forms = append(forms.Forms, *d.Facts)
		if err := t.ref(*d.Facts); err != nil {
			return err
		}
		if _, err := t.exec(`update images set examined = 0 where id = ?`, d.ID); err != nil {
			return err
		}
	}
	_, err = t.exec(`update images set mime = ?, hash = ?, ext = ?, bytes = ?, width = ?, height = ?, forms = ?, interactive = '',
		description = ?, title = case when named = 1 or ? = '' then title else ? end where id = ?`,
		d.Form.MIME, d.Form.Hash, d.Form.Ext, d.Form.Bytes, d.Width, d.Height, forms.others(), d.Description, d.Title, d.Title, d.ID)
	if err != nil {
		return err
	}
	t.changes.change(d.ID, feed.Picture)
	if err := t.ref(d.Form); err != nil {
		return err
	}
	return t.reword(d.ID)
}

// hasForm reports whether an image has a form with this file extension.
func (r imageRow) hasForm(ext string) bool {
	if r.main.Ext == ext {
		return true
	}
	for _, f := range seen(parseForms(r.forms)) {
		if strings.EqualFold(f.Ext, ext) {
			return true
		}
	}
	return false
}
