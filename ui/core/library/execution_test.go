package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

func TestExecutionsAreKeptWholeAndPagedNewestFirst(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	at := time.Date(2026, 5, 1, 12, 0, 0, 123, time.UTC)
	whole := Execution{
		ID: "e0", SessionID: "s0", KernelID: "k", Generation: 2, Code: "print('気温')\x00", Client: "claude-code", ClientVersion: "2.1", Transport: "mcp",
		Status: "error", Result: "1", Own: true, Count: 7, CreatedAt: at, StartedAt: at.Add(time.Second), EndedAt: at.Add(time.Minute),
		Error:       &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "ValueError", Message: "no", Traceback: "…"},
		Truncated:   []catalog.Truncation{{Stream: "stdout", TotalBytes: 1 << 40, Reason: "rate limit"}},
		StdoutBytes: 1 << 40, StderrBytes: 3,
	}
	draft := whole
	draft.Status, draft.EndedAt, draft.Error, draft.Code = "running", time.Time{}, nil, "print()"
	for _, e := range []Execution{draft, whole} {
		require.NoError(t, l.Executions.Put(ctx, e))
	}
	got, err := l.Executions.Get(ctx, "e0")
	if diff := cmp.Diff(whole, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for i := 1; i < 20; i++ { // several at the same instant
		require.NoError(t, l.Executions.Put(ctx, Execution{ID: fmt.Sprintf("e%02d", i), SessionID: fmt.Sprint("s", i%2), Status: "ok", CreatedAt: at.Add(time.Duration(i/4) * time.Second)}))
	}
	for session, want := range map[string]int{"": 20, "s0": 10, "s9": 0} {
		q := ExecutionQuery{SessionID: session, Limit: 3}
		seen := make(map[string]bool)
		for {
			page, err := l.Executions.List(ctx, q)
			require.NoError(t, err)
			for _, e := range page {
				if seen[e.ID] || !q.Before.IsZero() && e.CreatedAt.After(q.Before) {
					t.Errorf("%s twice or out of order", e.ID)
				}
				seen[e.ID] = true
				q.Before, q.BeforeID = e.CreatedAt, e.ID
			}
			if len(page) < 3 {
				break
			}
		}
		if len(seen) != want {
			t.Errorf("session %q: %d, want %d", session, len(seen), want)
		}
	}
	if _, err := l.Executions.Get(ctx, "nobody"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if err := l.Executions.Put(ctx, Execution{ID: "../x"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

func TestWhatHadNoEndIsFound(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	for _, status := range []string{catalog.StatusQueued, catalog.StatusAwaiting, catalog.StatusRunning, catalog.StatusOK, catalog.StatusError} {
		e := Execution{ID: status, SessionID: "s", Code: "code", Status: status}
		if status == catalog.StatusRunning {
			e.Request = "that the kernel was sent"
		}
		require.NoError(t, l.Executions.Put(ctx, e))
	}
	require.NoError(t, l.Close())
	l = open(t, dir, Options{})
	found, err := l.Executions.Open(ctx)
	if err != nil || len(found) != 3 {
		t.Errorf("got %+v, %v", found, err)
	}
	for i, want := range []string{"queued", "awaiting_approval", "running"} {
		if e := found[i]; e.ID != want || e.Status != want || e.Code != "code" {
			t.Errorf("got %+v, want %s", e, want)
		}
	}
}

// How an execution has ended never changes, whoever says otherwise; what comes late of its
// output is kept.
func TestAnEndIsNeverChanged(t *testing.T) {
	ctx := t.Context()
	all := []string{
		catalog.StatusOK, catalog.StatusError, catalog.StatusInterrupted, catalog.StatusCancelled,
		catalog.StatusTimeout, catalog.StatusKernelDied, catalog.StatusLost,
	}
	dir := t.TempDir()
	var told bytes.Buffer
	l, err := Open(ctx, dir, Options{Log: slog.New(slog.NewTextHandler(&told, nil))})
	require.NoError(t, err)
	at := time.Date(2026, 11, 24, 4, 0, 0, 0, time.UTC)
	put := func(e Execution) {
		t.Helper()
		require.NoError(t, l.Executions.Put(ctx, e))
	}
	for _, status := range all {
		put(Execution{ID: status, SessionID: "s", Status: catalog.StatusRunning})
		put(Execution{ID: status, SessionID: "s", Status: status, EndedAt: at, Error: &catalog.ExecutionError{Message: "first"}})
		for _, other := range append(all, catalog.StatusRunning) {
			told.Reset()
			put(Execution{ID: status, SessionID: "s", Status: other, EndedAt: at.Add(time.Hour), StdoutBytes: 7})
			if tried := other != status; tried != strings.Contains(told.String(), "level=ERROR") {
				t.Errorf("%s to %s: logged %q", status, other, told.String())
			}
		}
	}
	kept := func() {
		t.Helper()
		for _, status := range all {
			e, err := l.Executions.Get(ctx, status)
			if err != nil || e.Status != status || !e.EndedAt.Equal(at) || e.StdoutBytes != 7 {
				t.Errorf("%s: %+v, %v", status, e, err)
			}
			if e.Error == nil || e.Error.Message != "first" {
				t.Errorf("%s: the error is %+v", status, e.Error)
			}
		}
	}
	kept()
	require.NoError(t, l.Close())
	for _, name := range []string{databaseFile, databaseFile + "-wal", databaseFile + "-shm", sealFile} { // the journal alone tells the same
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	l = open(t, dir, Options{})
	kept()
}

func TestSessionsAreFoundByTheirIDAndTheirKernels(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	want := Session{ID: "s1", KernelID: "k1", KernelName: "python3", Server: "local", NotebookPath: "a.ipynb", Name: "A", Client: "c", Owner: "easel", CreatedAt: time.Unix(5, 6).UTC(), Generation: 1, Colour: 3}
	add(t, l, 1) // an image may come before its session
	for _, kernel := range []string{"k0", "k1"} {
		want.KernelID = kernel
		require.NoError(t, l.Sessions.Put(ctx, want))
	}
	want.Images = 1
	for _, id := range []string{"s1", "k1"} {
		got, err := l.Sessions.Get(ctx, id)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
	for _, id := range []string{"k0", "", "nobody"} {
		if _, err := l.Sessions.Get(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	require.NoError(t, l.Sessions.Put(ctx, Session{ID: "s2"}))
	all, err := l.Sessions.All(ctx)
	if err != nil || len(all) != 2 || all[0].ID != "s2" || all[1].Images != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestActivitiesOfTwoRunsStandInOneLog(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	for range 2 {
		l, err := Open(ctx, dir, Options{})
		require.NoError(t, err)
		for id := uint64(1); id <= 3; id++ { // each run counts from 1
			for _, status := range []string{"running", "ok"} {
				require.NoError(t, l.Activities.Put(ctx, catalog.Activity{ID: id, Tool: fmt.Sprint("t", id), Status: status, Args: json.RawMessage(`{"a":1}`)}))
			}
		}
		require.NoError(t, l.Close())
	}
	l := open(t, dir, Options{})
	var got []string
	before := uint64(0)
	for {
		page, err := l.Activities.List(ctx, before, 4)
		require.NoError(t, err)
		for _, a := range page {
			got = append(got, a.Tool+a.Status)
			before = a.ID
		}
		if len(page) < 4 {
			break
		}
	}
	if diff := cmp.Diff(strings.Fields("t3ok t2ok t1ok t3ok t2ok t1ok"), got); diff != "" {
		t.Error(diff)
	}
}

// TestTheLogOfCallsIsBoundedByItsNumber: the ids of a run begin far beyond those of the
// one before, which must not cost its calls.
func TestTheLogOfCallsIsBoundedByItsNumber(t *testing.T) {
	ctx, l := t.Context(), open(t, t.TempDir(), Options{})
	const run = 1 << 40
	for _, id := range []uint64{pruneEvery, 2 * pruneEvery, run, run + pruneEvery} {
		require.NoError(t, l.Activities.Put(ctx, catalog.Activity{ID: id, Tool: "t", Status: "ok"}))
	}
	if got, err := l.Activities.List(ctx, 0, 10); err != nil || len(got) != 4 {
		t.Fatalf("%d calls are left of two runs, want 4; %v", len(got), err)
	}
	require.NoError(t, l.s.write(ctx, survivesDeath, func(t *tx) error {
		_, err := t.exec(`with recursive n(i) as (select 1 union all select i+1 from n where i < ?)
			insert into activities (seq, body) select ? + i, '{}' from n`, maxActivities+40, int64(run+pruneEvery))
		return err
	}))
	require.NoError(t, l.Activities.Put(ctx, catalog.Activity{ID: 2 * run, Tool: "last", Status: "ok"}))
	n := 0
	if err := l.s.ro.QueryRowContext(ctx, `select count(*) from activities`).Scan(&n); err != nil || n != maxActivities {
		t.Errorf("the log has %d calls, %v", n, err)
	}
	if got, err := l.Activities.List(ctx, 0, 1); err != nil || got[0].Tool != "last" {
		t.Errorf("the newest is %+v, %v", got, err)
	}
}

func TestAWriteThatHasBegunIsFinishedAndAfterCloseNoneBegins(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(t.Context(), dir, Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Executions.Put(ctx, Execution{ID: "e1", Status: "ok"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var wg sync.WaitGroup
	acknowledged := make([][]string, 4)
	for worker := range acknowledged {
		wg.Go(func() {
			for i := 0; ; i++ {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%20)*50*time.Microsecond)
				id := fmt.Sprintf("x%d-%d", worker, i)
				err := l.Executions.Put(ctx, Execution{ID: id, Status: "ok"})
				cancel()
				switch {
				case err == nil:
					acknowledged[worker] = append(acknowledged[worker], id)
				case errors.Is(err, ErrClosed):
					return
				case !errors.Is(err, context.DeadlineExceeded):
					t.Errorf("%s: %v", id, err)
					return
				}
			}
		})
	}
	<-time.After(100 * time.Millisecond)
	if err := l.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	wg.Wait()
	l = open(t, dir, Options{})
	for _, ids := range acknowledged {
		for _, id := range ids {
			if _, err := l.Executions.Get(t.Context(), id); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAJournalGrownWithWhatIsOvertakenIsWrittenAnew(t *testing.T) {
	ctx := t.Context()
	dir, want := written(t)
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	for i := range 200 {
		if _, err := l.Annotations.SetNote(ctx, want[0].ImageID, strings.Repeat(string(rune('a'+i%2)), MaxNote)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Annotations.SetNote(ctx, want[0].ImageID, ""); err != nil {
		t.Fatal(err)
	}
	before := l.s.journal.size
	require.NoError(t, l.s.rewriteJournal(ctx))
	if after := l.s.journal.size; after > before/2 {
		t.Errorf("%d bytes, before %d", after, before)
	}
	im := add(t, l, 77777)
	require.NoError(t, l.Close())
	journal, err := os.ReadFile(l.s.path(journalFile))
	if err != nil || bytes.Count(journal, []byte(im.ImageID)) != 1 {
		t.Errorf("the new image stands in the journal %d times, %v", bytes.Count(journal, []byte(im.ImageID)), err)
	}
	remove(t, l.s.path(databaseFile))
	l = open(t, dir, Options{})
	require.NoError(t, l.Images.purge(ctx, []string{im.ImageID}))
	sameLibrary(t, l, want)
}
