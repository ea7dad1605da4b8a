package kernels

import (
	"context"
	"errors"
	"sync"
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// A found is a running kernel on a server, with its session if it has one.
type found struct {
	kernel  jupyter.KernelModel
	session *jupyter.SessionModel
}

func (f found) id() string {
	if f.session != nil {
		return f.session.ID
	}
	return f.kernel.ID
}

// listTries is how often a list is asked for: jupyter-server 2.21 answers 500
// while a kernel is being started, as that one has no last_activity yet.
const listTries = 5

// A listing is what runs on a server, or why that is not known.
type listing struct {
	server *server
	client *jupyter.Server
	found  []found
	err    error // ErrUnlisted: found is what Easel itself knows of
}

// listTime bounds how long one server may take to list its kernels: the others
// must not wait for one that hangs.
const listTime = 5 * time.Second

// survey asks servers, side by side, what runs there.
func (m *Manager) survey(ctx context.Context, servers []*server) []listing {
	all := make([]listing, len(servers))
	var asked sync.WaitGroup
	for i, s := range servers {
		asked.Go(func() {
			l := listing{server: s}
			if l.client, l.err = s.soon(ctx); l.err == nil {
				ctx, cancel := context.WithTimeout(ctx, listTime)
				defer cancel()
				l.found, l.err = m.running(ctx, s, l.client)
				l.err = s.explained(ctx, l.err)
			}
			all[i] = l
		})
	}
	asked.Wait()
	return all
}

// running lists the kernels of a server. If that does not list them (a gateway
// without list_kernels), it is ErrUnlisted with those that Easel has started
// there and that still run.
func (m *Manager) running(ctx context.Context, s *server, jup *jupyter.Server) ([]found, error) {
	for try := 1; ; try++ {
		fs, err := runningNow(ctx, jup)
		if errors.Is(err, ErrUnlisted) {
			return m.remembered(ctx, s, jup), err
		}
		if e, ok := errors.AsType[*jupyter.StatusError](err); !ok || e.Status != 500 || try == listTries {
			return fs, err
		}
		again := time.NewTimer(time.Duration(try) * 50 * time.Millisecond)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

func runningNow(ctx context.Context, jup *jupyter.Server) ([]found, error) {
	kernels, err := jup.Kernels(ctx)
	if errors.Is(err, jupyter.ErrUnauthorized) { // or a gateway without list_kernels: the specs tell
		if _, specs := jup.KernelSpecs(ctx); specs == nil {
			return nil, ErrUnlisted
		}
	}
	if err != nil {
		return nil, err
	}
	sessions, err := jup.Sessions(ctx)
	if err != nil && !isUnknown(err) {
		return nil, err
	}
	byKernel := make(map[string]*jupyter.SessionModel, len(sessions))
	for i := range sessions {
		byKernel[sessions[i].Kernel.ID] = &sessions[i]
	}
	fs := make([]found, len(kernels))
	for i, k := range kernels {
		fs[i] = found{k, byKernel[k.ID]}
	}
	return fs, nil
}

// remembered are the kernels of a server that the library knows, or that are
// joined, and that the server still has.
func (m *Manager) remembered(ctx context.Context, s *server, jup *jupyter.Server) []found {
	kept, err := m.cfg.Library.Sessions(ctx)
	if err != nil {
		m.cfg.Log.ErrorContext(ctx, "reading the sessions", "err", err)
	}
	var fs []found
	for _, sess := range kept {
		if sess.Server != s.name || !sess.EndedAt.IsZero() {
			continue
		}
		if k, err := jup.Kernel(ctx, sess.KernelID); err == nil {
			fs = append(fs, found{kernel: k})
		}
	}
	return fs
}

// List lists every kernel on every server that answers, with what Easel knows of
// it. Servers that do not answer contribute the kernels that Easel has joined.
func (m *Manager) List(ctx context.Context) ([]catalog.Session, error) {
	kept, err := m.cfg.Library.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]library.Session, len(kept))
	for _, s := range kept {
		byID[s.ID] = s
	}
	seen := make(map[string]bool)
	list := []catalog.Session{}
	servers, _ := m.chosen("")
	for _, l := range m.survey(ctx, servers) {
		if _, waits := errors.AsType[*NotReadyError](l.err); l.err != nil && !waits && !errors.Is(l.err, ErrUnlisted) {
			m.cfg.Log.WarnContext(ctx, "listing kernels", "server", l.server.name, "err", l.err)
		}
		for _, f := range l.found {
			if m.isPrestarted(f.kernel.ID) || seen[f.kernel.ID] { // seen: two names for one server
				continue
			}
			seen[f.kernel.ID] = true
			list = append(list, m.listed(l.server, f, byID[f.id()]))
		}
	}
	for _, v := range m.Live() {
		if !seen[v.KernelID] {
			list = append(list, v.Catalog(byID[v.ID].Images))
		}
	}
	return list, nil
}

func (m *Manager) listed(s *server, f found, kept library.Session) catalog.Session {
	if r := m.recorderOf(f.kernel.ID); r != nil {
		c := r.view().Catalog(kept.Images)
		if f.kernel.LastActivity.After(c.LastActivity) {
			c.LastActivity = f.kernel.LastActivity
		}
		return c
	}
	c := catalog.Session{
		SessionID: f.id(), KernelID: f.kernel.ID, KernelName: f.kernel.Name, Status: statusOf(f.kernel.State),
		CreatedAt: kept.CreatedAt, LastActivity: f.kernel.LastActivity, Server: s.name,
		Owner: OwnerOther, Generation: max(1, kept.Generation), Images: kept.Images,
	}
	if kept.Owner != "" {
		c.Owner = kept.Owner
	}
	if c.CreatedAt.IsZero() {
		c.CreatedAt = f.kernel.LastActivity // the server does not tell when it began
	}
	if f.session != nil {
		c.NotebookPath = f.session.Path
	}
	return c
}

// statusOf is the status of a session by what its server says of the kernel, which
// may be a word of a provisioner's own.
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

// Catalog is the session as clients see it.
func (v SessionView) Catalog(images int) catalog.Session {
	c := catalog.Session{
		SessionID: v.ID, KernelID: v.KernelID, KernelName: v.KernelName, Status: v.Status,
		CreatedAt: v.CreatedAt.UTC(), LastActivity: v.CreatedAt.UTC(), NotebookPath: v.NotebookPath,
		Server: v.Server, Owner: v.Owner, Generation: v.Generation, Images: images,
	}
	if v.Running != nil && v.Running.Since.After(c.LastActivity) {
		c.LastActivity = v.Running.Since
	}
	return c
}
