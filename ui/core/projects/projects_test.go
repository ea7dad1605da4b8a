package projects_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/managed"
	"easel/jupyter/overlay"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/oversight"
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
	removed  chan string   // names of servers that have left the list

	mu     sync.Mutex
	hosts  map[string]*host // by root
	asked  []catalog.Project
	answer error
}

func newWorld(t *testing.T, rest time.Duration) *world {
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
	if err := os.Mkdir(w.listed, 0o700); err != nil {
		t.Fatal(err)
	}
	w.Projects = projects.New(projects.Config{
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
		Prepare: func(_ context.Context, python string, _ func(string)) (overlay.Kernel, error) {
			if w.broken.Load() {
				return overlay.Kernel{}, errors.New("it does not run")
			}
			return overlay.Kernel{Argv: []string{python, "{connection_file}"}, Python: python}, nil
		},
		Restore: func(context.Context, string) error { return nil },
	})
	w.AskBy(func(_ context.Context, p catalog.Project) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, p)
		return w.answer
	})
	t.Cleanup(func() {
		if err := w.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
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
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "sales")
	addEnvironment(t, root, ".venv")
	if err := os.WriteFile(filepath.Join(root, "pyproject.toml"), []byte("[project]\nname = 'x'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// addEnvironment makes what looks like an environment, and returns its interpreter.
func addEnvironment(t *testing.T, root, name string) string {
	t.Helper()
	bin := filepath.Join(root, name, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(bin, "python")
	err := errors.Join(
		os.WriteFile(filepath.Join(root, name, "pyvenv.cfg"), []byte("home = "+bin+"\nversion = 3.12.1\n"), 0o600),
		os.WriteFile(python, []byte("#!/bin/sh\nexit 1\n"), 0o700),
	)
	if err != nil {
		t.Fatal(err)
	}
	return python
}

func in(ctx context.Context, dir string) context.Context {
	return tool.WithCaller(ctx, tool.Caller{Transport: tool.MCP, Name: "claude", Workspace: tool.Workspace{Directory: dir}})
}

func TestTheUserIsAskedOncePerProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	if err := os.Mkdir(filepath.Join(root, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, filepath.Join(root, "data"), root} {
		place, hint, err := w.ForSession(in(t.Context(), dir), "", "python3")
		if err != nil || place == nil || hint != "" || place.Server != "sales" || place.Kernel != "python3" {
			t.Fatalf("%+v, %q, %v", place, hint, err)
		}
		if want := strings.TrimPrefix(strings.TrimPrefix(dir, root), "/"); place.Directory != want {
			t.Errorf("works in %q, want %q", place.Directory, want)
		}
	}
	if n := w.questions(); n != 1 || w.asked[0].Root != root || !strings.HasPrefix(w.asked[0].Environment, "sales/.venv, Python 3.12.1") {
		t.Errorf("asked %d times: %+v", n, w.asked)
	}
	if got := w.Environment("sales", "python3"); !strings.HasPrefix(got, "sales/.venv") {
		t.Errorf("its Python is %q", got)
	}
	if server, err := w.At(t.Context(), filepath.Join(root, "data", "new.csv")); server != "sales" || err != nil {
		t.Errorf("a new file is on %q, %v", server, err)
	}
	w.store.Update(func(s *state.Snapshot) { s.Settings.Projects = s.Settings.Projects.Without(root) })
	if server, err := w.At(t.Context(), filepath.Join(root, "data")); server != "" || err != nil {
		t.Errorf("without the permission, a file is on %q, %v", server, err)
	}
}

// TestARefusal checks that a client that did not name the project gets a session elsewhere, and
// is told so, and that a click of the user needs no question.
func TestARefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	w.answer = &oversight.DeniedError{Words: "not today"}
	place, hint, err := w.ForSession(in(t.Context(), root), "", "python3")
	if err != nil || place != nil || !strings.Contains(hint, root) || !strings.Contains(hint, "not today") {
		t.Errorf("%+v, %q, %v", place, hint, err)
	}
	_, _, err = w.ForSession(in(t.Context(), "/"), root, "python3")
	if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.NotAllowed {
		t.Errorf("got %v", err)
	}
	user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	if place, _, err := w.ForSession(user, root, "python3"); err != nil || place == nil {
		t.Errorf("%+v, %v", place, err)
	}
	if n := w.questions(); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// TestWhichPythonASessionHas checks that each client has the Python of its environment, and that
// the user's choice overrides all.
func TestWhichPythonASessionHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	other := addEnvironment(t, root, "other")
	if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Kernel != "python3" {
		t.Fatalf("%+v, %v", place, err)
	}
	active := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "codex", Workspace: tool.Workspace{Directory: root, VirtualEnv: filepath.Join(root, "other")}})
	place, _, err := w.ForSession(active, "", "python3")
	if err != nil || place.Kernel != "python3-2" {
		t.Fatalf("%+v, %v", place, err)
	}
	if spec := w.hosts[root].specs["python3-2"]; len(spec.Argv) == 0 || spec.Argv[0] != other {
		t.Errorf("the second kernel is %+v", spec)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root, Python: other})
	})
	if place, _, err = w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Kernel != "python3" {
		t.Errorf("with the user's choice: %+v, %v", place, err)
	}
	if spec := w.hosts[root].specs["python3"]; spec.Argv[0] != other { // also for notebooks
		t.Errorf("python3 is %+v", spec)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root, Python: state.EaselPython})
	})
	if place, _, err = w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Kernel != managed.EaselKernel || place.Hint != "" {
		t.Errorf("with Easel's own: %+v, %v", place, err)
	}
	if place, _, err = w.ForSession(in(t.Context(), root), "", "ir"); err != nil || place.Kernel != "" {
		t.Errorf("another language: %+v, %v", place, err)
	}
}

