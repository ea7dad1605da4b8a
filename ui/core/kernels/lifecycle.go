package kernels

import (
	"context"
	"errors"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/library"
)

// Delete ends the kernel of a session. If Easel did not start the kernel and force is not
// set, Delete only disconnects from it. It never ends a kernel that no server runs: with
// force, it returns servers.ErrNoServer.
func (m *Manager) Delete(ctx context.Context, id string, force bool) (library.Session, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return library.Session{}, err
	}
	sess := r.Session.Stored()
	if sess.Server == catalog.ThisMachine && force {
		return sess, servers.ErrNoServer
	}
	if sess.Owner != record.OwnerEasel && !force {
		r.Leave("Easel left the kernel")
		return sess, nil
	}
	m.takeLast(ctx, r)
	return sess, r.Delete(ctx)
}

// Restart restarts the kernel of a session and waits until it responds. It returns
// ErrNotOurs if Easel did not start the kernel and force is not set, and servers.ErrNoServer if no
// server runs it.
func (m *Manager) Restart(ctx context.Context, id string, force bool) (record.SessionView, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return record.SessionView{}, err
	}
	if r.Session.Stored().Server == catalog.ThisMachine {
		return record.SessionView{}, servers.ErrNoServer
	}
	if r.Session.Stored().Owner != record.OwnerEasel && !force {
		return record.SessionView{}, ErrNotOurs
	}
	before, environment := r.Restarts(), "" // everything below may take long
	if stored := r.Session.Stored(); stored.Environment != "" && m.cfg.Renew != nil {
		// If it cannot run a kernel anymore, the one that runs is not lost.
		if environment, err = m.cfg.Renew(ctx, stored.Server, stored.KernelName); err != nil {
			return record.SessionView{}, err
		}
	}
	m.takeLast(ctx, r)
	if err := r.Restart(ctx, before); err != nil {
		return record.SessionView{}, err
	}
	if environment != "" {
		r.Session.SetEnvironment(environment)
	}
	return r.Session.View(), nil
}

// Restore joins the kernels of a server that an earlier run of Easel had joined, so that
// none of their output is missed. On a managed server, it ends prestarted kernels that an
// earlier run has left.
func (m *Manager) Restore(ctx context.Context, name string) error {
	s, err := m.Servers.Lookup(name)
	if err != nil {
		return err
	}
	jup, err := s.Now()
	if err != nil {
		return err
	}
	fs, err := m.survey.Running(ctx, s, jup)
	if err != nil && !errors.Is(err, survey.ErrUnlisted) {
		return err
	}
	m.recovery.endMissing(ctx, name, jup, fs)
	m.Hidden.EndLeft(name, jup)
	for _, f := range fs {
		if m.Hidden.Contains(f.Model.ID) {
			continue
		}
		kept, err := m.cfg.Library.Sessions.Get(ctx, f.ID())
		if s.Managed && errors.Is(err, library.ErrNotFound) && (m.Prestarter.Contains(f.Model.ID) || !jup.Elsewhere() && leftover(f, m.began)) {
			m.cfg.Log.InfoContext(ctx, "ending a kernel left by an earlier run", "kernel", f.Model.ID)
			m.background.Discard(jup, f.Model.ID)
			continue
		}
		if err != nil || !kept.EndedAt.IsZero() || kept.Server != name {
			continue
		}
		if _, err := m.join(ctx, s, jup, f, kept.Client); err != nil {
			m.cfg.Log.WarnContext(ctx, "reconnecting to a kernel", "kernel", f.Model.ID, "err", err)
		}
	}
	return nil
}

// Info returns the kernel_info of the kernel of a session.
func (m *Manager) Info(ctx context.Context, id string) (jupyter.KernelInfo, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return jupyter.KernelInfo{}, err
	}
	return r.Link.Info(), nil
}

// Known returns the id of a running session, given its id or its kernel's id. It joins the
// session if necessary.
func (m *Manager) Known(ctx context.Context, id string) (string, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return "", err
	}
	return r.Session.Stored().ID, nil
}

// leftover reports whether a kernel that is not in the library was probably prestarted by
// an earlier run of Easel that crashed: it has no Jupyter session, no connections, and no
// activity since this Easel began. The clock of another machine cannot say that.
func leftover(f survey.Kernel, began time.Time) bool {
	return f.Session == nil && f.Model.Connections == 0 &&
		!f.Model.LastActivity.IsZero() && f.Model.LastActivity.Before(began)
}

// Holds reports whether Easel started the kernel of a session, and how many of the kernel's
// connections are Easel's.
func (m *Manager) Holds(ctx context.Context, sessionID, kernelID string) (started bool, connections int) {
	if r := m.recorders.find(kernelID); r != nil {
		if r.Link.Connected() {
			connections = 1
		}
		return r.Session.Stored().Owner == record.OwnerEasel, connections
	}
	kept, err := m.cfg.Library.Sessions.Get(ctx, sessionID)
	return err == nil && kept.Owner == record.OwnerEasel && kept.KernelID == kernelID, 0
}
