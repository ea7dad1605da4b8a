package reproduce_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/reproduce"
)

func TestLiveChecks(t *testing.T) {
	for name, opts := range map[string][]jupytertest.RealOption{
		"sockets": {jupytertest.WithSockets()}, "websocket": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, opts...)
			s := b.session("")
			b.run(s, setUp+"x = np.linspace(0, 6)")
			b.run(s, "1 / 0")
			plain := b.plot(s, "plt.plot(x, np.sin(x)); plt.show()")
			b.run(s, "rng = np.random.default_rng()")
			noise := b.plot(s, "plt.plot(rng.normal(size=50)); plt.ylim(-5, 5); plt.show()")
			images := b.images()

			c := b.check(plain)
			if c.Status != catalog.CheckReproduced || !c.Exact || c.Cells != 3 || has(c, "random", 0) {
				t.Errorf("a plot without chance: %+v", c)
			}
			one, other := b.start(noise), b.start(plain) // one replay for both
			c = b.wait(one)
			if c.Status != catalog.CheckDifferent || c.Changed <= 0 || c.Changed > 0.5 || len(c.Box) != 4 || !has(c, "random", 4) {
				t.Errorf("a plot of noise: %+v", c)
			}
			if again := b.wait(other); again.Status != catalog.CheckReproduced {
				t.Errorf("the other plot of the replay: %+v", again)
			}
			kept, err := b.lib.Checks.Get(t.Context(), noise)
			require.NoError(t, err)
			fresh, err := b.lib.Checks.Fresh(t.Context(), kept)
			require.NoError(t, err)
			stored, _, err := b.lib.Images.Read(t.Context(), noise)
			require.NoError(t, err)
			if beside, err := reproduce.Difference(stored, fresh, 1000, true); err != nil || len(beside) < 1000 {
				t.Errorf("the picture of the differences: %d bytes, %v", len(beside), err)
			}
			if !slices.Equal(b.images(), images) {
				t.Error("a check added images to the library")
			}
			listed, err := b.m.List(t.Context())
			if err != nil || len(listed) != 1 {
				t.Errorf("%d sessions, %v", len(listed), err)
			}
			b.only(s)
			text := []byte("unread")
			for deadline := time.Now().Add(patience); len(text) > 0 && time.Now().Before(deadline); {
				if text, err = os.ReadFile(b.hidden); err != nil {
					t.Fatal(err)
				}
			}
			if len(text) > 0 {
				t.Errorf("the file of hidden kernels: %q", text)
			}
		})
	}
}

// TestLiveAnUnknownEnvironmentIsSaid checks a plot of an older version of Easel, which recorded no
// packages.
func TestLiveAnUnknownEnvironmentIsSaid(t *testing.T) {
	t.Parallel()
	b := newBench(t, jupytertest.WithSockets())
	s := b.session("")
	id := b.plot(s, setUp+"plt.plot([1, 3, 2]); plt.show()")
	images, err := b.lib.Images.Get(t.Context(), id)
	require.NoError(t, err)
	var x library.Execution
	for deadline := time.Now().Add(patience); x.Environment == ""; {
		if x, err = b.lib.Executions.Get(t.Context(), images[0].ExecutionID); err != nil || time.Now().After(deadline) {
			t.Fatalf("its environment is not recorded: %v", err)
		}
	}
	x.Environment = "unknown"
	require.NoError(t, b.lib.Executions.Put(t.Context(), x))
	if c := b.check(id); c.Status != catalog.CheckReproduced || !has(c, catalog.FoundUnrecorded, 1) {
		t.Errorf("got %+v", c)
	}
}

func TestLiveChangedFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, jupytertest.WithSockets())
	data := filepath.Join(b.real.Root, "sub", "data.csv")
	write := func(text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(data), 0o755))
		require.NoError(t, os.WriteFile(data, []byte(text), 0o600))
	}
	write("1\n2\n3\n")
	s := b.session("sub/a.ipynb")
	b.run(s, setUp)
	id := b.plot(s, "v = [float(x) for x in open('data.csv')]\nplt.plot(v); plt.show()")
	if c := b.check(id); c.Status != catalog.CheckReproduced || has(c, catalog.FoundChangedFile, 0) || has(c, catalog.FoundUnrecorded, 0) {
		t.Errorf("the notebook's file is as it was: %+v", c)
	}
	b.run(s, "import os; os.chdir('..')")
	moved := b.plot(s, "v = [float(x) for x in open('sub/data.csv')]\nplt.plot(v); plt.show()")
	if c := b.check(moved); c.Status != catalog.CheckReproduced || has(c, catalog.FoundMissingFile, 0) {
		t.Errorf("the code has changed its directory: %+v", c)
	}
	write("1\n5\n3\n")
	if c := b.check(id); c.Status != catalog.CheckDifferent || !has(c, catalog.FoundChangedFile, 2) {
		t.Errorf("the file has changed: %+v", c)
	}
	require.NoError(t, os.Remove(data))
	c := b.check(id)
	if c.Status != catalog.CheckNotReplayable || c.Reason != catalog.CheckCellFailed || !has(c, catalog.FoundMissingFile, 2) {
		t.Errorf("the file is missing: %+v", c)
	}
	if c.Cell == nil || c.Cell.Error == nil {
		t.Fatalf("no cell failed: %+v", c)
	}
	if c.Cell.Number != 2 || c.Cell.Error.Type != "FileNotFoundError" || !strings.Contains(c.Cell.Code, "data.csv") {
		t.Errorf("the cell that failed: %+v, %+v", c.Cell, c.Cell.Error)
	} else if trace := c.Cell.Error.Traceback; strings.Contains(trace, "\x1b") || !strings.Contains(trace, "FileNotFoundError") {
		t.Errorf("the traceback has control sequences: %q", trace)
	}
	b.only(s)
}

