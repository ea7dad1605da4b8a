package kernels

import (
	"context"

	"easel/jupyter"
	"easel/ui/core/kernels/servers"
)

// Sessions lists the Jupyter sessions of a server. It notices notebooks that were renamed.
func (m *Manager) Sessions(ctx context.Context, h servers.Host) ([]jupyter.SessionModel, error) {
	sessions, err := h.Client.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	before := m.Renames.List(h.Name, sessions)
	for _, s := range sessions {
		m.Renames.Record(h.Name, before[s.ID], s.Path)
		if r := m.recorders.find(s.ID); r != nil && r.Link.Server == h.Name {
			m.Renames.Record(h.Name, r.Session.MoveTo(s), s.Path)
		}
	}
	return sessions, nil
}

// NoticeRenames lists the sessions of each server with a joined session that has a notebook, to
// notice whether it was renamed.
func (m *Manager) NoticeRenames(ctx context.Context) {
	asked := make(map[string]bool)
	for _, v := range m.Live() {
		if v.NotebookPath == "" || asked[v.Server] {
			continue
		}
		asked[v.Server] = true
		s, err := m.Servers.Lookup(v.Server)
		if err != nil {
			continue
		}
		if client, err := s.Now(); err == nil {
			if _, err := m.Sessions(ctx, servers.Host{Name: s.Name, Client: client}); err != nil {
				m.cfg.Log.DebugContext(ctx, "looking for renamed notebooks", "server", s.Name, "err", err)
			}
		}
	}
}
