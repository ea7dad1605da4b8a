package managed

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
)

func base64Decode(dst []byte, s string) (int, error) {
	return base64.StdEncoding.Decode(dst, []byte(s))
}

func itoa(n int) string { return strconv.Itoa(n) }

func pidGone(pid int) func() bool { return func() bool { return processStart(pid) == "" } }

func TestLiveStartAndStop(t *testing.T) {
	j, rec := live(t)
	s := start(t, j)
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	if got, want := j.Server(), s; got != want || j.Status().Phase != Ready {
		t.Errorf("Server() = %v in phase %v, want %v", got, j.Status().Phase, want)
	}
	if _, err := j.Start(t.Context()); !errors.Is(err, ErrStarted) {
		t.Errorf("a second Start: %v, want ErrStarted", err)
	}

	t.Run("the token is nowhere that others look", func(t *testing.T) {
		for _, file := range []string{"cmdline", "environ"} {
			text, err := os.ReadFile(filepath.Join("/proc", itoa(r.PID), file))
			if err == nil && strings.Contains(string(text), r.Token) {
				t.Errorf("the token is in the server's %s", file)
			}
		}
		text, err := os.ReadFile(j.dir.log)
		if err != nil || strings.Contains(string(text), r.Token) {
			t.Errorf("the token is in the log (%v)", err)
		}
		if st, err := os.Stat(j.dir.recordFile()); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("server.json: %v, %v", st.Mode(), err)
		}
	})
	t.Run("a wrong token is refused", func(t *testing.T) {
		wrong, err := jupyter.New(r.URL, "wrong")
		require.NoError(t, err)
		if _, err := wrong.Kernels(t.Context()); !errors.Is(err, jupyter.ErrUnauthorized) {
			t.Errorf("got %v, want ErrUnauthorized", err)
		}
	})

	id, kernel := startKernel(t, s)
	var pid, child int
	eval(t, s, id, "import subprocess; p = subprocess.Popen(['sleep', '600'])", "p.pid", &child)
	eval(t, s, id, "", "os.getppid()", &pid)
	if pid != r.PID {
		t.Errorf("the kernel's parent is %d, want the server, %d", pid, r.PID)
	}
	if err := j.Stop(t.Context()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	for what, pid := range map[string]int{"server": r.PID, "kernel": kernel} {
		if !pidGone(pid)() {
			t.Errorf("the %s is still there after Stop", what)
		}
	}
	// A kernel that ends cleanly leaves its children running, as in any Jupyter. On a busy
	// machine, the server may have to kill it, and then kills them, too.
	if !pidGone(child)() {
		kill(t, child)
	}
	if _, err := os.Stat(j.dir.recordFile()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("server.json after Stop: %v", err)
	}
	if j.Server() != nil {
		t.Error("Server() is not nil after Stop")
	}
	if got, want := rec.phases(), []Phase{Searching, Starting, Ready, Stopped}; !slices.Equal(got, want) {
		t.Errorf("phases %v, want %v", got, want)
	}
}

func TestLiveAdoption(t *testing.T) {
	j, rec := live(t)
	p := startPlayer(t, j.cfg, j.dir.env)
	p.until(t, "ready")
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	before, err := jupyter.New(r.URL, r.Token)
	require.NoError(t, err)
	id, kernel := startKernel(t, before)
	var n int
	eval(t, before, id, "precious = 6*7", "precious", &n)
	p.kill() // -9

	s := start(t, j)
	if got, want := s.URL().Port(), itoa(r.Port); got != want {
		t.Errorf("the server is at port %v, want the one before at %v", got, want)
	}
	n = 0
	eval(t, s, id, "", "precious", &n)
	if n != 42 {
		t.Errorf("precious = %d, want 42", n)
	}
	if rec.count(Installing) != 0 {
		t.Error("it installed something")
	}
	if err := j.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if !pidGone(r.PID)() || !pidGone(kernel)() {
		t.Error("Stop of an adopted server left it or its kernel behind")
	}
}

func TestLiveLeaseEnds(t *testing.T) {
	j, _ := live(t)
	j.cfg.Lease = 1500 * time.Millisecond
	p := startPlayer(t, j.cfg, j.dir.env)
	p.until(t, "ready")
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	s, err := jupyter.New(r.URL, r.Token)
	require.NoError(t, err)
	id, kernel := startKernel(t, s)

	// Stopped, for example by Ctrl-Z, it does not renew the lease, but it still exists.
	suspend(t, p.cmd.Process.Pid)
	select {
	case <-time.After(3 * j.cfg.Lease):
	case <-t.Context().Done():
	}
	if !r.alive() {
		t.Fatal("the server ended although its Easel is only stopped")
	}
	var n int
	eval(t, s, id, "", "1", &n)

	p.kill()
	waitFor(t, "the end of the server", pidGone(r.PID))
	waitFor(t, "the end of the kernel", pidGone(kernel))

	t.Run("what it left does not hinder the next", func(t *testing.T) {
		j.cfg.Lease = DefaultLease
		start(t, j)
		if now, err := j.dir.readRecord(); err != nil || now.ID == r.ID {
			t.Errorf("record %v, %v", now.ID == r.ID, err)
		}
	})
}

