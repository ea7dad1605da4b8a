package kernels_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

func TestKernelsThatAnEarlierEaselLeft(t *testing.T) {
	t.Parallel()
	for name, managed := range map[string]bool{"on the managed server": true, "on the user's server": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := jupytertest.NewServer(t)
			prestarted, joined, notebook, used := srv.AddKernel("python3"), srv.AddKernel("python3"), srv.AddKernel("python3"), srv.AddKernel("python3")
			srv.AddSession("theirs.ipynb", notebook)
			d := openFixture(t, srv.URL, srv.Token, 10)
			o, err := d.client.Follow(d.context(), used.ID, jupyter.FollowOptions{})
			require.NoError(t, err)
			defer o.Close()
			require.NoError(t, d.lib.Sessions.Put(t.Context(), library.Session{
				ID: joined.ID, KernelID: joined.ID, KernelName: "python3", Server: "other", Owner: record.OwnerEasel,
				CreatedAt: time.Now(), Generation: 1,
			}))
			d.Servers.Add("other", managed)
			d.Servers.Set(d.otherClient(), catalog.ServerHealth{Name: "other", State: servers.StateReady})
			require.NoError(t, d.Restore(d.context(), "other"))
			if live := d.Live(); len(live) != 1 || live[0].KernelID != joined.ID {
				t.Errorf("joined again: %+v", live)
			}
			if managed {
				d.awaitNo(srv, prestarted)
			}
			for what, k := range map[string]*jupytertest.Kernel{"the joined": joined, "the notebook's": notebook, "the one in use": used} {
				if srv.Kernel(k.ID) == nil {
					t.Errorf("%s was ended", what)
				}
			}
			if !managed && srv.Kernel(prestarted.ID) == nil {
				t.Error("a kernel of the user's server was ended")
			}
		})
	}
}

// TestAKernelThatEaselIsStartingIsNobodyElses: the server lists it before it has answered with its id.
func TestAKernelThatEaselIsStartingIsNobodyElses(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	begun, listing, surveyed := make(chan struct{}), make(chan struct{}), sync.Once{}
	srv.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		switch r.Method + " " + r.URL.Path {
		case "POST /api/kernels":
			k := srv.AddKernel("python3")
			close(begun)
			<-listing
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprintf(w, `{"id": %q, "name": "python3"}`, k.ID)
			return true
		case "GET /api/sessions":
			surveyed.Do(func() { close(listing) })
		}
		return false
	})
	started := make(chan error, 1)
	go func() {
		h, err := d.Hidden.Start(d.context(), library.Session{Server: "test", KernelName: "python3"}, "")
		if err == nil {
			h.End()
		}
		started <- err
	}()
	<-begun
	if list, err := d.List(d.context()); err != nil || len(list) != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
	if err := <-started; err != nil {
		t.Error(err)
	}
}

func TestOrphansCanBeListedAndEnded(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	k := srv.AddKernel("python3")
	list, err := d.List(d.context())
	if err != nil || len(list) != 1 || list[0].Owner != record.OwnerOther || list[0].KernelID != k.ID {
		t.Fatalf("got %+v, %v", list, err)
	}
	if _, err := d.Delete(d.context(), k.ID, false); err != nil || srv.Kernel(k.ID) == nil {
		t.Errorf("without force it was ended: %v", err)
	}
	if _, err := d.Restart(d.context(), k.ID, false); !errors.Is(err, kernels.ErrNotOurs) {
		t.Errorf("restart: %v", err)
	}
	if _, err := d.Delete(d.context(), k.ID, true); err != nil || srv.Kernel(k.ID) != nil {
		t.Errorf("with force it was not ended: %v", err)
	}
}

