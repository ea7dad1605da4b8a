package kernels_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

// TestLiveAnUnusedSessionIsEnded checks that, of five sessions, the unused one is ended. The
// others are pinned, have a notebook, are open in the user's notebook, or run code.
func TestLiveAnUnusedSessionIsEnded(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	unused, pinned, shared, busy := d.session(), d.session(), d.session(), d.session()
	bound, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3", Notebook: "bound.ipynb", Client: "test"})
	require.NoError(t, err)
	d.run(unused, "total = 42\nnames = ['a', 'b']\nimport os")
	require.NoError(t, d.Pin(d.context(), pinned.ID, true))
	if _, err := d.otherClient().CreateSession(d.context(), jupyter.CreateSessionRequest{
		Path: "shared.ipynb", Name: "shared.ipynb", Type: "notebook", KernelName: "python3", KernelID: shared.KernelID,
	}); err != nil {
		t.Fatal(err)
	}
	code, open := d.gated("print('begun', flush=True)", "")
	x := d.start(busy, code)
	d.until(x, hasStdout)

	d.awaitStatus(unused, "idle")
	users := kernels.MemoryUsers(d.Live())
	idle := slices.DeleteFunc(slices.Clone(users), func(u kernels.MemoryUser) bool { return !u.Idle() })
	uses := func(id string) func(kernels.MemoryUser) bool {
		return func(u kernels.MemoryUser) bool { return u.ID == id }
	}
	if runtime.GOOS == "linux" && (len(idle) < 2 || users[0].Bytes < 10<<20 || !slices.ContainsFunc(users, uses(busy.ID)) ||
		slices.ContainsFunc(idle, uses(pinned.ID)) || slices.ContainsFunc(idle, uses(busy.ID))) {
		t.Errorf("kernels use %+v, and %+v are idle", users, idle)
	}
	if large := kernels.Largest(d.context(), d.Manager, unused.ID, 1); len(large) != 1 || large[0].Name != "names" {
		t.Errorf("its largest variables are %+v", large)
	}
	d.unused.Store(int64(300 * time.Millisecond))
	d.Unused.WakeUp()
	var ended library.Session
	select {
	case ended = <-d.swept:
	case <-d.context().Done():
		t.Fatal("no session was ended")
	}
	if ended.ID != unused.ID || ended.Held == nil || ended.EndedAt.IsZero() {
		t.Fatalf("ended %+v, want %s", ended, unused.ID)
	}
	if want := []library.HeldVariable{{Name: "names", Type: "list", Size: "2 items"}, {Name: "total", Type: "int"}}; len(ended.Held.Variables) != 2 || ended.Held.Variables[0] != want[0] || ended.Held.Variables[1].Name != "total" {
		t.Errorf("it held %+v, want %+v", ended.Held, want)
	}
	if _, err := d.client.Kernel(d.context(), unused.KernelID); !errors.Is(err, jupyter.ErrNotFound) {
		t.Errorf("its kernel: %v", err)
	}
	_, err = d.Execute(d.context(), record.Request{SessionID: unused.ID, Code: "total"})
	if e, ok := errors.AsType[*kernels.UnusedError](err); !ok || !errors.Is(err, kernels.ErrSessionNotFound) || len(e.Session.Held.Variables) != 2 {
		t.Errorf("code for it: %v", err)
	}

	open() // the session that ran code is now unused, too
	d.wait(x)
	select {
	case ended = <-d.swept:
	case <-d.context().Done():
		t.Fatal("the session that ran was not ended")
	}
	if ended.ID != busy.ID {
		t.Errorf("ended %s, want %s", ended.ID, busy.ID)
	}
	live := d.Live()
	for _, s := range []library.Session{pinned, shared, bound} {
		if !slices.ContainsFunc(live, func(v record.SessionView) bool { return v.ID == s.ID }) {
			t.Errorf("%s was ended", s.ID)
		}
	}
	if kept, err := d.lib.Sessions.Get(d.context(), pinned.ID); err != nil || !kept.Pinned {
		t.Errorf("the pin is not kept: %+v, %v", kept, err)
	}
}
