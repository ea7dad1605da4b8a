package jupyter

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/wire"
)

// returning follows the kernel of a closed connection again, with the same session id.
func returning(t *testing.T, k *Kernel) *Kernel {
	t.Helper()
	next, err := k.server.follow(live(t), k.ID(), FollowOptions{Session: k.Session()}, k.tuning)
	require.NoError(t, err)
	t.Cleanup(func() { _ = next.Close() })
	return next
}

// startHeard starts a kernel and waits until the server receives its messages. The
// server connects to a new kernel with some delay and misses what it sends before.
func startHeard(t *testing.T, s *Server) *Kernel {
	t.Helper()
	k := start(t, s)
	for {
		run(t, k, "1")
		m, err := s.Kernel(live(t), k.ID())
		require.NoError(t, err)
		if m.State == wire.StateIdle {
			return k
		}
	}
}

// awaitState waits until the server reports a kernel's state.
func awaitState(t *testing.T, s *Server, k *Kernel, state string) {
	t.Helper()
	for ctx := live(t); ; {
		m, err := s.Kernel(ctx, k.ID())
		if err == nil && m.State == state {
			return
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the server says %q of the kernel, not %q: %v", m.State, state, err)
		}
	}
}

func TestLiveTheServerKnowsWhetherAKernelWorks(t *testing.T) { overBoth(t, liveStates) }

// liveStates checks that the server knows whether a kernel is busy, even if it does not
// forward the kernel's messages.
func liveStates(t *testing.T, s *Server) {
	k := startHeard(t, s)
	for range 3 {
		before, err := s.Kernel(live(t), k.ID())
		require.NoError(t, err)
		open := filepath.Join(t.TempDir(), "open")
		id, err := k.Execute(live(t), ExecuteRequest{Code: fmt.Sprintf("import os, time\nwhile not os.path.exists(%q): time.sleep(.01)", open)})
		require.NoError(t, err)
		awaitState(t, s, k, wire.StateBusy)
		touch(t, open)
		collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "idle") })
		awaitState(t, s, k, wire.StateIdle)
		if m, err := s.Kernel(live(t), k.ID()); err != nil || !m.LastActivity.After(before.LastActivity) {
			t.Errorf("the last activity was %v, and is %v: %v", before.LastActivity, m.LastActivity, err)
		}
	}
}

func TestLiveAReturningClientMissesNothing(t *testing.T) { overBoth(t, liveReturning) }

// liveReturning checks that a returning client gets what the kernel sent while no client
// was connected.
func liveReturning(t *testing.T, s *Server) {
	k := startHeard(t, s)
	meanwhile, done := filepath.Join(t.TempDir(), "meanwhile"), filepath.Join(t.TempDir(), "done")
	id, err := k.Execute(live(t), ExecuteRequest{Code: fmt.Sprintf(`
import os, time
from IPython.display import display
print('before', flush=True)
get_ipython().kernel._publish_status('waiting', 'shell')
while not os.path.exists(%q): time.sleep(.01)
print('meanwhile', flush=True)
display({'image/png': 'AAAA', 'text/plain': 'a picture'}, raw=True)
open(%q, 'w').close()`, meanwhile, done)})
	require.NoError(t, err)
	collect(t, k, id, func(o outcome) bool { return o.stdout == "before\n" })
	awaitState(t, s, k, "waiting") // so it has received what came before
	_ = k.Close()
	awaitNobody(t, s, k.ID())
	touch(t, meanwhile)
	awaitFile(t, done)
	// Jupyter loses what arrives while it restores a connection: from the end of its buffer until it has the answer to
	// its own kernel_info_request.
	awaitState(t, s, k, wire.StateIdle)
	k = returning(t, k)
	o := collect(t, k, id, func(o outcome) bool { return len(o.words) > 0 && o.words[len(o.words)-1] == "idle" })
	if o.stdout != "meanwhile\n" || len(o.forms) != 1 {
		t.Errorf("got %+v", o)
	}
	if o := run(t, k, "6*7"); string(o.forms[0]["text/plain"]) != `"42"` {
		t.Errorf("after it: %+v", o)
	}
}

func TestLiveAClientThatReturnsMidwayMissesNothing(t *testing.T) {
	overBoth(t, liveReturningWhileItSpeaks)
}

// liveReturningWhileItSpeaks checks that nothing is missing or duplicated between
// buffered and new messages.
func liveReturningWhileItSpeaks(t *testing.T, s *Server) {
	k := startHeard(t, s)
	id, err := k.Execute(live(t), ExecuteRequest{Code: "import time, itertools\nfor n in itertools.count(): print(n, flush=True); time.sleep(0.0005)"})
	require.NoError(t, err)
	for range 5 {
		text := ""
		collect(t, k, id, func(o outcome) bool { text = o.stdout; return strings.Count(text, "\n") > 300 })
		lines := strings.Fields(text)
		for i, line := range lines[1:] {
			before, _ := strconv.Atoi(lines[i])
			if now, err := strconv.Atoi(line); err != nil || now != before+1 {
				t.Fatalf("after %d comes %q", before, line)
			}
		}
		_ = k.Close()
		awaitNobody(t, s, k.ID())
		k = returning(t, k)
	}
}
