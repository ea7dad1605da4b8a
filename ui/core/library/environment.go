package library

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"easel/mcphost/catalog"
)

// An environmentRecord is the journal record of an environment. Its id is its hash, so the
// executions that ran in the same environment refer to one record.
type environmentRecord struct {
	ID   string              `json:"id"`
	Body catalog.Environment `json:"body"`
}

// SetEnvironment stores what the kernel of an execution ran in. The error is ErrNotFound if the
// library does not have the execution.
func (x *Executions) SetEnvironment(ctx context.Context, execution string, env catalog.Environment) error {
	body, err := json.Marshal(env)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	r := environmentRecord{hex.EncodeToString(sum[:16]), env}
	return x.s.write(ctx, survivesDeath, func(t *tx) error {
		e, err := scanExecution(t.row(`select code, body from executions where id = ?`, execution))
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: execution %.120q", ErrNotFound, execution)
		}
		if err != nil {
			return err
		}
		var known int
		err = t.row(`select count(*) from environments where id = ?`, r.ID).Scan(&known)
		if err == nil && known == 0 {
			err = t.record(record{At: nanos(e.CreatedAt), Environment: &r})
		}
		if err != nil {
			return err
		}
		e.Environment = r.ID
		return t.record(record{Execution: &e})
	})
}

// Environment returns what the kernel of an execution ran in. The error is ErrNotFound if that
// was not recorded.
func (x *Executions) Environment(ctx context.Context, e Execution) (catalog.Environment, error) {
	r, err := scanEnvironment(x.s.ro.QueryRowContext(ctx, `select id, body from environments where id = ?`, e.Environment))
	if errors.Is(err, sql.ErrNoRows) {
		return r.Body, fmt.Errorf("%w: environment of execution %.120q", ErrNotFound, e.ID)
	}
	return r.Body, asFull(err)
}

func scanEnvironment(row scanner) (r environmentRecord, err error) {
	var body string
	if err := row.Scan(&r.ID, &body); err != nil {
		return r, err
	}
	return r, json.Unmarshal([]byte(body), &r.Body)
}

func (t *tx) applyEnvironment(r environmentRecord) error {
	body, err := json.Marshal(r.Body)
	if err != nil {
		return err
	}
	_, err = t.exec(`insert into environments (id, body) values (?, ?) on conflict (id) do nothing`, r.ID, string(body))
	return err
}

func (d dump) environments() error {
	return d.each(`select id, body from environments`, func(row scanner) error {
		r, err := scanEnvironment(row)
		if err != nil {
			return err
		}
		return d.put(record{Environment: &r})
	})
}
