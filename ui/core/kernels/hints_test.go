package kernels_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// A hinted is a situation with a hint, and what the hint tells the client to do.
type hinted struct {
	hint string // its name in hints.go
	says string // for a hint that is not constant: a part of it
	meet func(t *testing.T, h *meeting) (v catalog.Execution, follow func())
}

// A meeting is a session of a fake kernel in which a hint occurs.
type meeting struct {
	*fixture
	s   library.Session
	k   *jupytertest.Kernel
	srv *jupytertest.Server
}

func (h *meeting) holding() *execution.Execution {
	h.k.OnExecute(hold)
	x := h.start(h.s, "loop")
	h.until(x, hasStdout)
	return x
}

func (h *meeting) interrupt() {
	h.t.Helper()
	if _, err := h.InterruptSession(h.context(), h.s.ID, false); err != nil {
		h.t.Errorf("session_interrupt: %v", err)
	}
}

func (h *meeting) restart() {
	h.t.Helper()
	if _, err := h.Restart(h.context(), h.s.ID, false); err != nil {
		h.t.Errorf("session_restart: %v", err)
	}
}

// works runs code again, as a hint says.
func (h *meeting) works() {
	h.t.Helper()
	h.k.OnExecute(nil)
	expect(h.t, h.run(h.s, "again"), catalog.StatusOK, "")
}

// shows waits until an execution has this hint.
func (h *meeting) shows(x *execution.Execution, hint string) catalog.Execution {
	return h.until(x, func(v catalog.Execution) bool { return strings.Contains(v.Hint, hint) })
}

func (h *meeting) ends(x *execution.Execution, status string) {
	h.t.Helper()
	if v := h.wait(x); v.Status != status {
		h.t.Errorf("got %+v, want %s", v, status)
	}
}

// next returns the next start of Easel, which does not know the state of its server until
// ready is called.
func (h *meeting) next() (*meeting, func()) {
	h.t.Helper()
	d, ready := h.succeed(h.s)
	return &meeting{fixture: d, s: h.s, k: h.k, srv: h.srv}, ready
}

func now(t *testing.T, x *execution.Execution) catalog.Execution {
	t.Helper()
	v, err := x.View(t.Context(), "")
	require.NoError(t, err)
	return v
}

// others runs code in the session's kernel as another client.
func (h *meeting) others() {
	h.t.Helper()
	h.k.OnExecute(hold)
	h.otherClientRuns(h.s, "theirs")
}

