package kernels

import (
	"context"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
)

// Replaced returns how the variables of a session were lost, if the caller of ctx has used it
// before and was not told. From then on, it counts as told.
func (m *Manager) Replaced(ctx context.Context, session string) *catalog.KernelReplaced {
	client := sessionuse.ActorOf(ctx)
	if session == "" || client.ID == "" {
		return nil
	}
	r := m.recorders.find(session)
	if r == nil {
		return nil
	}
	news, generation, ok := r.Session.Tell(ctx)
	if !ok {
		return nil
	}
	return &catalog.KernelReplaced{
		Generation: generation, By: sessionuse.Actor{ID: news.ByID, Name: news.By}.To(client), At: news.At.Truncate(time.Second),
		Note: catalog.VariablesLost,
	}
}

// succeed makes a new session of a notebook, which has none on its server, the successor of its
// last one.
func (m *Manager) succeed(ctx context.Context, sess *library.Session) {
	all, err := m.cfg.Library.Sessions.All(ctx)
	if err != nil {
		m.cfg.Log.WarnContext(ctx, "looking for the last session of a notebook", "err", err)
		return
	}
	i := slices.IndexFunc(all, func(s library.Session) bool { return s.Server == sess.Server && s.NotebookPath == sess.NotebookPath })
	if i < 0 {
		return
	}
	last, by := all[i], sessionuse.EndedItself
	if r := m.recorders.find(last.ID); r != nil {
		last = r.Session.Stored()
	} else if last.EndedAt.IsZero() && last.CreatedAt.Before(m.began) {
		last.EndedAt, by = m.began.UTC(), sessionuse.EaselBegan
	}
	if last.EndedAt.IsZero() { // the server has ended it just now
		last.EndedAt = time.Now().UTC()
	}
	sessionuse.Succeed(sess, last, by)
}