// TestTwoProcessesOfAClient checks that each works in its own project, though both have the same
// name and no MCP session.
func TestTwoProcessesOfAClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	caller := func(root, holder string) context.Context {
		return tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude", Holder: holder, Workspace: tool.Workspace{Directory: root}})
	}
	one, two := caller(makeProject(t), "one"), caller(makeProject(t), "two")
	for _, ctx := range []context.Context{one, two} {
		if _, _, err := w.ForSession(ctx, "", "python3"); err != nil {
			t.Fatal(err)
		}
	}
	for _, ctx := range []context.Context{one, two} {
		want := tool.CallerFrom(ctx).Workspace.Directory
		if root, directory := w.Of(ctx); root != want || directory != want {
			t.Errorf("works in %q, %q; want %q", root, directory, want)
		}
	}
}

// TestAServerThatFailedIsStartedAnew checks that the next call starts another server for a project
// whose server has been given up.
func TestAServerThatFailedIsStartedAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	if _, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil {
		t.Fatal(err)
	}
	first := w.hosts[root]
	first.set(false)
	first.report(managed.Status{Phase: managed.Failed, Err: errors.New("it ended six times")})
	<-w.removed
	if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != "sales" || w.hosts[root] == first {
		t.Errorf("%+v, %v", place, err)
	}
}

// TestAFolderWithinTheWorkingFolder checks that a session starts in it only if the caller names it.
func TestAFolderWithinTheWorkingFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	sub := filepath.Join(w.work, "2026", "sales")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	place, _, err := w.ForSession(in(t.Context(), "/"), sub, "python3")
	if err != nil || place == nil || place.Server != catalog.ManagedServer || place.Directory != "2026/sales" || place.Kernel != "" {
		t.Errorf("%+v, %v", place, err)
	}
	for _, c := range []struct{ client, asked string }{{"/", w.work}, {sub, ""}} {
		if place, _, err := w.ForSession(in(t.Context(), c.client), c.asked, "python3"); err != nil || place != nil {
			t.Errorf("%+v: %+v, %v", c, place, err)
		}
	}
	_, _, err = w.ForSession(in(t.Context(), "/"), filepath.Join(w.work, "nowhere"), "python3")
	if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.Invalid {
		t.Errorf("got %v", err)
	}
}

