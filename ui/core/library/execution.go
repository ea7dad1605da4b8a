package library

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library/naming"
)

// An Execution is one piece of code that ran, is running or is queued. Its output is in
// files; see package output.
type Execution struct {
	ID            string                  `json:"id"`
	SessionID     string                  `json:"session"`
	KernelID      string                  `json:"kernel,omitempty"`
	Request       string                  `json:"request,omitempty"` // msg_id of the execute_request
	Generation    int                     `json:"generation,omitempty"`
	Code          string                  `json:"code,omitempty"`
	Client        string                  `json:"client,omitempty"`
	ClientVersion string                  `json:"client_version,omitempty"`
	Assistant     string                  `json:"assistant,omitempty"` // that asked for it, as in tool.Caller
	Transport     string                  `json:"transport,omitempty"`
	Status        string                  `json:"status"`           // one of the catalog's
	Result        string                  `json:"result,omitempty"` // text/plain of the last expression
	Own           bool                    `json:"own,omitempty"`    // Easel sent it; otherwise, another client of the kernel did
	Timeout       time.Duration           `json:"timeout,omitempty"`
	Count         int                     `json:"count,omitempty"`       // the kernel's execution count: the n of In [n]
	Cell          string                  `json:"cell,omitempty"`        // id of the notebook's cell that was run, if known; see SetCells
	Environment   string                  `json:"environment,omitempty"` // id of what its kernel ran in, if it drew; see SetEnvironment
	Hint          string                  `json:"hint,omitempty"`        // what the client can do after a failure
	CreatedAt     time.Time               `json:"created_at,omitzero"`
	SentAt        time.Time               `json:"sent_at,omitzero"`    // to the kernel
	StartedAt     time.Time               `json:"started_at,omitzero"` // stored when it ends
	EndedAt       time.Time               `json:"ended_at,omitzero"`   // or time of its last message, if its end is unknown
	Error         *catalog.ExecutionError `json:"error,omitempty"`
	Truncated     []catalog.Truncation    `json:"truncated,omitempty"`
	StdoutBytes   int64                   `json:"stdout_bytes,omitempty"`
	StderrBytes   int64                   `json:"stderr_bytes,omitempty"`
	Risks         []catalog.Risk          `json:"risks,omitempty"` // what the code may do, if the user's permission depends on it
}

// Executions are what ran, and where to find it.
type Executions struct{ s *store }

// Put stores an execution, or updates the stored one with the same id. Once an
// execution has ended, its outcome does not change; only late results are added.
func (x *Executions) Put(ctx context.Context, e Execution) error {
	if err := naming.CheckKey("execution", e.ID); err != nil {
		return err
	}
	return x.s.write(ctx, survivesDeath, func(t *tx) error {
		was, err := scanExecution(t.row(`select code, body from executions where id = ?`, e.ID))
		known := err == nil
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if known && catalog.Ended(was.Status) {
			if was.Status != e.Status {
				x.s.log.ErrorContext(ctx, "library: an execution that has ended was to end otherwise; it stays as it was",
					"execution", e.ID, "status", was.Status, "refused", e.Status)
			}
			e.Status, e.EndedAt, e.Error = was.Status, was.EndedAt, was.Error
		}
		e.Cell, e.Environment = cmp.Or(e.Cell, was.Cell), cmp.Or(e.Environment, was.Environment)
		// The journal has only its beginning and its end. States in between are soon
		// replaced, and losing them with the database does no harm.
		if known && !catalog.Ended(e.Status) {
			return t.apply(record{Execution: &e})
		}
		return t.record(record{Execution: &e})
	})
}

func scanExecution(row scanner) (e Execution, err error) {
	var code, body string
	if err := row.Scan(&code, &body); err != nil {
		return e, err
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return e, fmt.Errorf("execution: %w", err)
	}
	e.Code = code
	return e, nil
}

// Get returns the execution with an id.
func (x *Executions) Get(ctx context.Context, id string) (Execution, error) {
	e, err := scanExecution(x.s.ro.QueryRowContext(ctx, `select code, body from executions where id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return e, fmt.Errorf("%w: execution %.120q", ErrNotFound, id)
	}
	return e, asFull(err)
}

// An ExecutionQuery selects a page of the history.
type ExecutionQuery struct {
	SessionID string    // if empty, all sessions
	Before    time.Time // created before; zero: from the newest
	BeforeID  string    // with Before: also those created at that instant with smaller ids
	Limit     int       // at most MaxPage; 0: 50
}

// List lists executions, newest first. For the next page, set Before and BeforeID
// to the CreatedAt and ID of the last.
func (x *Executions) List(ctx context.Context, q ExecutionQuery) ([]Execution, error) {
	if q.Limit <= 0 {
		q.Limit = defaultPage
	}
	before := int64(math.MaxInt64)
	if !q.Before.IsZero() {
		before = q.Before.UnixNano()
	}
	query, args := `select code, body from executions where (created, id) < (?, ?)`, []any{before, q.BeforeID}
	if q.SessionID != "" {
		query, args = query+` and session = ?`, append(args, q.SessionID)
	}
	return collect(ctx, x.s, scanExecution, query+` order by created desc, id desc limit ?`, append(args, min(q.Limit, MaxPage))...)
}

const executionImages = `select ` + imageColumns + imageTables + `
	where i.figure in (select figure from images where execution = ?) and i.superseded = 0 and i.trashed = 0 order by i.figure`

// OfExecution lists the newest versions of the figures that an execution drew or
// updated, in the order in which they were displayed, without those in the trash.
func (m *Images) OfExecution(ctx context.Context, id string) ([]Image, error) {
	if id == "" {
		return nil, nil
	}
	rows, err := m.imageRows(ctx, executionImages, id)
	if err != nil {
		return nil, err
	}
	return m.withCode(ctx, rows)
}

// Open lists the executions that have not ended, oldest first. At startup,
// these are the ones that were queued or running when Easel exited.
func (x *Executions) Open(ctx context.Context) ([]Execution, error) {
	return collect(ctx, x.s, scanExecution,
		`select code, body from executions where status in ('queued', 'awaiting_approval', 'running') order by seq`)
}
