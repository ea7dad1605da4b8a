package collection

import (
	"context"
	"slices"
	"sync"

	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
)

// departures has the images of the library that are being moved to the trash or back, or deleted.
// For thousands of images the library needs seconds; lists and counts are at once as they will
// be. It is safe for concurrent use.
type departures struct {
	mu    sync.Mutex
	moves []*move
}

// A move is the images that one request moves.
type move struct {
	fate     command.Fate
	ids      map[string]bool
	sessions map[string]int // number of images that leave the library, or return to it, by session
}

// Leave leaves images out of all lists, and counts them where they will be, until over is
// called. That must happen when the library has moved them, or has failed to.
func (c *Collection) Leave(images []library.Image, fate command.Fate) (over func()) {
	m := &move{fate: fate, ids: make(map[string]bool, len(images)), sessions: make(map[string]int)}
	for _, im := range images {
		m.ids[im.ImageID] = true
		if im.Trashed.IsZero() == (fate != command.FateRestore) {
			m.sessions[im.SessionID]++
		}
	}
	d := &c.departures
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moves = append(slices.Clip(d.moves), m)
	changes := make([]feed.Change, len(images))
	for i, im := range images {
		changes[i] = feed.Change{ID: im.ImageID, What: feed.Leaving}
	}
	c.Changes().Append(changes...)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.moves = slices.DeleteFunc(slices.Clone(d.moves), func(o *move) bool { return o == m })
		c.Changes().Append(changes...)
	}
}

// now returns the moves that are being made.
func (d *departures) now() []*move {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.moves
}

// staying removes the images that are leaving from ids.
func staying(moves []*move, ids []string) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return leaves(moves, id) })
}

// leaves reports whether an image is leaving.
func leaves(moves []*move, id string) bool {
	return slices.ContainsFunc(moves, func(m *move) bool { return m.ids[id] })
}

// coming returns the number of images that are coming to a query's folder.
func coming(moves []*move, q library.Query) (n int) {
	fate := command.FateRestore
	if q.Trashed {
		fate = command.FateTrash
	}
	for _, m := range moves {
		for session, images := range m.sessions {
			if m.fate == fate && q.URIPrefix == "" && (q.SessionID == "" || q.SessionID == session) {
				n += images
			}
		}
	}
	return n
}

// countWhileLeaving is Count while images are leaving.
func (c *Collection) countWhileLeaving(ctx context.Context, moves []*move, q library.Query) (total, matching int, err error) {
	count := func(q library.Query) (int, error) {
		ids, err := c.Library.Images.IDs(ctx, q)
		return len(staying(moves, ids)), err
	}
	folder := library.Query{SessionID: q.SessionID, URIPrefix: q.URIPrefix, Trashed: q.Trashed, Rating: -1}
	if total, err = count(folder); err != nil {
		return 0, 0, err
	}
	total += coming(moves, q)
	if q.Rating < 0 && len(q.Tags) == 0 && q.Text == "" {
		return total, total, nil
	}
	matching, err = count(q)
	return total, matching, err
}

// Sessions returns all sessions, with the numbers of their images.
func (c *Collection) Sessions(ctx context.Context) ([]library.Session, error) {
	moves := c.departures.now()
	all, err := c.Library.Sessions.All(ctx)
	for _, m := range moves {
		for i := range all {
			n := m.sessions[all[i].ID]
			if m.fate != command.FateRestore {
				n = -n
			}
			all[i].Images = max(all[i].Images+n, 0)
		}
	}
	return all, err
}
