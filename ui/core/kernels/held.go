package kernels

import (
	"context"
	"strings"
	"time"

	"easel/ui/core/kernels/pool"
	"easel/ui/core/library"
)

// Pin sets whether Easel keeps a session that is unused.
func (m *Manager) Pin(ctx context.Context, id string, on bool) error {
	r, err := m.joined(ctx, id)
	if err != nil {
		return err
	}
	r.call(func() {
		r.mu.Lock()
		r.sess.Pinned = on
		r.mu.Unlock()
		r.keepSession()
	})
	m.Unused.WakeUp()
	return nil
}

// unused returns the sessions that may be ended when unused: those that Easel started, that
// have no notebook and that are not pinned.
func (m *Manager) unused() []pool.UnusedSession {
	var list []pool.UnusedSession
	for _, r := range m.recorders.all() {
		v := r.view()
		if v.Owner != OwnerEasel || v.Pinned || v.NotebookPath != "" || v.Gone {
			continue
		}
		r.mu.Lock()
		u := pool.UnusedSession{
			ID: v.ID, Used: r.used, Busy: v.Running != nil || v.Queued > 0 || r.awaitingApproval > 0,
			End: func(ctx context.Context, idle time.Duration) error { return m.endUnused(ctx, r, idle) },
		}
		r.mu.Unlock()
		if v.Users != "" {
			u.Users = strings.Fields(v.Users)
		}
		list = append(list, u)
	}
	return list
}

// endUnused ends a session that was unused for idle, and stores a list of its variables for
// clients that use its id later. If the session is in use after all, it returns errInUse.
func (m *Manager) endUnused(ctx context.Context, r *recorder, idle time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := r.openElsewhere(ctx, m.Sessions); err != nil {
		return err
	}
	held := r.holds(ctx)
	held.Unused = idle.Round(time.Second)
	var sess library.Session
	err := errInUse
	r.call(func() {
		if works, _ := r.works(); works || r.current != nil || len(r.queue)+len(r.awaiting) > 0 || r.isGone() {
			return
		}
		r.mu.Lock()
		since, pinned := time.Since(r.used), r.sess.Pinned
		if since >= idle && !pinned {
			r.sess.Held = &held
		}
		sess = r.sess
		r.mu.Unlock()
		if sess.Held == nil {
			return
		}
		err = nil
		r.gone("nobody used it for " + held.Unused.String())
	})
	if err != nil {
		return err
	}
	if err := r.remove(ctx, sess); err != nil { // the kernel stays in the list and can be deleted there
		r.log.ErrorContext(ctx, "ending an unused session", "err", err)
	}
	r.log.InfoContext(ctx, "ended an unused session", "unused", held.Unused, "client", sess.Client, "variables", len(held.Variables)+held.More)
	if m.cfg.On.Unused != nil {
		m.cfg.On.Unused(r.session())
	}
	return nil
}
