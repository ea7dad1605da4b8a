package jupytertest

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/kernelside"
)

// server is the program that starts a server.
//
//go:embed server.py
var server string

// PythonVariable is the environment variable with the interpreter of a Python with
// jupyter-server and ipykernel. "make test" sets it.
const PythonVariable = "EASEL_TEST_PYTHON"

// Python returns the interpreter for live tests. It skips the test if there is none.
func Python(t testing.TB) string {
	t.Helper()
	python := os.Getenv(PythonVariable)
	if python == "" {
		t.Skipf("%s is not set: no Python with jupyter-server to test against (make test sets it)", PythonVariable)
	}
	return python
}

// Fonts returns the directory in which matplotlib keeps its list of fonts, for MPLCONFIGDIR.
// It belongs to the interpreter's environment, because making the list takes longer than
// drawing, and every kernel with a directory of its own would make it again.
func Fonts(python string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(python)), "matplotlib")
}

// A Real is a real Jupyter server in its own process and directories.
type Real struct {
	URL   string // with base_url, without trailing slash
	Token string
	Dir   string // contains everything, including Root
	Root  string // the server's root_dir
	// Runtime is where the kernels' connection files are, if the server supports their
	// use; otherwise it is "".
	Runtime string

	t       testing.TB
	args    []string
	env     []string
	gateway *gateway // nil for jupyter-server

	mu    sync.Mutex
	cmd   *exec.Cmd
	done  chan struct{} // closed when the process has ended
	ended bool          // it was stopped or killed at least once
	log   *tail
}

// RealOption configures a real server.
type RealOption func(*Real)

// WithBaseURL makes the server serve everything below path, for example "/user/ann/".
func WithBaseURL(path string) RealOption {
	return func(r *Real) {
		r.args = append(r.args, "--ServerApp.base_url="+path)
		r.URL = strings.TrimRight(path, "/")
	}
}

// WithArgs adds arguments, for example
// "--ZMQChannelsWebsocketConnection.limit_rate=False".
func WithArgs(args ...string) RealOption {
	return func(r *Real) { r.args = append(r.args, args...) }
}

// WithSockets makes the server offer the use of the kernels' own sockets, as the managed
// one does. The server then reports only the life cycle of a kernel.
func WithSockets() RealOption {
	return func(r *Real) {
		modules := filepath.Join(moduleRoot, "jupyter", "managed", "python")
		r.args = append(r.args, "--ServerApp.kernel_websocket_connection_class=easel_life.LifeConnection",
			"--ServerApp.kernel_manager_class=easel_kept.KeepingKernelManager")
		r.env = append(r.env, "PYTHONPATH="+modules)
		r.Runtime = r.path("runtime")
	}
}

// WithModules makes the server's kernels load Easel's modules, as those of the managed one do. Then
// the output of subprocesses has arrived when their execution ends; a stock kernel only pauses for it.
func WithModules() RealOption {
	return func(r *Real) {
		r.env = append(r.env, "EASEL_TEST_MODULES="+filepath.Join(moduleRoot, "jupyter", "kernelside", "python"),
			"EASEL_TEST_INSTALL="+kernelside.Install)
	}
}

// moduleRoot is the directory with go.mod: go test starts a test in its package's directory.
var moduleRoot = func() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}()

// A gateway is a server that provides only kernels.
type gateway struct{ python, module, app string }

// The variables with the interpreters of Pythons with a gateway. Gateways have their own
// environments, because they require other versions of everything. "make test" sets the
// variables.
const (
	KernelGatewayVariable     = "EASEL_TEST_KERNEL_GATEWAY" // with bash_kernel, which is not Python
	EnterpriseGatewayVariable = "EASEL_TEST_ENTERPRISE_GATEWAY"
)

// WithKernelGateway makes Start start a Jupyter Kernel Gateway instead.
func WithKernelGateway(t testing.TB) RealOption {
	t.Helper()
	return withGateway(t, KernelGatewayVariable, "kernel_gateway", "KernelGatewayApp")
}

// WithEnterpriseGateway makes Start start a Jupyter Enterprise Gateway instead.
func WithEnterpriseGateway(t testing.TB) RealOption {
	t.Helper()
	return withGateway(t, EnterpriseGatewayVariable, "enterprise_gateway", "EnterpriseGatewayApp")
}

func withGateway(t testing.TB, variable, module, app string) RealOption {
	t.Helper()
	python := os.Getenv(variable)
	if python == "" {
		t.Skipf("%s is not set: no gateway to test against (make test sets it)", variable)
	}
	return func(r *Real) { r.gateway = &gateway{python, module, app} }
}

