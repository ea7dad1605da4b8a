package managed

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/wire"
)

// endOf runs code that ends the kernel's process, and returns what the server says about its end.
func endOf(t *testing.T, k *jupyter.Kernel, code string) wire.ProcessEnd {
	t.Helper()
	if _, err := k.Execute(t.Context(), jupyter.ExecuteRequest{Code: code}); err != nil {
		t.Fatal(err)
	}
	for {
		in, err := k.Next(t.Context())
		require.NoError(t, err)
		var s wire.Status
		if in.Message == nil || in.Message.Type() != "status" || in.Message.Decode(&s) != nil || s.ExecutionState != wire.StateRestarting {
			continue
		}
		if s.End == nil {
			t.Fatalf("nothing is said about the end of %s", code)
		}
		return *s.End
	}
}

// TestLiveAKernelsEndIsExplained covers signals, exit codes, crashes of native code and last words.
func TestLiveAKernelsEndIsExplained(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	const mb = 1 << 20
	for _, c := range []struct {
		code   string
		number int
		signal string
		words  string
	}{
		{"import os, signal\nx = bytearray(300_000_000); os.kill(os.getpid(), signal.SIGKILL)", -9, "SIGKILL", ""},
		{"import os; os._exit(3)", 3, "", ""},
		{"import os, sys; os.write(sys.stderr.fileno(), b'the last word'); os._exit(4)", 4, "", "the last word"},
		{"import ctypes\ndef fails(): ctypes.string_at(0)\nfails()", -11, "SIGSEGV", "Fatal Python error: Segmentation fault\nStack (most recent call first):\n  File "},
		{"import os; os.abort()", -6, "SIGABRT", "Fatal Python error: Aborted\n"},
	} {
		e := endOf(t, k, c.code)
		if e.Code != c.number || e.Signal != c.signal || e.OutOfMemory || !strings.HasPrefix(e.Words, c.words) || c.words == "" && e.Words != "" ||
			strings.Contains(e.Words, "easel_") || strings.Contains(e.Words, "IPython") {
			t.Errorf("%s: %+v", c.code, e)
		}
		if e.Memory < 20*mb || e.Memory > 2000*mb || e.Total < 500*mb || strings.Contains(c.code, "300_000_000") && e.Memory < 300_000_000 {
			t.Errorf("%s: it had %d of %d bytes", c.code, e.Memory, e.Total)
		}
		if err := k.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLiveAKernelThatRunsOutOfMemory gives a kernel a control group of its own, in which the system kills it.
func TestLiveAKernelThatRunsOutOfMemory(t *testing.T) {
	_, s := shared(t)
	id, pid := startKernel(t, s)
	const most = 500 << 20
	enclose(t, pid, most)
	k := follow(t, s, id)
	e := endOf(t, k, "x = [bytearray(b'x' * 10_000_000) for _ in range(1000)]")
	if !e.OutOfMemory || e.Signal != "SIGKILL" || e.Total != most || e.Memory < most/2 || e.Memory > 2*most {
		t.Errorf("%+v", e)
	}
	require.NoError(t, k.Probe(t.Context())) // it can't be deleted while it is restarted
}

// enclose puts a process into a new control group with a limit, if this machine lets us.
func enclose(t *testing.T, pid int, most int) {
	t.Helper()
	groups, err := os.ReadFile("/proc/self/cgroup")
	require.NoError(t, err)
	for line := range strings.Lines(string(groups)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		parent, limit := filepath.Join("/sys/fs/cgroup", f[2]), "memory.max"
		switch f[1] {
		case "":
		case "memory": // version 1
			parent, limit = filepath.Join("/sys/fs/cgroup/memory", f[2]), "memory.limit_in_bytes"
		default:
			continue
		}
		dir := filepath.Join(parent, "easel-test-"+strconv.Itoa(os.Getpid()))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) }) // it is empty when its kernel has ended
		if os.WriteFile(filepath.Join(dir, limit), []byte(strconv.Itoa(most)), 0) == nil &&
			os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0) == nil {
			return
		}
	}
	const missing = "it needs root, on a machine that lets root create control groups: for make nightly"
	if os.Getenv("EASEL_TEST_NIGHTLY") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
}

// TestLiveAGroupsMemoryCounts has files like those of control groups of version 2: the limit of a group also applies
// to those below, and a process that the system killed in it says that memory was short.
func TestLiveAGroupsMemoryCounts(t *testing.T) {
	env, root := liveEnv(t), t.TempDir()
	for name, text := range map[string]string{
		"proc/meminfo": "MemTotal:       16384000 kB\nMemFree: 1 kB\n", "proc/vmstat": "oom_kill 7\nother 1\n", "proc/9/cgroup": "1:name=systemd:/x\n0::/a/b\n",
		"cg/a/memory.max": "1048576000\n", "cg/a/b/memory.max": "max\n", "cg/a/b/memory.events": "oom 3\noom_kill 2\noom_group_kill 0\n",
	} {
		put(t, filepath.Join(root, name), text)
	}
	code := `
import sys; sys.path.insert(0, sys.argv[1])
from easel_ending import System
s = System(sys.argv[2] + "/proc", sys.argv[2] + "/cg")
groups = list(s.groups(9))
assert s.total(groups) == 1048576000, s.total(groups)
assert s.total([]) == 16384000 << 10, s.total([])
assert s.kills(groups) == [7, 2], s.kills(groups)
`
	modules, err := filepath.Abs("python")
	require.NoError(t, err)
	if out, err := exec.CommandContext(t.Context(), layout{env: env}.python(), "-B", "-c", code, modules, root).CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}
