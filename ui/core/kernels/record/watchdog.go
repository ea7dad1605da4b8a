package record

import (
	"context"
	"errors"
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
)

// probe checks in the background that the kernel responds before a request is sent to it. A
// request that is sent while a kernel restarts is lost without an error.
//
// A busy kernel answers when its code has ended, however long that takes. The server's
// status alone is not sufficient, because the server subscribes to a new process 0.1 s late.
// If it misses the first message, a kernel that died while busy has the status busy until
// the next execution.
func (r *Recorder) probe() {
	if r.process.probe != 0 || !r.Link.Connected() { // LinkRestored calls again
		return
	}
	id := r.process.begin()
	r.env.Tasks.Go(func() {
		ctx, cancel := context.WithTimeout(r.env.Tasks.Context(), r.env.Timing.Probe)
		defer cancel()
		if k, err := r.Link.model(ctx); err == nil && k.State == wire.StateBusy {
			r.mail.post(func() {
				if r.process.probe == id && !r.foreign.runs() {
					r.foreign.setUnknown(r.Session.alone(k))
				}
			})
			ctx = r.env.Tasks.Context()
		}
		err := r.Link.conn.Probe(ctx)
		r.mail.post(func() { r.probeAnswered(id, err) })
	})
}

// probeRestarted probes a restarted kernel even if no request waits. Otherwise, its status
// would be restarting until the next request.
func (r *Recorder) probeRestarted() {
	if r.Session.phase == kernelRestarting && r.dispatch.current == nil {
		r.probe()
	}
}

// probeAnswered handles the result of a probe.
func (r *Recorder) probeAnswered(id int, err error) {
	if !r.process.answered(id, err) {
		return
	}
	if err == nil {
		if r.Session.phase != kernelDisconnected { // otherwise, wait for the restored connection
			r.Session.become(kernelReady)
			r.Figures.Keep()
		}
		if r.foreign.request == unknownRequest {
			r.foreignEnded()
		}
		return
	}
	if errors.Is(err, jupyter.ErrNotFound) {
		r.gone("the server no longer has it")
		return
	}
	r.log.Warn("probing the kernel", "err", err)
	if errors.Is(err, jupyter.ErrDisconnected) {
		if r.Session.phase == kernelReady {
			r.Session.become(kernelUnconfirmed)
		}
		return // queued requests are sent after LinkRestored
	}
	for _, u := range r.dispatch.queue.takeWaiting(0) {
		r.dispatch.finish(u, unrun("The kernel does not respond; the code was not run: "+err.Error()))
	}
}

// longInterval is the number of intervals between checks of a request that is probably fine,
// because long code may be silent.
const longInterval = 6

// checkStalled is the watchdog, which ensures that every execution ends. It checks requests
// that are silent when a message was due, code of other clients that does not seem to end,
// and servers that do not come back.
func (r *Recorder) checkStalled() {
	if r.Session.phase == kernelDisconnected {
		r.checkAbsence()
		return
	}
	r.probeRestarted()
	interval := r.env.Timing.Watchdog
	if u := r.dispatch.current; u != nil {
		quiet := time.Since(u.lastSign)
		switch {
		case u.phase == runSent && quiet > interval, // sent, but no message yet
			(u.reply != "" || u.phase == runIdle) && quiet > interval, // one of reply and idle is missing
			u.stop != (cause{}) && quiet > interval,                   // interrupted, but no message since
			quiet > longInterval*interval && time.Since(u.checked) > longInterval*interval:
			u.checked = time.Now()
			r.checkCurrent(u)
		}
		return
	}
	works := r.foreign.runs() || r.ledger.unended(r.dispatch.current)
	if works && (len(r.dispatch.queue.waiting) > 0 || time.Since(r.foreignChecked) > longInterval*interval) {
		r.foreignChecked = time.Now()
		r.checkForeign()
	}
}

// checkAbsence ends queued executions if the server has been away for too long. It ends
// running ones much later, because their result may arrive when the connection is back.
func (r *Recorder) checkAbsence() {
	gone, away := time.Since(r.downSince), r.env.Timing.QueueAbsence
	if gone >= r.env.Timing.RunAbsence {
		said := r.Link.absence(r.env.Timing.RunAbsence) + ": the outcome is unknown. Earlier output is kept."
		if r.dispatch.current != nil {
			r.dispatch.finish(r.dispatch.current, lost(said))
		}
		r.endForeign(lost(said))
	}
	if gone < away {
		return
	}
	for _, u := range r.dispatch.queue.takeWaiting(away) {
		r.dispatch.finish(u, unrun(r.Link.absence(away)+"; the code was not run."))
	}
}

// checkCurrent checks in the background whether the kernel still executes u. If the kernel is
// idle and answers a probe, the missing messages will not arrive, and u ends. If it is busy,
// checkCurrent also checks that it is still the same process, because both the server and
// Easel may have missed a restart.
func (r *Recorder) checkCurrent(u *run) {
	since := u.lastSign
	r.env.Tasks.Go(func() {
		ctx, cancel := context.WithTimeout(r.env.Tasks.Context(), 2*r.env.Timing.Watchdog)
		defer cancel()
		k, err := r.Link.model(ctx)
		if errors.Is(err, jupyter.ErrNotFound) {
			r.mail.post(func() { r.gone("the server no longer has it") })
			return
		}
		if err != nil {
			return // the server is unreachable; the connection reports it
		}
		if k.State == wire.StateBusy {
			if process, err := r.Link.conn.Process(ctx); err == nil {
				r.mail.post(func() {
					r.answeredBy(process, u)
					u.clearDoubt()
				})
			}
			return
		}
		if r.drained(ctx) {
			r.mail.post(func() { r.endLost(u, since) })
		}
	})
}

