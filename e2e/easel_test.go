package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// patience is the timeout of every wait. A loaded machine with one core is slow, but anything
// that takes this long hangs.
const patience = 3 * time.Minute

// binary returns the path of the program under test.
func binary(t *testing.T) string {
	t.Helper()
	b := os.Getenv("EASEL_TEST_BINARY")
	if b == "" {
		t.Skip("EASEL_TEST_BINARY names no binary; make test sets it")
	}
	return b
}

// freePort returns a free port outside the range from which the system assigns ports to
// connections, because an Easel whose port is taken does not start.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(12_000)
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// listen listens on a free port of the loopback interface.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return l
}

// eventually waits until ok returns true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// cleanEnv returns the environment without settings of the user and, unless display is true,
// without a display.
func cleanEnv(home string, display bool) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "EASEL_TEST_RUN": // see leftovers in scripts/test
		case strings.HasPrefix(name, "EASEL_"), strings.HasPrefix(name, "JUPYTER"), strings.HasPrefix(name, "XDG_"), name == "HOME":
			continue
		case !display && (name == "DISPLAY" || strings.HasPrefix(name, "WAYLAND") || strings.HasPrefix(name, "DBUS")):
			continue
		}
		env = append(env, kv)
	}
	return append(env, "HOME="+home, "LC_ALL=C.UTF-8")
}

// An easel is a running Easel.
type easel struct {
	*process
	data    string
	inspect string // path of the socket that reports what the window shows; empty if it has none
	runtimeFile
}

// options are the options of launch. The zero value is a headless Easel with its own
// directories and a free port.
type options struct {
	program string   // path of the program; empty: binary's
	base    string   // directory for everything; empty: a new one
	port    int      // 0: a free one; negative: not specified
	jupyter *jupyter // nil: an address that nobody listens on
	window  bool     // not headless
	hidden  bool     // with window: started in the tray
	managed bool     // with the managed Jupyter, whose environment it creates
	bright  bool     // in the light theme and in English
	shown   string   // a folder or picture to show
	inspect string   // path of the socket that reports what the window shows; empty: in base
}

func (o *options) fill(t *testing.T) {
	t.Helper()
	if o.base == "" {
		o.base = t.TempDir()
	}
	if o.port == 0 {
		o.port = freePort(t)
	}
	if o.window && o.inspect == "" {
		o.inspect = filepath.Join(o.base, "inspect")
	}
	if !o.bright {
		return
	}
	data := filepath.Join(o.base, "data")
	require.NoError(t, os.MkdirAll(data, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, "settings.json"), []byte(`{"theme":"light","language":"en","told_of_risky":true}`), 0o600))
}

func (o *options) env(t *testing.T) []string {
	t.Helper()
	env := append(cleanEnv(o.base, o.window),
		"EASEL_DATA_DIR="+filepath.Join(o.base, "data"), "EASEL_ROOT_DIR="+filepath.Join(o.base, "root"))
	if o.port > 0 {
		env = append(env, "EASEL_PORT="+strconv.Itoa(o.port))
	}
	if !o.window {
		env = append(env, "EASEL_HEADLESS=1") // also if a bridge starts it
	}
	if o.inspect != "" {
		env = append(env, "EASEL_INSPECT="+o.inspect)
	}
	if o.managed {
		return env
	}
	url, token := "http://127.0.0.1:9", "none" // not a free port, which another program might take
	if o.jupyter != nil {
		url, token = o.jupyter.url, o.jupyter.token
	}
	return append(env, "EASEL_JUPYTER_URL="+url, "EASEL_JUPYTER_TOKEN="+token)
}

func (o *options) args() []string {
	switch {
	case o.shown != "":
		return []string{o.shown}
	case o.hidden:
		return []string{"--hidden"}
	case o.window:
		return nil
	}
	return []string{"--headless"}
}

