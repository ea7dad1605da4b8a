package jupytertest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
)

// idle are the servers that no test uses now, by their arguments and environment.
var idle = struct {
	sync.Mutex
	servers map[string][]*Real
}{servers: make(map[string][]*Real)}

// Reuse is like [Start], but may return a server that an earlier test has left, because a
// start takes as long as many tests. When the test ends, the kernels, sessions and files of
// the server are deleted; if that fails, or the test has failed or has ended the server, the
// server ends. The package's TestMain must call [StopReused].
func Reuse(t testing.TB, opts ...RealOption) *Real {
	t.Helper()
	Python(t)                               // or skip
	dir, err := os.MkdirTemp("", "jupyter") //nolint:usetesting // outlives the test
	require.NoError(t, err)
	r := prepare(t, dir, opts...)
	key := fmt.Sprintf("%v %q %q %q", r.gateway, r.URL, r.args, r.env)
	idle.Lock()
	if others := idle.servers[key]; len(others) > 0 {
		_ = os.RemoveAll(dir) // is empty
		r, idle.servers[key] = others[len(others)-1], others[:len(others)-1]
		r.t = t
	}
	idle.Unlock()
	if r.cmd == nil {
		r.start()
	}
	t.Cleanup(func() {
		if err := r.clear(); err != nil || t.Failed() {
			r.end(t)
			_ = os.RemoveAll(r.Dir) // is temporary
			return
		}
		idle.Lock()
		defer idle.Unlock()
		idle.servers[key] = append(idle.servers[key], r)
	})
	return r
}

// StopReused ends the servers that [Reuse] has started.
func StopReused() {
	idle.Lock()
	defer idle.Unlock()
	for _, servers := range idle.servers {
		for _, r := range servers {
			r.Stop()
			_ = os.RemoveAll(r.Dir) // is temporary
		}
	}
	clear(idle.servers)
}

// clear deletes the server's kernels, with their sessions, and its files.
func (r *Real) clear() error {
	r.mu.Lock()
	ended := r.ended
	r.mu.Unlock()
	if ended {
		return fmt.Errorf("the test has ended the server")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's context has ended
	defer cancel()
	var kernels []struct{ ID string }
	if err := r.request(ctx, http.MethodGet, "/api/kernels", &kernels); err != nil {
		return err
	}
	for _, k := range kernels {
		if err := r.request(ctx, http.MethodDelete, "/api/kernels/"+k.ID, nil); err != nil {
			return err
		}
	}
	files, err := os.ReadDir(r.Root)
	for _, f := range files {
		if err == nil {
			err = os.RemoveAll(filepath.Join(r.Root, f.Name()))
		}
	}
	return err
}
