package library

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"easel/mcphost/catalog"
)

// maxActivities is the number of calls that the log keeps, plus up to pruneEvery.
const (
	maxActivities = 10_000
	pruneEvery    = 64
)

// activityIDs maps the ids of calls in this run of Easel, which may start at 1 again, to
// ids that are unique in the log.
type activityIDs struct {
	mu     sync.Mutex
	last   uint64 // the greatest id of earlier runs
	offset uint64
	known  bool
}

func (a *activityIDs) row(id uint64) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.known {
		a.known = true
		if id <= a.last {
			a.offset = a.last
		}
	}
	return id + a.offset
}

// Activities are the log of calls.
type Activities struct {
	s   *store
	ids activityIDs
}

func (v *Activities) start(ctx context.Context) error {
	err := v.s.ro.QueryRowContext(ctx, `select coalesce(max(seq), 0) from activities`).Scan(&v.ids.last)
	return asFull(err)
}

// Put stores a call without its result, or updates the stored call with the same id. The log keeps
// the last 10,000 calls. Ids must increase within one run of Easel. If a run starts at
// 1 again, its ids are shifted past those of earlier runs.
func (v *Activities) Put(ctx context.Context, a catalog.Activity) error {
	a.ID = v.ids.row(a.ID)
	a.Result = nil
	body, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("activity: %w", err)
	}
	return v.s.write(ctx, survivesDeath, func(t *tx) error {
		if _, err := t.exec(`insert or replace into activities (seq, body) values (?, ?)`, int64(a.ID), string(body)); err != nil {
			return err
		}
		if a.ID%pruneEvery != 0 {
			return nil
		}
		// Count the rows: ids have gaps between runs.
		_, err := t.exec(`delete from activities where seq <= (select seq from activities order by seq desc limit 1 offset ?)`, maxActivities)
		return err
	})
}

// List lists calls, newest first: at most limit (0: 50), with ids less than before
// (0: from the newest). The ids are those of the log; see Put.
func (v *Activities) List(ctx context.Context, before uint64, limit int) ([]catalog.Activity, error) {
	if before == 0 || before > math.MaxInt64 {
		before = math.MaxInt64
	}
	if limit <= 0 {
		limit = defaultPage
	}
	return collect(ctx, v.s, func(row scanner) (a catalog.Activity, err error) {
		var body string
		if err := row.Scan(&body); err != nil {
			return a, err
		}
		err = json.Unmarshal([]byte(body), &a)
		return a, err
	}, `select body from activities where seq < ? order by seq desc limit ?`, int64(before), min(limit, MaxPage))
}
