package kernels

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"easel/jupyter"
	"easel/ui/core/library"
)

// connectNew connects to the kernel that was just started for a session. If that says
// nothing for a while, a second one is started, and the session gets whichever
// answers first.
//
// Jupyter picks a kernel's ports before the kernel takes them. On a busy machine
// another process may get one meanwhile. Such a kernel hangs, its websocket does not
// open, and a restart has it try the same ports again. Nothing tells it from a kernel
// that is slow, so the first is not given up for the second.
func (m *Manager) connectNew(jup *jupyter.Server) connector {
	return func(ctx context.Context, sess *library.Session) (*jupyter.Kernel, jupyter.KernelModel, error) {
		first := jupyter.KernelModel{ID: sess.KernelID, Name: sess.KernelName}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(m.ctx, cancel)()
		r := &startRace{m: m, ctx: ctx, jup: jup, opts: m.followOptions(sess), candidates: make(chan candidate)}
		if sess.NotebookPath != "" {
			r.dir = path.Dir(sess.NotebookPath)
		}
		n, err := r.run(first)
		if err != nil || n.model.ID == first.ID {
			return n.conn, n.model, err
		}
		m.cfg.Log.WarnContext(ctx, "a kernel did not answer, another takes its place", "kernel", first.ID, "other", n.model.ID)
		if err := m.exchange(ctx, jup, sess, n.model); err != nil {
			_ = n.conn.Close()
			m.discard(jup, library.Session{KernelID: n.model.ID})
			return nil, n.model, err
		}
		return n.conn, n.model, nil
	}
}

// exchange gives a session that has just been made another kernel, and ends the one that
// it had.
func (m *Manager) exchange(ctx context.Context, jup *jupyter.Server, sess *library.Session, k jupyter.KernelModel) error {
	former := *sess
	sess.KernelID = k.ID
	if sess.NotebookPath == "" {
		sess.ID = k.ID
		m.discard(jup, former)
		return nil
	}
	_, err := jup.SetSessionKernel(ctx, sess.ID, k.ID)
	if errors.Is(err, jupyter.ErrNotFound) { // it ended with its kernel, which the server had given up
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

// A startRace is the wait for the first of the kernels that were started for one session.
type startRace struct {
	m          *Manager
	ctx        context.Context //nolint:containedctx // its end ends the race
	jup        *jupyter.Server
	opts       jupyter.FollowOptions
	dir        string // in which to start another; "" as the server likes
	candidates chan candidate
}

// A candidate is a kernel of a race: it answers, or err tells why it will not.
type candidate struct {
	model jupyter.KernelModel
	conn  *jupyter.Kernel
	err   error
}

// run gives the kernel that answers first: the one that has been started, or another.
func (r *startRace) run(first jupyter.KernelModel) (candidate, error) {
	if !r.m.task(func() { r.join(first) }) {
		return candidate{}, ErrClosed
	}
	fallback := time.NewTimer(r.m.timing.fallback)
	defer fallback.Stop()
	var failed error // the first kernel's reason counts more than the other's
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
			if r.m.task(func() { r.startFallback(first.Name) }) {
				waiting++
			}
		case <-r.ctx.Done():
			return candidate{}, fmt.Errorf("kernel %s: no answer: %w", first.ID, context.Cause(r.ctx))
		}
	}
	return candidate{}, failed
}

// join connects to a kernel and tells of it. It reports false if the kernel is not taken.
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

// startFallback starts a kernel for the race, and ends it if it is not taken.
func (r *startRace) startFallback(name string) {
	// The end of the race is no reason to break off: nobody would know of the kernel then.
	ctx, cancel := context.WithTimeout(r.m.ctx, time.Minute)
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
