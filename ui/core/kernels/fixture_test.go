package kernels_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/coretest"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/core/userinput"
)

func TestMain(m *testing.M) {
	code := m.Run()
	jupytertest.StopReused()
	os.Exit(code)
}

// A fixture is a manager with a library and one server.
type fixture struct {
	*kernels.Manager
	t       *testing.T
	client  *jupyter.Server
	real    *jupytertest.Real // nil if the server is fake
	lib     *library.Library
	url     string
	token   string
	quicker time.Duration // the argument of Quicken
	state   *state.Store  // what the user allows: everything, at first
	gate    *oversight.Gate
	// environment is that of its sessions, if it is set before they start; renew is called before they restart.
	environment string
	renew       func()
	starts      func(ctx context.Context, running func(string) (int, error)) (func(), error) // as in kernels.Config
	input       *asksInput

	project string       // root of the project of its sessions, if it is set before they start
	approve approving    // answers for the user; guarded by mu
	unused  atomic.Int64 // Config.Unused in nanoseconds
	swept   chan library.Session

	mu    sync.Mutex
	ended []catalog.Execution
	asks  []catalog.Execution // as events reported it when it asked for input
	risks []catalog.Risk      // of the code that the user was asked about last
}

// newFixture returns a fixture on a server like the managed one: the connections use the
// kernels' own sockets.
func newFixture(t *testing.T, opts ...jupytertest.RealOption) *fixture {
	t.Helper()
	return newForeign(t, append(opts, jupytertest.WithSockets())...)
}

// An opener returns a fixture on a real server.
type opener func(*testing.T, ...jupytertest.RealOption) *fixture

// eachTransport runs f on a server like the managed one, and on one like those of others.
func eachTransport(t *testing.T, f func(t *testing.T, newFixture opener)) {
	t.Helper()
	for name, open := range map[string]opener{
		"over the kernel's sockets": newFixture,
		"over the websocket":        newForeign,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open)
		})
	}
}

// eachTransportAtNight is eachTransport for an f that depends little on the transport: make test
// takes one.
func eachTransportAtNight(t *testing.T, f func(t *testing.T, newFixture opener)) {
	t.Helper()
	if !testing.Short() {
		eachTransport(t, f)
		return
	}
	t.Parallel()
	f(t, newFixture)
}

// newForeign returns a fixture on a server like those of others: the connections use the
// kernels' websockets.
func newForeign(t *testing.T, opts ...jupytertest.RealOption) *fixture {
	t.Helper()
	real := jupytertest.Reuse(t, opts...)
	client, err := jupyter.New(real.URL, real.Token, jupyter.WithRuntimeDir(real.Runtime))
	require.NoError(t, err)
	d := openFixtureOf(t, client, 1)
	d.url, d.token, d.real = real.URL, real.Token, real
	return d
}

// newFake returns a fixture on a fake server, quickened ten times.
func newFake(t *testing.T) (*fixture, *jupytertest.Server) {
	t.Helper()
	s := jupytertest.NewServer(t)
	return openFixture(t, s.URL, s.Token, 10), s
}

// openFixture returns a fixture on the server at url, quickened.
func openFixture(t *testing.T, url, token string, quicker time.Duration, how ...func(*kernels.Manager)) *fixture {
	t.Helper()
	client, err := jupyter.New(url, token)
	require.NoError(t, err)
	d := openFixtureOf(t, client, quicker, how...)
	d.url, d.token = url, token
	return d
}

// openFixtureOf returns a fixture on the server of client, quickened.
func openFixtureOf(t *testing.T, client *jupyter.Server, quicker time.Duration, how ...func(*kernels.Manager)) *fixture {
	t.Helper()
	lib := coretest.Open(t)
	d := &fixture{
		t: t, client: client, lib: lib, quicker: quicker, swept: make(chan library.Session, 100),
		state: state.NewStore(state.Snapshot{Settings: state.DefaultSettings()}),
	}
	d.gate = oversight.NewGate(d.state)
	d.input = &asksInput{Questions: userinput.New(d.state)}
	d.Manager = kernels.New(kernels.Config{
		Library: lib, Log: quietLog(t), Gate: d.gate, Asker: d, Input: d.input,
		Starts: func(ctx context.Context, running func(string) (int, error)) (func(), error) {
			if d.starts == nil {
				return func() {}, nil
			}
			return d.starts(ctx, running)
		},
		Project: func(string, string) (string, string) { return d.project, d.environment },
		Renew: func(context.Context, string, string) (string, error) {
			if d.renew != nil {
				d.renew()
			}
			return d.environment, nil
		},
		Unused: func() time.Duration { return time.Duration(d.unused.Load()) },
		On: kernels.Events{
			Unused: func(s library.Session) { d.swept <- s },
			Execution: func(c catalog.ChangeName, x catalog.Execution) {
				if x.AwaitingInput != nil {
					d.mu.Lock()
					defer d.mu.Unlock()
					d.asks = append(d.asks, x)
				}
				if c == catalog.ExecutionEnded {
					d.mu.Lock()
					defer d.mu.Unlock()
					d.ended = append(d.ended, x)
				}
			},
		},
	})
	d.Quicken(quicker)
	for _, h := range how {
		h(d.Manager)
	}
	d.Servers.Add("test", false)
	d.Servers.Set(client, catalog.ServerHealth{Name: "test", State: servers.StateReady})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := d.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return d
}

