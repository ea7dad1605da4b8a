package folders

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/prompts"
)

// open opens the file with an id.
func (d *Directory) open(ctx context.Context, id string) (*os.File, int64, library.Image, error) {
	im, err := d.Image(ctx, id)
	if err != nil {
		return nil, 0, im, err
	}
	file, size, err := openRegular(im.Path)
	if err != nil {
		if os.IsNotExist(err) {
			err = fmt.Errorf("%w: %w", library.ErrNotFound, err)
		}
		return nil, 0, im, err
	}
	return file, size, im, nil
}

// Read returns the bytes of a file. The error for a file larger than MaxFile is
// picture.ErrTooLarge.
func (d *Directory) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	file, size, im, err := d.open(ctx, id)
	if err != nil {
		return nil, im, err
	}
	defer file.Close() //nolint:errcheck // only read
	if size > MaxFile {
		return nil, im, fmt.Errorf("%w: %d MB", picture.ErrTooLarge, size>>20)
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxFile))
	return data, im, err
}

// Thumb returns a picture scaled down so that its long edge has at most edge pixels.
// It never scales up.
func (d *Directory) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-d.slots }()
	data, im, err := d.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	thumb, err := picture.Thumb(data, im.MIMEType, edge)
	if err != nil {
		return nil, fmt.Errorf("thumbnail of %s: %w", im.Path, err)
	}
	return thumb, nil
}

// Prompt returns the prompt or code embedded in a file.
func (d *Directory) Prompt(ctx context.Context, id string) (prompts.Info, error) {
	file, size, _, err := d.open(ctx, id)
	if err != nil {
		return prompts.Info{}, err
	}
	defer file.Close() //nolint:errcheck // only read
	return prompts.Read(file, size)
}

// SetRating sets the star rating of files.
func (d *Directory) SetRating(ctx context.Context, ids []string, rating int) ([]library.Image, error) {
	return d.note(ctx, ids, func(path, hash string) (library.FileAnnotation, error) {
		return d.o.Annotations.SetFileRating(ctx, path, hash, rating)
	})
}

// SetTags adds and removes tags of files.
func (d *Directory) SetTags(ctx context.Context, ids, add, remove []string) ([]library.Image, error) {
	return d.note(ctx, ids, func(path, hash string) (library.FileAnnotation, error) {
		return d.o.Annotations.SetFileTags(ctx, path, hash, add, remove)
	})
}

// note sets the annotations of files. It hashes them now, because they may have
// changed since they were read.
func (d *Directory) note(ctx context.Context, ids []string, set func(path, hash string) (library.FileAnnotation, error)) ([]library.Image, error) {
	entries := d.get(ids)
	if len(entries) < len(ids) {
		return nil, fmt.Errorf("%w: a file of %d", library.ErrNotFound, len(ids))
	}
	hashes := make([]string, len(entries))
	for i, e := range entries {
		file, size, err := openRegular(d.pathOf(e))
		if err != nil {
			return nil, err
		}
		hashes[i], err = digest(ctx, file, size)
		_ = file.Close() // only read
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", e.name, err)
		}
	}
	for i, e := range entries {
		m, err := set(d.pathOf(e), hashes[i])
		if err != nil {
			return nil, err
		}
		d.setAnnotation(e, m)
	}
	return d.Get(ctx, ids...)
}

// setAnnotation sets the annotation of a file and of all files with the same bytes.
func (d *Directory) setAnnotation(e *entry, m library.FileAnnotation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.noted[m.Hash] = m
	e.annotation = m
	for _, o := range d.entries {
		if o.facts != nil && o.facts.hash == m.Hash {
			o.annotation = m
		}
	}
}
