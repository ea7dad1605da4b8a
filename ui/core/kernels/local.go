package kernels

import (
	"context"
	"errors"
	"slices"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
)

// Errors of kernels that no Jupyter server runs.
var (
	// ErrNotYetPermitted means that the user has not yet answered whether Easel may connect.
	ErrNotYetPermitted = errors.New("the user has not yet answered")
	errNobodyPermits   = errors.New("nobody can allow it")
)

// Local returns the kernels that no Jupyter server runs and that are not joined. To know
// whether a server runs them, it asks servers on this machine only.
func (m *Manager) Local(ctx context.Context) []catalog.Session {
	all, _ := m.Servers.Select("")
	here := slices.DeleteFunc(all, func(s *servers.Server) bool { return !s.Local && !s.IsHere() })
	local := slices.DeleteFunc(slices.Clone(here), func(s *servers.Server) bool { return !s.Local })
	isNew := func(f survey.Kernel) bool { return m.recorderOf(f.Model.ID) == nil }
	var list []catalog.Session
	for _, l := range m.survey.List(ctx, local) {
		if !slices.ContainsFunc(l.Kernels, isNew) {
			return nil
		}
	}
	for _, l := range m.survey.List(ctx, here) {
		for _, f := range l.Kernels {
			if l.Server.Local && isNew(f) {
				list = append(list, m.listed(l.Server, f, library.Session{}))
			}
		}
	}
	return list
}

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

// permit returns nil if the user lets Easel connect to a kernel. If that is not known yet, it
// asks. A permission lasts until the kernel ends or Easel disconnects from it, also over a
// restart of Easel: the library has the session, and it has not ended.
func (m *Manager) permit(ctx context.Context, s *servers.Server, jup *jupyter.Server, f survey.Kernel) error {
	kept, err := m.cfg.Library.Session(ctx, f.ID())
	if err == nil && kept.EndedAt.IsZero() && kept.Server == s.Name {
		return nil
	}
	if tool.CallerFrom(ctx).Transport == tool.Window { // the user's own click
		m.mu.Lock()
		if p := m.permissions[f.ID()]; p != nil {
			p.byUser = true
			p.withdraw()
		}
		m.mu.Unlock()
		return nil
	}
	p := m.question(ctx, s, jup, f, kept)
	if p == nil {
		return tasks.ErrClosed
	}
	timer := time.NewTimer(PermitPatience)
	defer timer.Stop()
	select {
	case <-p.done:
		m.mu.Lock()
		defer m.mu.Unlock()
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

// question asks the user whether Easel may connect to a kernel, unless it is asking already. If
// the user permits it, Easel connects, even if the call that led to the question has ended.
// It returns nil after Close.
func (m *Manager) question(ctx context.Context, s *servers.Server, jup *jupyter.Server, f survey.Kernel, kept library.Session) *permission {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := f.ID()
	if p := m.permissions[id]; p != nil {
		return p
	}
	client := tool.CallerFrom(ctx).Name
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(m.tasks.Context(), cancel)
	p := &permission{withdraw: cancel, done: make(chan struct{}), err: errNobodyPermits}
	started := m.tasks.Go(func() {
		defer stop()
		defer cancel()
		if m.cfg.Permit != nil {
			p.err = m.cfg.Permit(ctx, m.listed(s, f, kept))
		}
		if p.err == nil {
			_, p.err = m.joinPermitted(ctx, s, jup, f, client)
		}
		m.mu.Lock()
		delete(m.permissions, id)
		m.mu.Unlock()
		close(p.done)
	})
	if !started {
		return nil
	}
	m.permissions[id] = p
	return p
}