var open = []hinted{
	{"HintRuns", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		return now(h.t, x), func() {
			h.interrupt()
			h.ends(x, catalog.StatusInterrupted)
		}
	}},
	{"HintAwaiting", "", func(t *testing.T, h *meeting) (catalog.Execution, func()) {
		yes := make(chan struct{})
		x := h.asking(h.s, "1", func(context.Context, catalog.Execution) (oversight.Consent, error) {
			<-yes
			return oversight.Consent{Code: "1"}, nil
		})
		return now(t, x), func() { // TestWhatWaitsForApprovalIsWithdrawn tests the withdrawal
			close(yes)
			h.ends(x, catalog.StatusOK)
		}
	}},
	{"HintHeld", "", func(t *testing.T, h *meeting) (catalog.Execution, func()) {
		h.holding()
		x := h.start(h.s, "held")
		h.state.Update(func(s *state.Snapshot) { s.Paused = true })
		v := h.until(x, func(v catalog.Execution) bool { return strings.Contains(v.Hint, "paused") })
		return v, func() {
			h.k.OnExecute(nil)
			h.k.Interrupt()
			h.state.Update(func(s *state.Snapshot) { s.Paused = false })
			h.ends(x, catalog.StatusOK)
		}
	}},
	{"HintQueued", "Not started: other code in this session runs first. Earlier code of test (execution_id ", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		h.holding()
		x := h.start(h.s, "behind it")
		return h.shows(x, "has been running for 0s: `loop`. "+execution.FollowIt), func() {
			h.k.OnExecute(nil)
			h.k.Interrupt()
			h.ends(x, catalog.StatusOK)
		}
	}},
	{"HintBehind", "Not started: someone else's code is running in this kernel. Code of Jupyter", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		h.others()
		x := h.start(h.s, "ours")
		return h.shows(x, "`theirs`. "+execution.FollowIt), func() {
			h.k.OnExecute(nil)
			h.k.Interrupt()
			h.ends(x, catalog.StatusOK)
		}
	}},
	{"HintTheirs", "", func(t *testing.T, h *meeting) (catalog.Execution, func()) {
		h.others()
		xs, err := h.lib.Executions.List(t.Context(), library.ExecutionQuery{SessionID: h.s.ID})
		if err != nil || len(xs) != 1 {
			t.Fatalf("got %+v, %v", xs, err)
		}
		x, err := h.Execution(t.Context(), xs[0].ID)
		require.NoError(t, err)
		return now(t, x), func() {
			if _, err := h.InterruptSession(h.context(), h.s.ID, false); err == nil {
				t.Error("session_interrupt stops it, and the hint says otherwise")
			}
			h.k.Interrupt()
			h.ends(x, catalog.StatusInterrupted)
		}
	}},
	{"HintStubborn", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		h.k.OnExecute(stubborn(nil))
		x := h.start(h.s, "loop")
		h.until(x, hasStdout)
		h.interrupt()
		return h.shows(x, kernels.Hints["HintStubborn"]), func() {
			h.restart()
			h.ends(x, catalog.StatusInterrupted)
			h.works()
		}
	}},
	{"HintCut", "connection to the Jupyter server is lost", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		h.srv.Down()
		return h.shows(x, "is lost"), func() {
			h.srv.Up()
			h.k.AwaitConnections(1)
			h.k.Interrupt()
			h.ends(x, catalog.StatusInterrupted)
		}
	}},
	{"HintQueuedCut", "Not started: the connection", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		h.srv.Down()
		h.awaitStatus(h.s, "disconnected")
		x := h.start(h.s, "1")
		return h.shows(x, "is lost"), func() {
			h.srv.Up()
			h.ends(x, catalog.StatusOK)
		}
	}},
	{"HintBack", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		release := make(chan struct{})
		h.srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/"+h.s.KernelID) { // block the check whether it runs
				<-release
			}
			return false
		})
		h.k.Drop()
		return h.shows(x, kernels.Hints["HintBack"]), func() {
			close(release)
			h.shows(x, kernels.Hints["HintRuns"])
			h.interrupt()
			h.ends(x, catalog.StatusInterrupted)
		}
	}},
	{"HintSeeking", "", func(t *testing.T, h *meeting) (catalog.Execution, func()) {
		id := h.holding().ID()
		h.quicker = 1 // so that hintNoServer does not replace the hint soon
		next, ready := h.next()
		x, err := next.Execution(t.Context(), id)
		require.NoError(t, err)
		return now(t, x), func() {
			ready()
			next.k.Interrupt()
			next.ends(x, catalog.StatusInterrupted)
		}
	}},
	{"hintNoServer", "cannot ask its Jupyter server", func(t *testing.T, h *meeting) (catalog.Execution, func()) {
		id := h.holding().ID()
		next, ready := h.next()
		x, err := next.Execution(t.Context(), id)
		require.NoError(t, err)
		return next.shows(x, "cannot ask its Jupyter server"), func() {
			ready()
			next.k.Interrupt()
			next.ends(x, catalog.StatusInterrupted)
		}
	}},
	{"HintLikely", "", func(t *testing.T, h *meeting) (catalog.Execution, func()) {
		id := h.holding().ID()
		next, ready := h.next()
		h.k.AwaitConnections(0) // the server has noticed that the first manager disconnected
		ready()
		x, err := next.Execution(t.Context(), id)
		require.NoError(t, err)
		return next.shows(x, kernels.Hints["HintLikely"]), func() {
			next.interrupt()
			next.ends(x, catalog.StatusInterrupted)
		}
	}},
}

