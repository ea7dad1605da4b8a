package library

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"easel/mcphost/catalog"
)

// maxActivities is the number of calls about no session that the log keeps, plus up to pruneEvery.
const (
	maxActivities = 100_000
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

// Put stores a call without its result, or updates the stored call with the same id. Ids must increase
// within one run of Easel. If a run starts at 1 again, its ids are shifted past those of earlier runs.
//
// The log keeps a call for as long as the plots of its session; see forget. Of the calls that are about no
// session, it keeps the last 100,000.
func (v *Activities) Put(ctx context.Context, a catalog.Activity) error {
	a.ID = v.ids.row(a.ID)
	a.Result = nil
	return v.s.write(ctx, survivesDeath, func(t *tx) error {
		if err := t.call(a); err != nil || a.ID%pruneEvery != 0 {
			return err
		}
		// Count the rows: ids have gaps between runs.
		_, err := t.exec(`delete from activities where session = '' and seq <=
			(select seq from activities where session = '' order by seq desc limit 1 offset ?)`, maxActivities)
		return err
	})
}

// call stores a call, and what its client got of images.
func (t *tx) call(a catalog.Activity) error {
	session, err := t.sessionOf(a)
	if err != nil {
		return err
	}
	if err := t.leaveCode(&a); err != nil {
		return err
	}
	body, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("activity: %w", err)
	}
	if _, err := t.exec(`insert or replace into activities (seq, session, execution, began, body) values (?, ?, ?, ?, ?)`,
		int64(a.ID), session, a.ExecutionID, nanos(a.Began), string(body)); err != nil || a.Ended.IsZero() {
		return err
	}
	return t.delivered(a)
}

// sessionOf returns the session that a call is about; "" if it is about none, or that is not known.
func (t *tx) sessionOf(a catalog.Activity) (id string, err error) {
	var args struct {
		Session string `json:"session_id"`
		URI     string `json:"uri"`
		Image   string `json:"resource_uri"`
	}
	_ = json.Unmarshal(a.Args, &args) // they may be anything
	id = a.SessionID
	if id == "" && a.ExecutionID != "" {
		err = t.row(`select session from executions where id = ?`, a.ExecutionID).Scan(&id)
	}
	for _, uri := range []string{args.URI, args.Image} {
		if image := catalog.ImageIDOf(uri); id == "" && image != "" {
			err = t.row(`select s.id from images i join sessions s on s.seq = i.session_seq where i.id = ?`, image).Scan(&id)
		}
	}
	if id == "" && args.Session != "" { // or the id of its kernel
		err = t.row(`select id from sessions where id = ?1 or kernel = ?1 order by seq desc limit 1`, args.Session).Scan(&id)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// leaveCode removes the code from the parameters of a call if its execution has the same.
func (t *tx) leaveCode(a *catalog.Activity) error {
	if a.ExecutionID == "" {
		return nil
	}
	var args map[string]json.RawMessage
	var asked, ran string
	if json.Unmarshal(a.Args, &args) != nil || json.Unmarshal(args["code"], &asked) != nil {
		return nil //nolint:nilerr // it has no code
	}
	err := t.row(`select code from executions where id = ?`, a.ExecutionID).Scan(&ran)
	if errors.Is(err, sql.ErrNoRows) || err == nil && ran != asked {
		return nil // the user has edited it
	}
	if err != nil {
		return err
	}
	delete(args, "code")
	a.Args, err = json.Marshal(args)
	return err
}

// withCode is the inverse of leaveCode.
func withCode(a *catalog.Activity, code string) {
	var args map[string]json.RawMessage
	if code == "" || json.Unmarshal(a.Args, &args) != nil || args == nil || args["code"] != nil || a.Tool != runTool {
		return
	}
	text, err := json.Marshal(code)
	if err != nil { // a string can always be encoded
		return
	}
	args["code"] = text
	if all, err := json.Marshal(args); err == nil {
		a.Args = all
	}
}

// runTool is the tool of which the code is stored with the execution.
var runTool = catalog.ExecuteCode.Spec().Name

// List lists calls, newest first: at most limit (0: 50), with ids less than before
// (0: from the newest). The ids are those of the log; see Put.
func (v *Activities) List(ctx context.Context, before uint64, limit int) ([]catalog.Activity, error) {
	if before == 0 || before > math.MaxInt64 {
		before = math.MaxInt64
	}
	if limit <= 0 {
		limit = defaultPage
	}
	return collect(ctx, v.s, scanCall,
		callColumns+` where a.seq < ? order by a.seq desc limit ?`, int64(before), min(limit, MaxPage))
}

const callColumns = `select a.body, coalesce(e.code, '') from activities a left join executions e on e.id = a.execution and a.execution <> ''`

func scanCall(row scanner) (a catalog.Activity, err error) {
	var body, code string
	if err := row.Scan(&body, &code); err != nil {
		return a, err
	}
	err = json.Unmarshal([]byte(body), &a)
	withCode(&a, code)
	return a, err
}
