package managed

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
)

// TestLiveKernelsThatEndEarly covers kernels that never answer. Jupyter starts them again
// five times.
func TestLiveKernelsThatEndEarly(t *testing.T) {
	j, _ := shared(t)
	folder := projectFolder(t, "broken")
	p := j.ForProject(folder, nil)
	s := startProject(t, p)
	for _, c := range []struct {
		name string
		argv []string
		want string
	}{
		{"missing", []string{filepath.Join(folder.Root, ".venv/bin/python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"}, "broken/.venv/bin/python"},
		{"bare", []string{j.dir.python(), "-I", "-S", "-m", "ipykernel_launcher", "-f", "{connection_file}"}, "No module named ipykernel_launcher"},
		{"three", []string{j.dir.python(), "-c", "import sys; print('[IPKernelApp] WARNING | no\\n  encryption\\nits last word', file=sys.stderr); sys.exit(3)", "{connection_file}"}, "with exit code 3: its last word"},
		{"quiet", []string{j.dir.python(), "-c", "import sys; sys.exit(4)", "{connection_file}"}, "with exit code 4"},
		{"crash", []string{j.dir.python(), "-X", "faulthandler", "-c", "import ctypes; ctypes.string_at(0)", "{connection_file}"}, "by signal SIGSEGV: Fatal Python error: Segmentation fault"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, p.SetKernel(c.name, KernelSpec{Argv: c.argv, DisplayName: c.name, Language: "python"}))
			began := time.Now()
			m, err := s.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: c.name})
			if err == nil {
				_, err = s.Follow(t.Context(), m.ID, jupyter.FollowOptions{})
			}
			if !errors.Is(err, jupyter.ErrKernelStart) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "kernel "+c.name) {
				t.Errorf("got %v, want ErrKernelStart with %q", err, c.want)
			}
			t.Logf("%v: %v", time.Since(began), err)
			if all, err := s.Kernels(t.Context()); err != nil || len(all) > 0 {
				t.Errorf("kernels %+v, %v", all, err)
			}
		})
	}
	id, _ := startKernel(t, s) // the others work
	if !follow(t, s, id).OwnSockets() {
		t.Error("the server passes the kernel's messages on")
	}
}

// TestLiveAKernelThatNoLongerStarts covers an environment that breaks while its kernel runs.
func TestLiveAKernelThatNoLongerStarts(t *testing.T) {
	j, _ := shared(t)
	folder := projectFolder(t, "breaks")
	p := j.ForProject(folder, nil)
	s := startProject(t, p)
	code := "import os, sys\nif os.path.exists('broken'): sys.exit('it broke')\nfrom ipykernel.kernelapp import launch_new_instance\nlaunch_new_instance()"
	require.NoError(t, p.SetKernel("python3", KernelSpec{Argv: []string{j.dir.python(), "-c", code, "-f", "{connection_file}"}, DisplayName: "x", Language: "python"}))
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	if _, err := s.RestartKernel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := k.Probe(t.Context()); err != nil {
		t.Fatalf("after a restart: %v", err)
	}
	put(t, filepath.Join(folder.Root, "broken"), "")
	_, err := s.RestartKernel(t.Context(), id)
	if err == nil {
		err = k.Probe(t.Context())
	}
	// The process before it may have had a last word, too.
	if err == nil || !strings.Contains(err.Error(), "ended before it answered, with exit code 1: ") || !strings.Contains(err.Error(), "it broke") {
		t.Errorf("got %v, want its last words", err)
	}
}

// TestLiveARestartReadsTheKernelspec covers an environment that is made again with another Python
// while its kernel runs, and one that is removed.
func TestLiveARestartReadsTheKernelspec(t *testing.T) {
	j, _ := shared(t)
	p := j.ForProject(projectFolder(t, "renewed"), nil)
	s := startProject(t, p)
	set := func(python, value string) {
		t.Helper()
		require.NoError(t, p.SetKernel("python3", KernelSpec{
			Argv: []string{python, "-m", "ipykernel_launcher", "-f", "{connection_file}"}, Env: map[string]string{"WHICH": value}, DisplayName: "x", Language: "python",
		}))
	}
	set(j.dir.python(), "first")
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	set(j.dir.python(), "second")
	if _, err := s.RestartKernel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, k.Probe(t.Context()))
	var which string
	if eval(t, s, id, "import os", "os.environ['WHICH']", &which); which != "second" {
		t.Errorf("the kernel is the %s", which)
	}
	set("/nowhere/python", "third")
	if _, err := s.RestartKernel(t.Context(), id); !errors.Is(err, jupyter.ErrKernelStart) || !strings.Contains(err.Error(), "/nowhere/python") {
		t.Errorf("got %v", err)
	}
	if all, err := s.Kernels(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("kernels %+v, %v", all, err)
	}
}
