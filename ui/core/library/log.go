package library

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"easel/mcphost/catalog"
)

// A LogQuery selects a part of the log.
type LogQuery struct {
	Session      string    // id; "": all, also what is about no session
	None         bool      // only what is about no session
	Since, Until time.Time // of when it began; zero: no limit
}

// A LogPlace is a place in the log, after an entry. The zero value is its beginning.
type LogPlace struct {
	at  int64
	seq int64  // of a call
	id  string // of an execution
}

// A LoggedCall is a call with what its execution was.
type LoggedCall struct {
	catalog.Activity
	Session string     // that it was about, if it is known
	Run     *LoggedRun // nil if it has none
	Place   LogPlace
}

// A LoggedRun is an execution with the images that it drew.
type LoggedRun struct {
	Execution
	Images []LoggedImage
	Place  LogPlace
}

// A LoggedImage is what the log says of an image.
type LoggedImage struct {
	ID     string `json:"image_id"`
	Title  string `json:"title,omitempty"`
	MIME   string `json:"mime_type"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	Bytes  int64  `json:"bytes"`
}

// imagesOfRun lists the images of an execution as JSON. They include those in the trash, and older versions.
const imagesOfRun = `(select json_group_array(json_object('image_id', i.id, 'title', i.title, 'mime_type', i.mime,
	'width', i.width, 'height', i.height, 'bytes', i.bytes)) from (select * from images where execution = e.id order by id) i)`

// bounds returns the conditions of a query on the time at which something began.
func (q LogQuery) bounds(after LogPlace) (from, until int64) {
	from, until = after.at, 1<<62
	if !q.Since.IsZero() {
		from = max(from, q.Since.UnixNano())
	}
	if !q.Until.IsZero() {
		until = q.Until.UnixNano()
	}
	return from, until
}

// calls returns the query for the next calls after a place.
func (q LogQuery) calls(after LogPlace, limit int) (query string, args []any) {
	from, until := q.bounds(after)
	query = `select a.seq, a.began, a.session, a.body, coalesce(e.code, ''), coalesce(e.body, ''), iif(e.id is null, '', ` + imagesOfRun + `)
		from activities a left join executions e on e.id = a.execution and a.execution <> ''
		where a.began >= ? and a.began < ? and (a.began, a.seq) > (?, ?)`
	args = []any{from, until, after.at, after.seq}
	if q.Session != "" {
		query, args = query+` and a.session = ? and a.session <> ''`, append(args, q.Session) // as the index has them
	}
	if q.None {
		query += ` and a.session = ''`
	}
	return query + ` order by a.began, a.seq limit ?`, append(args, limit)
}

// Log returns the next calls of the log after a place, oldest first.
func (v *Activities) Log(ctx context.Context, q LogQuery, after LogPlace, limit int) ([]LoggedCall, error) {
	query, args := q.calls(after, limit)
	return collect(ctx, v.s, func(row scanner) (c LoggedCall, err error) {
		var call, code, run, images string
		if err := row.Scan(&c.Place.seq, &c.Place.at, &c.Session, &call, &code, &run, &images); err != nil {
			return c, err
		}
		if err := json.Unmarshal([]byte(call), &c.Activity); err != nil {
			return c, fmt.Errorf("call: %w", err)
		}
		if run != "" {
			c.Run, err = loggedRun(code, run, images)
		}
		return c, err
	}, query, args...)
}

func loggedRun(code, body, images string) (*LoggedRun, error) {
	r := new(LoggedRun)
	if err := json.Unmarshal([]byte(body), &r.Execution); err != nil {
		return nil, fmt.Errorf("execution: %w", err)
	}
	r.Code = code
	return r, json.Unmarshal([]byte(images), &r.Images)
}

// uncalled is the condition that an execution e is in the log on its own: no call has started it, and not all plots of its session
// were deleted. The index of calls by execution has only those with one, so the query must say that.
const uncalled = `not exists (select 1 from activities a where a.execution = e.id and a.execution <> '')
	and not exists (select 1 from sessions s where s.id = e.session and s.counter > 0
		and not exists (select 1 from images i where i.session_seq = s.seq))`

// Uncalled returns the next executions after a place that no call of the log has started: what the user ran,
// or another client of the kernel. It leaves out sessions whose plots were all deleted, as the log does.
func (x *Executions) Uncalled(ctx context.Context, q LogQuery, after LogPlace, limit int) ([]LoggedRun, error) {
	if q.None { // code always has a session
		return nil, nil
	}
	from, until := q.bounds(after)
	query := `select e.id, e.created, e.code, e.body, ` + imagesOfRun + ` from executions e
		where e.created >= ? and e.created < ? and (e.created, e.id) > (?, ?)
		and ` + uncalled
	args := []any{from, until, after.at, after.id}
	if q.Session != "" {
		query, args = query+` and e.session = ?`, append(args, q.Session)
	}
	return collect(ctx, x.s, func(row scanner) (r LoggedRun, err error) {
		var at LogPlace
		var code, body, images string
		if err := row.Scan(&at.id, &at.at, &code, &body, &images); err != nil {
			return r, err
		}
		run, err := loggedRun(code, body, images)
		if err != nil {
			return r, err
		}
		run.Place = at
		return *run, nil
	}, query+` order by e.created, e.id limit ?`, append(args, limit)...)
}

// Sessions returns the ids of the sessions that have entries in the log, in the order of their first ones. It
// ends with "" if there are entries about no session.
func (v *Activities) Sessions(ctx context.Context, q LogQuery) ([]string, error) {
	from, until := q.bounds(LogPlace{})
	return collect(ctx, v.s, func(row scanner) (id string, err error) {
		var first int64
		err = row.Scan(&id, &first)
		return id, err
	}, `select session, min(at) as first from (
			select session, began as at from activities where began >= ?1 and began < ?2
			union all
			select e.session, e.created from executions e where e.created >= ?1 and e.created < ?2
				and `+uncalled+`)
		group by session order by session = '', first`, from, until)
}
