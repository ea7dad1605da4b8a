package oversight

import (
	"context"
	"errors"
	"sync"
	"time"

	"easel/mcphost/tool"
)

// ErrNotYetPermitted means that the user has not yet answered whether a client may connect to a
// kernel, or work in a project.
var ErrNotYetPermitted = errors.New("the user has not yet answered")

// PermitPatience is how long a call waits for the user's permission. The question stays
// open longer. Some clients time out after a minute.
const PermitPatience = 40 * time.Second

type waitingKey struct{}

// Waiting returns a context for a question that code waits for, however long the answer takes. Its call
// may return earlier, but the code runs when the user answers.
func Waiting(ctx context.Context) context.Context { return context.WithValue(ctx, waitingKey{}, true) }

// A permission is the user's permission to connect to a kernel that no Jupyter server runs, or to
// work in a project. It is for one kernel, by its id, which is another after a restart, or for one
// project, by its root.
type permission struct {
	audience
	client string        // that the question is about
	byUser bool          // the user did it, so the question was withdrawn
	done   chan struct{} // closed when the question has been answered
	err    error
}

// Permissions are the open questions for permissions. The zero value is ready to use.
type Permissions struct {
	mu   sync.Mutex
	open map[string]*permission // by the id of what it is for
}

// Given withdraws a question, because the user has done what it is about.
func (ps *Permissions) Given(id string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p := ps.open[id]; p != nil {
		p.byUser = true
		p.withdraw(nil)
	}
}

// A Group runs goroutines that end together. Go returns false after its end.
type Group interface {
	Context() context.Context
	Go(f func()) bool
}

// Question asks the user by ask, unless it is asking already. It goes on if the call that led to
// the question has ended, until all clients that have asked have ended. It returns nil after the
// end of g. The caller must call Answer.
func (ps *Permissions) Question(ctx context.Context, g Group, id string, ask func(context.Context) error) *permission {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	caller := tool.CallerFrom(ctx)
	if p := ps.open[id]; p != nil {
		if p.client == caller.String() || !p.deserted() {
			p.join(caller.Holder)
			return p
		}
		p.withdraw(ErrClientEnded) // so that the user reads who asks now
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(g.Context(), func() { cancel(nil) })
	p := &permission{client: caller.String(), done: make(chan struct{})}
	p.audience = audience{withdraw: cancel, clients: map[string]int{caller.Holder: 1}}
	started := g.Go(func() {
		defer stop()
		defer cancel(nil)
		p.err = ask(context.WithValue(ctx, audienceKey{}, &p.audience))
		ps.mu.Lock()
		if ps.open[id] == p {
			delete(ps.open, id)
		}
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

// Answer waits for the answer to a question, for up to PermitPatience, or as long as the code waits.
func (ps *Permissions) Answer(ctx context.Context, p *permission) error {
	gone := false
	defer func() { p.leave(tool.CallerFrom(ctx).Holder, gone) }()
	var late <-chan time.Time
	timer := time.NewTimer(PermitPatience)
	defer timer.Stop()
	if ctx.Value(waitingKey{}) == nil {
		late = timer.C
	}
	asking := tool.CallerFrom(ctx).Asking
	for {
		select {
		case <-p.done:
			ps.mu.Lock()
			defer ps.mu.Unlock()
			if p.byUser {
				return nil
			}
			return p.err
		case <-late:
			if asking == nil || !asking() {
				return ErrNotYetPermitted
			}
			timer.Reset(PermitPatience)
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return ErrNotYetPermitted
			}
			gone = true
			return context.Cause(ctx)
		}
	}
}
