// Package coretest provides an in-memory library with plots for the tests of the core and the
// window.
//
// # Goroutines
//
// A [Library] is safe for concurrent use, except for its exported fields. Tests set them
// before they start other goroutines.
package coretest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/picture"
)

// Start is the time before the first image.
var Start = time.Date(2026, 3, 14, 9, 26, 0, 0, time.Local) //nolint:gosmopolitan // the window shows local times

// A Library is an in-memory library with the methods that the window and the gallery's tools
// use.
type Library struct {
	mu        sync.Mutex
	images    []library.Image // oldest first
	sessions  []library.Session
	runs      map[string]library.Execution
	output    map[string]string // by execution and stream
	data      map[string][]byte // of images that are not plots
	questions []library.Question
	checks    map[string]catalog.Check
	named     map[string]bool     // images whose title is the user's
	Err       error               // returned by the methods, if not nil
	Ran       []library.Execution // returned by Executions
	changes   feed.Feed
}

// NewLibrary returns an empty library.
func NewLibrary() *Library {
	return &Library{runs: make(map[string]library.Execution), output: make(map[string]string), data: make(map[string][]byte)}
}

// Changes returns the feed of what changes in the library.
func (l *Library) Changes() *feed.Feed { return &l.changes }

// changed adds a change of images to the feed.
func (l *Library) changed(what feed.What, ids ...string) {
	for _, id := range ids {
		l.changes.Append(feed.Change{ID: id, What: what})
	}
}

// SessionID returns the id of the n-th session.
func SessionID(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", 0x5ab00000+n) }

// AddSession adds the n-th session.
func (l *Library) AddSession(n int, name, client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions = append(l.sessions, library.Session{
		ID: SessionID(n), KernelID: SessionID(n), KernelName: "python3", Server: "managed", Name: name, Client: client,
		Owner: "easel", CreatedAt: Start, Colour: n,
	})
}

// Add adds a plot to the n-th session and returns its id.
func (l *Library) Add(n int, title, code string) string {
	id := l.add(n, title, code)
	l.changed(feed.Added, id)
	return id
}

func (l *Library) add(n int, title, code string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := len(l.images) + 1
	id := fmt.Sprintf("img%05d", i)
	at := Start.Add(time.Duration(i) * time.Minute)
	var im library.Image
	im.ImageID, im.SessionID, im.ExecutionID, im.Title = id, SessionID(n), fmt.Sprintf("run%05d", i), title
	im.ResourceURI = "jupyter://sessions/" + im.SessionID + "/images/" + id + ".png"
	im.MIMEType, im.Width, im.Height, im.Bytes, im.CreatedAt, im.Tags = "image/png", 640, 480, 23_456, at, []string{}
	im.Path = "/data/library/images/" + id + ".png"
	im.N, im.Code, im.Modified, im.Client = i, code, at, "claude-code 2.1.0"
	for k := range l.sessions {
		if l.sessions[k].ID == im.SessionID {
			l.sessions[k].Images++
			im.Client = l.sessions[k].Client
		}
	}
	l.images = append(l.images, im)
	l.runs[im.ExecutionID] = library.Execution{
		ID: im.ExecutionID, SessionID: im.SessionID, Code: code, Client: im.Client, Status: catalog.StatusOK, Count: i,
		CreatedAt: at, StartedAt: at, EndedAt: at.Add(340 * time.Millisecond),
	}
	return id
}

// Update adds a version to the figure whose newest version has this id, and returns the id of
// the new version.
func (l *Library) Update(id, code string) string {
	now := l.add(0, "", code)
	defer l.changes.Append(feed.Change{ID: now, What: feed.Replaced, Former: id})
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.images, func(im library.Image) bool { return im.ImageID == id })
	old, im := &l.images[at], &l.images[len(l.images)-1]
	im.SessionID, im.Title, im.CreatedAt, im.Rating, im.Tags = old.SessionID, old.Title, old.CreatedAt, old.Rating, slices.Clone(old.Tags)
	im.Replaces, im.Versions, im.Former = old.ResourceURI, max(old.Versions, 1)+1, id
	old.Versions = 0
	for i := range l.images {
		if v := &l.images[i]; v.ImageID == id || v.ReplacedBy == old.ResourceURI {
			v.ReplacedBy = im.ResourceURI
		}
	}
	return now
}

// Versions returns the ids of the versions of an image's figure, oldest first.
func (l *Library) Versions(_ context.Context, id string) (ids []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := func(im library.Image) string { return cmp.Or(im.ReplacedBy, im.ResourceURI) }
	at := slices.IndexFunc(l.images, func(im library.Image) bool { return im.ImageID == id })
	for _, im := range l.images {
		if at >= 0 && of(im) == of(l.images[at]) {
			ids = append(ids, im.ImageID)
		}
	}
	return ids, l.Err
}

