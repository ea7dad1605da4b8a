package library

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	// MaxRating is the highest rating, in stars.
	MaxRating = 5
	// MaxTag is the largest length of a tag, in characters.
	MaxTag = 64
	// MaxTags is the largest number of tags of an image.
	MaxTags = 50
	// MaxTitle is the largest length of a title, in characters.
	MaxTitle = 500
	// MaxNote is the largest length of a note, in characters.
	MaxNote = 10_000
)

// tagKey returns the key by which tags are compared. Case is ignored.
func tagKey(name string) string {
	return cases.Fold().String(norm.NFC.String(strings.TrimSpace(strings.ToValidUTF8(name, "�"))))
}

// checkTag returns a tag trimmed and in NFC. It rejects control characters and more than
// MaxTag characters.
func checkTag(name string) (string, error) {
	if !utf8.ValidString(name) {
		return "", fmt.Errorf("%w: tag is not UTF-8", ErrInvalid)
	}
	name = norm.NFC.String(strings.TrimSpace(name))
	switch {
	case name == "":
		return "", fmt.Errorf("%w: empty tag", ErrInvalid)
	case utf8.RuneCountInString(name) > MaxTag:
		return "", fmt.Errorf("%w: tag longer than %d characters", ErrInvalid, MaxTag)
	case strings.ContainsFunc(name, unicode.IsControl):
		return "", fmt.Errorf("%w: control character in tag %q", ErrInvalid, name)
	}
	return name, nil
}

// editTags returns the tags after removing and adding, in the order in which they were
// added. A tag that is both added and removed stays.
func editTags(tags, add, remove []string) ([]string, error) {
	gone := make(map[string]bool)
	for _, r := range remove {
		gone[tagKey(r)] = true
	}
	has := make(map[string]bool)
	var out []string
	keep := func(name string) {
		if key := tagKey(name); !has[key] {
			has[key] = true
			out = append(out, name)
		}
	}
	for _, t := range tags {
		if !gone[tagKey(t)] {
			keep(t)
		}
	}
	for _, t := range add {
		name, err := checkTag(t)
		if err != nil {
			return nil, err
		}
		keep(name)
	}
	if len(out) > MaxTags {
		return nil, fmt.Errorf("%w: more than %d tags", ErrInvalid, MaxTags)
	}
	return out, nil
}

func checkRating(rating int) error {
	if rating < 0 || rating > MaxRating {
		return fmt.Errorf("%w: rating %d is not 0 to %d", ErrInvalid, rating, MaxRating)
	}
	return nil
}

// SetRating sets the rating of images, 0 to MaxRating. The rating applies to the figure,
// that is, to all its versions, as do tags, titles and notes. After an error
// (ErrNotFound, ErrInvalid), no image is changed.
func (l *Library) SetRating(ctx context.Context, ids []string, rating int) ([]Image, error) {
	if err := checkRating(rating); err != nil {
		return nil, err
	}
	return l.annotate(ctx, ids, func(imageRow) (annotationRecord, error) { return annotationRecord{Rating: &rating}, nil })
}

// SetTags adds and removes tags of images. A tag has at most MaxTag characters and no
// control characters; an image has at most MaxTags tags. Tags that differ only in case
// are equal and keep their first spelling. After an error (ErrNotFound, ErrInvalid), no
// image is changed.
func (l *Library) SetTags(ctx context.Context, ids, add, remove []string) ([]Image, error) {
	return l.annotate(ctx, ids, func(r imageRow) (annotationRecord, error) {
		tags, err := editTags(parseTags(r.tags), add, remove)
		return annotationRecord{Tags: &tags}, err
	})
}

// SetTitle sets the user's title of an image, at most MaxTitle characters.
func (l *Library) SetTitle(ctx context.Context, id, title string) (Image, error) {
	title = clean(title)
	if utf8.RuneCountInString(title) > MaxTitle {
		return Image{}, fmt.Errorf("%w: title longer than %d characters", ErrInvalid, MaxTitle)
	}
	return one(l.annotate(ctx, []string{id}, func(imageRow) (annotationRecord, error) { return annotationRecord{Title: &title}, nil }))
}

// SetNote sets the user's note of an image, at most MaxNote characters.
func (l *Library) SetNote(ctx context.Context, id, note string) (Image, error) {
	note = strings.ToValidUTF8(note, "�")
	if utf8.RuneCountInString(note) > MaxNote {
		return Image{}, fmt.Errorf("%w: note longer than %d characters", ErrInvalid, MaxNote)
	}
	return one(l.annotate(ctx, []string{id}, func(imageRow) (annotationRecord, error) { return annotationRecord{Note: &note}, nil }))
}

func one(images []Image, err error) (Image, error) {
	if err != nil {
		return Image{}, err
	}
	return images[0], nil
}

