//go:build unix

package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/managed"
	"easel/jupyter/tunnel"
)

// These tests use a real sshd, whose user has a home directory without Easel. The program that is
// copied there is this test.

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		home, _ := os.UserHomeDir()
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err := Serve(ctx, os.Stdin, os.Stdout, AgentConfig{DataDir: filepath.Join(home, "data"), Owner: os.Args[2], Version: "test", Lease: lease})
		stop()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// lease is how long servers run after a test that was killed.
const lease = 5 * time.Minute

// patience is long, because the packages are downloaded once.
const patience = 10 * time.Minute

// away starts an sshd. Its user's home directory is kept, because installing there takes long.
func away(t *testing.T) *jupytertest.SSHD {
	t.Helper()
	if os.Getenv("EASEL_TEST_PYTHON") == "" {
		t.Skip("a live test: EASEL_TEST_PYTHON is not set (make test sets it)")
	}
	cache := os.Getenv("EASEL_TEST_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		require.NoError(t, err)
		cache = filepath.Join(dir, "easel-test")
	}
	home := filepath.Join(cache, "remote")
	require.NoError(t, os.MkdirAll(home, 0o700))
	require.NoError(t, os.RemoveAll(filepath.Join(home, ".cache", "easel")))
	d := jupytertest.StartSSHD(t, home)
	t.Setenv("PATH", filepath.Dir(d.SSH)+":"+os.Getenv("PATH"))
	return d
}

