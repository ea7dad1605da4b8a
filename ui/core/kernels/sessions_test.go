package kernels_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

func TestLiveSharing(t *testing.T) {
	d := newFixture(t)
	s, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3", Notebook: "/sub/dir/../an.ipynb", Client: "test"})
	require.NoError(t, err)
	if s.NotebookPath != "sub/an.ipynb" || s.ID == s.KernelID {
		t.Fatalf("got %+v", s)
	}
	again, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3", Notebook: "sub/an.ipynb", Client: "test"})
	if err != nil || again.ID != s.ID {
		t.Errorf("a second create: got %+v, %v", again, err)
	}
	for _, path := range []string{"sub/an.ipynb", "/sub/an.ipynb", "./sub//an.ipynb"} {
		if v, err := d.Connect(d.context(), kernels.RunningKernel{Notebook: path, Client: "test"}); err != nil || v.ID != s.ID {
			t.Errorf("%s: got %+v, %v", path, v, err)
		}
	}
	if v, err := d.Connect(d.context(), kernels.RunningKernel{KernelID: s.KernelID, Client: "test"}); err != nil || v.ID != s.ID {
		t.Errorf("by kernel: got %+v, %v", v, err)
	}
	if _, err := d.Connect(d.context(), kernels.RunningKernel{Notebook: "nope.ipynb", Client: "test"}); !errors.Is(err, kernels.ErrSessionNotFound) {
		t.Errorf("got %v", err)
	}

	other, err := d.client.Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
	require.NoError(t, err)
	defer other.Close()

	t.Run("what others run is recorded, and not interrupted", func(t *testing.T) {
		code, end := d.gated("print('theirs', flush=True)\n"+plot, "")
		if _, err := other.Execute(d.context(), jupyter.ExecuteRequest{Code: code}); err != nil {
			t.Fatal(err)
		}
		d.awaitImage()
		ours := d.start(s, "'ours'")
		d.until(ours, func(v catalog.Execution) bool { return strings.Contains(v.Hint, "someone else's code") })
		if _, err := d.InterruptSession(d.context(), s.ID, false); !errors.Is(err, record.ErrForeignRun) {
			t.Errorf("got %v", err)
		}
		end()
		if v := d.wait(ours); v.Text != "'ours'" {
			t.Errorf("got %+v", v)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if len(d.ended) != 2 || d.ended[0].Stdout != "theirs\n" || d.ended[0].Status != catalog.StatusOK || len(d.ended[0].Images) != 1 {
			t.Errorf("got %+v", d.ended)
		} else if theirs, ours := d.ended[0].Watched, d.ended[1].Watched; theirs != "Jupyter (easel)" || ours != "" {
			t.Errorf("theirs is told as run by %q, ours by %q", theirs, ours)
		}
	})
	t.Run("a list tells both forms of the id", func(t *testing.T) {
		list, err := d.List(d.context())
		if err != nil || len(list) != 1 || list[0].SessionID != s.ID || list[0].Owner != record.OwnerEasel || list[0].Images != 1 {
			t.Errorf("got %+v, %v", list, err)
		}
	})
}

// images returns the ids of the images in the library.
func (d *fixture) images() []string {
	d.t.Helper()
	ids, err := d.lib.Images.IDs(d.context(), library.All())
	require.NoError(d.t, err)
	return ids
}

func (d *fixture) awaitImage() {
	d.t.Helper()
	require.Eventually(d.t, "an image", func() bool { return len(d.images()) > 0 })
}

// prestart makes d keep a prestarted kernel during the test, and waits until it is ready.
func (d *fixture) prestart() {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); d.Prestarter.Keep(ctx, "test") }()
	d.t.Cleanup(func() { cancel(); <-done })
	require.Eventually(d.t, "a prestarted kernel", func() bool { _, ok := d.Prestarter.Ready(); return ok })
}

func TestLiveWarmSpare(t *testing.T) {
	d := newFixture(t)
	d.prestart()
	if list, err := d.List(d.context()); err != nil || len(list) != 0 {
		t.Fatalf("the prestarted kernel is listed: %+v, %v", list, err)
	}
	s := d.session()
	if v := d.run(s, "import sys; ([k for k in globals() if not k.startswith('_') and k not in ('In', 'Out', 'exit', 'quit', 'get_ipython', 'open', 'sys')], 'matplotlib.pyplot' in sys.modules, __import__('matplotlib').pyplot.get_fignums())"); v.Text != "([], True, [])" || v.ExecutionCount != 1 {
		t.Errorf("got %q %v, count %d", v.Text, v.Error, v.ExecutionCount)
	}
}

func TestLiveApproval(t *testing.T) {
	d := newFixture(t)
	s := d.session()
	asked := make(chan catalog.Execution, 1)
	answers := make(chan func() (oversight.Consent, error))
	approve := func(ctx context.Context, x catalog.Execution) (oversight.Consent, error) {
		asked <- x
		select {
		case a := <-answers:
			return a()
		case <-ctx.Done():
			return oversight.Consent{}, ctx.Err()
		}
	}
	start := func() *execution.Execution {
		x := d.asking(s, "ran = 1; ran", approve)
		if v := <-asked; v.Status != catalog.StatusAwaiting || v.ExecutionID != x.ID() {
			t.Fatalf("asked about %+v", v)
		}
		return x
	}
	t.Run("others go on meanwhile, a yes runs what the user made of it", func(t *testing.T) {
		x := start()
		if v := d.run(s, "'ran' in globals()"); v.Text != "False" {
			t.Errorf("got %+v", v)
		}
		answers <- func() (oversight.Consent, error) { return oversight.Consent{Code: "ran = 2; ran"}, nil }
		if v := d.wait(x); v.Text != "2" || v.Code != "ran = 2; ran" || x.Refused() != nil {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("a no runs nothing", func(t *testing.T) {
		x := start()
		no := errors.New("no")
		answers <- func() (oversight.Consent, error) { return oversight.Consent{Code: ""}, no }
		if v := d.wait(x); v.Status != catalog.StatusCancelled || v.StartedAt != nil || !errors.Is(x.Refused(), no) {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("a no and a silence have codes of their own", func(t *testing.T) {
		for no, code := range map[error]string{
			&oversight.DeniedError{Words: "later"}: catalog.CodeDenied,
			oversight.ErrUnanswered:                catalog.CodeApprovalTimeout,
		} {
			x := start()
			answers <- func() (oversight.Consent, error) { return oversight.Consent{Code: ""}, no }
			if v := d.wait(x); v.Status != catalog.StatusCancelled || v.Error == nil || v.Error.Code != code {
				t.Errorf("%v: got %+v with %+v", no, v, v.Error)
			}
		}
	})
	t.Run("a cancel takes the question back", func(t *testing.T) {
		x := start()
		d.Cancel(x)
		if v := d.wait(x); v.Status != catalog.StatusCancelled {
			t.Errorf("got %+v", v)
		}
	})
}
