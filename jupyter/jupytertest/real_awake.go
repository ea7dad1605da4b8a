package jupytertest

import (
	"context"
	_ "embed"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"easel/internal/require"
)

// Up restarts the server after Kill or Stop, at the same address.
func (r *Real) Up() {
	r.t.Helper()
	if !r.up() {
		r.t.Fatalf("somebody took the server's port:\n%s", r.Log())
	}
}

// up starts the server, and returns false if its port is taken.
func (r *Real) up() bool {
	r.t.Helper()
	port := strings.TrimPrefix(r.URL, "http://127.0.0.1:")
	port, _, _ = strings.Cut(port, "/")
	python, args := r.command(port)
	// The test's context ends before its cleanups. It must not kill what Stop ends.
	cmd := exec.CommandContext(context.WithoutCancel(r.t.Context()), python, append(args, r.args...)...)
	cmd.Dir = r.Root
	cmd.Env = append(os.Environ(),
		"HOME="+r.Dir, "JUPYTER_CONFIG_DIR="+r.path("config"), "JUPYTER_DATA_DIR="+r.path("data"),
		"JUPYTER_RUNTIME_DIR="+r.path("runtime"), "IPYTHONDIR="+r.path("ipython"),
		"MPLCONFIGDIR="+Fonts(python), "TMPDIR="+r.path("tmp"), "JUPYTER_PLATFORM_DIRS=1",
		"PYDEVD_DISABLE_FILE_VALIDATION=1")
	cmd.Env = append(cmd.Env, r.env...)
	log := new(tail)
	cmd.Stdout, cmd.Stderr = log, log
	isolate(cmd)
	require.NoError(r.t, cmd.Start())
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the log says how it ended
		close(done)
	}()
	r.mu.Lock()
	r.cmd, r.done, r.log = cmd, done, log
	r.mu.Unlock()
	return r.awaitAnswer(done)
}

func (r *Real) awaitAnswer(done <-chan struct{}) bool {
	r.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(startTimeout)
	for {
		if r.answers() {
			return true
		}
		select {
		case <-tick.C:
		case <-done:
			if strings.Contains(r.Log(), "is already in use") {
				return false
			}
			r.t.Fatalf("jupyter-server ended before it answered:\n%s", r.Log())
		case <-deadline:
			r.t.Fatalf("jupyter-server does not answer:\n%s", r.Log())
		}
	}
}

func (r *Real) answers() bool {
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Second)
	defer cancel()
	return r.request(ctx, http.MethodGet, "/api/kernelspecs", nil) == nil // gateways have no status
}
