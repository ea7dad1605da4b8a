package library

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

// asBefore turns the database of a library that is closed into one of an earlier schema.
// Each statement is executed in it then.
func asBefore(t *testing.T, dir string, version int, statements ...string) {
	t.Helper()
	ctx := t.Context()
	path := filepath.Join(dir, databaseFile)
	require.NoError(t, os.Rename(path, path+".now"))
	if err := os.Remove(filepath.Join(dir, sealFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(ctx, query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec(strings.Join(migrations[:version], ";"))
	exec(fmt.Sprintf("pragma user_version = %d", version))
	exec("attach ? as now", path+".now")
	exec("delete from journal_state")
	for _, table := range []string{"journal_state", "images", "executions", "run_words", "files", "tag_names", "tagged", "file_marks", "activities", "sessions"} {
		var columns string
		require.NoError(t, db.QueryRowContext(ctx, `select group_concat(name) from pragma_table_info(?)`, table).Scan(&columns))
		exec("delete from " + table)
		exec(fmt.Sprintf("insert into main.%s (%s) select %s from now.%s", table, columns, columns, table))
	}
	exec("update run_words set indexed = 0")
	exec("detach now")
	for _, s := range statements {
		exec(s)
	}
	require.NoError(t, os.Remove(path+".now"))
}