var over = []hinted{
	{"HintDied", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		h.k.Die()
		return h.wait(x), h.works
	}},
	{"HintDeath", "smaller types", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		h.k.DieOf(wire.ProcessEnd{Code: -9, Signal: "SIGKILL", OutOfMemory: true})
		return h.wait(x), h.works
	}},
	{"HintDeath", "not because its memory", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		h.k.DieOf(wire.ProcessEnd{Code: -9, Signal: "SIGKILL", Memory: 1e9, Total: 16e9})
		return h.wait(x), h.works
	}},
	{"HintLost", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		h.k.OnExecute(func(x *jupytertest.Execution) {
			x.Busy()
			x.Input()
			h.k.Status(wire.StateIdle) // in REST only; no message follows
		})
		return h.run(h.s, "1"), h.works
	}},
	{"HintGone", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		h.k.Delete()
		return h.wait(x), func() {
			h.s = h.session()
			h.k = h.srv.Kernel(h.s.KernelID)
			h.works()
		}
	}},
	{"HintUnrun", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		h.srv.Down()
		h.awaitStatus(h.s, "disconnected")
		return h.run(h.s, "1"), func() {
			h.srv.Up()
			h.awaitStatus(h.s, "idle")
			h.works()
		}
	}},
	{"HintElsewhere", "", func(t *testing.T, h *meeting) (catalog.Execution, func()) {
		refused := errors.New("JupyterLab did not run the cell: it has no kernel")
		x, err := h.Execute(h.context(), record.Request{SessionID: h.s.ID, Code: "1", Send: func(context.Context, string, func() error) error { return refused }})
		require.NoError(t, err)
		return h.wait(x), h.works
	}},
	{"HintRestarted", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		release := holdChannels(h.t, h.srv)
		h.k.Drop()
		h.k.SimulateRestart()
		h.k.Forget()
		release()
		h.wait(x)
		h.k.OnExecute(nil)
		return h.run(h.s, "2"), h.works
	}},
	{"HintUnstopped", "", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		h.k.OnExecute(stubborn(nil))
		x := h.start(h.s, "loop")
		h.until(x, hasStdout)
		h.Cancel(x)
		return h.wait(x), func() {
			h.restart()
			h.works()
		}
	}},
	{"HintNotTaken", "tries again", func(_ *testing.T, h *meeting) (catalog.Execution, func()) {
		x := h.holding()
		h.srv.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/interrupt") {
				return false
			}
			http.Error(w, "no", http.StatusInternalServerError)
			return true
		})
		h.Cancel(x)
		return h.wait(x), func() {
			h.srv.Intercept(nil)
			h.interrupt()
			h.works()
		}
	}},
}

// TestHintsAreFollowed does what each hint says, and checks that it works. TestLiveHintsOfCode
// does so for the hints about figures.
func TestHintsAreFollowed(t *testing.T) {
	t.Parallel()
	met := map[string]bool{"HintSavefig": true}
	for name, all := range map[string][]hinted{"open": open, "over": over} {
		for _, c := range all {
			met[c.hint] = true
			t.Run(name+"/"+c.hint, func(t *testing.T) {
				t.Parallel()
				d, s, k, srv := fakeSession(t)
				v, follow := c.meet(t, &meeting{fixture: d, s: s, k: k, srv: srv})
				if name == "over" != catalog.Ended(v.Status) {
					t.Errorf("it is %s", v.Status)
				}
				if want, ok := kernels.Hints[c.hint]; ok && v.Hint != want || !strings.Contains(v.Hint, c.says) {
					t.Errorf("the hint: %q", v.Hint)
				}
				follow()
			})
		}
	}
	source, err := os.ReadFile("execution/hints.go")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^(?:\t|func )(Hint[A-Z]\w+)(?: +=|\()`).FindAllStringSubmatch(string(source), -1) {
		if !met[m[1]] {
			t.Errorf("%s is followed nowhere", m[1])
		}
	}
}
