package kernels

import (
	"context"
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
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

// JoinGuest joins the kernel that an editor has offered, by its id; see local.Guest. Its session gets a title.
func (m *Manager) JoinGuest(ctx context.Context, id, client, title string) (library.Session, error) {
	s, err := m.Servers.Lookup(catalog.ThisMachine)
	if err != nil {
		return library.Session{}, err
	}
	jup, err := s.Now()
	if err != nil {
		return library.Session{}, err
	}
	k, err := jup.Kernel(ctx, id)
	if err != nil {
		return library.Session{}, err
	}
	r, err := m.join(ctx, s, jup, survey.Kernel{Model: k}, client)
	if err != nil {
		return library.Session{}, err
	}
	if r.Session.Stored().Name == "" {
		if err := m.Rename(ctx, id, title); err != nil {
			return library.Session{}, err
		}
	}
	return r.Session.Stored(), nil
}
