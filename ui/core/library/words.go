package library

import (
	"context"
	"database/sql"
	"errors"

	"easel/internal/truncate"
	"easel/ui/core/library/output"
	"easel/ui/core/library/search"
)

const (
	searchedCode   = 64 << 10 // searched bytes of an execution's code
	searchedOutput = 4 << 10  // and of each end of its output
)

// runWords returns the searched text of an execution.
func (t *tx) runWords(e Execution) (string, error) {
	words := truncate.Bytes(e.Code, searchedCode) + "\n" + truncate.Bytes(e.Result, searchedOutput)
	if e.Error != nil {
		words += "\n" + e.Error.Type + " " + truncate.Bytes(e.Error.Message, searchedOutput)
	}
	if !e.EndedAt.IsZero() {
		head, tail, err := t.s.output.Ends(e.ID, output.Stdout, searchedOutput)
		if err != nil {
			return "", err
		}
		words += "\n" + head + "\n" + tail
	}
	return search.Fold(words), nil
}

// indexBatch is the number of bytes indexed in one transaction. That takes about 10 ms,
// during which other writers wait.
const indexBatch = 16 << 10

// indexWords updates the index of words until it is complete or the library is closed.
func (x *Executions) indexWords(ctx context.Context) error {
	for {
		select {
		case <-x.s.done:
			return nil
		default:
		}
		var pending, more bool
		err := x.s.ro.QueryRowContext(ctx, `select exists (select 1 from run_words where indexed = 0)`).Scan(&pending)
		if err != nil || !pending {
			return err // without a write, which would wake the caller again
		}
		err = x.s.write(ctx, survivesDeath, func(t *tx) (err error) {
			more, err = t.indexSome()
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// indexSome indexes the oldest executions that are not indexed; more reports whether any
// are left.
func (t *tx) indexSome() (more bool, err error) {
	for size := 0; size < indexBatch; {
		var seq int64
		var words string
		err := t.row(`select seq, words from run_words where indexed = 0 order by seq limit 1`).Scan(&seq, &words)
		if errors.Is(err, sql.ErrNoRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for _, step := range []string{
			`delete from run_index where rowid = ?1`,
			`insert into run_index (rowid, words) select seq, words from run_words where seq = ?1`,
			`update run_words set indexed = 1 where seq = ?1`,
		} {
			if _, err := t.exec(step, seq); err != nil {
				return false, err
			}
		}
		size += len(words)
	}
	return true, nil
}