// command returns the interpreter and its arguments that start the server on port.
func (r *Real) command(port string) (python string, args []string) {
	if g := r.gateway; g != nil {
		return g.python, []string{"-m", g.module, "--ip=127.0.0.1", "--port=" + port, "--port_retries=0", "--" + g.app + ".auth_token=" + r.Token}
	}
	return Python(r.t), []string{
		"-c", server, "--ip=127.0.0.1", "--port=" + port, "--port-retries=0", "--no-browser",
		"--allow-root", "--IdentityProvider.token=" + r.Token, "--ServerApp.root_dir=" + r.Root,
	}
}

// WithoutGrammar is the beginning of a Python program in which jsonschema does not compile a
// grammar of international addresses. That takes a second, and no schema of Jupyter uses it.
const WithoutGrammar = "import sys; sys.modules['rfc3987_syntax'] = None\n"

// startTimeout is how long a server may take to answer. A cold one compiles.
const startTimeout = 2 * time.Minute

// Start starts a real server on a free port and waits until it answers. The server and
// its kernels end with the test. Without [Python], the test is skipped.
func Start(t testing.TB, opts ...RealOption) *Real {
	t.Helper()
	r := prepare(t, t.TempDir(), opts...)
	r.start()
	t.Cleanup(func() { r.end(t) })
	return r
}

// prepare returns a server that has not been started, with everything in dir.
func prepare(t testing.TB, dir string, opts ...RealOption) *Real {
	t.Helper()
	r := &Real{Token: "secret-" + strconv.FormatInt(time.Now().UnixNano(), 36), t: t, Dir: dir}
	r.Root = r.path("root")
	for _, o := range opts {
		o(r)
	}
	return r
}

func (r *Real) start() {
	r.t.Helper()
	for _, dir := range []string{r.Root, r.path("tmp")} {
		require.NoError(r.t, os.MkdirAll(dir, 0o700))
	}
	path := r.URL
	for range 5 { // another program may take the port before the server does
		r.URL = "http://127.0.0.1:" + strconv.Itoa(FreePort(r.t)) + path
		if r.up() {
			return
		}
	}
}

// end stops the server. If the test has failed, it logs what the server said.
func (r *Real) end(t testing.TB) {
	r.Stop()
	if t.Failed() {
		t.Logf("jupyter-server said:\n%s", r.Log())
	}
}

func (r *Real) path(name string) string { return filepath.Join(r.Dir, name) }

// FreePort returns a port of the loopback interface on which nobody listens now. If
// possible, the port is reserved for the test.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // it was never used
	if runtime.GOOS == "linux" {
		t.Cleanup(hold(port))
	}
	return port
}

// request makes a request of Jupyter's REST API, and decodes the response into out, unless that
// is nil.
func (r *Real) request(ctx context.Context, method, path string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, r.URL+path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "token "+r.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(body, out)
}

// Stop ends the server and its kernels, cleanly at first.
func (r *Real) Stop() {
	r.mu.Lock()
	cmd, done := r.cmd, r.done
	r.mu.Unlock()
	terminate(cmd)
	select {
	case <-done:
	case <-time.After(time.Minute): // kernels of a killed server would write to Dir while it is removed
	}
	r.Kill()
}

// Kill ends the server and its children immediately.
func (r *Real) Kill() {
	r.mu.Lock()
	cmd, done := r.cmd, r.done
	r.ended = true
	r.mu.Unlock()
	kill(cmd)
	<-done
}

// PID returns the id of the server's process.
func (r *Real) PID() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cmd.Process.Pid
}

// Log returns the end of the server's output.
func (r *Real) Log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.String()
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write never fails.
func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.buf.Len() > 1<<20 {
		w.buf.Reset()
	}
	return w.buf.Write(p)
}

// String returns the last hundred lines.
func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	sc := bufio.NewScanner(bytes.NewReader(w.buf.Bytes()))
	for sc.Scan() {
		lines = append(lines, sc.Text())
	}
	if err := sc.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
		return fmt.Sprint(err)
	}
	return strings.Join(lines[max(0, len(lines)-100):], "\n")
}

// Move restarts the server, after Kill or Stop, at another port and with another token.
func (r *Real) Move() {
	r.t.Helper()
	u, err := url.Parse(r.URL)
	require.NoError(r.t, err)
	r.Token += "-moved"
	u.Host = "127.0.0.1:" + strconv.Itoa(FreePort(r.t))
	r.URL = u.String()
	r.Up()
}
