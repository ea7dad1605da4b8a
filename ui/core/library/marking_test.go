package library

import "context"

// What the program does with Mark alone, for these tests.

// Trash moves images (ids or URIs) with all versions of their figures to the trash. Only
// queries for the trash find them there, and Restore restores them. If one is unknown,
// the error is ErrNotFound and none is moved.
func (m *Images) Trash(ctx context.Context, ids []string) error {
	return m.move(ctx, ids, func(all []string) record { return record{Trash: all} })
}

// Restore moves images with all versions of their figures out of the trash.
func (m *Images) Restore(ctx context.Context, ids []string) error {
	return m.move(ctx, ids, func(all []string) record { return record{Restore: all} })
}

// SetRating sets the rating of images, 0 to MaxRating. The rating applies to the figure,
// that is, to all its versions, as do tags, titles and notes. After an error
// (ErrNotFound, ErrInvalid), no image is changed.
func (a *Annotations) SetRating(ctx context.Context, ids []string, rating int) ([]Image, error) {
	return a.annotate(ctx, ids, func(m *Marks) error { return m.SetRating(rating) })
}

// SetTags adds and removes tags of images. A tag has at most MaxTag characters and no
// control characters; an image has at most MaxTags tags. Tags that differ only in case
// are equal and keep their first spelling. After an error (ErrNotFound, ErrInvalid), no
// image is changed.
func (a *Annotations) SetTags(ctx context.Context, ids, add, remove []string) ([]Image, error) {
	return a.annotate(ctx, ids, func(m *Marks) error { return m.SetTags(add, remove) })
}

// SetTitle sets the user's title of an image, at most MaxTitle characters.
func (a *Annotations) SetTitle(ctx context.Context, id, title string) (Image, error) {
	return one(a.annotate(ctx, []string{id}, func(m *Marks) error { return m.SetTitle(title) }))
}

// SetNote sets the user's note of an image, at most MaxNote characters.
func (a *Annotations) SetNote(ctx context.Context, id, note string) (Image, error) {
	return one(a.annotate(ctx, []string{id}, func(m *Marks) error { return m.SetNote(note) }))
}

// annotate changes the marks of images, all of which must exist.
func (a *Annotations) annotate(ctx context.Context, ids []string, edit func(*Marks) error) ([]Image, error) {
	plain, err := (&Images{s: a.s}).plainIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	targets := make([]Target, len(plain))
	for i, id := range plain {
		targets[i].ID = id
	}
	if _, err := a.Mark(ctx, targets, func(_ int, m *Marks) error { return edit(m) }); err != nil {
		return nil, err
	}
	return (&Images{s: a.s}).Get(ctx, plain...)
}
