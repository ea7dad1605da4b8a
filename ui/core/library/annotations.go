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
	// MaxRating is the most stars.
	MaxRating = 5
	// MaxTag is the most characters of a tag.
	MaxTag = 64
	// MaxTags is the most tags of an image.
	MaxTags = 50
	// MaxTitle is the most characters of a title.
	MaxTitle = 500
	// MaxNote is the most characters of a note.
	MaxNote = 10_000
)

// tagKey is what makes tags the same: their letters, in any case.
func tagKey(name string) string {
	return cases.Fold().String(norm.NFC.String(strings.TrimSpace(strings.ToValidUTF8(name, "�"))))
}

// checkTag makes a tag fit to be kept: trimmed and composed (NFC). Control
// characters and more than MaxTag characters are refused.
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

// editTags gives the tags after removing and adding, in the order in which they came.
// A tag that is both added and removed stays.
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

// SetRating gives images stars, 0 to MaxRating. The figure has them, whichever of its
// versions is named; so it is with tags, titles and notes. All are changed or, after an error
// (ErrNotFound, ErrInvalid), none.
func (l *Library) SetRating(ctx context.Context, ids []string, rating int) ([]Image, error) {
	if err := checkRating(rating); err != nil {
		return nil, err
	}
	return l.annotate(ctx, ids, func(imageRow) (annotationRecord, error) { return annotationRecord{Rating: &rating}, nil })
}

// SetTags adds tags to images and removes others. A tag has at most MaxTag
// characters, none of them a control character; an image has at most MaxTags. Tags
// that differ only in case are the same and keep their first spelling. All images
// are changed or, after an error (ErrNotFound, ErrInvalid), none.
func (l *Library) SetTags(ctx context.Context, ids, add, remove []string) ([]Image, error) {
	return l.annotate(ctx, ids, func(r imageRow) (annotationRecord, error) {
		tags, err := editTags(parseTags(r.tags), add, remove)
		return annotationRecord{Tags: &tags}, err
	})
}

// SetTitle gives an image the user's title, at most MaxTitle characters.
func (l *Library) SetTitle(ctx context.Context, id, title string) (Image, error) {
	title = clean(title)
	if utf8.RuneCountInString(title) > MaxTitle {
		return Image{}, fmt.Errorf("%w: title longer than %d characters", ErrInvalid, MaxTitle)
	}
	return one(l.annotate(ctx, []string{id}, func(imageRow) (annotationRecord, error) { return annotationRecord{Title: &title}, nil }))
}

// SetNote gives an image the user's note, at most MaxNote characters.
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

// annotate notes something on images, in one transaction.
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
			// Read within the transaction: two who tag at once must not undo each other.
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

// plainIDs turns ids and URIs into ids of images that exist.
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

// A TagCount is a tag and how many images have it.
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

// A FileAnnotation is what the user noted on a file on disk, whatever its place: the hash
// of its bytes is its identity.
type FileAnnotation struct {
	Hash     string    `json:"hash"` // SHA-256, hexadecimal, lower case
	Path     string    `json:"path"` // where it lay when it was last annotated
	Rating   int       `json:"rating"`
	Tags     []string  `json:"tags"`
	Modified time.Time `json:"modified"`
}

func fileSubject(hash string) string { return "sha256:" + hash }

// SetFileRating gives a file on disk stars, 0 to MaxRating.
func (l *Library) SetFileRating(ctx context.Context, path, hash string, rating int) (FileAnnotation, error) {
	if err := checkRating(rating); err != nil {
		return FileAnnotation{}, err
	}
	return l.annotateFile(ctx, path, hash, func(m *FileAnnotation) error {
		m.Rating = rating
		return nil
	})
}

// SetFileTags adds tags to a file on disk and removes others, as SetTags does.
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

// FileAnnotations finds what is noted on files, by their hashes. Files without one are
// not in it.
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
