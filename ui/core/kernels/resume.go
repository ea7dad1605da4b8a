package kernels

import (
	"context"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// endedRequests are the executions of a session that its kernel may still speak of, though they
// have ended, by the msg_id under which it does: a thread may print late.
func (m *Manager) endedRequests(ctx context.Context, sess library.Session) map[string]library.Execution {
	xs, err := m.cfg.Library.Executions(ctx, library.ExecutionQuery{SessionID: sess.ID})
	if err != nil {
		m.cfg.Log.WarnContext(ctx, "looking for what ran in a kernel before it was joined", "session", sess.ID, "err", err)
	}
	by := make(map[string]library.Execution)
	for _, x := range xs {
		if x.Request != "" && x.KernelID == sess.KernelID && catalog.Ended(x.Status) {
			by[x.Request] = x
		}
	}
	return by
}

// restoreEnded takes up what has ended before the kernel was joined, and of which it speaks now.
func (r *recorder) restoreEnded(x library.Execution) *run {
	delete(r.endedBefore, x.Request)
	r.processMentioned()
	images, err := r.m.cfg.Library.ExecutionImages(r.keeping(), x.ID)
	if err != nil {
		r.log.Error("looking for the images of an execution", "execution", x.ID, "err", err)
	}
	u := &run{
		x: restored(r.m.cfg.Library, x, images), request: x.Request, own: x.Own, timeout: x.Timeout,
		kept: true,
	}
	r.advance(u, runEnded)
	r.track(u)
	return u
}

// resume has the recorder go on with what an earlier Easel has begun in its kernel, before
// it hears anything: what the kernel says of it decides how it ends, or that it says nothing.
func (r *recorder) resume(unfinished []*Execution) {
	for _, x := range unfinished {
		rec := x.record()
		u := &run{
			x: x, request: rec.Request, own: rec.Own, timeout: rec.Timeout, lastSign: time.Now(),
			kept: true, resumed: true, linkLost: true,
		}
		r.advance(u, runUnconfirmed)
		r.track(u)
		if u.own && r.orphaned { // nobody else can have begun what the kernel works at
			r.adopt(u)
			x.update(func() { x.doubt = hintLikely })
		}
	}
	if len(unfinished) > 0 {
		r.checkForeign()
	}
}

// confirm follows the first message about what an earlier Easel started: it runs, or the
// server has buffered its end.
func (r *recorder) confirm(u *run) {
	r.advance(u, runRunning)
	r.processMentioned()
	u.shown = nil
	u.addTruncation("output", 0, reasonLinkLost)
	u.x.update(func() { u.x.doubt = "" })
	r.notify(catalog.ExecutionStarted, u)
}

// processMentioned follows a message about code that ran before the kernel was joined: its process
// is not new.
func (r *recorder) processMentioned() {
	if r.process == processNew {
		r.process = processUsed
	}
}

// clearDoubt removes the hint that it is unknown whether u runs: it does.
func (r *recorder) clearDoubt(u *run) {
	if u.x.doubt != "" && u.phase != runUnconfirmed && !u.phase.ended() { // only the recorder changes it
		u.x.update(func() { u.x.doubt = "" })
	}
}

// adopt has u, of which the kernel speaks, be what it works at, if that was not known.
// Otherwise it has ended, and its end comes, or checkStalled notices that it is missing.
func (r *recorder) adopt(u *run) {
	switch {
	case u.phase.ended() || r.foreign != unknownRequest:
	case u.own:
		r.foreign, r.orphaned, r.current = "", false, u // not worksAt: it has not ended
		r.bound(u, time.Until(u.x.record().StartedAt.Add(u.timeout)))
	default:
		r.worksAt(u.request)
	}
}
