package kernels

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/pool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/library"
)

// A NewSession says which session to start.
type NewSession struct {
	Server     string // "" for the default one
	KernelName string // of the kernelspec
	Notebook   string // its path on the server; "" for none
	// Directory is where the kernel works, relative to the server's root. With a notebook, the
	// server decides: it is the notebook's.
	Directory string
	Client    string // that starts it
	Title     string // what its client calls it; "" for what is asked first
}

// A StartedSession is what Open returns.
type StartedSession struct {
	record.SessionView
	NewNotebook bool // there was no notebook at the path
}

// Create is Open for callers that need only the session.
func (m *Manager) Create(ctx context.Context, n NewSession) (library.Session, error) {
	s, err := m.Open(ctx, n)
	return s.Session, err
}

// Open starts a kernel on a server and joins it. With a notebook path, it opens the
// session of the notebook, which may exist already. If the server is being installed or
// started, Open waits for it for a limited time, so that the kernel has some of ctx's.
func (m *Manager) Open(ctx context.Context, n NewSession) (StartedSession, error) {
	s, err := m.Servers.Lookup(n.Server)
	if err != nil {
		return StartedSession{}, err
	}
	if err := s.StartsNone(); err != nil {
		return StartedSession{}, err
	}
	jup, err := s.Now()
	starts := err != nil
	if starts {
		wait, cancel := context.WithTimeout(ctx, m.timing.server)
		jup, err = s.Ready(wait)
		cancel()
	}
	if err != nil {
		return StartedSession{}, err
	}
	sess := library.Session{
		Server: s.Name, Client: n.Client, Title: n.Title, Assistant: tool.CallerFrom(ctx).Assistant, Owner: record.OwnerEasel,
		CreatedAt: time.Now().UTC(), Generation: 1,
	}
	if n.Notebook == "" {
		sess.Directory = directory(s, jup, n.Directory)
	}
	v, err := m.create(ctx, s, jup, sess, n)
	if starts && errors.Is(err, context.DeadlineExceeded) {
		// A new environment on a slow disk. The next call finds it read.
		return v, &servers.NotReadyError{Health: catalog.ServerHealth{
			Name: s.Name, State: servers.StateStarting, Message: "it has just started, and its first kernel has not responded yet",
		}}
	}
	return v, s.Explained(ctx, err)
}

// directory returns the path of a directory relative to a server's root, or "" if that is on
// another machine and no project of Easel's.
func directory(s *servers.Server, jup *jupyter.Server, dir string) string {
	root := jup.Root()
	switch {
	case root == "" || jup.Elsewhere() && !s.Managed:
		return ""
	case jup.Elsewhere():
		return path.Join(root, dir)
	}
	return filepath.Join(root, filepath.FromSlash(dir))
}

func (m *Manager) create(ctx context.Context, s *servers.Server, jup *jupyter.Server, sess library.Session,
	n NewSession,
) (StartedSession, error) {
	if n.Notebook != "" {
		return m.createAt(ctx, s, jup, sess, n)
	}
	release, err := m.starts.reserve(ctx, s)
	if err != nil {
		return StartedSession{}, err
	}
	defer release()
	var warm *pool.PrestartedKernel // it works in the server's root
	if n.Directory == "" {
		warm = m.Prestarter.Take(ctx, s, jup, n.KernelName)
	}
	var k jupyter.KernelModel
	if warm != nil {
		k = warm.Model
	} else if k, err = pool.Start(ctx, jup, jupyter.StartKernelRequest{Name: n.KernelName, Path: n.Directory}); err != nil {
		return StartedSession{}, err
	}
	sess.ID, sess.KernelID, sess.KernelName = k.ID, k.ID, k.Name
	return m.begun(ctx, s, jup, sess, warm)
}

// createAt opens the session of a notebook.
func (m *Manager) createAt(ctx context.Context, s *servers.Server, jup *jupyter.Server, sess library.Session,
	n NewSession,
) (StartedSession, error) {
	release := func() {}
	defer func() { release() }()
	opened, err := m.notebooks.open(ctx, servers.Host{Name: s.Name, Client: jup}, n.Notebook, n.KernelName, func() (err error) {
		release, err = m.starts.reserve(ctx, s)
		return err
	})
	if err != nil {
		return StartedSession{}, err
	}
	model := opened.model
	if opened.existed {
		r, err := m.join(ctx, s, jup, survey.Kernel{Model: model.Kernel, Session: &model}, sess.Client)
		if err != nil {
			return StartedSession{}, err
		}
		return StartedSession{SessionView: r.Session.View()}, nil
	}
	sess.ID, sess.KernelID, sess.KernelName = model.ID, model.Kernel.ID, model.Kernel.Name
	sess.NotebookPath = model.Path
	m.succeed(ctx, &sess)
	begun, err := m.begun(ctx, s, jup, sess, nil)
	begun.NewNotebook = opened.created
	return begun, err
}

// begun joins the kernel of a new session. If that fails, it deletes the kernel.
func (m *Manager) begun(ctx context.Context, s *servers.Server, jup *jupyter.Server, sess library.Session,
	warm *pool.PrestartedKernel,
) (StartedSession, error) {
	options := m.timing.options(m.cfg.Log)
	connect := connectNew(pool.FallbackStart{Background: m.background, Client: jup, Options: options, After: m.timing.fallback})
	switch {
	case warm != nil:
		connect = func(context.Context, *library.Session) (*jupyter.Kernel, jupyter.KernelModel, error) {
			return warm.Conn, jupyter.KernelModel{}, nil
		}
	case s.Managed: // its kernels get private ports (easel_ports.py), so they need no fallback
		connect = connectTo(jup, options)
	}
	r, err := m.follow(ctx, s, jup, &sess, connect, false)
	if err != nil {
		m.background.Discard(jup, sess.KernelID)
		if errors.Is(err, context.DeadlineExceeded) { // for example, its ports are in use
			err = fmt.Errorf("%w: it did not respond in time and was ended: %w", jupyter.ErrKernelStart, err)
		}
		return StartedSession{}, err
	}
	return StartedSession{SessionView: r.Session.View()}, nil
}
