package library

import (
	"context"
	"database/sql"
	"errors"
)

// SetCells stores which cells of a notebook executions have run: ids of cells by ids of
// executions. It ignores unknown executions.
func (x *Executions) SetCells(ctx context.Context, cells map[string]string) error {
	return x.s.write(ctx, survivesDeath, func(t *tx) error {
		for id, cell := range cells {
			e, err := scanExecution(t.row(`select code, body from executions where id = ?`, id))
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			e.Cell = cell
			if err := t.record(record{Execution: &e}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Drawers lists the executions of a session that drew images, oldest first.
func (x *Executions) Drawers(ctx context.Context, session string) ([]Execution, error) {
	return collect(ctx, x.s, scanExecution, `select code, body from executions
		where session = ? and exists (select 1 from images where execution = executions.id) order by created, id`, session)
}

// Runs returns the id of the execution that drew each image that lists show of a session,
// by the id of the image.
func (m *Images) Runs(ctx context.Context, session string) (map[string]string, error) {
	seq, err := m.s.sessionSeq(ctx, session)
	if err != nil {
		return nil, err
	}
	pairs, err := collect(ctx, m.s, func(row scanner) (p [2]string, err error) {
		err = row.Scan(&p[0], &p[1])
		return p, err
	}, `select id, execution from images where session_seq = ? and trashed = 0 and superseded = 0`, seq)
	if err != nil {
		return nil, err
	}
	by := make(map[string]string, len(pairs))
	for _, p := range pairs {
		by[p[0]] = p[1]
	}
	return by, nil
}