// TestAKernelIsRenewed checks that a restart uses the environment as it is now: with another
// version, the one that the user has chosen since, or none, which is an error.
func TestAKernelIsRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	if _, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(root, ".venv", "pyvenv.cfg")
	if err := os.WriteFile(config, []byte("home = "+root+"\nversion = 3.13.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Renew(t.Context(), "sales", "python3"); err != nil || !strings.HasPrefix(got, "sales/.venv, Python 3.13.0") {
		t.Errorf("made again: %q, %v", got, err)
	}
	other := addEnvironment(t, root, "other")
	w.store.Update(func(s *state.Snapshot) {
		s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root, Python: other})
	})
	if got, err := w.Renew(t.Context(), "sales", "python3"); err != nil || !strings.HasPrefix(got, "sales/other, ") || w.hosts[root].specs["python3"].Argv[0] != other {
		t.Errorf("another one: %q, %v", got, err)
	}
	w.broken.Store(true)
	_, err := w.Renew(t.Context(), "sales", "python3")
	if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.NoKernel || e.Remedy == "" {
		t.Errorf("broken: %v", err)
	}
	if got, err := w.Renew(t.Context(), "managed", "python3"); got != "" || err != nil {
		t.Errorf("of no project: %q, %v", got, err)
	}
}

// TestAFolderThatBecomesALink checks that the permission for a folder does not move with what the
// folder becomes, whether it came from the command line or the user.
func TestAFolderThatBecomesALink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	secret, byUser := makeProject(t), makeProject(t)
	if _, _, err := w.ForSession(in(t.Context(), byUser), "", "python3"); err != nil {
		t.Fatal(err)
	}
	if !w.Allows(w.listed) || !w.Allows(filepath.Join(w.listed, "in it")) || !w.Allows(byUser) || w.Allows(secret) {
		t.Fatal("the folders are not allowed")
	}
	w.answer = &oversight.DeniedError{}
	for _, folder := range []string{w.listed, byUser} {
		if err := errors.Join(os.Rename(folder, folder+" moved"), os.Symlink(secret, folder)); err != nil {
			t.Fatal(err)
		}
		_, _, err := w.ForSession(in(t.Context(), "/"), folder, "python3")
		if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.NotAllowed {
			t.Errorf("%s: %v", folder, err)
		}
		if server, err := w.At(t.Context(), filepath.Join(folder, "pyproject.toml")); server != "" || err != nil {
			t.Errorf("a file is on %q, %v", server, err)
		}
	}
}

// TestAServerThatDoesNotStart checks that the caller is told why, and that the next call tries again.
func TestAServerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	w.unable.Store(true)
	_, _, err := w.ForSession(in(t.Context(), root), "", "python3")
	if e, ok := errors.AsType[*servers.NotReadyError](err); !ok || e.Health.Name != "sales" {
		t.Errorf("got %v", err)
	}
	w.unable.Store(false)
	if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != "sales" {
		t.Errorf("%+v, %v", place, err)
	}
}

// TestAServerKeepsItsName checks that two projects of one name do not change theirs when their
// servers have rested: what was recorded on a server is known by its name.
func TestAServerKeepsItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 50*time.Millisecond)
	one, two := makeProject(t), makeProject(t)
	open := func(root, want string) {
		t.Helper()
		if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != want {
			t.Fatalf("%+v, %v; want %s", place, err, want)
		}
	}
	open(one, "sales")
	open(two, "sales-2")
	for range 2 {
		<-w.removed
	}
	open(two, "sales-2")
	if err := w.Ensure(t.Context(), "sales"); err != nil || w.Root("sales") != one {
		t.Errorf("sales is %s, %v; want %s", w.Root("sales"), err, one)
	}
}

