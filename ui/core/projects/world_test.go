package projects_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/managed"
	"easel/jupyter/overlay"
	"easel/jupyter/sandbox"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/projects"
	"easel/ui/core/state"
)

// A host is a project's server that runs in the test.
type host struct {
	jup    *jupyter.Server
	report func(managed.Status)
	unable *atomic.Bool

	mu      sync.Mutex
	running bool
	env     bool // see ReadEnvFile
	specs   map[string]managed.KernelSpec
	policy  *sandbox.Policy // of its kernels; guarded by mu
}

func (h *host) Start(context.Context) (*jupyter.Server, error) {
	if h.unable.Load() {
		err := errors.New("the disk is full")
		h.report(managed.Status{Phase: managed.Failed, Err: err})
		return nil, err
	}
	h.set(true)
	h.report(managed.Status{Phase: managed.Ready})
	return h.jup, nil
}

func (h *host) Stop(context.Context) error {
	h.set(false)
	h.report(managed.Status{Phase: managed.Stopped})
	return nil
}

func (h *host) set(running bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = running
}

func (h *host) Server() *jupyter.Server {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running {
		return nil
	}
	return h.jup
}

func (h *host) SetKernel(name string, spec managed.KernelSpec) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.specs[name] = spec
	return nil
}

func (h *host) SetSandbox(policy *sandbox.Policy) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.policy = policy
	return nil
}

func (h *host) RemoveKernel(name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.specs, name)
	return nil
}

// A world is projects with servers in the test, and a user who answers.
type world struct {
	*projects.Projects
	store *state.Store
	work  string // the working folder
	// listed is a folder that was allowed on the command line.
	listed string
	list   *servers.List
	jup    *jupytertest.Server

	looked   chan struct{} // has a value after somebody has listed the kernels
	terminal atomic.Bool   // one is open on all servers
	unable   atomic.Bool   // no server starts
	broken   atomic.Bool   // no Python can run a kernel
	confined atomic.Pointer[string]
	prepared atomic.Int32 // how often a Python was prepared
	removed  chan string  // names of servers that have left the list

	mu     sync.Mutex
	hosts  map[string]*host // by root
	asked  []catalog.Project
	answer error
}

func newWorld(t *testing.T, rest time.Duration, options ...func(*projects.Config)) *world {
	t.Helper()
	looked, removed := make(chan struct{}, 1), make(chan string, 16)
	w := &world{
		looked: looked, removed: removed,
		store: state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown}),
		list:  servers.NewList(servers.Events{Changed: func(catalog.ServerHealth) {}, Removed: func(name string) { removed <- name }, Replaced: func(*jupyter.Server) {}}),
		jup:   jupytertest.NewServer(t), hosts: make(map[string]*host),
	}
	w.jup.Intercept(func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/api/terminals" && w.terminal.Load() {
			_, _ = io.WriteString(rw, `[{"name": "1", "last_activity": "2026-11-28T12:00:00Z"}]`) // the client notices an error
			return true
		}
		if r.Method == http.MethodGet && r.URL.Path == "/api/kernels" {
			select {
			case looked <- struct{}{}:
			default:
			}
		}
		return false
	})
	w.work, w.listed = t.TempDir(), filepath.Join(t.TempDir(), "listed")
	require.NoError(t, os.Mkdir(w.listed, 0o700))
	c := projects.Config{
		Store: w.store, Servers: w.list, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), WorkDir: w.work, Allowed: []string{w.listed}, DataDir: t.TempDir(), Rest: rest,
		Host: func(p managed.ProjectServer, report func(managed.Status)) projects.Host {
			jup, err := jupyter.New(w.jup.URL, w.jup.Token, jupyter.WithRoot(func() string { return p.Root }))
			if err != nil {
				t.Error(err)
			}
			h := &host{jup: jup, report: report, unable: &w.unable, specs: make(map[string]managed.KernelSpec)}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.hosts[p.Root] = h
			return h
		},
		Health: func(name string, s managed.Status) catalog.ServerHealth {
			h := catalog.ServerHealth{Name: name, State: servers.StateStopped}
			if s.Phase == managed.Ready {
				h.State = servers.StateReady
			}
			return h
		},
		Prepare: func(_ context.Context, python, confined string, _ func(string)) (overlay.Kernel, error) {
			w.confined.Store(&confined)
			w.prepared.Add(1)
			if w.broken.Load() {
				return overlay.Kernel{}, errors.New("it does not run")
			}
			return overlay.Kernel{Argv: []string{python, "{connection_file}"}, Python: python}, nil
		},
		Restore: func(context.Context, string) error { return nil },
	}
	for _, change := range options {
		change(&c)
	}
	w.Projects = projects.New(c)
	w.AskBy(func(_ context.Context, p catalog.Project) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, p)
		return w.answer
	})
	t.Cleanup(func() { require.NoError(t, w.Close(context.Background())) })
	return w
}

// questions returns how often the user was asked.
func (w *world) questions() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked)
}

// makeProject makes a project called sales with an environment, and returns its root.
func makeProject(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root = filepath.Join(root, "sales")
	addEnvironment(t, root, ".venv")
	require.NoError(t, os.WriteFile(filepath.Join(root, "pyproject.toml"), []byte("[project]\nname = 'x'\n"), 0o600))
	return root
}

// addEnvironment makes what looks like an environment, and returns its interpreter.
func addEnvironment(t *testing.T, root, name string) string {
	t.Helper()
	bin, python := filepath.Join(root, name, "bin"), "python"
	if runtime.GOOS == "windows" {
		bin, python = filepath.Join(root, name, "Scripts"), "python.exe"
	}
	require.NoError(t, os.MkdirAll(bin, 0o700))
	python = filepath.Join(bin, python)
	err := errors.Join(
		os.WriteFile(filepath.Join(root, name, "pyvenv.cfg"), []byte("home = "+bin+"\nversion = 3.12.1\n"), 0o600),
		os.WriteFile(python, []byte("#!/bin/sh\nexit 1\n"), 0o700),
	)
	require.NoError(t, err)
	return python
}

func in(ctx context.Context, dir string) context.Context {
	return tool.WithCaller(ctx, tool.Caller{Transport: tool.MCP, Name: "claude", Workspace: tool.Workspace{Directory: dir}})
}
