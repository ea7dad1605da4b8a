package kernels

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
)

// A found is a running kernel on a server, with its Jupyter session, or nil.
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

// listTries is the number of attempts to list kernels. jupyter-server 2.21 returns status
// 500 while a kernel is starting, because that kernel has no last_activity yet.
const listTries = 5

// A listing is the kernels that run on a server, or the reason why they are unknown.
type listing struct {
	server *servers.Server
	client *jupyter.Server
	found  []found
	err    error // if ErrUnlisted, found has the kernels that Easel knows
}

// listTime is the time limit for listing the kernels of one server, so that one that hangs
// does not block a list of all.
const listTime = 5 * time.Second

// survey lists the kernels of servers, in parallel. The result is in the order of of.
func (m *Manager) survey(ctx context.Context, of []*servers.Server) []listing {
	all := make([]listing, len(of))
	var asked sync.WaitGroup
	for i, s := range of {
		asked.Go(func() {
			l := listing{server: s}
			if s.Local && m.cfg.ListLocal != nil && !m.cfg.ListLocal() {
				all[i] = l
				return
			}
			if l.client, l.err = s.Soon(ctx); l.err == nil {
				ctx, cancel := context.WithTimeout(ctx, listTime)
				defer cancel()
				l.found, l.err = m.running(ctx, s, l.client)
				l.err = s.Explained(ctx, l.err)
			}
			all[i] = l
		})
	}
	asked.Wait()
	m.dropServed(all)
	return all
}

// running returns the kernels of a server. If the server does not list them (a gateway
// without list_kernels), it returns the running kernels that Easel knows, and ErrUnlisted.
func (m *Manager) running(ctx context.Context, s *servers.Server, jup *jupyter.Server) ([]found, error) {
	for try := 1; ; try++ {
		fs, err := m.runningNow(ctx, s, jup)
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

func (m *Manager) runningNow(ctx context.Context, s *servers.Server, jup *jupyter.Server) ([]found, error) {
	kernels, err := jup.Kernels(ctx)
	if errors.Is(err, jupyter.ErrUnauthorized) { // if the specs are readable, it is a gateway without list_kernels
		if _, specs := jup.KernelSpecs(ctx); specs == nil {
			return nil, ErrUnlisted
		}
	}
	if err != nil {
		return nil, err
	}
	sessions, err := m.Sessions(ctx, servers.Host{Name: s.Name, Client: jup})
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

// askAtOnce is the number of requests at once about single kernels. The server may be far away.
const askAtOnce = 16

// remembered returns the kernels of open sessions in the library that a server still has. It
// asks the server only about those that are not joined: the connections to the others show
// that they exist.
func (m *Manager) remembered(ctx context.Context, s *servers.Server, jup *jupyter.Server) []found {
	kept, err := m.cfg.Library.Sessions(ctx)
	if err != nil {
		m.cfg.Log.ErrorContext(ctx, "reading the sessions", "err", err)
	}
	kept = slices.DeleteFunc(kept, func(x library.Session) bool { return x.Server != s.Name || !x.EndedAt.IsZero() })
	fs := make([]found, len(kept))
	slots := make(chan struct{}, askAtOnce)
	var asked sync.WaitGroup
	for i, sess := range kept {
		if m.recorderOf(sess.KernelID) != nil {
			fs[i].kernel = jupyter.KernelModel{ID: sess.KernelID, Name: sess.KernelName}
			continue
		}
		asked.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if k, err := jup.Kernel(ctx, sess.KernelID); err == nil {
				fs[i].kernel = k
			}
		})
	}
	asked.Wait()
	return slices.DeleteFunc(fs, func(f found) bool { return f.kernel.ID == "" })
}

// List returns all kernels on all servers, with what Easel knows about them. For a server
// that does not respond, it returns the kernels that Easel has joined.
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
	everywhere, _ := m.Servers.Select("")
	for _, l := range m.survey(ctx, everywhere) {
		if _, waits := errors.AsType[*servers.NotReadyError](l.err); l.err != nil && !waits && !errors.Is(l.err, ErrUnlisted) {
			m.cfg.Log.WarnContext(ctx, "listing kernels", "server", l.server.Name, "err", l.err)
		}
		for _, f := range l.found {
			if m.Prestarter.Contains(f.kernel.ID) || m.Hidden.Contains(f.kernel.ID) || seen[f.kernel.ID] { // a server may have two names
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

func (m *Manager) listed(s *servers.Server, f found, kept library.Session) catalog.Session {
	if r := m.recorderOf(f.kernel.ID); r != nil {
		c := r.view().Catalog(kept.Images)
		if f.kernel.LastActivity.After(c.LastActivity) {
			c.LastActivity = f.kernel.LastActivity
		}
		c.Process = processOf(f.kernel)
		return c
	}
	c := catalog.Session{
		SessionID: f.id(), KernelID: f.kernel.ID, KernelName: f.kernel.Name, Status: statusOf(f.kernel.State),
		CreatedAt: kept.CreatedAt, LastActivity: f.kernel.LastActivity, Server: s.Name,
		Owner: OwnerOther, Generation: max(1, kept.Generation), Images: kept.Images,
	}
	if kept.Owner != "" {
		c.Owner = kept.Owner
	}
	if c.CreatedAt.IsZero() {
		c.CreatedAt = f.kernel.LastActivity // servers do not report the time of creation
	}
	if f.session != nil {
		c.NotebookPath = f.session.Path
	}
	c.Process = processOf(f.kernel)
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

// Catalog returns the session as clients see it.
func (v SessionView) Catalog(images int) catalog.Session {
	c := catalog.Session{
		SessionID: v.ID, KernelID: v.KernelID, KernelName: v.KernelName, Status: v.Status,
		CreatedAt: v.CreatedAt.UTC(), LastActivity: v.CreatedAt.UTC(), NotebookPath: v.NotebookPath,
		Server: v.Server, Owner: v.Owner, Generation: v.Generation, Images: images, Clients: sessionuse.Names(v.Clients),
	}
	if x := v.Running; x != nil {
		c.Running = &catalog.RunningCode{
			ExecutionID: x.ExecutionID, Since: x.Since.UTC(), Client: x.Client, Code: catalog.FirstLine(x.Code),
		}
		if !x.Since.IsZero() {
			c.Running.Seconds = int(time.Since(x.Since).Seconds())
		}
	}
	if v.Running != nil && v.Running.Since.After(c.LastActivity) {
		c.LastActivity = v.Running.Since
	}
	return c
}