// TestAnUnusedServerEnds checks that the server of a project ends without kernels and terminals,
// not with one, and starts again when it is needed.
func TestAnUnusedServerEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 50*time.Millisecond)
	kernel := w.jup.AddKernel("python3")
	w.terminal.Store(true)
	root := makeProject(t)
	open := func() {
		t.Helper()
		if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != "sales" {
			t.Fatalf("%+v, %v", place, err)
		}
	}
	open()
	first := w.hosts[root]
	for range 20 { // it has looked for kernels many times
		<-w.looked
	}
	if first.Server() == nil {
		t.Fatal("it ended with a kernel")
	}
	client, err := jupyter.New(w.jup.URL, w.jup.Token)
	if err == nil {
		err = client.DeleteKernel(t.Context(), kernel.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		<-w.looked
	}
	if first.Server() == nil {
		t.Fatal("it ended with a terminal")
	}
	w.terminal.Store(false)
	for name := range w.removed {
		if name == "sales" {
			break
		}
	}
	if first.Server() != nil {
		t.Fatal("it is not listed and runs")
	}
	if err := errors.Join(w.Ensure(t.Context(), "nothing"), w.Ensure(t.Context(), "sales")); err != nil {
		t.Fatal(err)
	}
	if w.hosts[root] == first || w.hosts[root].Server() == nil {
		t.Error("it was not started again")
	}
}

// TestProjectsOfR checks that they have an R kernel in their folder, unless they are Python's, too.
func TestProjectsOfR(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := filepath.Join(filepath.Dir(makeProject(t)), "trees")
	for _, dir := range []string{"data", "python"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "renv.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	data := in(t.Context(), filepath.Join(root, "data"))
	place, _, err := w.ForSession(data, "", "python3")
	if err != nil || place.Kernel != managed.EaselKernel || !strings.Contains(place.Hint, "no R kernel") {
		t.Fatalf("without an R kernel: %+v, %v", place, err)
	}
	w.jup.AddKernelSpec("ir", "R")
	if place, _, err = w.ForSession(data, "", "python3"); err != nil || place.Kernel != "ir" || place.Directory != "" {
		t.Errorf("with an R kernel: %+v, %v", place, err)
	}
	if place, _, err = w.ForSession(data, "", "ir"); err != nil || place.Kernel != "" || place.Directory != "" || place.Hint != "" {
		t.Errorf("if R is asked for: %+v, %v", place, err)
	}
	if place, _, err = w.ForSession(data, "", managed.EaselKernel); err != nil || place.Kernel != "" || place.Directory != "data" {
		t.Errorf("if another kernel is asked for: %+v, %v", place, err)
	}
	addEnvironment(t, root, ".venv")
	if place, _, err = w.ForSession(data, "", "python3"); err != nil || place.Kernel != "python3" || place.Directory != "data" {
		t.Errorf("with a Python environment: %+v, %v", place, err)
	}
}

// ReadEnvFile is as that of a server on this machine.
func (h *host) ReadEnvFile(read bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.env = read
	return nil
}

// TestEnvFiles checks that a server reads its project's .env file only while the user wants that.
func TestEnvFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	if err := w.ReadEnvFile(root, true); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil {
		t.Fatal(err)
	}
	reads := func() bool {
		h := w.hosts[root]
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.env
	}
	if _, stored := w.store.Snapshot().Settings.EnvFiles.Find(root); !stored || !reads() {
		t.Errorf("turned on: stored %v, read %v", stored, reads())
	}
	if err := w.ReadEnvFile(root, false); err != nil || reads() {
		t.Errorf("turned off: read %v, %v", reads(), err)
	}
	if _, stored := w.store.Snapshot().Settings.EnvFiles.Find(root); stored {
		t.Error("turned off, it is stored")
	}
}
