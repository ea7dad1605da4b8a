package coretest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
)

// Mark changes the marks of images, as a library.Library does.
func (l *Library) Mark(_ context.Context, targets []library.Target, edit func(i int, m *library.Marks) error) (changed []library.MarkEdit, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.named == nil {
		l.named = make(map[string]bool)
	}
	marks := func(im library.Image) library.Marks {
		return library.Marks{
			Rating: im.Rating, Tags: slices.Clone(im.Tags), Title: im.Title, Named: l.named[im.ImageID], Note: im.Note, Trashed: !im.Trashed.IsZero(),
		}
	}
	next := slices.Clone(l.images)
	for i, to := range targets {
		at := slices.IndexFunc(next, func(im library.Image) bool { return im.ImageID == to.ID })
		if at < 0 {
			continue
		}
		m := library.MarkEdit{Target: to, Before: marks(next[at]), After: marks(next[at])}
		if err := edit(i, &m.After); err != nil {
			return nil, err
		}
		if reflect.DeepEqual(m.Before, m.After) {
			continue
		}
		im := &next[at]
		im.Rating, im.Tags, im.Title, im.Note, im.Trashed = m.After.Rating, m.After.Tags, m.After.Title, m.After.Note, time.Time{}
		if m.After.Trashed {
			im.Trashed = Start
		}
		l.named[im.ImageID] = m.After.Named
		changed = append(changed, m)
	}
	if l.Err == nil {
		l.images = next
		for _, m := range changed {
			switch {
			case m.Before.Rating != m.After.Rating:
				l.changed(feed.Rating, m.ID)
			case m.Before.Trashed == m.After.Trashed:
				l.changed(feed.Tags|feed.Text, m.ID)
			case m.After.Trashed:
				l.changed(feed.Removed, m.ID)
			default:
				l.changed(feed.Restored, m.ID)
			}
		}
	}
	return changed, l.Err
}

// AddQuestion stores a question about an image.
func (l *Library) AddQuestion(_ context.Context, q library.Question) (library.Question, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q.ID, q.CreatedAt = fmt.Sprintf("question%d", len(l.questions)+1), Start.Add(time.Hour)
	l.questions = append(l.questions, q)
	l.changed(feed.Detail, q.Image)
	return q, l.Err
}

// Questions returns the questions about an image.
func (l *Library) Questions(_ context.Context, image string) (list []library.Question, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.questions {
		if q.Image == image {
			list = append(list, q)
		}
	}
	return list, l.Err
}

// AnnounceQuestions marks questions as told to a client.
func (l *Library) AnnounceQuestions(_ context.Context, ids []string, client string) (told []library.Question, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, q := range l.questions {
		if slices.Contains(ids, q.ID) && q.AnnouncedAt.IsZero() {
			l.questions[i].AnnouncedTo, l.questions[i].AnnouncedAt = client, Start.Add(2*time.Hour)
			told = append(told, l.questions[i])
			l.changed(feed.Detail, q.Image)
		}
	}
	return told, l.Err
}

// DeleteQuestion deletes a question.
func (l *Library) DeleteQuestion(_ context.Context, id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.questions = slices.DeleteFunc(l.questions, func(q library.Question) bool {
		if q.ID == id {
			l.changed(feed.Detail, q.Image)
		}
		return q.ID == id
	})
	return l.Err
}

// SetCheck sets the result of the check of an image.
func (l *Library) SetCheck(id string, c catalog.Check) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.checks == nil {
		l.checks = make(map[string]catalog.Check)
	}
	l.checks[id] = c
	for i := range l.images {
		if l.images[i].ImageID == id {
			l.images[i].Checked = c.Status
			l.changed(feed.Check, id)
		}
	}
}

// Check returns the result of the check of an image.
func (l *Library) Check(_ context.Context, id string) (library.Check, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.checks[id]
	if !ok {
		return library.Check{}, library.ErrNotFound
	}
	return library.Check{Check: c, ImageID: id}, l.Err
}