// A replay ends its kernel when it is cancelled, takes too long or when the kernel dies.
func TestLiveReplaysThatDoNotEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, jupytertest.WithSockets())
	s := b.session("")
	flag := filepath.Join(t.TempDir(), "flag")
	b.run(s, setUp+"flag = "+pyString(flag)+"\nimport time, signal")
	b.run(s, "what = open(flag).read() if os.path.exists(flag) else ''\nif what == 'die': os.kill(os.getpid(), signal.SIGKILL)\nwhile what == 'hang': time.sleep(0.05)")
	id := b.plot(s, "plt.plot([1, 2]); plt.show()")
	set := func(what string) {
		t.Helper()
		require.NoError(t, os.WriteFile(flag, []byte(what), 0o600))
	}
	set("die")
	if c := b.check(id); c.Reason != catalog.CheckKernelDied || c.Cell == nil || c.Cell.Number != 2 {
		t.Errorf("the kernel died: %+v", c)
	}
	set("hang")
	b.limit = 12 * time.Second
	if c := b.check(id); c.Reason != catalog.CheckTooLong || c.Cell == nil || c.Cell.Number != 2 {
		t.Errorf("the time limit: %+v", c)
	}
	b.limit = patience
	j := b.start(id)
	b.until("the second cell", func(open []command.OpenCheck) bool { return len(open) == 1 && open[0].Cell == 1 })
	if b.Job(id) != j {
		t.Error("the open job is not found")
	}
	b.Cancel(id)
	if c := b.wait(j); c.Reason != catalog.CheckCancelled {
		t.Errorf("cancelled: %+v", c)
	}
	if c, err := b.lib.Checks.Get(t.Context(), id); err != nil || c.Reason != catalog.CheckTooLong {
		t.Errorf("a cancelled check replaced the result: %+v, %v", c.Check, err)
	}
	b.only(s)
	set("")
	if c := b.check(id); c.Status != catalog.CheckReproduced {
		t.Errorf("afterwards: %+v", c)
	}
}

// An interrupted cell is interrupted again, an updated figure is compared with its last
// version, and what another client ran is a part of the history.
func TestLiveHistories(t *testing.T) {
	t.Parallel()
	b := newBench(t, jupytertest.WithSockets())
	s := b.session("")
	b.run(s, setUp+"from IPython.display import display, update_display, clear_output\nimport time")
	other, err := b.client.Follow(t.Context(), s.KernelID, jupyter.FollowOptions{})
	require.NoError(t, err)
	defer other.Close()
	if _, err := other.Execute(t.Context(), jupyter.ExecuteRequest{Code: "theirs = 7"}); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, other.Probe(t.Context()))
	x, err := b.m.Execute(t.Context(), record.Request{SessionID: s.ID, Code: "print('begun', flush=True)\ntime.sleep(600)", Caller: tool.Caller{Name: "test"}, Timeout: 300 * time.Millisecond})
	require.NoError(t, err)
	<-x.Done()
	ids := b.run(s, `
f, a = plt.subplots()
a.plot([theirs, 1])
h = display(f, display_id=True)
for i in range(2):
    a.plot([i, 2 * i])
    h.update(f)
plt.close(f)
plt.plot([3, 1]); plt.show()
print(time.time())`)
	if len(ids) != 2 {
		t.Fatalf("%d images", len(ids))
	}
	for i, id := range ids {
		c := b.check(id)
		if c.Status != catalog.CheckReproduced || !has(c, catalog.FoundInterrupted, 3) || !has(c, "clock", 4) || !has(c, catalog.FoundOutput, 4) || has(c, catalog.FoundMissingCell, 0) {
			t.Errorf("image %d: %+v", i, c)
		}
	}
	versions, err := b.lib.Images.Versions(t.Context(), ids[0])
	if err != nil || len(versions) != 3 {
		t.Fatalf("versions %q, %v", versions, err)
	}
	if c := b.check(versions[1]); c.Status != catalog.CheckReproduced {
		t.Errorf("an older version: %+v", c)
	}
}

// A hidden kernel that an earlier run left is ended, and is in no list before.
func TestLiveLeftKernels(t *testing.T) {
	t.Parallel()
	b := newBench(t, jupytertest.WithSockets())
	h, err := b.m.Hidden.Start(t.Context(), library.Session{Server: "test", KernelName: "python3"}, "")
	require.NoError(t, err)
	_ = h.Close() // and never End, as after a crash
	log := slog.New(slog.DiscardHandler)
	next := kernels.New(kernels.Config{Library: b.lib, Log: log, Gate: b.gate, HiddenFile: b.hidden})
	next.Servers.Add("test", false)
	next.Servers.Set(b.client, catalog.ServerHealth{Name: "test", State: servers.StateReady})
	defer next.Close(context.Background())
	if listed, err := next.List(t.Context()); err != nil || len(listed) != 0 {
		t.Errorf("listed: %+v, %v", listed, err)
	}
	require.NoError(t, next.Restore(t.Context(), "test"))
	b.only()
}
