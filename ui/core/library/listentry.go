package library

import (
	"context"
	"slices"
	"time"
)

// A ListEntry is an image in the answer to a query.
type ListEntry struct {
	ID      string
	At      int64  // what the query sorts by, if that is a time, in nanoseconds since 1970; else when it was created
	Session string // its session, if the query sorts by sessions
}

// Time returns At as a time.
func (l ListEntry) Time() time.Time { return time.Unix(0, l.At) }

// List returns all matching images, in order.
func (m *Images) List(ctx context.Context, q Query) ([]ListEntry, error) {
	c, err := m.queries.condition(ctx, q)
	if err != nil {
		return nil, err
	}
	at, session := `i.born`, `0`
	switch q.SortBy {
	case "modified":
		at = `i.modified`
	case "session":
		session = `i.session_seq`
	}
	names, err := m.sessionIDs(ctx, q)
	if err != nil {
		return nil, err
	}
	var l ListEntry // one for all rows: there may be many
	var seq int64
	all, err := collectSized(ctx, m.s, int(m.listed.Load()), func(row scanner) (ListEntry, error) {
		err := row.Scan(&l.ID, &l.At, &seq)
		l.Session = names[seq]
		return l, err
	}, c.sql(`i.id, `+at+`, `+session, `images i`)+c.order(), c.args...)
	m.listed.Store(int64(len(all)))
	if len(all) < cap(all)/2 {
		all = slices.Clone(all) // the room was for a longer list
	}
	return all, err
}

// sessionIDs returns the ids of all sessions, by their rows, if a query sorts by sessions.
func (m *Images) sessionIDs(ctx context.Context, q Query) (map[int64]string, error) {
	ids := make(map[int64]string)
	if q.SortBy != "session" {
		return ids, nil
	}
	type session struct {
		seq int64
		id  string
	}
	all, err := collect(ctx, m.s, func(row scanner) (x session, err error) {
		err = row.Scan(&x.seq, &x.id)
		return x, err
	}, `select seq, id from sessions`)
	for _, x := range all {
		ids[x.seq] = x.id
	}
	return ids, err
}
