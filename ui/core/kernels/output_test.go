package kernels_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// TestAnEndIsKeptWithTheReply checks that the end of an execution is stored as soon as the
// kernel has replied, and that later output is added.
func TestAnEndIsKeptWithTheReply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then                   func(x *jupytertest.Execution, k *jupytertest.Kernel)
		status, result, stdout string
	}{
		"and nothing else comes": {
			func(x *jupytertest.Execution, _ *jupytertest.Kernel) { x.Idle() },
			catalog.StatusOK, "", "before\n",
		},
		"and the rest comes": {
			func(x *jupytertest.Execution, _ *jupytertest.Kernel) {
				x.Result("7")
				x.Stream("stdout", "after\n")
				x.Idle()
			},
			catalog.StatusOK, "7", "before\nafter\n",
		},
		"and the kernel dies": {
			func(_ *jupytertest.Execution, k *jupytertest.Kernel) { k.Die() },
			catalog.StatusOK, "", "before\n", // the code has succeeded, so the stored end stays
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, k, _ := fakeSession(t)
			seen := make(chan struct{})
			k.OnExecute(func(x *jupytertest.Execution) {
				x.Busy()
				x.Input()
				x.Stream("stdout", "before\n")
				x.Reply(wire.ReplyOK)
				select {
				case <-seen:
					c.then(x, k)
				case <-x.Context().Done():
				}
			})
			x := d.start(s, "1")
			stored := d.keptAs(x, catalog.StatusOK)
			if v, err := x.View(d.context(), ""); err != nil || v.Status != catalog.StatusRunning {
				t.Errorf("before its idle it is shown as %s, %v", v.Status, err)
			}
			close(seen)
			v := d.wait(x)
			expect(t, v, c.status, c.stdout)
			kept := d.keptAs(x, c.status)
			if v.Text != c.result || kept.Result != c.result || !kept.EndedAt.Equal(stored.EndedAt) {
				t.Errorf("got %+v, kept %+v, and before %+v", v, kept, stored)
			}
		})
	}
}

// A reply may arrive before messages on iopub, because it uses another socket.
func TestAReplyBeforeTheBeginning(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Reply(wire.ReplyOK)
		x.Busy()
		x.Input()
		x.Stream("stdout", "late\n")
		x.Idle()
	})
	x := d.start(s, "1")
	v := d.wait(x)
	expect(t, v, catalog.StatusOK, "late\n")
	kept := d.keptAs(x, catalog.StatusOK)
	if v.ExecutionTimeMS < 0 || kept.EndedAt.Before(kept.StartedAt) {
		t.Errorf("it took %v ms: from %v to %v", v.ExecutionTimeMS, kept.StartedAt, kept.EndedAt)
	}
}

// keptAs waits until the library has x with a status, and returns its record.
func (d *fixture) keptAs(x *execution.Execution, status string) library.Execution {
	d.t.Helper()
	return poll(d, status+" in the library", func(ctx context.Context) (library.Execution, bool) {
		kept, err := d.lib.Executions.Get(ctx, x.ID())
		return kept, err == nil && kept.Status == status
	})
}

// The record of an execution stays in memory, and the library writes it several times.
func TestARecordIsBounded(t *testing.T) {
	t.Parallel()
	const many, most = 2 << 20, 1<<20 + 1000
	d, s, k, _ := fakeSession(t)
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Usual(func() { x.Result("<" + strings.Repeat("r", many) + ">") })
	})
	x := d.start(s, "1")
	v := d.wait(x)
	if r := d.keptAs(x, catalog.StatusOK).Result; len(r) > most || !strings.HasPrefix(r, "<r") || !strings.HasSuffix(r, "r>") {
		t.Errorf("a result of %d bytes is kept: %.20s", len(r), r)
	}
	if !slices.ContainsFunc(v.Truncated, func(c catalog.Truncation) bool { return c.Stream == "result" && c.TotalBytes == many+2-1<<20 }) {
		t.Errorf("nothing says what was dropped: %+v", v.Truncated)
	}
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Busy()
		x.Input()
		long := strings.Repeat("e", many)
		x.Send(wire.IOPub, "error", wire.ErrorContent{Ename: long, Evalue: long, Traceback: []string{long, long}})
		x.Fail(long, long)
		x.Idle()
	})
	x = d.start(s, "1")
	v = d.wait(x)
	if !slices.ContainsFunc(v.Truncated, func(c catalog.Truncation) bool { return c.Stream == "error.message" && c.TotalBytes == many }) {
		t.Errorf("nothing says how long the message was: %+v", v.Truncated)
	}
	if e := d.keptAs(x, catalog.StatusError).Error; len(e.Type) > 1000 || len(e.Message) > most || len(e.Traceback) > most {
		t.Errorf("of an error, %d, %d and %d bytes are kept", len(e.Type), len(e.Message), len(e.Traceback))
	}
}