// AddFigure adds a figure without a picture to the n-th session and returns its id.
func (l *Library) AddFigure(n int, kind, title, code string) string {
	id := l.Add(n, title, code)
	l.Change(id, func(im *library.Image) {
		x, _ := picture.InteractiveOf(kind)
		im.Interactive, im.MIMEType, im.Width, im.Height = kind, x.MIME, 0, 0
		if kind == picture.Plotly {
			im.MIMEType = "application/vnd.plotly.v1+json"
		}
		im.ResourceURI = strings.TrimSuffix(im.ResourceURI, "png") + "json"
		im.Path = strings.TrimSuffix(im.Path, "png") + "json"
		im.Forms = []library.StoredForm{{MIME: im.MIMEType, Path: im.Path, Bytes: im.Bytes}}
		im.Description = x.Name + "; it has no picture here: " + x.Remedy()
	})
	return id
}

// AddAnimation adds an animated GIF to the n-th session and returns its id. Frame i, from 0,
// is Plot(N+i), where N is the image's number. loop is as in [gif.GIF].
func (l *Library) AddAnimation(n int, title string, frames, loop int) string {
	id := l.Add(n, title, "")
	l.Change(id, func(im *library.Image) {
		im.MIMEType, im.Frames = picture.GIF, frames
		im.ResourceURI = strings.TrimSuffix(im.ResourceURI, "png") + "gif"
		im.Path = strings.TrimSuffix(im.Path, "png") + "gif"
		l.data[id] = animation(im.N, im.Width, im.Height, frames, loop)
		im.Bytes = int64(len(l.data[id]))
	})
	return id
}

// SetData replaces the bytes of an animation.
func (l *Library) SetData(id string, edit func([]byte) []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data[id] = edit(slices.Clone(l.data[id]))
}

// Change changes an image with do.
func (l *Library) Change(id string, do func(*library.Image)) {
	_, _ = l.edit([]string{id}, do)
}

// SetOutput sets the output of an image's execution. stream is stdout or stderr.
func (l *Library) SetOutput(id, stream, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, im := range l.images {
		if im.ImageID == id {
			l.output[im.ExecutionID+stream] = text
			x := l.runs[im.ExecutionID]
			if stream == "stderr" {
				x.StderrBytes = int64(len(text))
			} else {
				x.StdoutBytes = int64(len(text))
			}
			l.runs[im.ExecutionID] = x
		}
	}
}

func (l *Library) match(q library.Query) []library.Image {
	var found []library.Image
	for _, im := range l.images {
		switch {
		case q.Trashed == im.Trashed.IsZero(), im.ReplacedBy != "":
		case q.SessionID != "" && im.SessionID != q.SessionID:
		case q.Rating >= 0 && !rated(im.Rating, q):
		case !tagged(im.Tags, q):
		case q.Text != "" && !strings.Contains(strings.ToLower(im.Title+im.Code), strings.ToLower(q.Text)):
		default:
			found = append(found, im)
		}
	}
	slices.SortStableFunc(found, func(a, b library.Image) int {
		c := a.CreatedAt.Compare(b.CreatedAt)
		switch q.SortBy {
		case "name":
			c = cmp.Or(strings.Compare(a.Title, b.Title), c)
		case "rating":
			c = cmp.Or(cmp.Compare(a.Rating, b.Rating), c)
		case library.ByCell:
			c = cmp.Or(cmp.Compare(cellOf(a), cellOf(b)), c)
		}
		if !q.Asc {
			c = -c
		}
		return c
	})
	return found
}

// cellOf returns the index of the cell of an image, or a large number if it has none.
func cellOf(im library.Image) int {
	if im.Cell == nil || im.Cell.Index == nil {
		return math.MaxInt
	}
	return *im.Cell.Index
}

// Placed returns how many of the images come before those without a cell, as a
// collection.Collection does.
func (l *Library) Placed(q library.Query, ids []string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.SortBy != library.ByCell {
		return len(ids)
	}
	return slices.IndexFunc(append(l.match(q), library.Image{}), func(im library.Image) bool { return cellOf(im) == math.MaxInt })
}

func rated(rating int, q library.Query) bool {
	switch q.RatingOp {
	case "=":
		return rating == q.Rating
	case "<=":
		return rating <= q.Rating
	default:
		return rating >= q.Rating
	}
}

func tagged(tags []string, q library.Query) bool {
	n := 0
	for _, t := range q.Tags {
		if slices.Contains(tags, t) {
			n++
		}
	}
	return n == len(q.Tags) || q.AnyTag && n > 0
}

// IDs returns the ids of the matching images, in order.
func (l *Library) IDs(_ context.Context, q library.Query) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for _, im := range l.match(q) {
		ids = append(ids, im.ImageID)
	}
	return ids, l.Err
}

// Get returns images in the order of ids. It omits those that do not exist.
func (l *Library) Get(_ context.Context, ids ...string) ([]library.Image, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []library.Image
	for _, id := range ids {
		for _, im := range l.images {
			if im.ImageID == id {
				im.Tags = slices.Clone(im.Tags)
				found = append(found, im)
			}
		}
	}
	return found, l.Err
}

