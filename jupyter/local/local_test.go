package local

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

func newClient(t *testing.T, f *Finder) (*jupyter.Server, *Gateway) {
	t.Helper()
	g := NewGateway(f, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = g.Close() })
	s, err := g.Client()
	require.NoError(t, err)
	return s, g
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("no %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func finder(dirs ...string) *Finder { return NewFinder(dirs, nil, "") }

func TestLiveARealKernel(t *testing.T) {
	dir := t.TempDir()
	p := jupytertest.StartKernel(t, dir, "kernel-4711.json")
	f := finder(dir)
	var found []Kernel
	await(t, "kernel", func() bool { found = f.Find(); return len(found) == 1 })
	k := found[0]
	t.Run("says whose it is", func(t *testing.T) {
		if k.File != p.File || k.Problem != nil || k.Spec.Name != "python3" || k.Spec.Language != "python" {
			t.Errorf("got %+v", k)
		}
		if got := k.Process; got.PID != p.PID || got.Dir != p.Dir || got.Program != filepath.Base(os.Args[0]) ||
			time.Since(got.Started).Abs() > time.Minute || got.User == "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("is found among temporary files", func(t *testing.T) {
		temp, file := t.TempDir(), "tmpq3_x9abc.json"
		for _, name := range []string{file, "other.json", "tmp.json", "tmpq3_x9abc.txt"} {
			data, err := os.ReadFile(p.File)
			if err == nil {
				err = os.WriteFile(filepath.Join(temp, name), data, 0o600)
			}
			require.NoError(t, err)
		}
		if got := NewFinder(nil, nil, temp).files(); len(got) != 1 || filepath.Base(got[0].path) != file {
			t.Errorf("the files are %v", got)
		}
		if got := NewFinder(nil, nil, temp).Find(); len(got) != 1 || got[0].File != filepath.Join(temp, file) || got[0].Process.PID != p.PID {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("keeps its id", func(t *testing.T) {
		if again := finder(dir).Find(); len(again) != 1 || again[0].ID != k.ID || !f.Current(k) {
			t.Errorf("got %v", again)
		}
	})
	s, _ := newClient(t, f)
	t.Run("answers like one of a server", func(t *testing.T) { follows(t, s, k, p) })
	t.Run("is not ended", func(t *testing.T) {
		if err := s.DeleteKernel(t.Context(), k.ID); err == nil {
			t.Error("no error")
		}
		if _, err := s.RestartKernel(t.Context(), k.ID); err == nil {
			t.Error("no error")
		}
		if !f.Current(k) {
			t.Error("it has ended")
		}
	})
	t.Run("counts once", func(t *testing.T) {
		text, err := os.ReadFile(p.File)
		require.NoError(t, err)
		older := filepath.Join(dir, "kernel-1.json")
		require.NoError(t, os.WriteFile(older, text, 0o600))
		require.NoError(t, os.Chtimes(older, time.Time{}, time.Now().Add(-time.Hour)))
		if found := f.Find(); len(found) != 1 || found[0].ID != k.ID {
			t.Errorf("got %v", found)
		}
		_ = os.Remove(older)
	})
	t.Run("refuses a wrong key", func(t *testing.T) { wrongKey(t, p) })
	t.Run("is gone when it has died", func(t *testing.T) {
		c, err := s.Follow(t.Context(), k.ID, jupyter.FollowOptions{})
		require.NoError(t, err)
		defer c.Close()
		p.Kill()
		for {
			in, err := c.Next(t.Context())
			require.NoError(t, err)
			if in.Event == jupyter.KernelGone {
				break
			}
		}
		if _, err := s.Kernel(t.Context(), k.ID); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("got %v", err)
		}
		if found := f.Find(); len(found) != 0 {
			t.Errorf("a stale file counts: %v", found)
		}
	})
}

// follows runs code in a kernel, and interrupts it.
func follows(t *testing.T, s *jupyter.Server, k Kernel, p *jupytertest.Program) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := s.Follow(ctx, k.ID, jupyter.FollowOptions{})
	require.NoError(t, err)
	defer c.Close()
	if m, err := s.Kernel(ctx, k.ID); err != nil || m.State != wire.StateIdle || m.Process == nil || m.Process.PID != p.PID {
		t.Errorf("got %+v, %v", m, err)
	}
	values, err := c.Evaluate(ctx, jupyter.Evaluation{Expressions: map[string]string{"n": "get_ipython().execution_count"}, Subshell: true})
	if err != nil || values["n"].Text() != "1" {
		t.Errorf("got %v, %v", values, err)
	}
	id, err := c.Execute(ctx, jupyter.ExecuteRequest{Code: "print('on', flush=True)\nimport time\ntime.sleep(600)"})
	require.NoError(t, err)
	failed := ""
	for {
		in, err := c.Next(ctx)
		require.NoError(t, err)
		m := in.Message
		if m == nil || m.ParentID() != id {
			continue
		}
		var e wire.ErrorContent
		var st wire.Status
		switch m.Type() {
		case "stream":
			if m, err := s.Kernel(ctx, k.ID); err != nil || m.State != wire.StateBusy {
				t.Errorf("while it runs: %+v, %v", m, err)
			}
			joinsBusy(t, k)
			require.NoError(t, s.InterruptKernel(ctx, k.ID))
		case "error":
			_ = m.Decode(&e)
			failed = e.Ename
		case "status":
			if _ = m.Decode(&st); st.ExecutionState == wire.StateIdle {
				if failed != "KeyboardInterrupt" {
					t.Errorf("got %q", failed)
				}
				return
			}
		}
	}
}

// joinsBusy connects to a kernel while it runs code.
func joinsBusy(t *testing.T, k Kernel) {
	s, _ := newClient(t, finder(filepath.Dir(k.File)))
	c, err := s.Follow(t.Context(), k.ID, jupyter.FollowOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	if m, err := s.Kernel(t.Context(), k.ID); err != nil || m.State != wire.StateBusy {
		t.Errorf("got %+v, %v", m, err)
	}
}

// wrongKey connects to a kernel by a file with another key.
func wrongKey(t *testing.T, p *jupytertest.Program) {
	text, err := os.ReadFile(p.File)
	require.NoError(t, err)
	var file map[string]any
	require.NoError(t, json.Unmarshal(text, &file))
	file["key"] = "another"
	text, _ = json.Marshal(file)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel-1.json"), text, 0o600))
	f := finder(dir)
	found := f.Find()
	if len(found) != 1 {
		t.Fatalf("got %v", found)
	}
	s, _ := newClient(t, f)
	_, err = s.Follow(t.Context(), found[0].ID, jupyter.FollowOptions{})
	if e, ok := errors.AsType[*jupyter.StatusError](err); !ok || e.Message != errWrongKey.Error() {
		t.Errorf("got %v", err)
	}
}

// TestLiveAKernelInTheFormOfVSCode uses a connection file that is written before the kernel
// starts and names its kernelspec, and sockets in the file system.
func TestLiveAKernelInTheFormOfVSCode(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	short, err := os.MkdirTemp("", "k") //nolint:usetesting // the path of a socket has at most 107 bytes
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	write(t, filepath.Join(dir, "kernel-v37.json"), map[string]any{
		"transport": "ipc", "ip": filepath.Join(short, "s"), "shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5,
		"key": "4bc5", "signature_scheme": "hmac-sha256", "kernel_name": "mine",
	}, 0o600)
	require.NoError(t, os.MkdirAll(filepath.Join(data, "kernels", "mine"), 0o700))
	write(t, filepath.Join(data, "kernels", "mine", "kernel.json"), map[string]any{"language": "python", "display_name": "Mine", "interrupt_mode": "message"}, 0o644)
	p := jupytertest.StartKernel(t, dir, "kernel-v37.json")
	f := NewFinder([]string{dir}, []string{data}, "")
	var found []Kernel
	await(t, "kernel", func() bool { found = f.Find(); return len(found) == 1 })
	k := found[0]
	if want := (Spec{"mine", "Mine", "python", "message"}); k.Spec != want || k.Process.PID != p.PID {
		t.Errorf("got %+v", k)
	}
	s, _ := newClient(t, f)
	follows(t, s, k, p)
}

func write(t *testing.T, path string, v any, mode os.FileMode) {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, mode))
}