// annotate changes the annotations of images in one transaction.
func (l *Library) annotate(ctx context.Context, ids []string, what func(imageRow) (annotationRecord, error)) ([]Image, error) {
	plain, err := l.plainIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	err = l.write(ctx, survivesPowerLoss, func(t *tx) error {
		for _, id := range plain {
			id, err := t.front(id)
			if err != nil {
				return err
			}
			// Read within the transaction, so that concurrent changes are not lost.
			r, err := scanImage(t.row(`select `+imageColumns+imageTables+` where i.id = ?`, id))
			if err != nil {
				return err
			}
			m, err := what(r)
			if err != nil {
				return err
			}
			m.ID = id
			if err := t.record(record{Annotation: &m}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.Get(ctx, plain...)
}

// plainIDs converts ids and URIs of existing images to ids.
func (l *Library) plainIDs(ctx context.Context, ids []string) ([]string, error) {
	plain := make([]string, 0, len(ids))
	for _, id := range ids {
		r, err := l.imageRow(ctx, id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(plain, r.id) {
			plain = append(plain, r.id)
		}
	}
	return plain, nil
}

// A TagCount is a tag and the number of images that have it.
type TagCount struct {
	Name  string
	Count int
}

// Tags lists the tags of the images that are not in the trash, most used first.
func (l *Library) Tags(ctx context.Context) ([]TagCount, error) {
	return collect(ctx, l, func(row scanner) (c TagCount, err error) {
		err = row.Scan(&c.Name, &c.Count)
		return c, err
	}, `select t.name, count(*) as uses from tag_names t join tagged d on d.tag = t.seq
		join images i on i.id = d.subject and i.trashed = 0 and i.superseded = 0
		group by t.seq order by uses desc, t.key`)
}

// A FileAnnotation holds the rating and tags of a file on disk. The file is identified by
// the hash of its bytes, so it may be moved.
type FileAnnotation struct {
	Hash     string    `json:"hash"` // SHA-256, hexadecimal, lower case
	Path     string    `json:"path"` // when it was last annotated
	Rating   int       `json:"rating"`
	Tags     []string  `json:"tags"`
	Modified time.Time `json:"modified"`
}

func fileSubject(hash string) string { return "sha256:" + hash }

// SetFileRating sets the rating of a file on disk, 0 to MaxRating.
func (l *Library) SetFileRating(ctx context.Context, path, hash string, rating int) (FileAnnotation, error) {
	if err := checkRating(rating); err != nil {
		return FileAnnotation{}, err
	}
	return l.annotateFile(ctx, path, hash, func(m *FileAnnotation) error {
		m.Rating = rating
		return nil
	})
}

// SetFileTags adds and removes tags of a file on disk, as SetTags does for images.
func (l *Library) SetFileTags(ctx context.Context, path, hash string, add, remove []string) (FileAnnotation, error) {
	return l.annotateFile(ctx, path, hash, func(m *FileAnnotation) (err error) {
		m.Tags, err = editTags(m.Tags, add, remove)
		return err
	})
}

func (l *Library) annotateFile(ctx context.Context, path, hash string, edit func(*FileAnnotation) error) (m FileAnnotation, err error) {
	hash = strings.ToLower(hash)
	if b, err := hex.DecodeString(hash); err != nil || len(b) != 32 {
		return m, fmt.Errorf("%w: hash %.80q", ErrInvalid, hash)
	}
	err = l.write(ctx, survivesPowerLoss, func(t *tx) error {
		m = FileAnnotation{Hash: hash, Tags: []string{}}
		err := t.each(`select hash, path, rating, tags, modified from file_marks where hash = '`+hash+`'`, func(row scanner) (err error) {
			m, err = scanFileAnnotation(row)
			return err
		})
		if err != nil {
			return err
		}
		m.Path, m.Modified = path, l.now().UTC()
		if err := edit(&m); err != nil {
			return err
		}
		return t.record(record{File: &m})
	})
	return m, err
}

// FileAnnotations returns the annotations of files by their hashes. It omits files
// without annotations.
func (l *Library) FileAnnotations(ctx context.Context, hashes ...string) (map[string]FileAnnotation, error) {
	found, err := collect(ctx, l, scanFileAnnotation,
		`select hash, path, rating, tags, modified from file_marks where hash in (select value from json_each(?))`, list(hashes))
	if err != nil {
		return nil, err
	}
	annotations := make(map[string]FileAnnotation, len(found))
	for _, m := range found {
		annotations[m.Hash] = m
	}
	return annotations, nil
}

func scanFileAnnotation(row scanner) (m FileAnnotation, err error) {
	var tags string
	var modified int64
	err = row.Scan(&m.Hash, &m.Path, &m.Rating, &tags, &modified)
	m.Tags, m.Modified = parseTags(tags), timeOf(modified)
	return m, err
}
