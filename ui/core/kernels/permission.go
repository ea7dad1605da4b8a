package kernels

import (
	"context"
	"errors"
	"sync"
	"time"

	"easel/ui/core/kernels/tasks"
)

// Errors of kernels that no Jupyter server runs.
var (
	// ErrNotYetPermitted means that the user has not yet answered whether Easel may connect.
	ErrNotYetPermitted = errors.New("the user has not yet answered")
	errNobodyPermits   = errors.New("nobody can allow it")
)

// PermitPatience is how long a call waits for the user's permission. The question stays
// open longer. Some clients time out after a minute.
const PermitPatience = 40 * time.Second

// A permission is the user's permission to connect to a kernel that no Jupyter server runs.
// It is for one kernel, by its id, which is another after a restart.
type permission struct {
	withdraw context.CancelFunc
	byUser   bool          // the user connects to the kernel, so the question was withdrawn
	done     chan struct{} // closed when the question has been answered
	err      error
}

// permissions are the open questions for them, by session id.
type permissions struct {
	mu   sync.Mutex
	open map[string]*permission
}

// connected withdraws the question about a kernel, because the user connects to it.
func (ps *permissions) connected(id string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p := ps.open[id]; p != nil {
		p.byUser = true
		p.withdraw()
	}
}

// question asks the user by ask, unless it is asking already. It goes on if the call that led to
// the question has ended. It returns nil after the end of g.
func (ps *permissions) question(ctx context.Context, g *tasks.Group, id string, ask func(context.Context) error) *permission {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p := ps.open[id]; p != nil {
		return p
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(g.Context(), cancel)
	p := &permission{withdraw: cancel, done: make(chan struct{})}
	started := g.Go(func() {
		defer stop()
		defer cancel()
		p.err = ask(ctx)
		ps.mu.Lock()
		delete(ps.open, id)
		ps.mu.Unlock()
		close(p.done)
	})
	if !started {
		return nil
	}
	if ps.open == nil {
		ps.open = make(map[string]*permission)
	}
	ps.open[id] = p
	return p
}

// answer waits for the answer to a question, for up to PermitPatience.
func (ps *permissions) answer(ctx context.Context, p *permission) error {
	timer := time.NewTimer(PermitPatience)
	defer timer.Stop()
	select {
	case <-p.done:
		ps.mu.Lock()
		defer ps.mu.Unlock()
		if p.byUser {
			return nil
		}
		return p.err
	case <-timer.C:
		return ErrNotYetPermitted
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ErrNotYetPermitted
		}
		return context.Cause(ctx)
	}
}
