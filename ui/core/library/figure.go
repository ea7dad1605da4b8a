package library

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"easel/ui/core/library/disk"
)

// A figure that can be drawn again without its kernel is stored as the facts are: as a form of the plot that no
// list of its forms has. It comes after the plot, so the journal has a record of its own for it. An Easel that
// does not know the record skips it.

// FigureMIMEType is the type of a stored figure.
const FigureMIMEType = "application/vnd.easel.figure"

// mostFigures is how many bytes all stored figures may have. The oldest go first.
const mostFigures = 1 << 30

// A keptRecord is the journal record of a figure that is stored for an image, or no longer.
type keptRecord struct {
	ID   string      `json:"id"`
	Form *formRecord `json:"form,omitempty"`
}

func isFigure(f formRecord) bool { return f.MIME == FigureMIMEType }

// hidden reports whether no list of an image's forms has a form.
func hidden(f formRecord) bool { return isFacts(f) || isFigure(f) }

// seen returns the forms that lists of an image's forms have.
func seen(forms []formRecord) []formRecord {
	return slices.DeleteFunc(slices.Clone(forms), hidden)
}

// ReadFigure reads the stored figure of an image. The error is ErrNotFound if there is none.
func (m *Images) ReadFigure(ctx context.Context, im Image) ([]byte, error) {
	if im.Figure == nil {
		return nil, fmt.Errorf("%w: image %s has no stored figure", ErrNotFound, im.ImageID)
	}
	return m.readForm(ctx, im, *im.Figure)
}

// KeepFigure stores a figure for each image whose file has this content and that has none: sum is its SHA-256
// in hexadecimal. It returns how many there are. Older figures are dropped for it, but no image. The error is
// ErrFull if there is no room without that.
func (m *Images) KeepFigure(ctx context.Context, sum string, data []byte) (int, error) {
	sums := []string{sum[:min(len(sum), 2*hashBytes)], sum}
	ids, err := collect(ctx, m.s, func(row scanner) (id string, err error) {
		var forms string
		err = row.Scan(&id, &forms)
		if slices.ContainsFunc(parseForms(forms), isFigure) {
			id = ""
		}
		return id, err
	}, `select id, forms from images where hash in (?, ?)`, sums[0], sums[1])
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	hash := sha256.Sum256(data)
	form := formRecord{MIME: FigureMIMEType, Hash: hex.EncodeToString(hash[:hashBytes]), Ext: "figure", Bytes: int64(len(data))}
	if err := m.makeRoomForFigure(ctx, form.Bytes); err != nil {
		return 0, err
	}
	files := map[string]disk.File{form.name(): {Path: m.s.files.path(form), Data: data}}
	err = m.s.writeWithFiles(ctx, files, func(t *tx) error {
		for _, id := range ids {
			if err := t.record(record{Kept: &keptRecord{id, &form}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("keep the figure: %w", err)
	}
	return len(ids), nil
}

// makeRoomForFigure drops the oldest stored figures until another one has room.
func (m *Images) makeRoomForFigure(ctx context.Context, fresh int64) error {
	files, most := m.s.files, cmp.Or(m.s.opts.mostFigures, mostFigures)
	if !files.counted.Load() || files.figures.Load()+fresh > most {
		all, err := m.storedFigures(ctx) // those that went with their images are still counted
		if err != nil {
			return err
		}
		var total int64
		for _, f := range all {
			total += f.form.Bytes
		}
		files.figures.Store(total)
		files.counted.Store(true)
	}
	over, quota := files.figures.Load()+fresh-most, files.quota.Load()
	if quota > 0 {
		over = max(over, files.used.Load()+fresh-quota)
	}
	if err := m.dropFigures(ctx, over); err != nil {
		return err
	}
	if quota > 0 && files.used.Load()+fresh > quota {
		return fmt.Errorf("%w: the figure of a plot has no room", ErrFull)
	}
	return nil
}

// A storedFigure is the stored figure of an image.
type storedFigure struct {
	image string
	form  formRecord
}

// storedFigures returns all stored figures, the oldest first.
func (m *Images) storedFigures(ctx context.Context) ([]storedFigure, error) {
	return collect(ctx, m.s, func(row scanner) (f storedFigure, err error) {
		var forms string
		err = row.Scan(&f.image, &forms)
		list := parseForms(forms)
		if i := slices.IndexFunc(list, isFigure); i >= 0 {
			f.form = list[i]
		}
		return f, err
	}, `select id, forms from images where instr(forms, ?) > 0 order by created, id`, FigureMIMEType)
}

// dropFigures deletes the oldest stored figures until that has freed a number of bytes.
func (m *Images) dropFigures(ctx context.Context, bytes int64) error {
	if bytes <= 0 {
		return nil
	}
	all, err := m.storedFigures(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	n := 0
	for ; n < len(all) && bytes > 0; n++ {
		bytes -= all[n].form.Bytes
	}
	return m.s.write(ctx, survivesDeath, func(t *tx) error {
		for _, f := range all[:n] {
			if err := t.record(record{Kept: &keptRecord{ID: f.image}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// applyKept replaces or removes the stored figure of an image.
func (t *tx) applyKept(r keptRecord) error {
	var text string
	err := t.row(`select forms from images where id = ?`, r.ID).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // replayed, and purged later
	}
	if err != nil {
		return err
	}
	forms := parseForms(text)
	i := slices.IndexFunc(forms, isFigure)
	switch {
	case i < 0 && r.Form == nil, i >= 0 && r.Form != nil && forms[i] == *r.Form:
		return nil
	case r.Form != nil:
		if err := t.ref(*r.Form); err != nil {
			return err
		}
	}
	if i >= 0 {
		if err := t.unref(forms[i]); err != nil {
			return err
		}
		t.s.files.figures.Add(-forms[i].Bytes)
	}
	rest := imageRecord{Forms: append([]formRecord{{}}, slices.DeleteFunc(forms, isFigure)...)}
	if r.Form != nil {
		rest.Forms = append(rest.Forms, *r.Form)
		t.s.files.figures.Add(r.Form.Bytes)
	}
	_, err = t.exec(`update images set forms = ? where id = ?`, rest.others(), r.ID)
	return err
}