// otherClient returns another client of the fixture's server.
func (d *fixture) otherClient() *jupyter.Server {
	d.t.Helper()
	c, err := jupyter.New(d.url, d.token)
	require.NoError(d.t, err)
	return c
}

func quietLog(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func (d *fixture) session() library.Session {
	d.t.Helper()
	s, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3", Client: "test"})
	require.NoError(d.t, err)
	return s
}

// patience is the time limit for a step on a busy machine.
const patience = 5 * time.Minute

// context returns a context for one step. Its timeout turns a hang into a failure of the step.
func (d *fixture) context() context.Context {
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	d.t.Cleanup(cancel)
	return ctx
}

func (d *fixture) start(s library.Session, code string) *execution.Execution {
	d.t.Helper()
	x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: code, Caller: tool.Caller{Name: "test"}})
	require.NoError(d.t, err)
	return x
}

type approving = func(context.Context, catalog.Execution) (oversight.Consent, error)

// AskToRun asks the test's user.
func (d *fixture) AskToRun(ctx context.Context, x catalog.Execution, _ oversight.Sender, risks, _ []catalog.Risk) (oversight.Consent, error) {
	d.mu.Lock()
	d.risks = risks
	approve := d.approve
	d.mu.Unlock()
	return approve(ctx, x)
}

func (d *fixture) answerWith(approve approving) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.approve = approve
}

// asking starts code that the user is asked about, by approve.
func (d *fixture) asking(s library.Session, code string, approve approving) *execution.Execution {
	d.t.Helper()
	d.answerWith(approve)
	d.allow(oversight.AccessAsk)
	defer d.allow(oversight.AccessAllow)
	x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: code, Caller: tool.Caller{Name: "test"}})
	require.NoError(d.t, err)
	return x
}

// allow sets what the user allows.
func (d *fixture) allow(access string) {
	d.state.Update(func(s *state.Snapshot) { s.Settings.Access = access })
}

// gated returns code that runs before, waits until open is called, and then runs after.
func (d *fixture) gated(before, after string) (code string, open func()) {
	d.t.Helper()
	file := filepath.Join(d.t.TempDir(), "open")
	code = fmt.Sprintf("%s\nimport os, time\nwhile not os.path.exists(%q): time.sleep(0.01)\n%s", before, file, after)
	return code, func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			d.t.Error(err)
		}
	}
}

func (d *fixture) run(s library.Session, code string) catalog.Execution {
	d.t.Helper()
	return d.wait(d.start(s, code))
}

func (d *fixture) wait(x *execution.Execution) catalog.Execution {
	d.t.Helper()
	return d.waitFor(x, patience)
}

func (d *fixture) waitFor(x *execution.Execution, patience time.Duration) catalog.Execution {
	d.t.Helper()
	select {
	case <-x.Done():
	case <-time.After(patience):
		v, _ := x.View(context.Background(), "")
		d.t.Fatalf("did not end: %+v", v)
	}
	v, err := x.View(context.Background(), "")
	require.NoError(d.t, err)
	return v
}

// until waits until ok accepts what x shows.
func (d *fixture) until(x *execution.Execution, ok func(catalog.Execution) bool) catalog.Execution {
	d.t.Helper()
	return poll(d, "execution "+x.ID(), func(ctx context.Context) (catalog.Execution, bool) {
		v, err := x.View(ctx, "")
		require.NoError(d.t, err)
		return v, ok(v)
	})
}

// awaitStatus waits until the session shows a status.
func (d *fixture) awaitStatus(s library.Session, status string) {
	d.t.Helper()
	d.awaitView(s, status, func(v record.SessionView) bool { return v.Status == status })
}

// awaitWork waits until the session shows that the kernel executes the code. The status is
// busy earlier, but if the connection is lost in between, Easel never gets the code.
func (d *fixture) awaitWork(s library.Session, code string) {
	d.t.Helper()
	d.awaitView(s, "at work at "+code, func(v record.SessionView) bool { return v.Running != nil && v.Running.Code == code })
}

func (d *fixture) awaitView(s library.Session, what string, ok func(record.SessionView) bool) {
	d.t.Helper()
	poll(d, "the session, "+what, func(context.Context) ([]record.SessionView, bool) {
		live := d.Live()
		return live, slices.ContainsFunc(live, func(v record.SessionView) bool { return v.ID == s.ID && ok(v) })
	})
}

// poll calls check until it returns true. It is for conditions without a notification.
func poll[T any](d *fixture, what string, check func(context.Context) (T, bool)) T {
	d.t.Helper()
	ctx := d.context()
	for {
		seen, ok := check(ctx)
		if ok {
			return seen
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			d.t.Fatalf("never came: %s; seen: %+v", what, seen)
		}
	}
}

func running(v catalog.Execution) bool   { return v.StartedAt != nil }
func hasStdout(v catalog.Execution) bool { return v.Stdout != "" }