// ImageAt returns the newest image with a path.
func (l *Library) ImageAt(_ context.Context, path string) (library.Image, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, im := range slices.Backward(l.images) {
		if im.Path == path && im.Trashed.IsZero() && im.ReplacedBy == "" {
			return im, l.Err
		}
	}
	return library.Image{}, fmt.Errorf("%s: %w", path, library.ErrNotFound)
}

// Image returns an image by its id or URI.
func (l *Library) Image(_ context.Context, idOrURI string) (library.Image, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, im := range l.images {
		if im.ImageID == idOrURI || im.ResourceURI == idOrURI {
			return im, l.Err
		}
	}
	return library.Image{}, fmt.Errorf("%s: %w", idOrURI, library.ErrNotFound)
}

// Count returns the number of images in a query's folder, and of those that match.
func (l *Library) Count(_ context.Context, q library.Query) (total, matching int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.match(library.Query{SessionID: q.SessionID, Trashed: q.Trashed, Rating: -1})), len(l.match(q)), l.Err
}

// edit changes images with do, and returns them.
func (l *Library) edit(ids []string, do func(*library.Image)) ([]library.Image, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Err != nil {
		return nil, l.Err
	}
	var changed []library.Image
	for i := range l.images {
		if slices.Contains(ids, l.images[i].ImageID) {
			do(&l.images[i])
			changed = append(changed, l.images[i])
			l.changed(feed.Rating|feed.Tags|feed.Text|feed.Picture|feed.Detail, l.images[i].ImageID)
		}
	}
	return changed, nil
}

// SetRating sets the star rating of images.
func (l *Library) SetRating(_ context.Context, ids []string, rating int) ([]library.Image, error) {
	return l.edit(ids, func(im *library.Image) { im.Rating = rating })
}

// SetTags adds tags to images and removes others.
func (l *Library) SetTags(_ context.Context, ids, add, remove []string) ([]library.Image, error) {
	return l.edit(ids, func(im *library.Image) {
		tags := slices.DeleteFunc(slices.Clone(im.Tags), func(t string) bool { return slices.Contains(remove, t) })
		for _, t := range add {
			if !slices.Contains(tags, t) {
				tags = append(tags, t)
			}
		}
		im.Tags = tags
	})
}

// Delete deletes images.
func (l *Library) Delete(_ context.Context, ids []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.images = slices.DeleteFunc(l.images, func(im library.Image) bool {
		gone := slices.Contains(ids, im.ImageID)
		if gone {
			l.changes.Append(feed.Change{ID: im.ImageID, What: feed.Removed, Was: &im.Image})
		}
		return gone
	})
	return l.Err
}

// PurgeTrash deletes images that were moved to the trash before a time, and returns how many.
func (l *Library) PurgeTrash(_ context.Context, before time.Time) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.images)
	l.images = slices.DeleteFunc(l.images, func(im library.Image) bool {
		gone := !im.Trashed.IsZero() && im.Trashed.Before(before)
		if gone {
			l.changed(feed.Purged, im.ImageID)
		}
		return gone
	})
	return n - len(l.images), l.Err
}

// Tags returns all tags with their counts, sorted by name.
func (l *Library) Tags(context.Context) ([]library.TagCount, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := make(map[string]int)
	for _, im := range l.images {
		for _, t := range im.Tags {
			count[t]++
		}
	}
	var tags []library.TagCount
	for t, n := range count {
		tags = append(tags, library.TagCount{Name: t, Count: n})
	}
	slices.SortFunc(tags, func(a, b library.TagCount) int { return strings.Compare(a.Name, b.Name) })
	return tags, l.Err
}

// Sessions returns all sessions.
func (l *Library) Sessions(context.Context) ([]library.Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.sessions), l.Err
}

// Session returns a session by its id.
func (l *Library) Session(_ context.Context, id string) (library.Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sessions {
		if s.ID == id {
			return s, l.Err
		}
	}
	return library.Session{}, library.ErrNotFound
}

// Execution returns an execution by its id.
func (l *Library) Execution(_ context.Context, id string) (library.Execution, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x, ok := l.runs[id]
	if !ok {
		return x, library.ErrNotFound
	}
	return x, l.Err
}

// ReadOutput returns at most limit bytes of an execution's output, and its total size.
func (l *Library) ReadOutput(_ context.Context, execID, stream string, from int64, limit int) (text []byte, total int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.output[execID+stream]
	part := s[min(int(from), len(s)):]
	return []byte(part[:min(limit, len(part))]), int64(len(s)), l.Err
}

// Displayed returns the output and the error of an execution.
func (l *Library) Displayed(_ context.Context, id string) (catalog.Execution, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return catalog.Execution{
		Status: l.runs[id].Status, Error: l.runs[id].Error, Stdout: l.output[id+"stdout"], Stderr: l.output[id+"stderr"],
	}, l.Err
}

// Activities returns none.
func (l *Library) Activities(context.Context, uint64, int) ([]catalog.Activity, error) {
	return nil, l.Err
}

// Executions returns l.Ran.
func (l *Library) Executions(context.Context, library.ExecutionQuery) ([]library.Execution, error) {
	return l.Ran, l.Err
}
