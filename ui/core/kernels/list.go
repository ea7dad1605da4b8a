package kernels

import (
	"cmp"
	"context"
	"errors"
	"path"
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/pool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/library"
)

// List returns all kernels on all servers, with what Easel knows about them. For a server
// that does not respond, it returns the kernels that Easel has joined.
func (m *Manager) List(ctx context.Context) ([]catalog.Session, error) {
	kept, err := m.cfg.Library.Sessions.All(ctx)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]library.Session, len(kept))
	for _, s := range kept {
		byID[s.ID] = s
	}
	seen := make(map[string]bool)
	list := []catalog.Session{}
	everywhere, _ := m.Servers.Select("")
	listings := m.survey.List(ctx, everywhere)
	hidden := func(kernelID string) bool { return m.Prestarter.Contains(kernelID) || m.Hidden.Contains(kernelID) } // of Easel's own use
	awaitStarts(ctx, m.background.Starts, listings, byID, hidden)
	for _, l := range listings {
		if _, waits := errors.AsType[*servers.NotReadyError](l.Err); l.Err != nil && !waits && !errors.Is(l.Err, survey.ErrUnlisted) {
			m.cfg.Log.WarnContext(ctx, "listing kernels", "server", l.Server.Name, "err", l.Err)
		}
		for _, f := range l.Kernels {
			if hidden(f.Model.ID) || seen[f.Model.ID] { // a server may have two names
				continue
			}
			seen[f.Model.ID] = true
			list = append(list, m.listed(l.Server, f, byID[f.ID()]))
		}
	}
	for _, v := range m.Live() {
		if !seen[v.KernelID] {
			list = append(list, v.Catalog(byID[v.ID].Images))
		}
	}
	return list, nil
}

// startTime is how long a list waits for the ids of Easel's own kernels.
const startTime = 2 * time.Second

// awaitStarts waits until it is known which kernels are Easel's own, if somebody else seems to have started one.
func awaitStarts(ctx context.Context, starts *pool.Starts, listings []survey.Listing, kept map[string]library.Session,
	hidden func(kernelID string) bool,
) {
	for _, l := range listings {
		for _, f := range l.Kernels {
			if _, known := kept[f.ID()]; known || f.Session != nil || l.Server.Local || hidden(f.Model.ID) {
				continue
			}
			ctx, cancel := context.WithTimeout(ctx, startTime)
			defer cancel()
			starts.Wait(ctx)
			return
		}
	}
}

func (m *Manager) listed(s *servers.Server, f survey.Kernel, kept library.Session) catalog.Session {
	if r := m.recorders.find(f.Model.ID); r != nil {
		c := r.Session.View().Catalog(kept.Images)
		if at := r.Link.Clock(f.Model.LastActivity); at.After(c.LastActivity) {
			c.LastActivity = at
		}
		c.Process = processOf(f.Model)
		return c
	}
	c := catalog.Session{
		SessionID: f.ID(), KernelID: f.Model.ID, KernelName: f.Model.Name, Status: statusOf(f.Model.State),
		CreatedAt: kept.CreatedAt, LastActivity: f.Model.LastActivity, Server: s.Name,
		Owner: record.OwnerOther, Generation: max(1, kept.Generation), Images: kept.Images, Title: cmp.Or(kept.Name, kept.Title),
	}
	if kept.Owner != "" {
		c.Owner = kept.Owner
	}
	if c.CreatedAt.IsZero() {
		c.CreatedAt = f.Model.LastActivity // servers do not report the time of creation
	}
	if f.Session != nil {
		c.NotebookPath = f.Session.Path
	}
	kept.KernelName = f.Model.Name
	if m.cfg.Project != nil {
		root, environment := m.cfg.Project(s.Name, f.Model.Name)
		kept.Project, kept.Environment = cmp.Or(kept.Project, root), cmp.Or(kept.Environment, environment)
	}
	c.Directory, c.Environment = kept.Directory, cmp.Or(kept.Environment, record.OwnPython(s.Managed, kept, ""))
	if jup, err := s.Now(); err == nil && s.Managed && c.NotebookPath != "" { // then the server has started it
		c.Directory = directory(s, jup, path.Dir(c.NotebookPath))
	}
	c.Process = processOf(f.Model)
	return c
}

// processOf returns what is known about the process of a kernel that no server runs.
func processOf(k jupyter.KernelModel) *catalog.KernelProcess {
	if k.Process == nil {
		return nil
	}
	return &catalog.KernelProcess{
		PID: k.Process.PID, Program: k.Process.Program, Directory: k.Process.Dir, User: k.Process.User,
		StartedAt: k.Process.Started, ConnectionFile: k.Process.File, Problem: k.Process.Problem,
	}
}

// statusOf converts the execution state that a server reports to the status of a session.
// Provisioners may use states of their own, which become "unknown".
func statusOf(state string) string {
	switch state {
	case wire.StateStarting, wire.StateIdle, wire.StateBusy, wire.StateRestarting, wire.StateDead:
		return state
	case wire.StateAutoRestarting:
		return wire.StateRestarting
	default:
		return "unknown"
	}
}
