package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"easel/jupyter"
	"easel/ui/core/kernels/tasks"
)

// A FallbackStart says how to connect to a new kernel. If it does not respond for a while, a second
// one is started, and the one that responds first is used.
//
// Jupyter chooses a kernel's ports before the kernel opens them. On a busy machine,
// another process may take one in between. Such a kernel hangs, its websocket does not
// open, and a restart tries the same ports again. It cannot be distinguished from a slow
// kernel, so the first is not given up when the second is started.
type FallbackStart struct {
	Background Background
	Client     *jupyter.Server
	Options    jupyter.FollowOptions
	Dir        string        // to start the second kernel in; "" for the server's default
	After      time.Duration // when to start it

	// Started, if not nil, is called on another goroutine when the second kernel was started. It returns what deletes the kernel
	// if it is not needed.
	Started func(k jupyter.KernelModel) (discard func())
}

// Connect returns the connection to a kernel that was just started, or to the second one, with its
// model.
func (f FallbackStart) Connect(ctx context.Context, first jupyter.KernelModel) (*jupyter.Kernel, jupyter.KernelModel, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.Background.Tasks.Context(), cancel)()
	r := &startRace{FallbackStart: f, ctx: ctx, candidates: make(chan candidate)}
	n, err := r.run(first)
	if err == nil && n.model.ID != first.ID {
		f.Background.Log.WarnContext(ctx, "a kernel did not respond; using another", "kernel", first.ID, "other", n.model.ID)
	}
	return n.conn, n.model, err
}

// A startRace waits for the first of the kernels that were started for one session.
type startRace struct {
	FallbackStart
	ctx        context.Context //nolint:containedctx // its end ends the race
	candidates chan candidate
}

// A candidate is a kernel of a race that has responded or failed.
type candidate struct {
	model jupyter.KernelModel
	conn  *jupyter.Kernel
	err   error
}

// run returns the kernel that responds first: the given one, or the fallback.
func (r *startRace) run(first jupyter.KernelModel) (candidate, error) {
	if !r.Background.Tasks.Go(func() { r.join(first) }) {
		return candidate{}, tasks.ErrClosed
	}
	fallback := time.NewTimer(r.After)
	defer fallback.Stop()
	var failed error // the first kernel's error, if there is one, else the fallback's
	for waiting := 1; waiting > 0; {
		select {
		case n := <-r.candidates:
			if n.err == nil {
				return n, nil
			}
			if n.model.ID == first.ID && errors.Is(n.err, jupyter.ErrKernelStart) {
				return n, n.err // it ended, which a second one would, too
			}
			waiting--
			if failed == nil || n.model.ID == first.ID {
				failed = n.err
			}
		case <-fallback.C:
			if r.Background.Tasks.Go(func() { r.startFallback(first.Name) }) {
				waiting++
			}
		case <-r.ctx.Done():
			return candidate{}, fmt.Errorf("kernel %s: no answer: %w", first.ID, context.Cause(r.ctx))
		}
	}
	return candidate{}, failed
}

// join connects to a kernel and sends it to r.candidates. It reports whether it connected
// before the race ended.
func (r *startRace) join(k jupyter.KernelModel) (taken bool) {
	conn, err := r.Client.Follow(r.ctx, k.ID, r.Options)
	select {
	case r.candidates <- candidate{k, conn, err}:
		return err == nil
	case <-r.ctx.Done():
		if conn != nil {
			_ = conn.Close()
		}
		return false
	}
}

// startFallback starts the second kernel of the race, and deletes it if it is not needed.
func (r *startRace) startFallback(name string) {
	// The request continues after the end of the race. If it were cancelled, the server
	// might start a kernel whose id is unknown, which nobody would delete.
	ctx, cancel := context.WithTimeout(r.Background.Tasks.Context(), time.Minute)
	defer cancel()
	known := r.Background.Starts.begin()
	k, err := Start(ctx, r.Client, jupyter.StartKernelRequest{Name: name, Path: r.Dir})
	discard := func() { r.Background.Discard(r.Client, k.ID) }
	if err == nil && r.Started != nil {
		discard = r.Started(k)
	}
	known()
	if err != nil {
		select {
		case r.candidates <- candidate{err: err}:
		case <-r.ctx.Done():
		}
		return
	}
	if !r.join(k) {
		discard()
	}
}
