package kernels

import (
	"context"
	"time"

	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
)

// A startLimit limits how many kernels an assistant may have.
type startLimit struct {
	// ask is Config.Starts; it may be nil.
	ask       func(ctx context.Context, running func(assistant string) (int, error)) (release func(), err error)
	recorders *recorderRegistry
	sessions  *library.Sessions
	began     time.Time // this run of Easel
}

// reserve asks whether the caller may start a kernel on a server. release must be called when it was started.
func (l *startLimit) reserve(ctx context.Context, s *servers.Server) (release func(), err error) {
	if l.ask == nil {
		return func() {}, nil
	}
	release, err = l.ask(ctx, func(assistant string) (int, error) { return l.started(ctx, s, assistant) })
	if err != nil {
		return func() {}, err
	}
	return release, nil
}

// started counts the kernels that an assistant has started and that run: those that are joined, and those on a server that an earlier
// run of Easel has left there.
func (l *startLimit) started(ctx context.Context, s *servers.Server, assistant string) (n int, err error) {
	ids := make(map[string]bool)
	for _, r := range l.recorders.all() {
		sess := r.Session.Stored()
		ids[sess.ID] = true
		if sess.Assistant == assistant {
			n++
		}
	}
	all, err := l.sessions.All(ctx)
	for _, sess := range all {
		if sess.Assistant == assistant && sess.Server == s.Name && sess.EndedAt.IsZero() && sess.CreatedAt.Before(l.began) && !ids[sess.ID] {
			n++
		}
	}
	return n, err
}