// answeredBy handles the process id that the kernel reports. If it is not the process that
// started u, the kernel has restarted, and u ends.
func (r *Recorder) answeredBy(process string, u *run) {
	if !u.phase.started() || !r.process.isNot(process) {
		return
	}
	r.process.runs() // so that the restart counts
	r.restart(causeReplaced.message, true, sessionuse.WhileAway)
	r.probeRestarted()
}

// endLost ends u unless a message about it has arrived since.
func (r *Recorder) endLost(u *run, since time.Time) {
	if u.phase.ended() || u.lastSign.After(since) {
		return
	}
	why := lost("The end of this execution, and perhaps some output, was lost: the kernel is idle again. Received output is kept.")
	switch {
	case u.phase == runSent && u.stop != (cause{}):
		why = u.stop
		why.message = "It never ran. " + why.message
	case u.phase == runSent && u.send != nil:
		why = unrun("JupyterLab has not run the cell. Perhaps it asks the user something, such as which kernel to use.")
	case u.phase == runSent:
		why = unrun("The kernel never took this request (it was restarting, or the connection was lost).")
	case u.stop != (cause{}) && !u.linkLost:
		why = u.stop // ipykernel drops the request without a reply if the interrupt hits its own code
	case u.phase == runUnconfirmed && r.process.replaced():
		why = causeReplaced
	case u.phase == runUnconfirmed:
		why.message = messageOrphanLost
	case u.linkLost:
		why.message = "The connection to the kernel was lost while this ran, and the end of its output with it. Earlier output is kept."
	}
	if u.storedEnd != nil { // it succeeded; see finish
		u.x.Truncate("output", 0, "the kernel's last message, and perhaps some output, was lost")
	}
	r.dispatch.finish(u, why)
}

// checkForeign checks in the background whether another client's code still runs. Its idle may
// have been missed, or may arrive after the server's status. So checkForeign also probes
// the kernel, whose answer follows that idle. If no message about the code was ever
// received, only the probe counts, however long it takes (see probe).
func (r *Recorder) checkForeign() {
	if r.foreignChecking {
		return
	}
	r.foreignChecking = true
	request := r.foreign.request
	r.env.Tasks.Go(func() {
		free, gone := r.foreignFree(request)
		r.mail.post(func() {
			r.foreignChecking = false
			switch {
			case gone:
				r.gone("the server no longer has it")
			case free && r.foreign.request == request:
				r.foreignEnded()
			case !free && r.ledger.byID[request] != nil && r.Session.phase != kernelDisconnected:
				r.ledger.byID[request].clearDoubt()
			}
		})
	})
}

// foreignFree reports whether the kernel no longer executes request, and whether the kernel no
// longer exists. If it is neither, checkStalled checks again later.
func (r *Recorder) foreignFree(request string) (free, gone bool) {
	ctx, cancel := context.WithTimeout(r.env.Tasks.Context(), 2*r.env.Timing.Watchdog)
	defer cancel()
	k, err := r.Link.model(ctx)
	switch {
	case err != nil: // the kernel does not exist, or the server is unreachable
		return false, errors.Is(err, jupyter.ErrNotFound)
	case request == unknownRequest:
		return r.drained(r.env.Tasks.Context()), false
	}
	return k.State != wire.StateBusy && r.drained(ctx), false
}

// foreignEnded handles the end of another client's code whose idle was missed.
func (r *Recorder) foreignEnded() {
	r.foreign.set("")
	why := lost("The connection to the kernel was lost while this ran, and its end with it.")
	if r.process.replaced() {
		why = causeReplaced
		r.process.id = r.process.joined
		r.Session.replace(sessionuse.WhileAway, r.process.id)
	}
	r.endForeign(why)
}

// drained probes the kernel and waits until the recorder has handled all messages from before
// the answer. It returns false if the probe fails, ctx ends or the recorder ends.
func (r *Recorder) drained(ctx context.Context) bool {
	if r.Link.conn.Probe(ctx) != nil {
		return false
	}
	pause := time.NewTimer(r.env.Timing.Drain)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return false
	}
	// This may take long, because the recorder may be waiting for the disk.
	reached := make(chan struct{})
	r.Link.conn.Barrier(reached)
	select {
	case <-reached:
		return true
	case <-r.mail.ended: // a barrier after the end is dropped
		return false
	case <-ctx.Done():
		return false
	}
}

// endForeign ends the runs other than current that are still open. The kernel does not execute
// them any more, so their ends were missed.
func (r *Recorder) endForeign(why cause) {
	for _, u := range r.ledger.byID {
		switch {
		case u == r.dispatch.current || u.phase.ended():
		case u.linkLost:
			said := why
			if u.phase == runUnconfirmed && why.status == catalog.StatusLost && r.Session.phase != kernelDisconnected {
				said.message = messageOrphanLost
			}
			r.dispatch.finish(u, said)
		default:
			r.dispatch.idle(u)
		}
	}
}

// messageOrphanLost is the message for code from an earlier run of Easel whose outcome is
// unknown.
const messageOrphanLost = "Easel was restarted while this ran, and its end was lost: the kernel is idle again. Earlier output is kept."

// causeReplaced is the cause for code in a kernel whose process changed while Easel was not
// connected.
var causeReplaced = cause{
	catalog.StatusKernelDied, catalog.CodeKernelDied,
	catalog.MessageReplaced, execution.HintDied, "",
}
