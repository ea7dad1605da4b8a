package managed

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/jupyter"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// projectFolder makes a project's folder with a file and a notebook.
func projectFolder(t *testing.T, name string) ProjectServer {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := ProjectServer{Root: filepath.Join(root, name), Name: name}
	put(t, filepath.Join(p.Root, "data", name+".csv"), "a,b\n1,2\n")
	put(t, filepath.Join(p.Root, "work.ipynb"), `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
	return p
}

func put(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// startProject starts the server of a project, for the rest of the test.
func startProject(t *testing.T, p *Project) *jupyter.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := p.Start(ctx)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	})
	return s
}

// setTestKernel gives a project the Python of the tests, started with -E and a marker.
func setTestKernel(t *testing.T, p *Project) {
	t.Helper()
	err := p.SetKernel("python3", KernelSpec{
		Argv:        []string{os.Getenv("EASEL_TEST_PYTHON"), "-m", "ipykernel_launcher", "-f", "{connection_file}"},
		DisplayName: "proj/.venv", Language: "python", Env: map[string]string{"VIRTUAL_ENV": "/its/own"},
	})
	require.NoError(t, err)
}

// everything lists a folder with its files' contents.
func everything(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		text, _ := os.ReadFile(path)
		list = append(list, path+": "+string(text))
		return err
	})
	require.NoError(t, err)
	return list
}

func TestLiveProject(t *testing.T) {
	j, _ := shared(t)
	one, two := projectFolder(t, "one"), projectFolder(t, "two")
	before := everything(t, one.Root)
	p, q := j.ForProject(one, nil), j.ForProject(two, nil)
	setTestKernel(t, p)
	s, other := startProject(t, p), startProject(t, q)

	t.Run("each sees its own files", func(t *testing.T) {
		names := func(s *jupyter.Server) (names []string) {
			dir, err := s.Contents(t.Context(), "data", jupyter.ContentsQuery{Content: true})
			require.NoError(t, err)
			entries, err := dir.Entries()
			require.NoError(t, err)
			for _, f := range entries {
				names = append(names, f.Name)
			}
			return names
		}
		if got := append(names(s), names(other)...); !slices.Equal(got, []string{"one.csv", "two.csv"}) {
			t.Errorf("files %v", got)
		}
	})
	t.Run("its python3 is the project's", func(t *testing.T) {
		id, _ := startKernel(t, s)
		var got []string
		eval(t, s, id, "import sys, os", `[sys.prefix, os.getcwd(), os.environ["VIRTUAL_ENV"], os.environ["PATH"], os.environ.get("PYTHONNOUSERSITE", "")] +
			[name for name in os.environ if name.startswith("JUPYTER") or name == "IPYTHONDIR"]`, &got)
		want := []string{filepath.Dir(filepath.Dir(os.Getenv("EASEL_TEST_PYTHON"))), one.Root, "/its/own", os.Getenv("PATH"), ""}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in the kernel (-want +got):\n%s", diff)
		}
	})
	t.Run("Easel's Python is there, too", func(t *testing.T) {
		m, err := s.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: EaselKernel})
		require.NoError(t, err)
		if !follow(t, s, m.ID).OwnSockets() {
			t.Error("the server passes its messages on")
		}
		var got []string
		eval(t, s, m.ID, "import sys, os", `[sys.prefix, os.environ["VIRTUAL_ENV"], os.environ["PATH"].split(os.pathsep)[0], os.environ["PYTHONNOUSERSITE"]]`, &got)
		layer := p.supervisor.files.file("layers/" + m.ID)
		if want := []string{layer, layer, filepath.Join(layer, filepath.Base(filepath.Dir(j.dir.python()))), "1"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("JupyterLab opens its notebook", func(t *testing.T) {
		if !s.HasPage(t.Context(), "lab", "tree", "work.ipynb") {
			t.Error("there is no JupyterLab")
		}
	})
	t.Run("a notebook's checkpoint is elsewhere", func(t *testing.T) {
		u := s.URL().JoinPath("api/contents/work.ipynb/checkpoints")
		r, err := p.supervisor.files.readRecord()
		require.NoError(t, err)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.String(), nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "token "+r.Token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer func() { _ = resp.Body.Close() }()
		kept := p.supervisor.files.file("checkpoints/.ipynb_checkpoints/work-checkpoint.ipynb")
		if _, err := os.Stat(kept); resp.StatusCode != http.StatusCreated || err != nil {
			t.Errorf("status %d, %v", resp.StatusCode, err)
		}
	})
	if diff := cmp.Diff(before, everything(t, one.Root)); diff != "" {
		t.Errorf("the project's folder (-before +after):\n%s", diff)
	}
	if running := RunningProjects(j.cfg.DataDir); len(running) != 2 || !slices.Contains(running, one) || !slices.Contains(running, two) {
		t.Errorf("running: %+v", running)
	}
	if x := Examine(t.Context(), j.cfg); len(x.Projects) != 2 || x.Projects[0].ProjectServer != one || x.Projects[0].Err != nil {
		t.Errorf("examined: %+v", x.Projects)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if running := RunningProjects(j.cfg.DataDir); !slices.Equal(running, []ProjectServer{two}) || !Running(j.cfg.DataDir) {
		t.Errorf("running after Stop: %+v", running)
	}
	if known := KnownProjects(j.cfg.DataDir); !slices.Contains(known, one) || !slices.Contains(known, two) {
		t.Errorf("known after Stop: %+v", known)
	}
}

// TestLiveProjectKernelIsReachedPastTheServer checks that a kernel with Easel's modules keeps
// what it has printed, in whichever Python it runs.
func TestLiveProjectKernelIsReachedPastTheServer(t *testing.T) {
	j, _ := shared(t)
	maker := Overlays(j.cfg)
	maker.Easel = j.dir.python
	kernel, err := maker.Prepare(t.Context(), os.Getenv("EASEL_TEST_PYTHON"), func(string) {})
	require.NoError(t, err)
	p := j.ForProject(projectFolder(t, "overlaid"), nil)
	spec := KernelSpec{Argv: kernel.Argv, Env: kernel.Env, DisplayName: "x", Language: "python", Metadata: map[string]any{KeepsOutput: true}}
	require.NoError(t, p.SetKernel("python3", spec))
	s := startProject(t, p)
	id, _ := startKernel(t, s)
	if !follow(t, s, id).OwnSockets() {
		t.Error("the server passes the kernel's messages on")
	}
	limit := -1
	eval(t, s, id, "", "get_ipython().kernel.iopub_thread.socket.sndhwm", &limit)
	if limit != 0 {
		t.Errorf("a reader that stands still loses what comes after %d messages", limit)
	}
}

// TestLiveProjectIsTakenOver covers an Easel that is killed, and the next one.
func TestLiveProjectIsTakenOver(t *testing.T) {
	j, _ := live(t)
	folder := projectFolder(t, "kept")
	player := startPlayerOf(t, j.cfg, j.dir.env, folder)
	player.until(t, "ready")
	p := j.ForProject(folder, nil)
	r, err := p.supervisor.files.readRecord()
	require.NoError(t, err)
	before, err := jupyter.New(r.URL, r.Token)
	require.NoError(t, err)
	id, _ := startKernel(t, before)
	var n int
	eval(t, before, id, "precious = 6*7", "precious", &n)
	player.kill()
	if running := RunningProjects(j.cfg.DataDir); !slices.Equal(running, []ProjectServer{folder}) || !Running(j.cfg.DataDir) {
		t.Errorf("running: %+v", running)
	}
	unused := j.dir.beside().env
	require.NoError(t, os.MkdirAll(unused, 0o700))
	if err := j.dir.removeUnused(); err != nil {
		t.Error(err)
	}
	for dir, kept := range map[string]bool{unused: false, r.Env: true} {
		if _, err := os.Stat(dir); (err == nil) != kept {
			t.Errorf("%s: %v, want kept %v", dir, err, kept)
		}
	}
	hurried, end := context.WithCancel(t.Context()) // of an Easel that ends while it takes over
	hasty := j.ForProject(folder, func(s Status) {
		if strings.HasPrefix(s.Detail, "Taking over") {
			end()
		}
	})
	if _, err := hasty.Start(hurried); err == nil {
		t.Error("it has started although it was to end")
	}
	s := startProject(t, p)
	if n = 0; s.URL().String() != before.URL().String() {
		t.Errorf("the server is at %v, want that at %v", s, before)
	}
	eval(t, s, id, "", "precious", &n)
	if n != 42 {
		t.Errorf("precious = %d, want 42", n)
	}
	if err := p.Stop(t.Context()); err != nil || !pidGone(r.PID)() {
		t.Errorf("Stop of an adopted server: %v", err)
	}
}

func TestLiveProjectLeaseEnds(t *testing.T) {
	j, _ := live(t)
	j.cfg.Lease = 1500 * time.Millisecond
	folder := projectFolder(t, "left")
	player := startPlayerOf(t, j.cfg, j.dir.env, folder)
	player.until(t, "ready")
	r, err := j.ForProject(folder, nil).supervisor.files.readRecord()
	require.NoError(t, err)
	player.kill()
	waitFor(t, "the end of the server", pidGone(r.PID))
	if running := RunningProjects(j.cfg.DataDir); len(running) > 0 {
		t.Errorf("running: %+v", running)
	}
}

// TestLiveProjectThatCannotBeWritten covers a folder without permission to write. Root may
// write anywhere, so for root it only shows that the server does not try.
func TestLiveProjectThatCannotBeWritten(t *testing.T) {
	j, _ := shared(t)
	folder := projectFolder(t, "read-only")
	for _, dir := range []string{filepath.Join(folder.Root, "data"), folder.Root} {
		require.NoError(t, os.Chmod(dir, 0o500))
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	}
	before := everything(t, folder.Root)
	p := j.ForProject(folder, nil)
	s := startProject(t, p)
	id, _ := startKernel(t, s)
	var names []string
	eval(t, s, id, "import os", "sorted(os.listdir())", &names)
	if !slices.Equal(names, []string{"data", "work.ipynb"}) {
		t.Errorf("files %v", names)
	}
	if diff := cmp.Diff(before, everything(t, folder.Root)); diff != "" {
		t.Errorf("the folder (-before +after):\n%s", diff)
	}
}

func TestLiveProjectDies(t *testing.T) {
	j, _ := shared(t)
	rec := &recorder{}
	p := j.ForProject(projectFolder(t, "dies"), rec.report)
	p.supervisor.pause = 10 * time.Millisecond
	s := startProject(t, p)
	r, err := p.supervisor.files.readRecord()
	require.NoError(t, err)
	kill(t, r.PID)
	waitFor(t, "another server", func() bool { return rec.count(Ready) == 2 })
	if again := p.Server(); again == nil || again == s || again.URL().String() != s.URL().String() {
		t.Errorf("the new server: %v, want another client at %v", again, s)
	}
}

// TestAProjectWaitsForTheEnvironment checks that a project's server does not install.
func TestAProjectWaitsForTheEnvironment(t *testing.T) {
	j := New(Config{DataDir: t.TempDir(), RootDir: t.TempDir()})
	p := j.ForProject(projectFolder(t, "early"), nil)
	if _, err := p.Start(t.Context()); !errors.Is(err, ErrNoEnvironment) {
		t.Errorf("without an environment: %v", err)
	}
	j.reporter.report(Status{Phase: Installing, Detail: "Downloading"})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := p.Start(ctx)
		failed <- err
	}()
	waitFor(t, "the project to wait", func() bool {
		st, _ := p.reporter.current()
		return strings.Contains(st.Detail, "Downloading")
	})
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	go func() {
		_, err := p.Start(t.Context())
		failed <- err
	}()
	waitFor(t, "the project to wait again", func() bool {
		st, _ := p.reporter.current()
		return strings.Contains(st.Detail, "Downloading")
	})
	broken := errors.New("no network")
	j.reporter.failed(broken)
	if err := <-failed; !errors.Is(err, broken) {
		t.Errorf("after the installation failed: %v", err)
	}
}

func TestProjectID(t *testing.T) {
	for name, want := range map[string]string{"My Project": "my-project-", "解析": "project-", "..": "project-", strings.Repeat("x", 99): strings.Repeat("x", 32) + "-"} {
		if id := (ProjectServer{"/home/x/" + name, name}).ID(); id[:len(id)-10] != want {
			t.Errorf("%q: %q, want %q and a hash", name, id, want)
		}
	}
	if (ProjectServer{"/a", "x"}).ID() == (ProjectServer{"/b", "x"}).ID() {
		t.Error("two folders have the same id")
	}
}
