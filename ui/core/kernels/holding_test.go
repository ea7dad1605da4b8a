package kernels_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// fakeSession creates a session on a fake server.
func fakeSession(t *testing.T) (*fixture, library.Session, *jupytertest.Kernel, *jupytertest.Server) {
	t.Helper()
	d, srv := newFake(t)
	s := d.session()
	return d, s, srv.Kernel(s.KernelID), srv
}

// holdChannels makes the server block new websockets until release is called.
func holdChannels(t *testing.T, s *jupytertest.Server) (release func()) {
	t.Helper()
	held := make(chan struct{})
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/channels") {
			<-held
		}
		return false
	})
	release = sync.OnceFunc(func() {
		s.Intercept(nil)
		close(held)
	})
	t.Cleanup(release)
	return release
}

// expect checks how an execution ended.
func expect(t *testing.T, v catalog.Execution, status, stdout string) {
	t.Helper()
	if v.Status != status || v.Stdout != stdout || (v.Error == nil) != (status == catalog.StatusOK) {
		t.Errorf("got %s with %q and error %+v, want %s with %q", v.Status, v.Stdout, v.Error, status, stdout)
	}
}

// hold prints and then runs until it is interrupted or the kernel ends.
func hold(x *jupytertest.Execution) {
	x.Busy()
	x.Input()
	x.Stream("stdout", "begun\n")
	select {
	case <-x.Interrupted():
		x.Error("KeyboardInterrupt", "")
		x.Fail("KeyboardInterrupt", "")
		x.Idle()
	case <-x.Context().Done():
	}
}

// awaitEnded waits for the end of the execution with the code, and checks its status.
func (d *fixture) awaitEnded(code, status string) catalog.Execution {
	d.t.Helper()
	v := poll(d, "the end of "+code, func(context.Context) (catalog.Execution, bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if i := slices.IndexFunc(d.ended, func(v catalog.Execution) bool { return v.Code == code }); i >= 0 {
			return d.ended[i], true
		}
		return catalog.Execution{}, false
	})
	if v.Status != status {
		d.t.Errorf("%s ended as %s, want %s", code, v.Status, status)
	}
	return v
}
