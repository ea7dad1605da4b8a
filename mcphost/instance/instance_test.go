package instance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

func TestLockIsOfOneProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "dir")
	first, err := Lock(t.Context(), dir)
	require.NoError(t, err)
	if _, err := Lock(t.Context(), dir); !errors.Is(err, ErrRunning) {
		t.Errorf("second Lock: got %v, want ErrRunning", err)
	}
	require.NoError(t, first.Close())
	again, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatalf("Lock after Close: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestAStartWaitsForAnEaselThatEnds: that one does not answer any more, and still has the
// lock. It gives it up after the start has asked it.
func TestAStartWaitsForAnEaselThatEnds(t *testing.T) {
	dir := t.TempDir()
	ending, err := Lock(t.Context(), dir)
	require.NoError(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		if err := ending.Close(); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	require.NoError(t, ending.Publish(Runtime{URL: s.URL, Token: "secret"}))
	waited := 0
	mine, _, err := LockOrFind(t.Context(), dir, time.Hour, func() { waited++ })
	if err != nil || mine == nil || waited != 1 {
		t.Fatalf("got %v, %v, and waited %d times", mine, err, waited)
	}
	if err := mine.Close(); err != nil {
		t.Error(err)
	}
}

func TestAStartFindsTheEaselThatRuns(t *testing.T) {
	dir := t.TempDir()
	running, err := Lock(t.Context(), dir)
	require.NoError(t, err)
	defer running.Close()
	if _, _, err := LockOrFind(t.Context(), dir, 0, func() {}); !errors.Is(err, ErrRunning) || !strings.HasSuffix(err.Error(), "does not answer: it has not written easel.json") {
		t.Errorf("it cannot be reached: %v", err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	require.NoError(t, running.Publish(Runtime{URL: s.URL, PID: 7, Token: "secret"}))
	mine, r, err := LockOrFind(t.Context(), dir, 0, func() { t.Error("it waited") })
	if mine != nil || err != nil || r.PID != 7 {
		t.Errorf("got %v, %+v, %v", mine, r, err)
	}
}

// TestLockDiesWithItsProcess kills a process that holds the lock.
func TestLockDiesWithItsProcess(t *testing.T) {
	if dir := os.Getenv("EASEL_TEST_LOCK"); dir != "" { // this is the process to kill
		i, err := Lock(t.Context(), dir)
		require.NoError(t, err)
		defer i.Close() // never runs, but keeps the garbage collector from closing the lock's file
		_, _ = os.Stdout.WriteString("locked\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // blocks; an empty select may be reported as a deadlock
		return
	}
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestLockDiesWithItsProcess$")
	cmd.Env = append(os.Environ(), "EASEL_TEST_LOCK="+dir)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out) // the test binary may print something first
	for lines.Scan() && lines.Text() != "locked" {
		t.Logf("the child says %q", lines.Text())
	}
	if lines.Text() != "locked" {
		t.Fatalf("the child did not lock: %v", lines.Err())
	}
	if _, err := Lock(t.Context(), dir); !errors.Is(err, ErrRunning) {
		t.Errorf("while it lives: got %v, want ErrRunning", err)
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	i, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatalf("after it was killed: %v", err)
	}
	_ = i.Close()
}

func TestLockGivesUpWithItsContext(t *testing.T) {
	dir := t.TempDir()
	i, err := Lock(t.Context(), dir)
	require.NoError(t, err)
	defer func() { _ = i.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestTokenIsKeptAndSecret(t *testing.T) {
	dir := t.TempDir()
	one, err := Token(dir)
	require.NoError(t, err)
	if len(one) < 40 {
		t.Errorf("token %q is short", one)
	}
	name := filepath.Join(dir, "token")
	require.NoError(t, os.Chmod(name, 0o644))
	two, err := Token(dir)
	if err != nil || two != one {
		t.Errorf("second time: %q, %v; want the same token", two, err)
	}
	if st, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", st.Mode(), err)
	}
	three, err := RotateToken(dir)
	if err != nil || three == one {
		t.Errorf("rotated: %q, %v; want another", three, err)
	}
	for name, damage := range map[string]string{"empty": "", "short": "abc\n", "of two lines": strings.Repeat("a", 20) + "\n" + strings.Repeat("b", 20)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte(damage), 0o600))
		if got, err := Token(dir); err != nil || len(got) < 40 {
			t.Errorf("a token file that is %s: got %q, %v; want a new token", name, got, err)
		}
	}
}

// easel serves what a running Easel serves.
func easel(t *testing.T, token string) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	url := easel(t, "right")
	i, err := Lock(t.Context(), dir)
	require.NoError(t, err)
	if _, err := Find(t.Context(), dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("before Publish: got %v, want ErrNotRunning", err)
	}
	want := Runtime{URL: url, Port: 1, PID: os.Getpid(), Token: "right", Version: "1", Handover: "/nowhere/easel.sock", Started: time.Now().UTC().Truncate(time.Second)}
	require.NoError(t, i.Publish(want))
	if st, err := os.Stat(filepath.Join(dir, "easel.json")); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode of the runtime file %v, %v; want 0600", st.Mode(), err)
	}
	got, err := Find(t.Context(), dir)
	if err != nil || got != want {
		t.Fatalf("got %+v, %v; want %+v", got, err, want)
	}
	require.NoError(t, i.Close())
	if _, err := Find(t.Context(), dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after Close: got %v, want ErrNotRunning", err)
	}
}

func TestFindKnowsAStaleFile(t *testing.T) {
	url := easel(t, "right")
	dead := httptest.NewServer(nil)
	dead.Close()
	for name, file := range map[string]string{
		"nobody listens there":             must(t, Runtime{URL: dead.URL, Token: "right"}),
		"somebody else has the port":       must(t, Runtime{URL: url, Token: "wrong"}),
		"the address is foreign":           must(t, Runtime{URL: "http://192.0.2.1:5149", Token: "right"}),
		"the address is a name":            must(t, Runtime{URL: "http://127.0.0.1.example:5149", Token: "right"}),
		"a name with a loopback user part": must(t, Runtime{URL: "http://127.0.0.1@example.com", Token: "right"}),
		"damaged":                          `{"url": "ht`,
		"empty":                            ``,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "easel.json"), []byte(file), 0o600))
			if r, err := Find(t.Context(), dir); !errors.Is(err, ErrNotRunning) {
				t.Errorf("got %+v, %v; want ErrNotRunning", r, err)
			} else if strings.Contains(err.Error(), "right") {
				t.Errorf("the error tells the token: %v", err)
			}
		})
	}
}

func must(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestADataDirectoryThatCannotBeCreatedSaysWhatToDo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	if _, err := Lock(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "--data-dir") {
		t.Errorf("got %v", err)
	}
	if err := unwritable(os.ErrPermission); !strings.Contains(err.Error(), "--data-dir") {
		t.Errorf("got %v", err)
	}
}
