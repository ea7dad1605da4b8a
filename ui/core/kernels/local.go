package kernels

import (
	"context"
	"slices"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
)

// Local returns the kernels that no Jupyter server runs and that are not joined. To know
// whether a server runs them, it asks servers on this machine only.
func (m *Manager) Local(ctx context.Context) []catalog.Session {
	all, _ := m.Servers.Select("")
	here := slices.DeleteFunc(all, func(s *servers.Server) bool { return !s.Local && !s.IsHere() })
	local := slices.DeleteFunc(slices.Clone(here), func(s *servers.Server) bool { return !s.Local })
	isNew := func(f survey.Kernel) bool { return m.recorders.find(f.Model.ID) == nil }
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

// permit returns nil if the user lets Easel connect to a kernel. If that is not known yet, it
// asks; if the user permits it, Easel connects. A permission lasts until the kernel ends or Easel
// disconnects from it, also over a restart of Easel: the library has the session, and it has not
// ended.
func (m *Manager) permit(ctx context.Context, s *servers.Server, jup *jupyter.Server, f survey.Kernel) error {
	kept, err := m.cfg.Library.Sessions.Get(ctx, f.ID())
	if err == nil && kept.EndedAt.IsZero() && kept.Server == s.Name {
		return nil
	}
	if tool.CallerFrom(ctx).Transport == tool.Window { // the user's own click
		m.permissions.connected(f.ID())
		return nil
	}
	client := tool.CallerFrom(ctx).Name
	p := m.permissions.question(ctx, m.tasks, f.ID(), func(ctx context.Context) error {
		if m.cfg.Permit == nil {
			return errNobodyPermits
		}
		if err := m.cfg.Permit(ctx, m.listed(s, f, kept)); err != nil {
			return err
		}
		_, err := m.joinPermitted(ctx, s, jup, f, client)
		return err
	})
	if p == nil {
		return tasks.ErrClosed
	}
	return m.permissions.answer(ctx, p)
}
