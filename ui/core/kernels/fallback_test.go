package kernels_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
)

// A starter is a fixture on a fake server whose kernels do not open their websocket until the
// test lets them. Kernels are numbered from 0 in the order in which they are dialed.
type starter struct {
	*fixture
	srv *jupytertest.Server

	mu     sync.Mutex
	ids    []string
	open   []chan struct{}
	dialed chan int // gets the number of a kernel when it is first dialed
}

func newStarter(t *testing.T, fallback time.Duration) *starter {
	t.Helper()
	srv := jupytertest.NewServer(t)
	d := openFixture(t, srv.URL, srv.Token, 10, func(m *kernels.Manager) { m.FallBackAfter(fallback) })
	s := &starter{fixture: d, srv: srv, dialed: make(chan int, 10)}
	srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		id, channels := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/api/kernels/"), "/channels")
		if !channels {
			return false
		}
		select {
		case <-s.gate(id):
			return false
		case <-r.Context().Done():
			return true
		}
	})
	return s
}

// gate returns a channel that is closed when the kernel may open its websocket.
func (s *starter) gate(id string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.ids {
		if s.ids[i] == id {
			return s.open[i]
		}
	}
	s.ids, s.open = append(s.ids, id), append(s.open, make(chan struct{}))
	s.dialed <- len(s.ids) - 1
	return s.open[len(s.open)-1]
}

// await waits until kernel n is dialed. The kernel responds after let is called.
func (s *starter) await(n int) (id string, let func()) {
	s.t.Helper()
	for {
		select {
		case got := <-s.dialed:
			if got != n {
				continue
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.ids[n], sync.OnceFunc(func() { close(s.open[n]) })
		case <-s.context().Done():
			s.t.Fatalf("kernel %d was never dialed", n)
		}
	}
}

// created is the result of a concurrent Create.
type created struct {
	id, kernel string
	err        error
}

func (s *starter) create(ctx context.Context, notebook string) <-chan created {
	out := make(chan created, 1)
	go func() {
		sess, err := s.Create(ctx, kernels.NewSession{KernelName: "python3", Notebook: notebook, Client: "test"})
		out <- created{sess.ID, sess.KernelID, err}
	}()
	return out
}

// only waits until the server has no other kernel than id, or no kernel if id is "".
func (s *starter) only(id string) {
	s.t.Helper()
	poll(s.fixture, "no kernel but "+id, func(context.Context) ([]string, bool) {
		var ids []string
		for _, k := range s.srv.Kernels() {
			ids = append(ids, k.ID)
		}
		return ids, len(ids) == 0 && id == "" || len(ids) == 1 && ids[0] == id
	})
}

func TestAKernelThatDoesNotAnswerIsReplaced(t *testing.T) {
	t.Parallel()
	for name, notebook := range map[string]string{"without a notebook": "", "with one": "dir/a.ipynb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStarter(t, time.Millisecond)
			out := s.create(s.context(), notebook)
			first, _ := s.await(0)
			second, let := s.await(1)
			let()
			got := <-out
			if got.err != nil || got.kernel != second || got.kernel == first {
				t.Fatalf("got %+v; kernels %s, %s", got, first, second)
			}
			s.only(second)
			v := s.awaitLive(got.id)
			if v.KernelID != second || v.NotebookPath != notebook || (notebook == "") != (v.ID == second) {
				t.Errorf("got %+v", v)
			}
			sess, err := s.lib.Sessions.Get(t.Context(), got.id)
			if err != nil || sess.KernelID != second {
				t.Errorf("kept %+v, %v", sess, err)
			}
			expect(t, s.run(sess, "1"), catalog.StatusOK, "")
		})
	}
}

func (s *starter) awaitLive(id string) record.SessionView {
	s.t.Helper()
	live := s.Live()
	if len(live) != 1 || live[0].ID != id {
		s.t.Fatalf("live: %+v", live)
	}
	return live[0]
}

func TestASlowKernelIsKept(t *testing.T) {
	t.Parallel()
	s := newStarter(t, time.Millisecond)
	out := s.create(s.context(), "")
	first, let := s.await(0)
	_, _ = s.await(1) // hangs
	let()
	if got := <-out; got.err != nil || got.kernel != first {
		t.Fatalf("got %+v, want %s", got, first)
	}
	s.only(first)
}

func TestKernelsThatDoNotAnswerAreEnded(t *testing.T) {
	t.Parallel()
	s := newStarter(t, time.Millisecond)
	ctx, giveUp := context.WithCancelCause(s.context())
	out := s.create(ctx, "")
	s.await(0)
	s.await(1)
	giveUp(context.DeadlineExceeded)
	if got := <-out; !errors.Is(got.err, jupyter.ErrKernelStart) {
		t.Errorf("got %+v", got)
	}
	s.only("")
}

func TestAKernelThatCannotBeginIsToldAtOnce(t *testing.T) {
	t.Parallel()
	srv := jupytertest.NewServer(t)
	d := openFixture(t, srv.URL, srv.Token, 10, func(m *kernels.Manager) { m.FallBackAfter(time.Hour) })
	srv.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/channels") {
			return false
		}
		jupytertest.Refuse(w, http.StatusInternalServerError, "it died")
		return true
	})
	if _, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3", Client: "test"}); !errors.Is(err, jupyter.ErrKernelStart) || !strings.Contains(err.Error(), "it died") {
		t.Errorf("got %v", err)
	}
}
