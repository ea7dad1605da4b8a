package kernels

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"easel/jupyter"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
)

// connectNew returns a connector to the kernel that was just started for a session. If the
// kernel does not respond for a while, it starts a second one, and the session gets the
// kernel that responds first.
//
// Jupyter chooses a kernel's ports before the kernel opens them. On a busy machine,
// another process may take one in between. Such a kernel hangs, its websocket does not
// open, and a restart tries the same ports again. It cannot be distinguished from a slow
// kernel, so the first is not given up when the second is started.
func (m *Manager) connectNew(jup *jupyter.Server) connector {
	return func(ctx context.Context, sess *library.Session) (*jupyter.Kernel, jupyter.KernelModel, error) {
		first := jupyter.KernelModel{ID: sess.KernelID, Name: sess.KernelName}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(m.tasks.Context(), cancel)()
		r := &startRace{m: m, ctx: ctx, jup: jup, opts: m.followOptions(sess), candidates: make(chan candidate)}
		if sess.NotebookPath != "" {
			r.dir = path.Dir(sess.NotebookPath)
		}
		n, err := r.run(first)
		if err != nil || n.model.ID == first.ID {
			return n.conn, n.model, err
		}
		m.cfg.Log.WarnContext(ctx, "a kernel did not respond; using another", "kernel", first.ID, "other", n.model.ID)
		if err := m.exchange(ctx, jup, sess, n.model); err != nil {
			_ = n.conn.Close()
			m.discard(jup, library.Session{KernelID: n.model.ID})
			return nil, n.model, err
		}
		return n.conn, n.model, nil
	}
}

// exchange moves a new session to another kernel. Without a notebook, it deletes the former
// kernel. With one, it changes the kernel of the Jupyter session, whereupon the server ends
// the former one. After an error, sess is unchanged.
func (m *Manager) exchange(ctx context.Context, jup *jupyter.Server, sess *library.Session, k jupyter.KernelModel) error {
	former := *sess
	sess.KernelID = k.ID
	if sess.NotebookPath == "" {
		sess.ID = k.ID
		m.discard(jup, former)
		return nil
	}
	_, err := jup.SetSessionKernel(ctx, sess.ID, k.ID)
	if errors.Is(err, jupyter.ErrNotFound) { // the server gave up the kernel, which ended the session
		var model jupyter.SessionModel
		model, err = jup.CreateSession(ctx, jupyter.CreateSessionRequest{
			Path: sess.NotebookPath, Name: path.Base(sess.NotebookPath), Type: "notebook", KernelID: k.ID,
		})
		sess.ID = model.ID
	}
	if err != nil {
		*sess = former
	}
	return err
}

// A startRace waits for the first of the kernels that were started for one session.
type startRace struct {
	m          *Manager
	ctx        context.Context //nolint:containedctx // its end ends the race
	jup        *jupyter.Server
	opts       jupyter.FollowOptions
	dir        string // to start the second kernel in; "" for the server's default
	candidates chan candidate
}

// A candidate is a kernel of a race that has responded or failed.
type candidate struct {
	model jupyter.KernelModel
	conn  *jupyter.Kernel
	err   error
}

// run returns the kernel that responds first: the given one, or the fallback.
func (r *startRace) run(first jupyter.KernelModel) (candidate, error) {
	if !r.m.tasks.Go(func() { r.join(first) }) {
		return candidate{}, tasks.ErrClosed
	}
	fallback := time.NewTimer(r.m.timing.fallback)
	defer fallback.Stop()
	var failed error // the first kernel's error, if there is one, else the fallback's
	for waiting := 1; waiting > 0; {
		select {
		case n := <-r.candidates:
			if n.err == nil {
				return n, nil
			}
			waiting--
			if failed == nil || n.model.ID == first.ID {
				failed = n.err
			}
		case <-fallback.C:
			if r.m.tasks.Go(func() { r.startFallback(first.Name) }) {
				waiting++
			}
		case <-r.ctx.Done():
			return candidate{}, fmt.Errorf("kernel %s: no answer: %w", first.ID, context.Cause(r.ctx))
		}
	}
	return candidate{}, failed
}

// join connects to a kernel and sends it to r.candidates. It reports whether it connected
// before the race ended.
func (r *startRace) join(k jupyter.KernelModel) (taken bool) {
	conn, err := r.jup.Follow(r.ctx, k.ID, r.opts)
	select {
	case r.candidates <- candidate{k, conn, err}:
		return err == nil
	case <-r.ctx.Done():
		if conn != nil {
			_ = conn.Close()
		}
		return false
	}
}

// startFallback starts the second kernel of the race, and deletes it if it is not needed.
func (r *startRace) startFallback(name string) {
	// The request continues after the end of the race. If it were cancelled, the server
	// might start a kernel whose id is unknown, which nobody would delete.
	ctx, cancel := context.WithTimeout(r.m.tasks.Context(), time.Minute)
	defer cancel()
	k, err := startKernel(ctx, r.jup, name, r.dir)
	if err != nil {
		select {
		case r.candidates <- candidate{err: err}:
		case <-r.ctx.Done():
		}
		return
	}
	if !r.join(k) {
		r.m.discard(r.jup, library.Session{KernelID: k.ID})
	}
}
