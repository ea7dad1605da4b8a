package record

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// restoreEnded restores the run of an execution that ended before the kernel was joined, for
// a new message about it.
func (r *Recorder) restoreEnded(x library.Execution) *queuedExecution {
	delete(r.ledger.endedBefore, x.Request)
	r.process.mentioned()
	images, err := r.env.Library.Images.OfExecution(r.journal.keeping(), x.ID)
	if err != nil {
		r.log.Error("reading the images of an execution", "execution", x.ID, "err", err)
	}
	u := &queuedExecution{
		x: execution.Restore(r.env.Library, x, images), request: x.Request, own: x.Own, timeout: x.Timeout,
		kept: true,
	}
	u.advance(r.log, runEnded)
	r.ledger.track(u)
	return u
}

// resume adds the unfinished executions of an earlier run of Easel, before the recorder
// handles any message. Messages from the kernel, or their absence, decide how they end.
//
// If the server says that the kernel is idle, that may be stale: while nobody is connected, it can miss what the kernel says.
// So the kernel counts as busy until it answers. Otherwise, code that still runs could not be interrupted.
func (r *Recorder) resume(unfinished []*execution.Execution) {
	own := slices.ContainsFunc(unfinished, func(x *execution.Execution) bool { return x.Record().Own })
	if own && r.foreign.alone && !r.foreign.runs() {
		r.foreign.setUnknown(true)
	}
	for _, x := range unfinished {
		rec := x.Record()
		u := &queuedExecution{
			x: x, request: rec.Request, own: rec.Own, timeout: rec.Timeout, lastSign: time.Now(),
			kept: true, resumed: true, linkLost: true,
		}
		u.advance(r.log, runUnconfirmed)
		r.ledger.track(u)
		if u.own && r.foreign.orphaned { // no other client can have started what the kernel executes
			r.dispatch.adopt(u)
			x.Doubt(execution.HintLikely)
		}
	}
	if len(unfinished) > 0 {
		r.checkForeign()
	}
}

// confirm handles the first message about a run that was sent before Easel was restarted. It
// is still executing, or its end was buffered by the server and follows.
func (r *Recorder) confirm(u *queuedExecution) {
	u.advance(r.log, runRunning)
	r.process.mentioned()
	u.shown = nil
	if !r.Link.conn.Complete() {
		u.x.Truncate("output", 0, reasonLinkLost)
	}
	u.x.Doubt("")
	r.journal.notify(catalog.ExecutionStarted, u)
}

// clearDoubt removes the hint that it is unknown whether u runs, because it does.
func (u *queuedExecution) clearDoubt() {
	if u.phase != runUnconfirmed && !u.phase.ended() && u.x.Doubtful() {
		u.x.Doubt("")
	}
}

// adopt makes u, which the kernel has mentioned, the run that the kernel executes, if that
// was unknown. Otherwise u has ended: its end will arrive, or checkStalled will notice that
// it is missing.
func (d *dispatcher) adopt(u *queuedExecution) {
	switch {
	case u.phase.ended() || d.foreign.request != unknownRequest:
	case u.own:
		d.foreign.claim()
		d.current = u
		d.bound(u, time.Until(u.x.Record().StartedAt.Add(u.timeout)))
	default:
		d.foreign.set(u.request)
	}
}

// JoinNew prepares for a kernel that Easel has just started. Call it before Start.
func (r *Recorder) JoinNew(k jupyter.KernelModel) {
	r.joinBusy(k)
	r.Figures.begin()
}

// JoinMidway prepares for a kernel that may have run code before. former is the id of its process
// that an earlier run of Easel has stored. Call it before Start.
func (r *Recorder) JoinMidway(ctx context.Context, k jupyter.KernelModel, former string) {
	r.joinBusy(k)
	r.foreign.alone = r.Session.alone(k)
	r.outputs.midway = true
	r.process.known(former)
	r.ledger.endedBefore = endedRequests(ctx, r.env.Library, r.log, r.Session.Stored())
}

func (r *Recorder) joinBusy(k jupyter.KernelModel) {
	if k.State == wire.StateBusy {
		r.foreign.setUnknown(r.Session.alone(k))
	}
}

// endedRequests returns the ended executions of a session's kernel by msg_id. The kernel may
// still send messages about them, for example from a thread.
func endedRequests(ctx context.Context, lib *library.Library, log *slog.Logger, sess library.Session) map[string]library.Execution {
	xs, err := lib.Executions.List(ctx, library.ExecutionQuery{SessionID: sess.ID})
	if err != nil {
		log.WarnContext(ctx, "reading the earlier executions of a kernel", "session", sess.ID, "err", err)
	}
	by := make(map[string]library.Execution)
	for _, x := range xs {
		if x.Request != "" && x.KernelID == sess.KernelID && catalog.Ended(x.Status) {
			by[x.Request] = x
		}
	}
	return by
}
