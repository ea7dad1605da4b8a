package managed

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/sandbox"
)

// These tests use the real thing: an environment that this package creates once in a
// cache directory, and servers and kernels in it. Each test has its own data directory
// next to that environment.

// patience is long, because what is installed in the background gives way to all other tests.
const patience = 10 * time.Minute

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Command {
		os.Exit(sandbox.Main(os.Args[2:]))
	}
	if part := os.Getenv("EASEL_TEST_PLAY"); part != "" {
		play(part)
		return
	}
	if os.Getenv("EASEL_TEST_IDLE") != "" { // see idle
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	code := m.Run()
	if err := stopShared(); err != nil {
		fmt.Println("the shared Jupyter:", err)
		code = 1
	}
	os.Exit(code)
}

// A script says what a process that plays an Easel does.
type script struct {
	DataDir, RootDir, Env string
	Lease                 time.Duration
	Project               ProjectServer // Root "": none
}

// play plays an Easel that starts Jupyter, reports that, and runs until stdin ends.
func play(part string) {
	var s script
	if err := json.Unmarshal([]byte(part), &s); err != nil {
		panic(err)
	}
	j := New(Config{
		DataDir: s.DataDir, RootDir: s.RootDir, Lease: s.Lease,
		Report: func(st Status) { fmt.Println(st.Phase, st.Detail) },
	})
	if s.Env != "" {
		j.dir.env = s.Env
	}
	var err error
	if s.Project.Root != "" {
		_, err = j.ForProject(s.Project, func(st Status) { fmt.Println(st.Phase, st.Detail) }).Start(context.Background())
	} else {
		_, err = j.Start(context.Background())
	}
	if err != nil {
		fmt.Println("error", err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// player is a running process of play.
type player struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startPlayer(t *testing.T, cfg Config, env string) *player {
	t.Helper()
	return startPlayerOf(t, cfg, env, ProjectServer{})
}

func startPlayerOf(t *testing.T, cfg Config, env string, project ProjectServer) *player {
	t.Helper()
	part, err := json.Marshal(script{cfg.DataDir, cfg.RootDir, env, cfg.Lease, project})
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(context.Background(), self)
	cmd.Env = append(os.Environ(), "EASEL_TEST_PLAY="+string(part))
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // kept open: it runs until it is killed, or until this process ends
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &player{cmd, bufio.NewScanner(out)}
	t.Cleanup(p.kill)
	return p
}

// until waits for a line with that prefix.
func (p *player) until(t *testing.T, prefix string) {
	t.Helper()
	for p.lines.Scan() {
		if strings.HasPrefix(p.lines.Text(), prefix) {
			return
		}
		if strings.HasPrefix(p.lines.Text(), "error") {
			t.Fatal(p.lines.Text())
		}
	}
	t.Fatalf("the player ended before it said %q", prefix)
}

func (p *player) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// liveEnv returns the environment. The first call creates it with a real Start.
func liveEnv(t *testing.T) string {
	t.Helper()
	if os.Getenv("EASEL_TEST_PYTHON") == "" && os.Getenv("EASEL_TEST_LIVE") == "" {
		t.Skip("a live test: EASEL_TEST_PYTHON is not set (make test sets it)")
	}
	env, err := builtEnv()
	require.NoError(t, err)
	return env
}

var builtEnv = sync.OnceValues(func() (string, error) {
	cache := os.Getenv("EASEL_TEST_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(dir, "easel-test")
	}
	dir := filepath.Join(cache, "managed")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	j := New(Config{DataDir: dir, RootDir: filepath.Join(dir, "root"), Python: basePython(ctx)})
	complete := func() bool { return Python(dir) != "" }
	if todo, _ := j.inspect(ctx); todo == none && complete() {
		return j.dir.env, errors.Join(j.dir.placeFiles(), exitFaster(j.dir))
	}
	if _, err := j.Start(ctx); err != nil {
		return "", err
	}
	err := until(ctx, patience, complete)
	return j.dir.env, errors.Join(err, j.Stop(ctx), exitFaster(j.dir))
})

// exitFaster makes Python exit without its search for cycles; see scripts/python-env.
func exitFaster(d layout) error {
	site, err := d.sitePackages()
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(site, "exit.pth"), []byte("import atexit, gc; atexit.register(gc.freeze)\n"), 0o644)
}

// basePython returns the Python from which the one for tests was made, or "". The first one on
// PATH may be slower.
func basePython(ctx context.Context) string {
	path, _ := exec.CommandContext(ctx, os.Getenv("EASEL_TEST_PYTHON"), "-c", "import sys; print(sys._base_executable)").Output()
	return strings.TrimSpace(string(path))
}

// live returns a Jupyter with its own data directory, not started, and a recorder of its
// reports.
func live(t *testing.T) (*Jupyter, *recorder) {
	t.Helper()
	env := liveEnv(t)
	rec := &recorder{}
	j := New(Config{
		DataDir: t.TempDir(), RootDir: filepath.Join(t.TempDir(), "root"), Report: rec.report,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	j.dir.env = env
	t.Cleanup(func() {
		if err := j.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	})
	return j, rec
}

func start(t *testing.T, j *Jupyter) *jupyter.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := j.Start(ctx)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	return s
}

// common is the Jupyter of shared, and its data directory.
var common struct {
	j   *Jupyter
	dir string
}

// shared returns a running Jupyter for tests that only start kernels, and its server. The
// kernels end with the test, the server when all tests have ended.
func shared(t *testing.T) (*Jupyter, *jupyter.Server) {
	t.Helper()
	env, font := liveEnv(t), fallbackFont(t)
	if common.j == nil {
		dir, err := os.MkdirTemp("", "shared") //nolint:usetesting // outlives the test
		require.NoError(t, err)
		common.dir = dir
		common.j = New(Config{DataDir: filepath.Join(dir, "data"), RootDir: filepath.Join(dir, "root"), Fonts: []string{font}})
		common.j.dir.env = env
		start(t, common.j)
	}
	s := common.j.Server()
	if s == nil {
		t.Fatal("the shared Jupyter does not run")
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		all, err := s.Kernels(ctx)
		for _, k := range all {
			err = errors.Join(err, s.DeleteKernel(ctx, k.ID))
		}
		if err != nil {
			t.Errorf("the kernels' end: %v", err)
		}
	})
	return common.j, s
}

func stopShared() error {
	if common.j == nil {
		return nil
	}
	return errors.Join(common.j.Stop(context.Background()), os.RemoveAll(common.dir))
}

// recorder records what is reported.
type recorder struct {
	mu  sync.Mutex
	all []Status
}

func (r *recorder) report(s Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, s)
}

// phases returns the phases in order, without repetitions.
func (r *recorder) phases() (out []Phase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.all {
		if len(out) == 0 || out[len(out)-1] != s.Phase {
			out = append(out, s.Phase)
		}
	}
	return out
}

func (r *recorder) count(p Phase) (n int) {
	for _, q := range r.phases() {
		if p == q {
			n++
		}
	}
	return n
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	if err := until(t.Context(), patience, done); err != nil {
		t.Fatalf("waiting for %s: %v", what, err)
	}
}

// startKernel starts a kernel and returns its id and its process.
func startKernel(t *testing.T, s *jupyter.Server) (id string, pid int) {
	t.Helper()
	m, err := s.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: "python3"})
	require.NoError(t, err)
	eval(t, s, m.ID, "import os", "os.getpid()", &pid)
	return m.ID, pid
}

// follow follows a kernel for the rest of the test.
func follow(t *testing.T, s *jupyter.Server, id string) *jupyter.Kernel {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	k, err := s.Follow(ctx, id, jupyter.FollowOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// eval runs code in a kernel and decodes the value of expression, which is JSON, into v.
func eval(t *testing.T, s *jupyter.Server, kernel, code, expression string, v any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	k := follow(t, s, kernel)
	defer func() { _ = k.Close() }() // close it now, because a test has many evals
	got, err := k.Evaluate(ctx, jupyter.Evaluation{
		Code: code + "\nimport json, base64", Expressions: map[string]string{
			"v": "base64.b64encode(json.dumps(" + expression + ").encode()).decode()",
		},
	})
	if err != nil {
		t.Fatalf("%v in:\n%s", err, code)
	}
	var text string
	if err := json.Unmarshal(got["v"].Data["text/plain"], &text); err != nil {
		t.Fatalf("%s: %+v", expression, got["v"])
	}
	raw := make([]byte, len(text))
	n, err := base64Decode(raw, strings.Trim(text, "'"))
	require.NoError(t, err)
	if err := json.Unmarshal(raw[:n], v); err != nil {
		t.Fatalf("%s: %v", raw[:n], err)
	}
}
