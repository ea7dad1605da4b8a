package kernels

import (
	"cmp"
	"context"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/library"
)

// spoken are the executions of a session that its kernel may still speak of, by the
// msg_id under which it does: what was begun before the kernel was joined.
func (m *Manager) spoken(ctx context.Context, sess library.Session) map[string]library.Execution {
	xs, err := m.cfg.Library.Executions(ctx, library.ExecutionQuery{SessionID: sess.ID})
	if err != nil {
		m.cfg.Log.WarnContext(ctx, "looking for what ran in a kernel before it was joined", "session", sess.ID, "err", err)
	}
	by := make(map[string]library.Execution)
	for _, x := range xs {
		if x.Request != "" && x.KernelID == sess.KernelID {
			by[x.Request] = x
		}
	}
	return by
}

// resume takes up what was begun before the kernel was joined, and of which it speaks now.
func (r *recorder) resume(x library.Execution) *run {
	delete(r.unheard, x.Request)
	r.fresh = false
	images, err := r.m.cfg.Library.ExecutionImages(r.keeping(), x.ID)
	if err != nil {
		r.log.Error("looking for the images of an execution", "execution", x.ID, "err", err)
	}
	u := &run{
		x: restored(r.m.cfg.Library, x, images), request: x.Request, own: x.Own, timeout: x.Timeout,
		kept: true, started: true, over: true, unknown: x.Status == catalog.StatusLost || !catalog.Ended(x.Status),
	}
	r.note(u)
	return u
}

// reopen goes on with what was given up without knowing what became of it: the kernel
// speaks of it again. It runs, or the server has kept its end.
func (r *recorder) reopen(u *run) {
	u.unknown, u.over = false, false
	u.resumed, u.linkLost = true, true
	u.stop, u.shown = cause{}, nil
	u.note("output", 0, noteLinkLost)
	u.x.update(func() {
		rec := &u.x.rec
		rec.Status, rec.EndedAt, rec.Error = catalog.StatusRunning, time.Time{}, nil
		if rec.StartedAt.IsZero() { // it is kept with the end only
			rec.StartedAt = cmp.Or(rec.SentAt, rec.CreatedAt)
		}
		u.x.hint, u.x.done = "", make(chan struct{})
	})
	r.m.revive(u.x)
	r.keep(u)
	r.tell(catalog.ExecutionStarted, u)
}

// adopt has u, of which the kernel speaks, be what it works at, if that was not known.
// Otherwise it has ended, and its end comes, or look misses that.
func (r *recorder) adopt(u *run) {
	switch {
	case u.over || r.foreign != unknownRequest:
	case u.own:
		r.foreign, r.left, r.current = "", false, u // not worksAt: it has not ended
		r.bound(u, time.Until(u.x.rec.StartedAt.Add(u.timeout)))
	default:
		r.worksAt(u.request)
	}
}
