package kernels

import (
	"context"
	"strings"
	"time"

	"easel/ui/core/kernels/pool"
	"easel/ui/core/kernels/record"
)

// Pin sets whether Easel keeps a session that is unused.
func (m *Manager) Pin(ctx context.Context, id string, on bool) error {
	r, err := m.joined(ctx, id)
	if err != nil {
		return err
	}
	r.Session.Pin(on)
	m.Unused.WakeUp()
	return nil
}

// Rename gives a session, live or ended, the user's name; "" takes it back.
func (m *Manager) Rename(ctx context.Context, id, name string) error {
	if r := m.recorders.find(id); r != nil && r.Session.Rename(name) {
		return nil
	}
	sess, err := m.cfg.Library.Sessions.Get(ctx, id)
	if err != nil {
		return err
	}
	sess.Name = name
	return m.cfg.Library.Sessions.Put(ctx, sess)
}

// unused returns the sessions that may be ended when unused: those that Easel started, that
// have no notebook and that are not pinned.
func (m *Manager) unused() []pool.UnusedSession {
	var list []pool.UnusedSession
	for _, r := range m.recorders.all() {
		u, may := unusedSession(r.Session.View())
		if !may {
			continue
		}
		u.End = func(ctx context.Context, idle time.Duration) error { return m.endUnused(ctx, r, idle) }
		list = append(list, u)
	}
	return list
}

// unusedSession returns the session of v as one that may be ended. It returns false if it must not be.
func unusedSession(v record.SessionView) (pool.UnusedSession, bool) {
	u := pool.UnusedSession{ID: v.ID, Used: v.Used, Busy: v.Running != nil || v.Queued > 0 || v.Awaiting > 0}
	if v.Users != "" {
		u.Users = strings.Fields(v.Users)
	}
	return u, v.Owner == record.OwnerEasel && !v.Pinned && v.NotebookPath == "" && !v.Gone
}

// endUnused ends a session that was unused for idle, and stores a list of its variables for
// clients that use its id later. If the session is in use after all, it returns errInUse.
func (m *Manager) endUnused(ctx context.Context, r *record.Recorder, idle time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	m.takeLast(ctx, r)
	if err := r.EndUnused(ctx, idle, m.Sessions); err != nil {
		return err
	}
	if m.cfg.On.Unused != nil {
		m.cfg.On.Unused(r.Session.Stored())
	}
	return nil
}
