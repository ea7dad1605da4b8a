package jupyter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// endedEarly is in what Easel's own server says about a kernel that never answered; see
// easel_early.py.
const endedEarly = "ended before it answered"

// notStarted is in what it says about a kernel whose program does not run.
const notStarted = "cannot be started: "

// gaveUp is what can be said of a kernel that another server has given up.
const gaveUp = "the kernel %s " + endedEarly + ", and the server gave it up"

// An earlyWatch asks the server of a new kernel whether that is still there.
type earlyWatch struct {
	server *Server
	kernel KernelModel
	every  time.Duration
}

// connect calls do, which waits for the first answer of the kernel, and cancels it when the
// server says that the kernel is gone. A server without Easel's own manager starts a kernel
// again several times before it says so.
func (w earlyWatch) connect(ctx context.Context, do func(context.Context) (*Kernel, error)) (*Kernel, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() { // ends with ctx
		defer close(watched)
		w.await(ctx, cancel)
	}()
	k, err := do(ctx)
	cancel(nil)
	<-watched
	if err == nil {
		return k, nil
	}
	return nil, w.explain(err)
}

// await cancels ctx when the kernel is gone.
func (w earlyWatch) await(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for missed := 0; missed < 2; { // during some restarts, the server does not know it for a moment
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := w.server.Kernel(ctx, w.kernel.ID); errors.Is(err, ErrNotFound) {
			missed++
		} else {
			missed = 0
		}
	}
	cancel(fmt.Errorf("%w: "+gaveUp, ErrKernelStart, w.kernel.Name))
}

// explain returns what the server says about the end of a kernel that never answered, or err.
func (w earlyWatch) explain(err error) error {
	if !errors.Is(err, ErrKernelStart) && !errors.Is(err, ErrNotFound) || errors.Is(err, context.Canceled) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	_, asked := w.server.Kernel(ctx, w.kernel.ID)
	if asked == nil {
		return err
	}
	return startError(asked, err)
}

// startError returns ErrKernelStart with what the server says in asked, if it speaks of a
// kernel that ended before it answered, or whose program does not run; otherwise err.
func startError(asked, err error) error {
	if e, ok := errors.AsType[*StatusError](asked); ok &&
		(strings.Contains(e.Message, endedEarly) || strings.Contains(e.Message, notStarted)) {
		return fmt.Errorf("%w: %s", ErrKernelStart, e.Message)
	}
	return err
}

// explainStart returns the reason why a server has not started a kernel, as far as it says.
// Most servers only say "Unhandled error" if its program is missing.
func (s *Server) explainStart(ctx context.Context, name string, err error) error {
	e, ok := errors.AsType[*StatusError](err)
	switch {
	case !ok || !errors.Is(err, ErrKernelStart):
	case strings.Contains(e.Message, notStarted):
		return fmt.Errorf("%w: %s", ErrKernelStart, e.Message)
	case e.Message == "Unhandled error":
		if program := s.spec(ctx, name).Program; program != "" {
			return fmt.Errorf("%w; its program may be missing: %s", err, program)
		}
	}
	return err
}
