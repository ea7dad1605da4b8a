package library

import (
	"maps"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// A cell that is learned after a run is kept, also by a recorder that does not know it, and
// by a database that is built again.
func TestTheCellOfAnExecutionIsKept(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{})
	run := Execution{ID: "run", SessionID: "s", Status: catalog.StatusRunning, Code: "plot()"}
	ended := run
	ended.Status = catalog.StatusOK
	for _, do := range []func() error{
		func() error { return l.Executions.Put(ctx, run) },
		func() error {
			return l.Executions.Put(ctx, Execution{ID: "other", SessionID: "s", Status: catalog.StatusOK})
		},
		func() error { return l.Executions.SetCells(ctx, map[string]string{"run": "cell", "unknown": "cell"}) },
		func() error { return l.Executions.Put(ctx, ended) },
	} {
		require.NoError(t, do())
	}
	first := add(t, l, 1, func(n *NewImage) { n.SessionID, n.ExecutionID = "s", "run" })
	second := add(t, l, 2, func(n *NewImage) { n.SessionID, n.ExecutionID, n.Replaces = "s", "run", first.ResourceURI })
	check := func(l *Library) {
		t.Helper()
		ended.Cell = "cell"
		runs, err := l.Executions.Drawers(ctx, "s")
		if err != nil || len(runs) != 1 || runs[0].Cell != "cell" || runs[0].Code != "plot()" || runs[0].Status != catalog.StatusOK {
			t.Errorf("executions that drew: %+v, %v", runs, err)
		}
	}
	check(l)
	if got, err := l.Images.Runs(ctx, "s"); err != nil || !maps.Equal(got, map[string]string{second.ImageID: second.ExecutionID}) {
		t.Errorf("what drew the images: %v, %v", got, err)
	}
	require.NoError(t, l.Close())
	remove(t, filepath.Join(dir, databaseFile))
	check(open(t, dir, Options{}))
}
