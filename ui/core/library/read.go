package library

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// collect reads all rows of a query.
func collect[T any](ctx context.Context, s *store, scan func(scanner) (T, error), query string, args ...any) (all []T, err error) {
	return collectSized(ctx, s, 0, scan, query, args...)
}

// collectSized is collect with the number of rows that are expected.
func collectSized[T any](
	ctx context.Context, s *store, size int, scan func(scanner) (T, error), query string, args ...any,
) (all []T, err error) {
	rows, err := s.ro.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.noticed(err)
	}
	if size > 0 {
		all = make([]T, 0, size)
	}
	err = scanAll(rows, func(row scanner) error {
		v, err := scan(row)
		if err == nil {
			all = append(all, v)
		}
		return err
	})
	if err != nil {
		return nil, s.noticed(err)
	}
	return all, nil
}

// scanAll calls f for each of rows, and closes them.
func scanAll(rows *sql.Rows, f func(scanner) error) error {
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Read returns an image's bytes, as the kernel sent them. If the file has changed, Read
// marks the image as Broken and returns ErrDamaged.
func (m *Images) Read(ctx context.Context, idOrURI string) ([]byte, Image, error) {
	im, err := m.Image(ctx, idOrURI)
	if err != nil {
		return nil, Image{}, err
	}
	data, err := m.readForm(ctx, im, im.Forms[0])
	return data, im, err
}

// Thumb returns an image scaled down so that its long edge has at most edge pixels. It never
// scales up. The error for an image without a form that can be scaled is picture.ErrNoRaster.
func (m *Images) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	images, err := m.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(images) == 0 {
		return nil, fmt.Errorf("%w: image %.200q", ErrNotFound, id)
	}
	im := images[0]
	return m.thumbs.Thumb(ctx, im.ImageID, im.Forms, edge, func(f StoredForm) ([]byte, error) { return m.readForm(ctx, im, f) })
}

// ReadForm returns the form of an image with a MIME type. The error is ErrNotFound if
// there is none.
func (m *Images) ReadForm(ctx context.Context, im Image, mime string) ([]byte, error) {
	for _, f := range im.Forms {
		if f.MIME == mime {
			return m.readForm(ctx, im, f)
		}
	}
	return nil, fmt.Errorf("%w: image %s as %s", ErrNotFound, im.ImageID, mime)
}

func (m *Images) readForm(ctx context.Context, im Image, f StoredForm) ([]byte, error) {
	data, err := os.ReadFile(f.Path)
	why := ""
	switch {
	case errors.Is(err, os.ErrNotExist):
		why = "the file is missing"
	case err != nil:
		return nil, fmt.Errorf("read image %s: %w", im.ImageID, err)
	default:
		sum := sha256.Sum256(data)
		hash, _, _ := strings.Cut(filepath.Base(f.Path), ".")
		if len(hash) < 2*hashBytes || !strings.HasPrefix(hex.EncodeToString(sum[:]), hash) {
			why = "the file is not what was written"
		}
	}
	if why == "" {
		return data, nil
	}
	if !im.Broken {
		m.s.report(Damage{Kind: DamagedImage, Path: f.Path, Detail: why, Images: []string{im.ImageID}})
		if err := m.s.markBroken(ctx, filepath.Base(f.Path)); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("image %s %w: %s", im.ImageID, ErrDamaged, why)
}

// markBroken marks images whose files are missing or changed. This is not written to the
// journal, because each Open checks the files.
func (s *store) markBroken(ctx context.Context, names ...string) error {
	return s.write(ctx, survivesDeath, func(t *tx) error {
		_, err := t.exec(`update files set broken = 1 where name in (select value from json_each(?))`, list(names))
		return errors.Join(err, t.changes.broke(names))
	})
}

// nanos converts a time to the format of the database: 0 for the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// timeOf is the inverse of nanos, in UTC.
func timeOf(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}