// launch starts Easel and waits until it answers.
func launch(t *testing.T, o options) *easel {
	t.Helper()
	if o.program == "" {
		o.program = binary(t)
	}
	o.fill(t)
	e := &easel{process: start(t, o.env(t), o.program, o.args()...), data: filepath.Join(o.base, "data"), inspect: o.inspect}
	eventually(t, "Easel's start", func() bool {
		if !e.alive() {
			t.Fatalf("Easel ended with %d:\n%s", e.ProcessState.ExitCode(), e.out.String())
		}
		raw, err := os.ReadFile(filepath.Join(e.data, "easel.json"))
		if err != nil || json.Unmarshal(raw, &e.runtimeFile) != nil || e.PID != e.Process.Pid {
			return false
		}
		r, err := http.Get(e.URL + "/api/health") //nolint:noctx // bounded by eventually
		if err != nil {
			return false
		}
		_ = r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
	e.URL = strings.TrimSuffix(e.URL, "/")
	return e
}

// request makes a request with Easel's token and, if body is not nil, JSON.
func (e *easel) request(t *testing.T, method, path string, body any) *http.Request {
	t.Helper()
	var r io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		require.NoError(t, err)
		r = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, e.URL+path, r)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+e.Token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

// An answer is a response without the body.
type answer struct {
	Status     string
	StatusCode int
	Header     http.Header
}

// do sends req and reads the whole response.
func do(t *testing.T, req *http.Request) (answer, []byte) {
	t.Helper()
	// Follow no redirects and keep no connections, so that requests are independent.
	c := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r, err := c.Do(req)
	require.NoError(t, err)
	defer r.Body.Close()
	raw, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return answer{r.Status, r.StatusCode, r.Header}, raw
}

// call runs a tool over REST and decodes the result. The status must be 200.
func (e *easel) call(t *testing.T, tool string, args map[string]any) map[string]any {
	t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	r, raw := do(t, e.request(t, http.MethodPost, "/tools/"+tool+"/execute", args))
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s answered %s: %s", tool, r.Status, raw)
	}
	if tool == "execute_code" && fmt.Sprint(args["wait"]) != "0" {
		return e.ended(t, out)
	}
	return out
}

// ended waits for the end of an execution, which on a loaded machine may take longer than a
// call waits.
func (e *easel) ended(t *testing.T, x map[string]any) map[string]any {
	t.Helper()
	for slices.Contains([]any{"queued", "awaiting_approval", "running"}, x["status"]) {
		x = e.call(t, "get_execution", map[string]any{"execution_id": x["execution_id"], "wait": 30})
	}
	return x
}

// A jupyter is an unmanaged Jupyter server.
type jupyter struct {
	*process
	url, token, root string
}

// startJupyter starts a Jupyter server for one test. With "--lab", it has JupyterLab.
func startJupyter(t *testing.T, args ...string) *jupyter {
	t.Helper()
	python := os.Getenv("EASEL_TEST_PYTHON")
	if python == "" {
		t.Skip("EASEL_TEST_PYTHON names no interpreter; make test sets it")
	}
	var j *jupyter
	for range 3 { // another program may take the port before Jupyter does
		j = launchJupyter(t, python, args...)
		if j.alive() {
			return j
		}
	}
	t.Fatalf("Jupyter ended:\n%s", j.out.String())
	return nil
}

// close ends the server, by force if necessary. If it is answering a request about a file, it
// ends its kernels and then waits forever for a thread of anyio whose loop has ended. That is
// not Easel's fault.
func (j *jupyter) close() {
	_ = j.Process.Signal(syscall.SIGTERM)
	select {
	case <-j.exited:
	case <-time.After(20 * time.Second):
		_ = j.Process.Kill()
		<-j.exited
	}
}

// launchJupyter starts a Jupyter server and waits until it is ready or has ended.
func launchJupyter(t *testing.T, python string, args ...string) *jupyter {
	t.Helper()
	base, port := t.TempDir(), freePort(t)
	env := append(cleanEnv(base, false), "JUPYTER_CONFIG_DIR="+base, "JUPYTER_DATA_DIR="+base,
		"JUPYTER_RUNTIME_DIR="+base, "IPYTHONDIR="+base, "MPLCONFIGDIR="+jupytertest.Fonts(python))
	j := &jupyter{url: fmt.Sprintf("http://127.0.0.1:%d", port), token: "jupyter-test-token", root: base}
	args = append([]string{"../jupyter/jupytertest/server.py"}, args...)
	args = append(args, "--allow-root", "--ip=127.0.0.1",
		fmt.Sprintf("--port=%d", port), "--port-retries=0", "--no-browser",
		"--IdentityProvider.token="+j.token, "--ServerApp.root_dir="+base)
	j.process = start(t, env, python, args...)
	t.Cleanup(j.close)
	eventually(t, "Jupyter's start", func() bool {
		if !j.alive() {
			return true
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, j.url+"/api/status?token="+j.token, nil)
		require.NoError(t, err)
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
	return j
}
