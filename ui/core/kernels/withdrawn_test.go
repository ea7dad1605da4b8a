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
	"easel/ui/core/kernels/inspect"
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

// TestASessionOfAWithdrawnProjectIsNotRead checks that no client reads what such a session has in its kernel or has
// printed, that the user and Easel do, and that a client's look at a plot asks nobody.
func TestASessionOfAWithdrawnProjectIsNotRead(t *testing.T) {
	t.Parallel()
	d, _ := newFake(t)
	client := tool.Caller{Transport: tool.MCP, Name: "claude"}
	p := &permissions{asks: make(chan struct{}, 10), answers: make(chan error, 10)}
	p.allowed.Store(true)
	d.gate.UseProjects(p)
	d.project = "/sales"
	s := d.session()
	x := d.start(s, "1")
	d.wait(x)
	reads := map[string]func(tool.Caller) error{
		"variables": func(by tool.Caller) error {
			_, err := d.Variables(tool.WithCaller(d.context(), by), s.ID, "")
			return err
		},
		"a table": func(by tool.Caller) error {
			_, err := d.DataFrame(tool.WithCaller(d.context(), by), s.ID, "df", 5, nil)
			return err
		},
		"a figure": func(by tool.Caller) error {
			_, err := d.DrawFigure(tool.WithCaller(d.context(), by), s.ID, inspect.FigureRequest{Format: "png"})
			return err
		},
		"output": func(by tool.Caller) error { return d.MayRead(tool.WithCaller(d.context(), by), x) },
	}
	looks := func(by tool.Caller) error {
		_, err := d.DrawFigure(tool.WithCaller(d.context(), by), s.ID, inspect.FigureRequest{Format: "png", Looking: true})
		return err
	}
	values := func(by tool.Caller) error {
		_, err := d.FigureValues(tool.WithCaller(d.context(), by), s.ID, []string{"x"})
		return err
	}
	refused := func(err error) bool {
		_, withdrawn := errors.AsType[*oversight.WithdrawnError](err)
		denied, _ := errors.AsType[*oversight.DeniedError](err)
		return withdrawn || denied != nil
	}
	p.allowed.Store(false)
	for _, window := range []state.WindowState{state.WindowNone, state.WindowShown} {
		d.state.Update(func(n *state.Snapshot) { n.Window = window })
		for name, read := range reads {
			p.answers <- &oversight.DeniedError{}
			if err := read(client); !refused(err) {
				t.Errorf("%s, window %s: the assistant got %v", name, window, err)
			}
			if asked := len(p.asks) > 0; asked != (window != state.WindowNone) {
				t.Errorf("%s, window %s: asked %v", name, window, asked)
			}
			for len(p.asks)+len(p.answers) > 0 {
				select {
				case <-p.asks:
				case err := <-p.answers:
					_ = err // it was not needed
				}
			}
		}
		for _, read := range []func(tool.Caller) error{looks, values} {
			if err := read(client); !refused(err) || len(p.asks) > 0 {
				t.Errorf("window %s: the assistant that looks got %v, and %d questions", window, err, len(p.asks))
			}
		}
		reads["looking"], reads["values"] = looks, values
		for name, read := range reads {
			for _, by := range []tool.Caller{{Transport: tool.Window}, {}} {
				if err := read(by); refused(err) || len(p.asks) > 0 {
					t.Errorf("%s: %q got %v", name, by.Transport, err)
				}
			}
		}
		delete(reads, "looking")
		delete(reads, "values")
	}
	if err := d.MayRead(tool.WithCaller(d.context(), client), d.start(s, "2")); err != nil { // it awaits the permission
		t.Errorf("what has not run: %v", err)
	}
	<-p.asks
	p.answers <- nil
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
