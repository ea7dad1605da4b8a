package kernels_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

// TestInventedRunsAreBounded lets a kernel invent runs of other clients, and output of them, and
// checks what is recorded, and that it says what is not.
func TestInventedRunsAreBounded(t *testing.T) {
	t.Parallel()
	const runs, size = 30, 1 << 20
	srv := jupytertest.NewServer(t)
	d := openFixture(t, srv.URL, srv.Token, 10, func(m *kernels.Manager) { m.LimitOthers(runs, size) })
	s := d.session()
	k := srv.Kernel(s.KernelID)
	invent := func(id, code, output string) {
		parent := wire.Header{MsgID: id, MsgType: "execute_request", Session: "x", Username: "x"}
		k.Send(wire.IOPub, "execute_input", parent, wire.ExecuteInput{Code: code, ExecutionCount: 1})
		k.Send(wire.IOPub, "stream", parent, wire.Stream{Name: "stdout", Text: output})
		k.Send(wire.IOPub, "status", parent, wire.Status{ExecutionState: wire.StateIdle})
	}
	for n := range 10 * runs {
		invent(fmt.Sprint("run ", n), fmt.Sprint("run ", n), "x\n")
	}
	said := func(code, stream string) catalog.Truncation {
		return poll(d, "a note about "+stream+" of "+code, func(ctx context.Context) (found catalog.Truncation, ok bool) {
			all, err := d.lib.Executions.List(ctx, library.ExecutionQuery{SessionID: s.ID})
			require.NoError(t, err)
			for _, rec := range all {
				x, err := d.Execution(ctx, rec.ID)
				if err != nil || rec.Code != code {
					continue
				}
				v, err := x.View(ctx, "")
				require.NoError(t, err)
				for _, n := range v.Truncated {
					if n.Stream == stream {
						return n, true
					}
				}
			}
			return found, false
		})
	}
	if n := said(fmt.Sprint("run ", runs-1), "history"); !strings.Contains(n.Reason, "not recorded") {
		t.Errorf("the last recorded run says %+v", n)
	}
	// What Easel runs is recorded all the same, after everything before.
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Usual(func() { x.Stream("stdout", strings.Repeat("y", 2*size)) })
	})
	if v := d.run(s, "own"); v.Status != catalog.StatusOK || len(v.Stdout) == 0 {
		t.Errorf("Easel's own run: %+v", v)
	}
	all, err := d.lib.Executions.List(d.context(), library.ExecutionQuery{SessionID: s.ID})
	if err != nil || len(all) != runs+1 {
		t.Errorf("%d runs are recorded, want %d, %v", len(all), runs+1, err)
	}

	// In another kernel, there is one run with much output.
	s = d.session()
	k = srv.Kernel(s.KernelID)
	invent("loud", "loud", strings.Repeat("x", 3*size))
	invent("loud", "loud", "more")
	if n := said("loud", "output"); n.TotalBytes < 3*size || !strings.Contains(n.Reason, "not recorded") {
		t.Errorf("the loud run says %+v", n)
	}
}
