// Package pool has the kernels that no session has or uses: hidden ones for Easel's own use, one
// that is started before it is needed, the second one that is started if a first one does not
// respond, and those of sessions that are unused for too long.
//
// # Goroutines
//
// Methods run on their caller's goroutine. What runs in the background is part of a
// [tasks.Group].
package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os/user"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/jupyter"
	"easel/ui/core/kernels/tasks"
)

// A Background is where a pool runs what outlives a call, and what it reports to.
type Background struct {
	Tasks  *tasks.Group
	Log    *slog.Logger
	Starts *Starts
}

// Starts are the kernels for Easel's own use that are being started. A server lists such a kernel before it has
// answered with its id, so nobody knows yet whose it is.
type Starts struct {
	mu   sync.Mutex
	open map[chan struct{}]struct{}
}

// begin notes that a kernel is being started. known must be called once its id is, or if it is not started.
func (s *Starts) begin() (known func()) {
	c := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = make(map[chan struct{}]struct{})
	}
	s.open[c] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, c)
		close(c)
	}
}

// Wait waits until the ids of the kernels that are being started now are known, or ctx ends.
func (s *Starts) Wait(ctx context.Context) {
	s.mu.Lock()
	now := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	for _, c := range now {
		select {
		case <-c:
		case <-ctx.Done():
			return
		}
	}
}

// Start starts a kernel. It passes the user name, which Enterprise Gateway requires. The gateway does not accept root.
func Start(ctx context.Context, jup *jupyter.Server, r jupyter.StartKernelRequest) (jupyter.KernelModel, error) {
	who := "easel"
	if u, err := user.Current(); err == nil && u.Username != "root" {
		who = u.Username[strings.LastIndexByte(u.Username, '\\')+1:] // without the Windows domain
	}
	r.Env = map[string]string{"KERNEL_USERNAME": who}
	k, err := jup.StartKernel(ctx, r)
	if e, ok := errors.AsType[*jupyter.StatusError](err); ok && errors.Is(err, jupyter.ErrUnauthorized) && e.Method == http.MethodPost {
		// The token is valid, because earlier requests succeeded.
		return k, fmt.Errorf("%w: %s", jupyter.ErrKernelStart, cmp.Or(e.Message, "the server does not allow it"))
	}
	return k, err
}

// Discard deletes a kernel that is not needed, in the background.
func (b Background) Discard(client *jupyter.Server, kernelID string) {
	b.Tasks.Go(func() {
		ctx, cancel := context.WithTimeout(b.Tasks.Context(), 10*time.Second)
		defer cancel()
		if err := client.DeleteKernel(ctx, kernelID); err != nil && !errors.Is(err, jupyter.ErrNotFound) {
			b.Log.Warn("ending a kernel that could not be joined", "kernel", kernelID, "err", err)
		}
	})
}

// deleteAgain is the pause before a kernel is deleted again. Jupyter refuses to delete a
// kernel that it is restarting.
const deleteAgain = 200 * time.Millisecond

// deleteKernel deletes a kernel, and repeats that if the server fails.
func deleteKernel(ctx context.Context, client *jupyter.Server, id string) error {
	for {
		err := client.DeleteKernel(ctx, id)
		if e, ok := errors.AsType[*jupyter.StatusError](err); !ok || e.Status != http.StatusInternalServerError {
			return err
		}
		timer := time.NewTimer(deleteAgain)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}
