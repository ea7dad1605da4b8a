package library

import (
	"context"
	"math"
	"strings"
	"time"

	"easel/ui/core/library/search"
)

// A RunQuery selects executions by words.
type RunQuery struct {
	Text      string    // words that must all occur in code or output, or in a plot's title, tags or note
	SessionID string    // if empty, all sessions
	Since     time.Time // requested at or after; zero: any
	Limit     int       // at most MaxPage; 0: 50
}

// instant returns a time in the format of the database. That reaches to the year 2262; a later one
// is after everything, and one before 1970 is before everything.
func instant(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, 0)):
		return 0
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	default:
		return t.UnixNano()
	}
}

// Search lists the executions that match, newest first. A plot belongs to each execution
// that drew or updated it; plots in the trash are not searched.
func (x *Executions) Search(ctx context.Context, q RunQuery) ([]Execution, error) {
	if q.Limit <= 0 {
		q.Limit = defaultPage
	}
	query, args := `select e.code, e.body from executions e where e.created >= ?`, []any{instant(q.Since)}
	if q.SessionID != "" {
		query, args = query+` and e.session = ?`, append(args, q.SessionID)
	}
	for word := range strings.FieldsSeq(search.Fold(q.Text)) {
		runs, more := search.RecentRuns(word)
		card, cards := search.Card(word, x.s.opts.Untitled)
		query += ` and (e.seq in (` + runs + `) or e.id in (select o.execution from images o where o.figure in (
			select i.figure from images i where i.trashed = 0 and i.superseded = 0 and (` + card + `))))`
		args = append(append(args, more...), cards...)
	}
	return collect(ctx, x.s, scanExecution, query+` order by e.created desc, e.id desc limit ?`, append(args, min(q.Limit, MaxPage))...)
}

// Lone lists the matching images of executions that the library does not have, newest
// first, for example of a library that was copied in part.
func (m *Images) Lone(ctx context.Context, q RunQuery) ([]Image, error) {
	if q.Limit <= 0 {
		q.Limit = defaultPage
	}
	c, err := m.queries.condition(ctx, Query{SessionID: q.SessionID, Rating: -1})
	if err != nil {
		return nil, err
	}
	for word := range strings.FieldsSeq(search.Fold(q.Text)) {
		m.queries.word(c, word)
	}
	c.and(`i.created >= ?`, instant(q.Since))
	c.and(`not exists (select 1 from executions e where e.id = i.execution)`)
	rows, err := m.imageRows(ctx, c.sql(imageColumns, `images i join sessions s on s.seq = i.session_seq`)+c.order()+` limit ?`,
		append(c.args, min(q.Limit, MaxPage))...)
	if err != nil {
		return nil, err
	}
	return m.withCode(ctx, rows)
}