func TestThePrestartedKernelOfAnEaselThatCrashed(t *testing.T) {
	t.Parallel()
	srv := jupytertest.NewServer(t)
	d := openFixture(t, srv.URL, srv.Token, 10)
	file := filepath.Join(t.TempDir(), "spare")
	// It was busy when Easel crashed, so its last activity is after the next start.
	prestarted := srv.AddKernel("python3")
	require.NoError(t, os.WriteFile(file, []byte(prestarted.ID+"\n"), 0o600))
	next := kernels.New(kernels.Config{Library: d.lib, Log: quietLog(t), Gate: oversight.NewGate(d.state), PrestartFile: file})
	t.Cleanup(func() { require.NoError(t, next.Close(context.Background())) })
	srv.AddKernel("python3").Status("idle")
	prestarted.Status("idle")
	next.Servers.Add("own", true)
	next.Servers.Set(d.otherClient(), catalog.ServerHealth{Name: "own", State: servers.StateReady})
	if list, err := next.List(d.context()); err != nil || len(list) != 1 || list[0].KernelID == prestarted.ID {
		t.Errorf("listed %+v, %v", list, err)
	}
	require.NoError(t, next.Restore(d.context(), "own"))
	d.awaitNo(srv, prestarted)
	t.Run("a session's kernel is none", func(t *testing.T) {
		used := srv.AddKernel("python3")
		require.NoError(t, os.WriteFile(file, []byte(used.ID+"\n"), 0o600))
		require.NoError(t, d.lib.Sessions.Put(t.Context(), library.Session{ID: used.ID, KernelID: used.ID, Server: "test", Owner: record.OwnerEasel, CreatedAt: time.Now(), Generation: 1}))
		m := kernels.New(kernels.Config{Library: d.lib, Log: quietLog(t), Gate: oversight.NewGate(d.state), PrestartFile: file})
		defer m.Close(context.Background())
		m.Servers.Add("own", true)
		m.Servers.Set(d.otherClient(), catalog.ServerHealth{Name: "own", State: servers.StateReady})
		list, err := m.List(d.context())
		if err != nil || !slices.ContainsFunc(list, func(s catalog.Session) bool { return s.KernelID == used.ID }) {
			t.Errorf("listed %+v, %v", list, err)
		}
	})
}

// TestASessionWhoseKernelEndedWhileEaselWasNotRunning covers a notebook that is opened again.
func TestASessionWhoseKernelEndedWhileEaselWasNotRunning(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	ctx := tool.WithCaller(d.context(), tool.Caller{Transport: tool.MCP, Name: "test", Session: "1"})
	s, err := d.Create(ctx, kernels.NewSession{KernelName: "python3", Notebook: "a.ipynb", Client: "test"})
	require.NoError(t, err)
	k := srv.Kernel(s.KernelID)
	next, ready := d.succeed(s)
	require.NoError(t, d.client.DeleteSession(ctx, s.ID))
	d.awaitNo(srv, k)
	ready()
	again, err := next.Create(ctx, kernels.NewSession{KernelName: "python3", Notebook: "a.ipynb", Client: "test"})
	require.NoError(t, err)
	if r := next.Replaced(ctx, again.ID); r == nil || !strings.HasPrefix(r.By, "Easel: it was started again") {
		t.Errorf("told %+v", r)
	}
}

// awaitNo waits until a server no longer has a kernel.
func (d *fixture) awaitNo(srv *jupytertest.Server, k *jupytertest.Kernel) {
	d.t.Helper()
	poll(d, "the end of a kernel", func(context.Context) (*jupytertest.Kernel, bool) {
		left := srv.Kernel(k.ID)
		return left, left == nil
	})
}

// An awaited context reports that somebody waits for its end.
type awaited struct {
	context.Context //nolint:containedctx // it is one

	waits chan<- struct{}
}

func (a awaited) Done() <-chan struct{} {
	select {
	case a.waits <- struct{}{}:
	default:
	}
	return a.Context.Done()
}

// TestTheFirstKernelOfANewServerHasTime covers a call that waits for an installation. What it
// leaves for the kernel may be too short, on a busy machine or a cold disk. That is no failure
// of the kernel.
func TestTheFirstKernelOfANewServerHasTime(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	ctx, end := context.WithCancelCause(d.context())
	defer end(nil)
	srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/channels") {
			end(context.DeadlineExceeded)
			<-r.Context().Done()
			return true
		}
		return false
	})
	health := catalog.ServerHealth{Name: "test", State: servers.StateInstalling}
	d.Servers.Set(nil, health)
	waits, failed := make(chan struct{}, 1), make(chan error)
	go func() {
		_, err := d.Create(awaited{ctx, waits}, kernels.NewSession{KernelName: "python3", Client: "test"})
		failed <- err
	}()
	<-waits
	health.State = servers.StateReady
	d.Servers.Set(d.client, health)
	err := <-failed
	if e, ok := errors.AsType[*servers.NotReadyError](err); !ok || e.Health.State != servers.StateStarting {
		t.Errorf("got %v", err)
	}
}

func TestAKernelThatNeverAnswersIsEnded(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	ctx, end := context.WithCancelCause(d.context())
	defer end(nil)
	srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/channels") {
			end(context.DeadlineExceeded)
			<-r.Context().Done()
			return true
		}
		return false
	})
	if s, err := d.Create(ctx, kernels.NewSession{KernelName: "python3", Client: "test"}); !errors.Is(err, jupyter.ErrKernelStart) {
		t.Errorf("got %+v, %v", s, err)
	}
	poll(d, "the end of the kernel", func(ctx context.Context) ([]jupyter.KernelModel, bool) {
		left, err := d.client.Kernels(ctx)
		return left, err == nil && len(left) == 0
	})
}