// TestLiveLeaseOutlastsSleep covers a laptop that sleeps for hours with Easel and its
// server, and on which the server wakes first. The age of the lease must not matter.
func TestLiveLeaseOutlastsSleep(t *testing.T) {
	j, _ := live(t)
	j.cfg.Lease = 1500 * time.Millisecond
	p := startPlayer(t, j.cfg, j.dir.env)
	p.until(t, "ready")
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	s, err := jupyter.New(r.URL, r.Token)
	require.NoError(t, err)
	id, _ := startKernel(t, s)
	var n int
	eval(t, s, id, "precious = 42", "precious", &n)

	renewed := func() time.Time {
		st, err := os.Stat(j.dir.file("lease"))
		require.NoError(t, err)
		return st.ModTime()
	}
	suspend(t, p.cmd.Process.Pid)
	suspend(t, r.PID)
	old := time.Now().Add(-8 * time.Hour)
	require.NoError(t, os.Chtimes(j.dir.file("lease"), old, old))
	resume(t, r.PID)
	select {
	case <-time.After(3 * j.cfg.Lease):
	case <-t.Context().Done():
	}
	if !r.alive() || renewed().After(old.Add(time.Hour)) {
		t.Fatal("the server ended before its Easel woke up")
	}
	resume(t, p.cmd.Process.Pid)
	waitFor(t, "a renewed lease", func() bool { return renewed().After(old.Add(time.Hour)) })
	n = 0
	eval(t, s, id, "", "precious", &n)
	if n != 42 || !r.alive() {
		t.Errorf("precious = %d", n)
	}
	p.kill()
	waitFor(t, "the end of the server", pidGone(r.PID))
}

func TestLiveServerDies(t *testing.T) {
	j, rec := live(t)
	j.supervisor.pause = 10 * time.Millisecond
	s := start(t, j)
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	_, kernel := startKernel(t, s)
	kill(t, r.PID)
	waitFor(t, "another server", func() bool { return rec.count(Ready) == 2 })
	now, err := j.dir.readRecord()
	require.NoError(t, err)
	if now.PID == r.PID || now.Port != r.Port || now.Token != r.Token {
		t.Errorf("the new server: pid %d port %d, want another pid than %d and port %d and the same token", now.PID, now.Port, r.PID, r.Port)
	}
	if j.Server() == s {
		t.Error("Server() is still the old one")
	}
	if !pidGone(kernel)() {
		t.Error("the kernel of the dead server is still there")
	}

	// From here on, no server starts.
	require.NoError(t, os.WriteFile(j.dir.file("serve.py"), []byte("raise SystemExit('kaputt, says the test')"), 0o600))
	kill(t, now.PID)
	waitFor(t, "giving up", func() bool { return rec.count(Failed) == 1 })
	st := j.Status()
	if !errors.Is(st.Err, ErrServer) || !strings.Contains(st.Err.Error(), "kaputt, says the test") || !strings.Contains(st.Remedy, j.dir.log) {
		t.Errorf("status %+v: want ErrServer with the end of the log", st)
	}
	if j.Server() != nil {
		t.Error("Server() is not nil when failed")
	}
	start(t, j) // it can be started again
}

func TestLiveRecycledPID(t *testing.T) {
	j, _ := live(t)
	// A record of a dead server whose process id is now used by another program: this
	// one.
	require.NoError(t, j.dir.make())
	stale := record{ID: "x", PID: os.Getpid(), Started: "another boot/1", Token: "x", Port: 1, URL: "http://127.0.0.1:1/", RootDir: j.cfg.RootDir}
	require.NoError(t, j.dir.writeRecord(stale))
	start(t, j)
	if r, err := j.dir.readRecord(); err != nil || r.ID == "x" {
		t.Errorf("record %+v, %v: want a new server", r.ID, err)
	}
}

func TestLiveOtherRootDir(t *testing.T) {
	j, _ := live(t)
	p := startPlayer(t, j.cfg, j.dir.env)
	p.until(t, "ready")
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	p.kill()
	j.cfg.RootDir = t.TempDir()
	s := start(t, j)
	if !pidGone(r.PID)() {
		t.Error("the server with the other root is still there")
	}
	id, _ := startKernel(t, s)
	var cwd string
	eval(t, s, id, "", "os.getcwd()", &cwd)
	if want, _ := filepath.EvalSymlinks(j.cfg.RootDir); cwd != want {
		t.Errorf("kernels work in %s, want %s", cwd, want)
	}
}
