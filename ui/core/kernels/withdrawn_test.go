package kernels_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// permissions are a project that the user has allowed or not, and what they are asked.
type permissions struct {
	allowed atomic.Bool
	asks    chan struct{} // gets a value with each question
	answers chan error
}

func (p *permissions) Allows(string) bool { return p.allowed.Load() }

func (p *permissions) Readmit(ctx context.Context, _ string) error {
	p.asks <- struct{}{}
	select {
	case err := <-p.answers:
		p.allowed.Store(err == nil)
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TestASessionOfAProjectThatIsNoLongerAllowed runs on. Its assistants' code is sent once the user has allowed the
// project again; also what waited in the queue when they took the permission back.
func TestASessionOfAProjectThatIsNoLongerAllowed(t *testing.T) {
	t.Parallel()
	d, fake := newFake(t)
	p := &permissions{asks: make(chan struct{}), answers: make(chan error)}
	d.gate.UseProjects(p)
	d.project = "/sales"
	d.state.Update(func(s *state.Snapshot) { s.Window = state.WindowShown })
	p.allowed.Store(true)
	s := d.session()
	release := make(chan struct{})
	var sent atomic.Int32
	fake.Kernel(s.KernelID).OnExecute(func(x *jupytertest.Execution) {
		sent.Add(1)
		x.Usual(func() {
			if x.Code == "long" {
				<-release
			}
		})
	})
	long := d.start(s, "long")
	waits := d.start(s, "waits")
	p.allowed.Store(false)
	d.state.Update(func(n *state.Snapshot) {
		n.Settings.Projects = n.Settings.Projects.With(state.Project{Root: t.TempDir()})
	}) // a change
	<-p.asks
	d.mustEnd(s, "the user's", tool.Caller{Transport: tool.Window}, release)
	if waits.Record().Status != catalog.StatusAwaiting || long.Record().Status != catalog.StatusOK {
		t.Fatalf("what waited is %s, what ran is %s", waits.Record().Status, long.Record().Status)
	}
	p.answers <- nil
	if v := d.wait(waits); v.Status != catalog.StatusOK {
		t.Errorf("after the permission: %+v", v)
	}
	p.allowed.Store(false)
	refused := d.start(s, "refused")
	<-p.asks
	p.answers <- &oversight.DeniedError{Words: "not now"}
	if r := d.wait(refused); r.Status != catalog.StatusCancelled || r.Error.Code != catalog.CodeDenied || !strings.Contains(r.Error.Message, "not now") {
		t.Errorf("after a refusal: %+v", r)
	}
	d.state.Update(func(s *state.Snapshot) { s.Window = state.WindowNone })
	_, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "headless", Caller: assistant})
	if _, ok := errors.AsType[*oversight.WithdrawnError](err); !ok || sent.Load() != 3 {
		t.Errorf("without a window: %v; %d were sent", err, sent.Load())
	}
}

// mustEnd runs code while other code runs, which ends then.
func (d *fixture) mustEnd(s library.Session, code string, by tool.Caller, release chan struct{}) {
	d.t.Helper()
	x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: code, Caller: by})
	if err != nil {
		d.t.Fatal(err)
	}
	close(release)
	if v := d.wait(x); v.Status != catalog.StatusOK {
		d.t.Fatalf("%s: %+v", code, v)
	}
}
