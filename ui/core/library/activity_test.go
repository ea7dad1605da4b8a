package library

import (
	"encoding/json"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// TestResultsOfCallsAreNotStored checks new calls, and those that an earlier Easel stored.
func TestResultsOfCallsAreNotStored(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	put := func(l *Library, id uint64) {
		t.Helper()
		a := catalog.Activity{ID: id, Tool: "file_read", Status: "ok", Args: json.RawMessage(`{"path":"a.txt"}`), Result: json.RawMessage(`{"text":"secret words"}`)}
		require.NoError(t, l.Activities.Put(t.Context(), a))
	}
	put(l, 1)
	require.NoError(t, l.Close())
	asBefore(t, dir, 7, `insert into activities (seq, body) values (7, '{"ID":7,"Tool":"old","Status":"ok","Args":{"path":"b.txt"},"Result":{"text":"secret words"},"Images":["x"]}')`)
	l = open(t, dir, Options{})
	put(l, 8)
	all, err := l.Activities.List(t.Context(), 0, 0)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d calls, %v", len(all), err)
	}
	for _, a := range all {
		if len(a.Result) > 0 && string(a.Result) != "null" || !strings.Contains(string(a.Args), ".txt") || a.Status != "ok" {
			t.Errorf("stored: %+v", a)
		}
	}
	if all[1].Tool != "old" && all[0].Tool != "old" || !strings.Contains(string(all[1].Args)+string(all[0].Args), "b.txt") {
		t.Errorf("the old call has changed: %+v", all)
	}
	require.NoError(t, l.Close())
	if strings.Contains(read(t, dir+"/"+databaseFile), "secret words") {
		t.Error("the database still has a result")
	}
}

// TestTheLogOfASessionIsFoundByItsIndex checks that a report of many sessions does not read all calls for each of them.
func TestTheLogOfASessionIsFoundByItsIndex(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	query, args := LogQuery{Session: "s1"}.calls(LogPlace{}, 500)
	steps, err := collect(t.Context(), l.s, func(row scanner) (detail string, err error) {
		var a, b, c int
		err = row.Scan(&a, &b, &c, &detail)
		return detail, err
	}, `explain query plan `+query, args...)
	require.NoError(t, err)
	if plan := strings.Join(steps, "\n"); !strings.Contains(plan, "activities_session") || strings.Contains(plan, "TEMP B-TREE") {
		t.Error(plan)
	}
}
