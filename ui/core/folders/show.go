package folders

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"io"
	"os"
	"slices"

	"easel/ui/core/library"
	"easel/ui/core/library/feed"
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
	d.wants()
	defer d.wants()
	data, im, err := d.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	thumb, err := picture.Thumb(data, edge)
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

// Targets returns what marks of files are given to. It hashes the files now, because they may
// have changed since they were read.
func (d *Directory) Targets(ctx context.Context, ids []string) ([]library.Target, error) {
	entries := d.get(ids)
	if len(entries) < len(ids) {
		return nil, fmt.Errorf("%w: a file of %d", library.ErrNotFound, len(ids))
	}
	targets := make([]library.Target, len(entries))
	for i, e := range entries {
		file, size, err := openRegular(d.pathOf(e))
		if err != nil {
			return nil, err
		}
		hash, err := digest(ctx, file, size)
		_ = file.Close() // only read
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", e.name, err)
		}
		targets[i] = library.Target{ID: e.id, Path: d.pathOf(e), Hash: hex.EncodeToString(hash[:])}
	}
	return targets, nil
}

// Marked tells the directory which marks have changed. Files with the same bytes share them.
func (d *Directory) Marked(changed []library.MarkEdit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var changes []feed.Change
	note := func(e *entry, m library.MarkEdit) {
		what := feed.Rating
		if !slices.Equal(m.Before.Tags, m.After.Tags) {
			what |= feed.Tags
		}
		noted := d.noted[m.Hash]
		e.annotation, d.tags = &noted, nil
		changes = append(changes, feed.Change{ID: e.id, What: what})
	}
	by := make(map[[sha256.Size]byte]library.MarkEdit, len(changed))
	for _, m := range changed {
		if sum, err := hex.DecodeString(m.Hash); err == nil && len(sum) == sha256.Size {
			by[[sha256.Size]byte(sum)] = m
		}
		d.noted[m.Hash] = library.FileAnnotation{Hash: m.Hash, Path: m.Path, Rating: m.After.Rating, Tags: m.After.Tags}
		if e := d.entries[m.ID]; e != nil {
			note(e, m) // its bytes may have changed since it was read
		}
	}
	for _, e := range d.entries {
		if !e.facts.hashed() {
			continue
		}
		if m, ok := by[e.facts.hash]; ok && m.ID != e.id {
			note(e, m)
		}
	}
	d.o.Changes.Append(changes...)
}
