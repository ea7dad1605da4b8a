package managed

import (
	"context"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/wire"
)

// TestLiveSubprocessesPrintInTime checks that the output of subprocesses always arrives
// before the idle of the execution that ran them. The kernel omits the pause that stock
// kernels make for this purpose.
func TestLiveSubprocessesPrintInTime(t *testing.T) {
	j, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	japanese := strings.Repeat("可視化の結果。", 3_000) // its characters have three bytes and must not be split between two pieces
	for name, c := range map[string]struct {
		code, want string
		times      int
	}{
		"a descriptor":        {"import os; n = os.write(1, b'a\\n')", "a\n", 300},
		"a subprocess":        {"import subprocess; p = subprocess.run(['echo', 'b'])", "b\n", 50},
		"both, and by print":  {"print('a', flush=True); n = os.write(1, b'b\\n'); import sys; sys.stdout.flush(); print('c')", "a\nb\nc\n", 50},
		"Japanese, at length": {"n = os.write(1, " + pythonBytes(japanese) + ")", japanese, 20},
	} {
		t.Run(name, func(t *testing.T) {
			late := 0
			for range c.times {
				if got := stdoutOf(t, k, c.code); got != c.want {
					late++
					t.Logf("got %.60q of %d bytes", got, len(got))
				}
			}
			if late > 0 {
				t.Errorf("%d of %d came late or broken", late, c.times)
			}
		})
	}
	t.Run("one that never stops is not waited for", func(t *testing.T) {
		stdoutOf(t, k, "p = subprocess.Popen(['yes', 'endless'])")
		for range 3 { // each is a flood, which takes both processors
			if got := stdoutOf(t, k, "1"); !strings.HasPrefix(got, "endless\n") && got != "" {
				t.Errorf("got %.60q", got)
			}
		}
		stdoutOf(t, k, "p.kill(); n = p.wait()")
	})
	const pause = "print(get_ipython().kernel._execute_sleep)"
	t.Run("others, who may take the reply for the end, are answered as ever", func(t *testing.T) {
		r, err := j.dir.readRecord()
		require.NoError(t, err)
		stranger, err := jupyter.New(r.URL, r.Token) // uses the same protocol as JupyterLab
		require.NoError(t, err)
		if theirs, ours := stdoutOf(t, follow(t, stranger, id), pause), stdoutOf(t, k, pause); theirs != "0.0005\n" || ours != "0.0\n" {
			t.Errorf("it pauses for %q s, for Easel %q", theirs, ours)
		}
	})
	t.Run("once it has forked it pauses as others do", func(t *testing.T) {
		before := stdoutOf(t, k, pause)
		got := stdoutOf(t, k, "if not (pid := os.fork()): os._exit(0)\np = os.waitpid(pid, 0); "+pause)
		if after := stdoutOf(t, k, pause); before != "0.0\n" || got != "0.0005\n" || after != got {
			t.Errorf("it pauses for %q s, in the request that forks %q, after it %q", before, got, after)
		}
	})
}

func pythonBytes(text string) string { return "'''" + text + "'''.encode()" }

// stdoutOf runs code and returns what arrived on stdout before the idle.
func stdoutOf(t *testing.T, k *jupyter.Kernel, code string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	id, err := k.Execute(ctx, jupyter.ExecuteRequest{Code: code})
	require.NoError(t, err)
	var out strings.Builder
	for {
		in, err := k.Next(ctx)
		require.NoError(t, err)
		if in.Message == nil || in.Message.ParentID() != id {
			continue
		}
		var content struct {
			wire.Stream
			State  string `json:"execution_state"`
			Evalue string `json:"evalue"`
		}
		require.NoError(t, in.Message.Decode(&content))
		switch {
		case in.Message.Type() == "stream":
			out.WriteString(content.Text)
		case in.Message.Type() == "error":
			t.Fatalf("%s: %s", code, content.Evalue)
		case content.State == "idle":
			return out.String()
		}
	}
}
