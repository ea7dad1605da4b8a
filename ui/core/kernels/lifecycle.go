package kernels

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"easel/jupyter"
	"easel/ui/core/library"
)

// Delete ends a session's kernel. One that Easel did not start is only left,
// unless force.
func (m *Manager) Delete(ctx context.Context, id string, force bool) (library.Session, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return library.Session{}, err
	}
	sess := r.session()
	if sess.Owner != OwnerEasel && !force {
		r.call(func() { r.parted("Easel left the kernel") })
		return sess, nil
	}
	if err := r.remove(ctx, sess); err != nil {
		return sess, r.explained(ctx, err)
	}
	r.call(func() { r.gone("it was deleted") })
	return sess, nil
}

// removeTries is how often a server is asked to end a kernel: while one starts
// again after its death, some answer 500.
const removeTries = 5

// remove has the server end the kernel; that it has ended already is fine.
func (r *recorder) remove(ctx context.Context, sess library.Session) error {
	for try := 1; ; try++ {
		var err error
		if sess.ID != sess.KernelID {
			err = r.client.DeleteSession(ctx, sess.ID)
		} else {
			err = r.client.DeleteKernel(ctx, sess.KernelID)
		}
		if err == nil || isUnknown(err) {
			return nil
		}
		if e, ok := errors.AsType[*jupyter.StatusError](err); !ok || e.Status != http.StatusInternalServerError || try == removeTries {
			return err
		}
		again := time.NewTimer(time.Duration(try) * 500 * time.Millisecond)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return err
		}
	}
}

// Restart restarts a session's kernel and waits until it serves again.
func (m *Manager) Restart(ctx context.Context, id string, force bool) (SessionView, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return SessionView{}, err
	}
	if r.session().Owner != OwnerEasel && !force {
		return SessionView{}, ErrNotOurs
	}
	// What the kernel does is ended first, so a server that is away or refuses the
	// login must say so before.
	if _, err := r.client.Kernel(ctx, r.conn.ID()); errors.Is(err, jupyter.ErrUnauthorized) || errors.Is(err, jupyter.ErrUnreachable) {
		return SessionView{}, fmt.Errorf("restarting the kernel: %w", r.explained(ctx, err))
	}
	var probe int
	r.call(func() {
		r.process = processUsed // it counts
		r.restart("The kernel was restarted. Its variables are lost; earlier output and plots are kept.", false)
		probe = r.beginProbe() // nothing is sent while it restarts
	})
	_, err = r.client.RestartKernel(ctx, r.conn.ID())
	if err == nil {
		err = r.conn.Probe(ctx)
	}
	r.call(func() { r.probeAnswered(probe, err) })
	if err != nil {
		return SessionView{}, fmt.Errorf("restarting the kernel: %w", r.explained(ctx, err))
	}
	return r.view(), nil
}

// Restore joins the kernels of a server that Easel had joined before it was
// restarted, so that nothing they draw is missed. On the managed server it ends
// those that nobody can want any more.
func (m *Manager) Restore(ctx context.Context, name string) error {
	s, err := m.lookup(name)
	if err != nil {
		return err
	}
	jup, err := s.now()
	if err != nil {
		return err
	}
	fs, err := m.running(ctx, s, jup)
	if err != nil && !errors.Is(err, ErrUnlisted) {
		return err
	}
	m.endMissingOrphans(ctx, name, jup, fs)
	for _, f := range fs {
		kept, err := m.cfg.Library.Session(ctx, f.id())
		if s.managed && errors.Is(err, library.ErrNotFound) && (m.isPrestarted(f.kernel.ID) || m.leftover(f)) {
			m.cfg.Log.InfoContext(ctx, "ending a kernel that an earlier Easel has left", "kernel", f.kernel.ID)
			m.discard(jup, library.Session{KernelID: f.kernel.ID})
			continue
		}
		if err != nil || !kept.EndedAt.IsZero() || kept.Server != name {
			continue
		}
		if _, err := m.join(ctx, s, jup, f, kept.Client); err != nil {
			m.cfg.Log.WarnContext(ctx, "joining a kernel again", "kernel", f.kernel.ID, "err", err)
		}
	}
	return nil
}

// leftover tells whether a kernel that the library does not know is the prestarted one
// of an Easel that crashed: it has no notebook, nobody is connected to it, and
// nothing has moved in it since before this Easel began.
func (m *Manager) leftover(f found) bool {
	return f.session == nil && f.kernel.Connections == 0 &&
		!f.kernel.LastActivity.IsZero() && f.kernel.LastActivity.Before(m.began)
}

// Info tells what kernel a session has.
func (m *Manager) Info(ctx context.Context, id string) (jupyter.KernelInfo, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return jupyter.KernelInfo{}, err
	}
	return r.conn.Info(), nil
}
