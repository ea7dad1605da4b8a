package reproduce_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/reproduce"
	"easel/ui/core/state"
)

// patience is the time limit for a step on a busy machine.
const patience = time.Minute

func TestMain(m *testing.M) {
	code := m.Run()
	jupytertest.StopReused()
	os.Exit(code)
}

// A bench is a checker with real kernels.
type bench struct {
	*reproduce.Checker
	t      *testing.T
	m      *kernels.Manager
	lib    *library.Library
	client *jupyter.Server
	real   *jupytertest.Real
	hidden string
	state  *state.Store // what the user allows
	gate   *oversight.Gate

	mu      sync.Mutex
	limit   time.Duration
	open    []command.OpenCheck
	arrived chan struct{} // one slot: open has changed
}

// newBench returns a bench on a server like the managed one.
func newBench(t *testing.T, opts ...jupytertest.RealOption) *bench {
	t.Helper()
	real := jupytertest.Reuse(t, opts...)
	client, err := jupyter.New(real.URL, real.Token, jupyter.WithRuntimeDir(real.Runtime))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	lib, err := library.Open(t.Context(), t.TempDir(), library.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, lib: lib, client: client, real: real, limit: patience, arrived: make(chan struct{}, 1), hidden: filepath.Join(t.TempDir(), "hidden")}
	b.state = state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	b.gate = oversight.NewGate(b.state)
	b.m = kernels.New(kernels.Config{Library: lib, Log: log, Gate: b.gate, HiddenFile: b.hidden})
	b.m.Servers.Add("test", false)
	b.m.Servers.Set(client, catalog.ServerHealth{Name: "test", State: servers.StateReady})
	b.Checker = reproduce.New(reproduce.Config{
		Library: lib, Log: log, Gate: b.gate,
		Start: func(ctx context.Context, of library.Session, dir string) (reproduce.Kernel, error) {
			return b.m.Hidden.Start(ctx, of, dir)
		},
		Directory: func(s library.Session) string { return filepath.Join(real.Root, filepath.Dir(s.NotebookPath)) },
		Limit: func() time.Duration {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.limit
		},
		Changed: func(open []command.OpenCheck) {
			b.mu.Lock()
			b.open = open
			b.mu.Unlock()
			select {
			case b.arrived <- struct{}{}:
			default:
			}
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { b.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		run.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := b.m.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := lib.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) session(notebook string) library.Session {
	b.t.Helper()
	s, err := b.m.Create(b.t.Context(), kernels.NewSession{KernelName: "python3", Notebook: notebook, Client: "test"})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// run runs code and returns its images.
func (b *bench) run(s library.Session, code string) (ids []string) {
	b.t.Helper()
	x, err := b.m.Execute(b.t.Context(), record.Request{SessionID: s.ID, Code: code, Caller: tool.Caller{Name: "test"}})
	if err != nil {
		b.t.Fatal(err)
	}
	select {
	case <-x.Done():
	case <-time.After(patience):
		b.t.Fatal("did not end")
	}
	v, err := x.View(b.t.Context(), "")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, im := range v.Images {
		ids = append(ids, im.ImageID)
	}
	return ids
}

// plot runs code that draws one image, and returns that.
func (b *bench) plot(s library.Session, code string) string {
	b.t.Helper()
	ids := b.run(s, code)
	if len(ids) != 1 {
		b.t.Fatalf("%d images", len(ids))
	}
	return ids[0]
}

// images returns the ids of the images in the library.
func (b *bench) images() []string {
	b.t.Helper()
	ids, err := b.lib.Images.IDs(b.t.Context(), library.All())
	if err != nil {
		b.t.Fatal(err)
	}
	return ids
}

func (b *bench) start(id string) *reproduce.Job {
	b.t.Helper()
	h, err := b.History(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.Start(h)
}

func (b *bench) wait(j *reproduce.Job) catalog.Check {
	b.t.Helper()
	select {
	case <-j.Done():
	case <-time.After(patience):
		b.t.Fatal("the check did not end")
	}
	c, err := j.Result()
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

func (b *bench) check(id string) catalog.Check {
	b.t.Helper()
	c := b.wait(b.start(id))
	kept, err := b.lib.Checks.Get(b.t.Context(), id)
	if err != nil || kept.Status != c.Status || kept.Reason != c.Reason {
		b.t.Errorf("the library has %+v, %v; want %+v", kept.Check, err, c)
	}
	return c
}

// until waits until the open checks are as wanted.
func (b *bench) until(what string, ok func([]command.OpenCheck) bool) {
	b.t.Helper()
	deadline := time.After(patience)
	for {
		b.mu.Lock()
		open := b.open
		b.mu.Unlock()
		if ok(open) {
			return
		}
		select {
		case <-b.arrived:
		case <-deadline:
			b.t.Fatalf("not reached: %s; open: %+v", what, open)
		}
	}
}

// only waits until the server has only the kernels of these sessions.
func (b *bench) only(sessions ...library.Session) {
	b.t.Helper()
	var left []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		running, err := b.client.Kernels(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		left = nil
		for _, k := range running {
			if !slices.ContainsFunc(sessions, func(s library.Session) bool { return s.KernelID == k.ID }) {
				left = append(left, k.ID)
			}
		}
		if len(left) == 0 {
			return
		}
	}
	b.t.Errorf("kernels are left: %q", left)
}

// has reports whether a check has a finding of a kind, in a cell unless that is 0.
func has(c catalog.Check, kind string, cell int) bool {
	return slices.ContainsFunc(c.Findings, func(f catalog.CheckFinding) bool { return f.Kind == kind && (cell == 0 || f.Cell == cell) })
}

const setUp = "%matplotlib inline\nimport matplotlib.pyplot as plt, numpy as np, os\n"

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
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := b.lib.Checks.Fresh(t.Context(), kept)
			if err != nil {
				t.Fatal(err)
			}
			stored, _, err := b.lib.Images.Read(t.Context(), noise)
			if err != nil {
				t.Fatal(err)
			}
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

func TestLiveChangedFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, jupytertest.WithSockets())
	data := filepath.Join(b.real.Root, "sub", "data.csv")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(data), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(data, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("1\n2\n3\n")
	s := b.session("sub/a.ipynb")
	b.run(s, setUp)
	id := b.plot(s, "v = [float(x) for x in open('data.csv')]\nplt.plot(v); plt.show()")
	if c := b.check(id); c.Status != catalog.CheckReproduced || has(c, catalog.FoundChangedFile, 0) {
		t.Errorf("the notebook's file is as it was: %+v", c)
	}
	write("1\n5\n3\n")
	if c := b.check(id); c.Status != catalog.CheckDifferent || !has(c, catalog.FoundChangedFile, 2) {
		t.Errorf("the file has changed: %+v", c)
	}
	if err := os.Remove(data); err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(flag, []byte(what), 0o600); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Execute(t.Context(), jupyter.ExecuteRequest{Code: "theirs = 7"}); err != nil {
		t.Fatal(err)
	}
	if err := other.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	x, err := b.m.Execute(t.Context(), record.Request{SessionID: s.ID, Code: "print('begun', flush=True)\ntime.sleep(600)", Caller: tool.Caller{Name: "test"}, Timeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	_ = h.Close() // and never End, as after a crash
	log := slog.New(slog.DiscardHandler)
	next := kernels.New(kernels.Config{Library: b.lib, Log: log, Gate: b.gate, HiddenFile: b.hidden})
	next.Servers.Add("test", false)
	next.Servers.Set(b.client, catalog.ServerHealth{Name: "test", State: servers.StateReady})
	defer next.Close(context.Background())
	if listed, err := next.List(t.Context()); err != nil || len(listed) != 0 {
		t.Errorf("listed: %+v, %v", listed, err)
	}
	if err := next.Restore(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	b.only()
}

func pyString(s string) string { return "r'" + s + "'" }
