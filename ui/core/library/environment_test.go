package library

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// TestEnvironmentsAreKeptOnceAndInTheJournal also covers that later changes of an execution keep
// what its kernel ran in.
func TestEnvironmentsAreKeptOnceAndInTheJournal(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{})
	dirty := true
	env := catalog.Environment{Language: "Python", Version: "3.12.1", Packages: []catalog.Package{{Name: "numpy", Version: "2.1.4", Used: true}}, Commit: "abc", Dirty: &dirty}
	for _, id := range []string{"e0", "e1"} {
		require.NoError(t, l.Executions.Put(ctx, Execution{ID: id, SessionID: "s", Status: "ok"}))
		require.NoError(t, l.Executions.SetEnvironment(ctx, id, env))
		require.NoError(t, l.Executions.Put(ctx, Execution{ID: id, SessionID: "s", Status: "ok", StdoutBytes: 1}))
	}
	if err := l.Executions.SetEnvironment(ctx, "none", env); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	check := func(l *Library) {
		t.Helper()
		var n int
		if err := l.s.ro.QueryRowContext(ctx, `select count(*) from environments`).Scan(&n); err != nil || n != 1 {
			t.Errorf("%d environments, %v", n, err)
		}
		for _, id := range []string{"e0", "e1"} {
			e, err := l.Executions.Get(ctx, id)
			require.NoError(t, err)
			got, err := l.Executions.Environment(ctx, e)
			if diff := cmp.Diff(env, got); diff != "" || err != nil {
				t.Error(diff, err)
			}
		}
	}
	check(l)
	if _, err := l.Executions.Environment(ctx, Execution{ID: "e2"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	for _, rewritten := range []bool{false, true} {
		if rewritten {
			require.NoError(t, l.s.rewriteJournal(ctx))
		}
		require.NoError(t, l.Close())
		remove(t, filepath.Join(dir, databaseFile))
		l = open(t, dir, Options{})
		check(l)
	}
}
