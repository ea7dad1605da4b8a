package reproduce_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/reproduce"
	"easel/ui/core/state"
)

// patience is the time limit for a step on a busy machine.
const patience = time.Minute

func TestMain(m *testing.M) {
	code := m.Run()
	jupytertest.StopReused()
	os.Exit(code)
}

// A bench is a checker with real kernels.
type bench struct {
	*reproduce.Checker
	t      *testing.T
	m      *kernels.Manager
	lib    *library.Library
	client *jupyter.Server
	real   *jupytertest.Real
	hidden string
	state  *state.Store // what the user allows
	gate   *oversight.Gate

	mu      sync.Mutex
	limit   time.Duration
	open    []command.OpenCheck
	arrived chan struct{} // one slot: open has changed
}

// newBench returns a bench on a server like the managed one.
func newBench(t *testing.T, opts ...jupytertest.RealOption) *bench {
	t.Helper()
	real := jupytertest.Reuse(t, opts...)
	client, err := jupyter.New(real.URL, real.Token, jupyter.WithRuntimeDir(real.Runtime))
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	lib := coretest.Open(t)
	b := &bench{t: t, lib: lib, client: client, real: real, limit: patience, arrived: make(chan struct{}, 1), hidden: filepath.Join(t.TempDir(), "hidden")}
	b.state = state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	b.gate = oversight.NewGate(b.state)
	b.m = kernels.New(kernels.Config{Library: lib, Log: log, Gate: b.gate, HiddenFile: b.hidden})
	b.m.Servers.Add("test", false)
	b.m.Servers.Set(client, catalog.ServerHealth{Name: "test", State: servers.StateReady})
	b.Checker = reproduce.New(reproduce.Config{
		Library: lib, Log: log, Gate: b.gate,
		Start: func(ctx context.Context, of library.Session, dir string) (reproduce.Kernel, error) {
			return b.m.Hidden.Start(ctx, of, dir)
		},
		Directory: func(s library.Session) (string, bool) {
			return filepath.Join(real.Root, filepath.Dir(s.NotebookPath)), true
		},
		Limit: func() time.Duration {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.limit
		},
		Changed: func(open []command.OpenCheck) {
			b.mu.Lock()
			b.open = open
			b.mu.Unlock()
			select {
			case b.arrived <- struct{}{}:
			default:
			}
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { b.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		run.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := b.m.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) session(notebook string) library.Session {
	b.t.Helper()
	s, err := b.m.Create(b.t.Context(), kernels.NewSession{KernelName: "python3", Notebook: notebook, Client: "test"})
	require.NoError(b.t, err)
	return s
}

// run runs code and returns its images.
func (b *bench) run(s library.Session, code string) (ids []string) {
	b.t.Helper()
	x, err := b.m.Execute(b.t.Context(), record.Request{SessionID: s.ID, Code: code, Caller: tool.Caller{Name: "test"}})
	require.NoError(b.t, err)
	select {
	case <-x.Done():
	case <-time.After(patience):
		b.t.Fatal("did not end")
	}
	v, err := x.View(b.t.Context(), "")
	require.NoError(b.t, err)
	for _, im := range v.Images {
		ids = append(ids, im.ImageID)
	}
	return ids
}

// plot runs code that draws one image, and returns that.
func (b *bench) plot(s library.Session, code string) string {
	b.t.Helper()
	ids := b.run(s, code)
	if len(ids) != 1 {
		b.t.Fatalf("%d images", len(ids))
	}
	return ids[0]
}

// images returns the ids of the images in the library.
func (b *bench) images() []string {
	b.t.Helper()
	ids, err := b.lib.Images.IDs(b.t.Context(), library.All())
	require.NoError(b.t, err)
	return ids
}

func (b *bench) start(id string) *reproduce.Job {
	b.t.Helper()
	h, err := b.History(b.t.Context(), id)
	require.NoError(b.t, err)
	return b.Start(h)
}

func (b *bench) wait(j *reproduce.Job) catalog.Check {
	b.t.Helper()
	select {
	case <-j.Done():
	case <-time.After(patience):
		b.t.Fatal("the check did not end")
	}
	c, err := j.Result()
	require.NoError(b.t, err)
	return c
}

func (b *bench) check(id string) catalog.Check {
	b.t.Helper()
	c := b.wait(b.start(id))
	kept, err := b.lib.Checks.Get(b.t.Context(), id)
	if err != nil || kept.Status != c.Status || kept.Reason != c.Reason {
		b.t.Errorf("the library has %+v, %v; want %+v", kept.Check, err, c)
	}
	return c
}

// until waits until the open checks are as wanted.
func (b *bench) until(what string, ok func([]command.OpenCheck) bool) {
	b.t.Helper()
	deadline := time.After(patience)
	for {
		b.mu.Lock()
		open := b.open
		b.mu.Unlock()
		if ok(open) {
			return
		}
		select {
		case <-b.arrived:
		case <-deadline:
			b.t.Fatalf("not reached: %s; open: %+v", what, open)
		}
	}
}

// only waits until the server has only the kernels of these sessions.
func (b *bench) only(sessions ...library.Session) {
	b.t.Helper()
	var left []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		running, err := b.client.Kernels(b.t.Context())
		require.NoError(b.t, err)
		left = nil
		for _, k := range running {
			if !slices.ContainsFunc(sessions, func(s library.Session) bool { return s.KernelID == k.ID }) {
				left = append(left, k.ID)
			}
		}
		if len(left) == 0 {
			return
		}
	}
	b.t.Errorf("kernels are left: %q", left)
}

// has reports whether a check has a finding of a kind, in a cell unless that is 0.
func has(c catalog.Check, kind string, cell int) bool {
	return slices.ContainsFunc(c.Findings, func(f catalog.CheckFinding) bool { return f.Kind == kind && (cell == 0 || f.Cell == cell) })
}

const setUp = "%matplotlib inline\nimport matplotlib.pyplot as plt, numpy as np, os\n"

func pyString(s string) string { return "r'" + s + "'" }
