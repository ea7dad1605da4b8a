package kernels_test

import (
	"testing"
	"time"

	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

// gathering is a session whose pictures wait for others as long as told.
func gathering(t *testing.T, wait time.Duration) (*fixture, library.Session, *jupytertest.Kernel) {
	t.Helper()
	srv := jupytertest.NewServer(t)
	d := openFixture(t, srv.URL, srv.Token, 10, func(m *kernels.Manager) { m.Gather(wait) })
	s := d.session()
	return d, s, srv.Kernel(s.KernelID)
}

// pause waits for c, or until the kernel ends.
func pause(x *jupytertest.Execution, c <-chan struct{}) {
	select {
	case <-c:
	case <-x.Context().Done():
	}
}

func picturesAre(n int) func(catalog.Execution) bool {
	return func(v catalog.Execution) bool { return len(v.Images) == n }
}

func TestPicturesAreKeptInBatches(t *testing.T) {
	t.Parallel()
	picture := func() map[string]any { return map[string]any{"image/png": drawn(t, 3, 3, pngOf)} }
	t.Run("the first waits for nothing, the others for the end at most", func(t *testing.T) {
		t.Parallel()
		d, s, k := gathering(t, time.Hour)
		more, later, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Display(picture(), "")
				pause(x, more)
				x.Display(picture(), "")
				x.Display(picture(), "")
				x.Stream("stdout", "drawn\n")
				pause(x, later)
				x.Stream("stdout", "later\n")
				pause(x, end)
			})
		})
		x := d.start(s, "1")
		d.until(x, picturesAre(1))
		close(more)
		d.until(x, printed)
		close(later)
		if v := d.until(x, func(v catalog.Execution) bool { return v.Stdout == "drawn\nlater\n" }); len(v.Images) != 1 {
			t.Errorf("%d pictures are kept, want one: the others are not due", len(v.Images))
		}
		close(end)
		v := d.wait(x)
		expect(t, v, catalog.StatusOK, "drawn\nlater\n")
		if len(v.Images) != 3 {
			t.Errorf("%d pictures at the end, want 3", len(v.Images))
		}
	})
	t.Run("they do not wait longer than they should", func(t *testing.T) {
		t.Parallel()
		d, s, k := gathering(t, 50*time.Millisecond)
		more, end := make(chan struct{}), make(chan struct{})
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Display(picture(), "")
				pause(x, more)
				x.Display(picture(), "")
				pause(x, end)
			})
		})
		x := d.start(s, "1")
		d.until(x, picturesAre(1))
		close(more)
		d.until(x, picturesAre(2)) // nothing else comes that could bring it
		close(end)
		expect(t, d.wait(x), catalog.StatusOK, "")
	})
	t.Run("what a thread drew late is kept when the kernel goes", func(t *testing.T) {
		t.Parallel()
		d, s, k := gathering(t, time.Hour)
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() { x.Display(picture(), "") })
			x.Display(picture(), "")
		})
		x := d.start(s, "1")
		d.wait(x)
		if err := k.Settle(d.context()); err != nil {
			t.Fatal(err)
		}
		k.Delete()
		d.until(x, picturesAre(2))
		kept, err := d.lib.ExecutionImages(d.context(), x.ID())
		if err != nil || len(kept) != 2 {
			t.Errorf("%d pictures are kept, %v", len(kept), err)
		}
	})
}
