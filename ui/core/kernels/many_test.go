package kernels_test

import (
	"net/http"
	"runtime"
	"sync"
	"testing"

	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
)

// held returns what this process holds: goroutines, and bytes of live objects.
func held() (goroutines int, heap int64) {
	runtime.GC()
	runtime.GC() // what the first one has finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), int64(m.HeapAlloc)
}

// TestManySessionsLeaveNothing creates many sessions on one server, and checks what is left after
// their end. "make sessions" does the same with a real gateway.
func TestManySessionsLeaveNothing(t *testing.T) {
	d, _ := newFake(t)
	const count = 100
	round := func() {
		var all sync.WaitGroup
		for range count {
			all.Go(func() {
				s, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3", Client: "test"})
				if err != nil {
					t.Error(err)
					return
				}
				if v := d.run(s, "1 + 1"); v.Status != catalog.StatusOK {
					t.Errorf("got %+v", v)
				}
			})
		}
		all.Wait()
		list, err := d.List(d.context())
		if err != nil || len(list) != count {
			t.Errorf("%d sessions, %v", len(list), err)
		}
		for _, s := range list {
			if _, err := d.Delete(d.context(), s.SessionID, false); err != nil {
				t.Error(err)
			}
		}
	}
	round() // what is made once
	before, heapBefore := held()
	round()
	// The fake server keeps each of its kernels, with one goroutine.
	after, heapAfter := held()
	if each := float64(after-before) / count; each > 1.5 {
		t.Errorf("%.1f goroutines remain for each session, of %d", each, after)
	}
	if each := (heapAfter - heapBefore) / count; each > 100<<10 {
		t.Errorf("%d bytes remain for each session", each)
	}
}

// TestListOfAGateway checks that the list of kernels needs no request for each session, on a
// server that does not list its kernels.
func TestListOfAGateway(t *testing.T) {
	d, srv := newFake(t)
	srv.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || r.URL.Path != "/api/kernels" {
			return false
		}
		jupytertest.Refuse(w, http.StatusForbidden, "")
		return true
	})
	var s library.Session
	for range 3 {
		s = d.session()
	}
	before := len(srv.Requests())
	if list, err := d.List(d.context()); err != nil || len(list) != 3 {
		t.Errorf("got %+v, %v", list, err)
	}
	if asked := srv.Requests()[before:]; len(asked) > 2 {
		t.Errorf("the requests were %q", asked)
	}
	next, _ := d.succeed(s) // which has joined none
	next.Servers.Set(d.client, catalog.ServerHealth{Name: s.Server, State: servers.StateReady})
	if list, err := next.List(d.context()); err != nil || len(list) != 3 {
		t.Errorf("after a restart: %+v, %v", list, err)
	}
}
