package kernels_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// askedWhy runs code as an assistant, and returns the kinds of risks because of which the user was asked. The user says no.
func (d *fixture) askedWhy(s library.Session, code string) (kinds []string) {
	d.t.Helper()
	d.mu.Lock()
	d.risks = nil
	d.mu.Unlock()
	v := d.run(s, code)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.risks {
		kinds = append(kinds, r.Kind)
	}
	if refused := v.Status == catalog.StatusCancelled; refused != (kinds != nil) {
		d.t.Fatalf("%q ended as %s; the user was asked because of %v", code, v.Status, d.risks)
	}
	return kinds
}

// theyRan lets the user run code in Jupyter, and waits until it is recorded.
func (d *fixture) theyRan(srv *jupytertest.Server, s library.Session, code string) {
	d.t.Helper()
	parent := wire.Header{MsgID: "theirs " + code, MsgType: "execute_request", Session: "x", Username: "ada"}
	k := srv.Kernel(s.KernelID)
	k.Send(wire.IOPub, "execute_input", parent, wire.ExecuteInput{Code: code, ExecutionCount: 7})
	k.Send(wire.IOPub, "status", parent, wire.Status{ExecutionState: wire.StateIdle})
	poll(d, "the user's cell", func(ctx context.Context) (struct{}, bool) {
		all, err := d.lib.Executions.List(ctx, library.ExecutionQuery{SessionID: s.ID})
		require.NoError(d.t, err)
		return struct{}{}, slices.ContainsFunc(all, func(x library.Execution) bool { return x.Request == parent.MsgID && x.Code != "" })
	})
}

// TestOnlyRiskyCodeIsAskedAbout checks that the user is asked about risky code alone, and that what counts are all
// cells that have run in the kernel's process: those before the mode was chosen, the assistant's, the user's, and those
// of an earlier run of Easel.
func TestOnlyRiskyCodeIsAskedAbout(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	d.answerWith(func(context.Context, catalog.Execution) (oversight.Consent, error) {
		return oversight.Consent{}, &oversight.DeniedError{}
	})
	s := d.session()
	d.run(s, "import os\ndef before(p):\n    os.remove(p)")
	d.run(s, "before('c')") // the user is not asked
	d.allow(oversight.AccessAskRisky)

	d.theyRan(srv, s, "import requests\nsales = pd.read_csv('a.csv')\ndef theirs():\n    return requests.get(u)")

	for _, c := range []struct{ code, kind string }{
		{"x = 1 + 1", ""},
		{"before('a')", "files"},
		{"theirs()", "network"},
		{"sales = sales.dropna()", "variable"},
		{"clean = sales.dropna()", ""},
		{"import shutil\ndef own(p):\n    shutil.rmtree(p)", ""},
		{"own('a')", "files"},
		{"unheard_of()", ""}, // NameError: Easel has seen all cells
		{"exec(text)", "unseen"},
	} {
		if got := d.askedWhy(s, c.code); (c.kind == "") != (got == nil) || c.kind != "" && got[0] != c.kind {
			t.Errorf("%q: asked because of %q, want %q", c.code, got, c.kind)
		}
	}
	stored, err := d.lib.Executions.List(t.Context(), library.ExecutionQuery{SessionID: s.ID}) // for the log
	require.NoError(t, err)
	for _, code := range []string{"own('a')", "before('c')"} {
		if !slices.ContainsFunc(stored, func(x library.Execution) bool {
			return x.Code == code && len(x.Risks) == 1 && x.Risks[0].Kind == "files"
		}) {
			t.Errorf("what %s may do is not stored with it", code)
		}
	}

	d.theyRan(srv, s, "import shutil\ndef later():\n    shutil.rmtree('a')") // while the cells are followed
	if got := d.askedWhy(s, "later()"); !slices.Equal(got, []string{"files"}) {
		t.Errorf("after another cell of the user's: asked because of %q", got)
	}
	if _, err := d.Restart(d.context(), s.ID, false); err != nil {
		t.Fatal(err)
	}
	if got := d.askedWhy(s, "own('a')"); got != nil { // NameError: the new process has no such function
		t.Errorf("after a restart: asked because of %q", got)
	}
	d.run(s, "import shutil\ndef own(p):\n    shutil.rmtree(p)")

	next := d.successor(s)
	next.state = d.state
	for code, want := range map[string]error{"x = 2": nil, "own('a')": oversight.ErrUnasked} { // it cannot ask
		if _, err := next.Execute(next.context(), record.Request{SessionID: s.ID, Code: code, Caller: tool.Caller{Name: "test"}}); !errors.Is(err, want) {
			t.Errorf("after the next start, %q: %v, want %v", code, err, want)
		}
	}
}

// TestAnEditOfTheUserCounts checks that what the user changed in code before they approved it is known for the code that
// follows.
func TestAnEditOfTheUserCounts(t *testing.T) {
	t.Parallel()
	d, _ := newFake(t)
	d.answerWith(func(context.Context, catalog.Execution) (oversight.Consent, error) {
		return oversight.Consent{Code: "import os\ndef made():\n    os.remove('a')"}, nil
	})
	s := d.session()
	d.allow(oversight.AccessAskRisky)
	if v := d.run(s, "import shutil\nshutil.rmtree('a')"); v.Status != catalog.StatusOK {
		t.Fatalf("%s %q", v.Status, v.Code)
	}
	d.answerWith(func(context.Context, catalog.Execution) (oversight.Consent, error) {
		return oversight.Consent{}, &oversight.DeniedError{}
	})
	if got := d.askedWhy(s, "made()"); !slices.Equal(got, []string{"files"}) {
		t.Errorf("asked because of %q", got)
	}
}