// machine returns the machine of the sshd.
func machine(t *testing.T) *Machine {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	m := New(Config{
		Address: tunnel.Address{Host: jupytertest.SSHHost}, Owner: "test", Programs: Programs{Self: self, Dirs: []string{t.TempDir()}},
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	t.Cleanup(m.Close)
	return m
}

// proj makes a project with a Python of its own, without ipykernel.
func proj(t *testing.T) managed.ProjectServer {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root = filepath.Join(root, "it's 売上")
	for name, text := range map[string]string{"pyproject.toml": "", "mypkg.py": "answer = 42\n", "data/sales.csv": "a\n1\n"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	out, err := exec.CommandContext(t.Context(), os.Getenv("EASEL_TEST_PYTHON"), "-m", "venv", "--without-pip", filepath.Join(root, ".venv")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return managed.ProjectServer{Root: root, Name: "sales"}
}

func startHost(t *testing.T, h *Host) *jupyter.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := h.Start(ctx)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	return s
}

func nothing() {}

func quiet(managed.Status) {}

func TestLiveMachine(t *testing.T) {
	d := away(t)
	m := machine(t)
	of := proj(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var steps []string
	found, err := m.Find(ctx, filepath.Join(of.Root, "data"), func(s Step) { steps = append(steps, s.Text) })
	if err != nil || found.Project.Root != of.Root || found.Directory != filepath.Join(of.Root, "data") {
		t.Fatalf("got %+v, %v", found, err)
	}
	if !strings.Contains(fmt.Sprint(steps), "Copying") {
		t.Errorf("the steps are %q", steps)
	}
	envs, err := m.Environments(ctx, found.Project, found.Directory)
	if err != nil || len(envs.All) == 0 || envs.All[0].Prefix != filepath.Join(of.Root, ".venv") {
		t.Fatalf("got %+v, %v", envs, err)
	}
	h := m.Host(of, quiet, nothing)
	s := startHost(t, h)
	k, err := m.Prepare(ctx, envs.All[0].Python, nil)
	if err != nil || k.Own {
		t.Fatalf("got %+v, %v", k, err)
	}
	require.NoError(t, h.SetKernel("python3", managed.KernelSpec{Argv: k.Argv, Env: k.Env, Language: "python", DisplayName: "x", InterruptMode: "signal"}))
	kernel, err := s.StartKernel(ctx, jupyter.StartKernelRequest{Name: "python3"})
	require.NoError(t, err)
	records, _ := filepath.Glob(filepath.Join(agentDir(t, d), "jupyter", "projects", "*", "server.json"))
	if text, err := os.ReadFile(strings.Join(records, "")); err != nil || !strings.Contains(string(text), fmt.Sprintf(`"lease": %d,`, lease)) {
		t.Errorf("the server's record is %s, %v", text, err)
	}
	alive := func() bool {
		all, err := s.Kernels(ctx)
		return err == nil && len(all) == 1 && all[0].ID == kernel.ID
	}
	require.Eventually(t, "the server answers", alive)
	t.Run("nothing is copied the second time", func(t *testing.T) {
		again := machine(t)
		again.cfg.Owner = "another"
		var steps []string
		if _, err := again.Find(ctx, of.Root, func(s Step) { steps = append(steps, s.Text) }); err != nil || strings.Contains(fmt.Sprint(steps), "Copying") {
			t.Errorf("the steps are %q, %v", steps, err)
		}
	})
	t.Run("sshd goes away", func(t *testing.T) {
		d.Cut()
		d.Up()
		require.Eventually(t, "the server answers", alive)
		require.Eventually(t, "the project is found", func() bool {
			_, err := m.Find(ctx, of.Root, nil)
			return err == nil
		})
	})
	t.Run("the agent is killed", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(agentDir(t, d), "agent.pid"))
		require.NoError(t, err)
		var pid int
		_, _ = fmt.Sscan(string(text), &pid)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		if _, err := m.Find(ctx, of.Root, nil); err != nil {
			t.Error(err)
		}
		require.Eventually(t, "the server answers", alive)
	})
	after := t // the machine outlives the subtest
	t.Run("Easel is gone and comes back", func(t *testing.T) {
		_ = h.Server().Close()
		m.Close() // as if it was killed: nothing is stopped there
		m = machine(after)
		h = m.Host(of, quiet, nothing)
		s = startHost(t, h)
		require.Eventually(t, "the server answers", alive)
	})
	if err := h.Stop(ctx); err != nil {
		t.Error(err)
	}
	if left := managed.RunningProjects(agentDir(t, d)); len(left) > 0 {
		t.Errorf("%v still runs", left)
	}
}

// agentDir is the directory of the agent.
func agentDir(t *testing.T, d *jupytertest.SSHD) string {
	t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(d.Home, "data", "remote", "test-*"))
	if len(dirs) != 1 {
		t.Fatalf("the directories are %q", dirs)
	}
	return dirs[0]
}

// TestLiveProblems checks what is said if a project cannot be opened.
func TestLiveProblems(t *testing.T) {
	d := away(t)
	of := proj(t)
	ctx := t.Context()
	find := func(t *testing.T, m *Machine, dir string) error {
		t.Helper()
		_, err := m.Find(ctx, dir, nil)
		if err == nil {
			t.Fatal("there was no error")
		}
		return err
	}
	kind := func(t *testing.T, err error, want Kind, words string) {
		t.Helper()
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Kind != want || !strings.Contains(e.Text+" "+e.Remedy, words) {
			t.Errorf("got %#v", err)
		}
	}
	t.Run("directories", func(t *testing.T) {
		m := machine(t)
		kind(t, find(t, m, of.Root+"/nowhere"), NotAProject, "does not exist")
		kind(t, find(t, m, of.Root+"/mypkg.py"), NotAProject, "is a file")
		kind(t, find(t, m, "/"), NotAProject, "/")
		kind(t, find(t, m, "~"), NotAProject, "home")
	})
	t.Run("the program is missing", func(t *testing.T) {
		m := machine(t)
		m.cfg.Programs.Self = ""
		kind(t, find(t, m, of.Root), NoProgram, "easel-headless-linux-")
	})
	t.Run("it is another program", func(t *testing.T) {
		m := machine(t)
		m.cfg.Programs.Self = "/bin/true"
		if _, err := m.Find(ctx, of.Root, nil); err == nil {
			t.Error("there was no error")
		}
	})
	t.Run("no key", func(t *testing.T) {
		d.Configure("stranger", true)
		defer d.Configure("user", true)
		if e, ok := errors.AsType[*tunnel.Error](find(t, machine(t), of.Root)); !ok || e.Problem != tunnel.Denied {
			t.Errorf("got %v", e)
		}
	})
	t.Run("no sshd", func(t *testing.T) {
		d.Stop()
		defer d.Up()
		if e, ok := errors.AsType[*tunnel.Error](find(t, machine(t), of.Root)); !ok || e.Problem != tunnel.Refused {
			t.Errorf("got %v", e)
		}
	})
}

// TestLiveNoNetwork opens a project on a machine that reaches no package index.
func TestLiveNoNetwork(t *testing.T) {
	d := away(t)
	home := t.TempDir() // without Easel's environment
	d.Stop()
	d.Home, d.Env = home, "HTTPS_PROXY=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1 PIP_RETRIES=0"
	d.Up()
	of := proj(t)
	m := machine(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	t.Run("nothing can be carried", func(t *testing.T) {
		h := m.Host(of, quiet, nothing)
		_, err := h.Start(ctx)
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != NoNetwork {
			t.Errorf("got %v", err)
		}
	})
	if testing.Short() {
		return // make nightly carries Easel's packages there, and Easel's own
	}
	data := t.TempDir()
	m.cfg.Packages = func() managed.Config { return managed.Config{DataDir: data, Python: os.Getenv("EASEL_TEST_PYTHON")} }
	var steps []string
	h := m.Host(of, func(s managed.Status) { steps = append(steps, s.Detail) }, nothing)
	s := startHost(t, h)
	defer func() {
		if err := h.Stop(ctx); err != nil {
			t.Error(err)
		}
	}()
	if said := strings.Join(steps, "\n"); !strings.Contains(said, "Downloading packages") || !strings.Contains(said, "Copying packages") {
		t.Errorf("the steps are %q", steps)
	}
	k, err := m.Prepare(ctx, filepath.Join(of.Root, ".venv", "bin", "python"), nil)
	if err != nil || k.Own {
		t.Fatalf("got %+v, %v", k, err)
	}
	if _, err := s.KernelSpecs(ctx); err != nil {
		t.Error(err)
	}
}
