package managed

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"easel/internal/require"
	"easel/jupyter"
)

// TestLiveStopWhileItLogs covers Jupyter's handler of SIGTERM, which logs first. If the
// signal arrives while the server writes to its log, logging fails and the signal is
// lost.
func TestLiveStopWhileItLogs(t *testing.T) {
	j, _ := live(t)
	log := slowLog(t, j)
	s := start(t, j)
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	log.fill(t)
	asked := make(chan struct{})
	go func() { // ends with the server
		defer close(asked)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL().JoinPath("no-such-page").String(), nil)
		if err != nil {
			t.Error(err)
			return
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	writing := func() bool { return strings.Contains(procText(r.PID, "wchan"), "pipe") }
	waitFor(t, "the server to write to its log", writing)
	waited := func() string { return procField(t, r.PID, "voluntary_ctxt_switches") }
	before := waited()
	stopped := make(chan error, 1)
	go func() { stopped <- j.Stop(t.Context()) }()
	waitFor(t, "the signal to wake it, and to be over", func() bool { return waited() != before && writing() })
	log.drain()
	if err := <-stopped; err != nil {
		t.Errorf("Stop: %v", err)
	}
	<-asked
}

// TestLiveStopWhileAKernelRestarts covers Jupyter's shutdown, which fails if a kernel is
// being started or restarted. The server then keeps running.
func TestLiveStopWhileAKernelRestarts(t *testing.T) {
	j, _ := live(t)
	s := start(t, j)
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	id, pid := startKernel(t, s)
	k, err := s.Follow(t.Context(), id, jupyter.FollowOptions{})
	require.NoError(t, err)
	defer func() { _ = k.Close() }()
	// The kernel does not end by itself, so Jupyter waits for it.
	if _, err := k.Execute(t.Context(), jupyter.ExecuteRequest{Code: "import time\nwhile True:\n  try: time.sleep(60)\n  except BaseException: pass"}); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	go func() { // ends with the server
		defer close(asked)
		_, _ = s.RestartKernel(t.Context(), id)
	}()
	for range 5 { // in the meantime the server has begun
		if _, err := s.Kernels(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Stop(t.Context()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	<-asked
	for what, pid := range map[string]int{"server": r.PID, "kernel": pid} {
		if !pidGone(pid)() {
			t.Errorf("the %s is left", what)
		}
	}
}

// A pipeLog is a log whose reader may stop reading.
type pipeLog struct{ file *os.File }

// slowLog makes a pipe the log of j. It has room for the output of a start, and nobody
// reads it.
func slowLog(t *testing.T, j *Jupyter) *pipeLog {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	j.supervisor.files.log = path
	return &pipeLog{file}
}

// fill fills the pipe.
func (l *pipeLog) fill(t *testing.T) {
	t.Helper()
	raw, err := l.file.SyscallConn()
	require.NoError(t, err)
	for page := make([]byte, 4096); err == nil; {
		inner := raw.Write(func(fd uintptr) bool {
			_, err = unix.Write(int(fd), page)
			return true
		})
		require.NoError(t, inner)
	}
}

// drain reads from the pipe from now on, until the file is closed.
func (l *pipeLog) drain() { go func() { _, _ = io.Copy(io.Discard, l.file) }() }

// procField returns a field of the status file of pid in /proc.
func procField(t *testing.T, pid int, name string) string {
	t.Helper()
	for line := range strings.Lines(procText(pid, "status")) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no %s of process %d", name, pid)
	return ""
}

func procText(pid int, name string) string {
	text, _ := os.ReadFile(filepath.Join("/proc", itoa(pid), name))
	return string(text)
}
