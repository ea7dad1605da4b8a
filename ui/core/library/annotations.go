package library

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"easel/ui/core/library/search"

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

// Annotations are what the user says about images and files.
type Annotations struct{ s *store }

// SetRating sets the rating, 0 to MaxRating.
func (m *Marks) SetRating(rating int) error {
	m.Rating = rating
	return checkRating(rating)
}

// SetTags adds and removes tags.
func (m *Marks) SetTags(add, remove []string) (err error) {
	m.Tags, err = editTags(m.Tags, add, remove)
	return err
}

// SetTitle sets the user's title.
func (m *Marks) SetTitle(title string) error {
	title = search.Clean(title)
	if utf8.RuneCountInString(title) > MaxTitle {
		return fmt.Errorf("%w: title longer than %d characters", ErrInvalid, MaxTitle)
	}
	m.Title, m.Named = title, true
	return nil
}

// SetNote sets the user's note.
func (m *Marks) SetNote(note string) error {
	note = strings.ToValidUTF8(note, "�")
	if utf8.RuneCountInString(note) > MaxNote {
		return fmt.Errorf("%w: note longer than %d characters", ErrInvalid, MaxNote)
	}
	m.Note = note
	return nil
}

func one(images []Image, err error) (Image, error) {
	if err != nil {
		return Image{}, err
	}
	return images[0], nil
}

// plainIDs converts ids and URIs of existing images to ids.
func (m *Images) plainIDs(ctx context.Context, ids []string) ([]string, error) {
	plain := make([]string, 0, len(ids))
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		r, err := m.imageRow(ctx, id)
		if err != nil {
			return nil, err
		}
		if !seen[r.id] {
			seen[r.id] = true
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
func (a *Annotations) Tags(ctx context.Context) ([]TagCount, error) {
	return collect(ctx, a.s, func(row scanner) (c TagCount, err error) {
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

// FileAnnotations returns the annotations of files by their hashes. It omits files
// without annotations.
func (a *Annotations) FileAnnotations(ctx context.Context, hashes ...string) (map[string]FileAnnotation, error) {
	found, err := collect(ctx, a.s, scanFileAnnotation,
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
