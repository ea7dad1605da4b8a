package record

import (
	"testing"

	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/coretest"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// finishing returns a finisher with a library of its own, and what it notifies of.
func finishing(t *testing.T) (f *finisher, told *[]catalog.ChangeName) {
	t.Helper()
	lib := coretest.Open(t)
	env, changes := environment(lib), []catalog.ChangeName{}
	env.OnExecution = func(change catalog.ChangeName, _ catalog.Execution) { changes = append(changes, change) }
	j := journal{env, env.Log}
	return &finisher{session: &Session{journal: j}, journal: j, outputs: newOutputs(j, newLedger(), "", nil)}, &changes
}

// TestAStoredEndStands: the reply said that the code succeeded, whatever happens before its idle.
func TestAStoredEndStands(t *testing.T) {
	t.Parallel()
	f, told := finishing(t)
	for what, c := range map[string]struct {
		change func(*queuedExecution)
		want   string
	}{
		"succeeded":   {func(*queuedExecution) {}, catalog.StatusOK},
		"interrupted": {func(u *queuedExecution) { u.stop = causeInterrupted }, catalog.StatusKernelDied},
		"failed":      {func(u *queuedExecution) { u.failure = &catalog.ExecutionError{} }, catalog.StatusKernelDied},
		"not started": {func(u *queuedExecution) { u.phase = runSent }, catalog.StatusKernelDied},
		"resumed":     {func(u *queuedExecution) { u.resumed = true }, catalog.StatusKernelDied},
		"no reply":    {func(u *queuedExecution) { u.reply = "" }, catalog.StatusKernelDied},
	} {
		u := &queuedExecution{x: execution.New(nil, library.Execution{ID: what, SessionID: "s", Status: catalog.StatusRunning}), own: true, phase: runRunning, reply: wire.ReplyOK}
		c.change(u)
		f.storeEnd(u)
		*told = nil
		f.end(u, causeReplaced)
		if got := u.x.Record().Status; got != c.want || u.phase != runEnded || len(*told) != 1 || !closed(u.x.Done()) {
			t.Errorf("%s: it ended as %s in phase %s, want %s; %v was told", what, got, u.phase, c.want, *told)
		}
	}
}

// TestADetachedRunHasNotEnded: its callers stop waiting, and the next start of Easel resumes it.
func TestADetachedRunHasNotEnded(t *testing.T) {
	t.Parallel()
	f, told := finishing(t)
	u := &queuedExecution{x: execution.New(nil, library.Execution{ID: "x", SessionID: "s", Status: catalog.StatusRunning}), own: true, phase: runRunning}
	f.detach(u)
	kept, err := f.journal.env.Library.Executions.Get(t.Context(), "x")
	if err != nil || kept.Status != catalog.StatusRunning || u.phase != runDetached || !closed(u.x.Done()) || len(*told) != 0 {
		t.Errorf("kept as %s (%v), phase %s, %v was told", kept.Status, err, u.phase, *told)
	}
}
