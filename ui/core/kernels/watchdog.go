package kernels

import (
	"context"
	"errors"
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
)

// probe asks the kernel for an answer before a request is sent. A request that is sent
// while a kernel restarts is lost without a trace.
//
// A kernel that the server calls busy answers when its code has ended, however long that
// takes. The server's status alone is not enough. It subscribes to a new process a tenth of
// a second late. If it misses the first message, it calls a kernel that died while it
// executed something busy until the next execution.
func (r *recorder) probe() {
	if r.probeID != 0 || !r.conn.Connected() { // LinkRestored calls again
		return
	}
	id := r.beginProbe()
	r.m.task(func() {
		ctx, cancel := context.WithTimeout(r.m.ctx, r.m.timing.probe)
		defer cancel()
		if k, err := r.client.Kernel(ctx, r.conn.ID()); err == nil && k.State == wire.StateBusy {
			r.post(func() {
				if r.probeID == id && r.foreign == "" {
					r.worksAt(unknownRequest)
					r.orphaned = r.alone(k)
				}
			})
			ctx = r.m.ctx
		}
		err := r.conn.Probe(ctx)
		r.post(func() { r.probeAnswered(id, err) })
	})
}

// probeRestarted probes a kernel that was restarted, although no request waits: it would be
// shown as restarting until one does.
func (r *recorder) probeRestarted() {
	if r.phase == kernelRestarting && r.current == nil {
		r.probe()
	}
}

// beginProbe starts another probe. The answer to an earlier one is ignored.
func (r *recorder) beginProbe() (id int) {
	r.probes++
	r.probeID = r.probes
	return r.probeID
}

// probeAnswered follows the answer to a probe. One from before a restart says nothing about
// the new process.
func (r *recorder) probeAnswered(id int, err error) {
	if r.probeID != id {
		return
	}
	r.probeID = 0
	if err == nil {
		if r.phase != kernelDisconnected { // else the restored connection is probed
			r.become(kernelReady)
		}
		if r.foreign == unknownRequest {
			r.foreignEnded()
		}
		return
	}
	if isUnknown(err) {
		r.gone("the server no longer has it")
		return
	}
	r.log.Warn("probing the kernel", "err", err)
	if errors.Is(err, jupyter.ErrDisconnected) {
		if r.phase == kernelReady {
			r.become(kernelUnconfirmed)
		}
		return // what waits is sent after LinkRestored
	}
	r.endQueue("The kernel does not respond; the code was not run: " + err.Error())
}

// endQueue ends what waits to be sent, as it cannot be.
func (r *recorder) endQueue(message string) {
	queue := r.queue
	r.queue = nil
	for _, u := range queue {
		r.finish(u, unrun(message))
	}
}

// longInterval is how many intervals pass between checks of what is probably well:
// long code may be silent.
const longInterval = 6

// checkStalled is the watchdog, so that every call ends. It checks a request that is silent
// although something should have been heard, after a kernel that somebody else
// seems to use for ever, and after a server that does not come back.
func (r *recorder) checkStalled() {
	if r.phase == kernelDisconnected {
		r.checkAbsence()
		return
	}
	r.probeRestarted()
	interval := r.m.timing.watchdog
	if u := r.current; u != nil {
		quiet := time.Since(u.lastSign)
		switch {
		case u.phase == runSent && quiet > interval, // sent, and never heard of
			(u.reply != "" || u.phase == runIdle) && quiet > interval, // half of its end
			u.stop != (cause{}) && quiet > interval,                   // interrupted, and no word of it
			quiet > longInterval*interval && time.Since(u.checked) > longInterval*interval:
			u.checked = time.Now()
			r.checkCurrent(u)
		}
		return
	}
	works := r.foreign != "" || r.unended()
	if works && (len(r.queue) > 0 || time.Since(r.foreignChecked) > longInterval*interval) {
		r.foreignChecked = time.Now()
		r.checkForeign()
	}
}

// unended tells whether something that the kernel does not seem to work at has no end:
// it may have come before the kernel was joined.
func (r *recorder) unended() bool {
	for _, u := range r.byRequest {
		if !u.phase.ended() && u != r.current {
			return true
		}
	}
	return false
}

// checkAbsence ends what waits for a server that has been away for too long. What
// runs there is given up much later: it may end meanwhile, and tell it afterwards.
func (r *recorder) checkAbsence() {
	gone, away := time.Since(r.downSince), r.m.timing.queueAbsence
	if gone >= r.m.timing.runAbsence {
		said := r.absence(r.m.timing.runAbsence) + ": the outcome is unknown. Earlier output is kept."
		if r.current != nil {
			r.finish(r.current, lost(said))
		}
		r.endForeign(lost(said))
	}
	if gone < away {
		return
	}
	kept := r.queue[:0:0]
	queue := r.queue
	for _, u := range queue {
		if time.Since(u.queued) < away {
			kept = append(kept, u)
		}
	}
	r.queue = kept
	for _, u := range queue {
		if time.Since(u.queued) >= away {
			r.finish(u, unrun(r.absence(away)+"; the code was not run."))
		}
	}
	r.number()
}

// absence says for how long a server has been away, and why, if it is known.
func (r *recorder) absence(away time.Duration) string {
	said := "The Jupyter server has not answered for " + away.String()
	s, err := r.m.lookup(r.server)
	if err != nil {
		return said
	}
	_, err = s.now()
	e, told := errors.AsType[*NotReadyError](err)
	switch {
	case !told || e.Health.Message == "":
		return said
	case e.Health.State == ServerUnauthorized:
		said = "The Jupyter server has refused Easel's login for " + away.String()
	}
	return said + " (" + e.Health.Message + ")"
}

// checkCurrent asks the server whether the kernel still works at u. If it is idle, and
// serves the shell again, then what is missing will not come. That it works is not
// believed of a kernel that has become another process: the server may have missed
// that, as we have.
func (r *recorder) checkCurrent(u *run) {
	since := u.lastSign
	r.m.task(func() {
		ctx, cancel := context.WithTimeout(r.m.ctx, 2*r.m.timing.watchdog)
		defer cancel()
		k, err := r.client.Kernel(ctx, r.conn.ID())
		if isUnknown(err) {
			r.post(func() { r.gone("the server no longer has it") })
			return
		}
		if err != nil {
			return // the server is away: the link tells
		}
		if k.State == wire.StateBusy {
			if process, err := r.conn.Process(ctx); err == nil {
				r.post(func() {
					r.answeredBy(process, u)
					r.clearDoubt(u)
				})
			}
			return
		}
		if r.drained(ctx) {
			r.post(func() { r.endLost(u, since) })
		}
	})
}

// answeredBy ends u, which the kernel had begun, if another process answers by now.
func (r *recorder) answeredBy(process string, u *run) {
	if !u.phase.started() || process == "" || r.processID == "" || process == r.processID {
		return
	}
	r.process = processUsed // it counts
	r.restart(causeReplaced.message, true)
	r.probeRestarted()
}

// endLost ends u if nothing was heard of it since.
func (r *recorder) endLost(u *run, since time.Time) {
	if u.phase.ended() || u.lastSign.After(since) {
		return
	}
	why := lost("The end of this execution, and perhaps some output, was lost: the kernel is idle again. Received output is kept.")
	switch {
	case u.phase == runSent && u.stop != (cause{}):
		why = u.stop
		why.message = "It never ran. " + why.message
	case u.phase == runSent:
		why = unrun("The kernel never took this request (it was restarting, or the connection was lost).")
	case u.stop != (cause{}) && !u.linkLost:
		why = u.stop // the interrupt hit the kernel's own code: ipykernel drops the request then, without a reply
	case u.phase == runUnconfirmed && r.replaced():
		why = causeReplaced
	case u.phase == runUnconfirmed:
		why.message = messageOrphanLost
	case u.linkLost:
		why.message = "The connection to the kernel was lost while this ran, and the end of its output with it. Earlier output is kept."
	}
	if u.storedEnd != nil { // it ended well; finish knows
		u.addTruncation("output", 0, "the kernel's last message, and perhaps some output, was lost")
	}
	r.finish(u, why)
}

// checkForeign asks whether somebody else's code really still runs: its idle may have
// been missed, or be on its way to here, behind what the server says. So the kernel is
// asked, too, whose answer comes after that idle. If nobody here has heard of the code,
// the kernel alone is believed, however long it takes (see prove).
func (r *recorder) checkForeign() {
	if r.foreignChecking {
		return
	}
	r.foreignChecking = true
	request := r.foreign
	r.m.task(func() {
		free, gone := r.foreignFree(request)
		r.post(func() {
			r.foreignChecking = false
			switch {
			case gone:
				r.gone("the server no longer has it")
			case free && r.foreign == request:
				r.foreignEnded()
			case !free && r.byRequest[request] != nil && r.phase != kernelDisconnected:
				r.clearDoubt(r.byRequest[request])
			}
		})
	})
}

// foreignFree tells whether the kernel does not work at request any more; gone, that there is
// none. If it is not free, checkStalled asks again.
func (r *recorder) foreignFree(request string) (free, gone bool) {
	ctx, cancel := context.WithTimeout(r.m.ctx, 2*r.m.timing.watchdog)
	defer cancel()
	k, err := r.client.Kernel(ctx, r.conn.ID())
	switch {
	case err != nil: // the server is away, if there is such a kernel
		return false, isUnknown(err)
	case request == unknownRequest:
		return r.drained(r.m.ctx), false
	}
	return k.State != wire.StateBusy && r.drained(ctx), false
}

// foreignEnded follows the end of what somebody else ran, whose idle was missed.
func (r *recorder) foreignEnded() {
	r.worksAt("")
	why := lost("The connection to the kernel was lost while this ran, and its end with it.")
	if r.replaced() {
		why = causeReplaced
		r.processID = r.conn.JoinedProcess()
		r.countRestart()
	}
	r.endForeign(why)
}

// replaced tells whether the kernel was another process when it was joined than it had been
// for an earlier Easel, and has not shown that since.
func (r *recorder) replaced() bool {
	now := r.conn.JoinedProcess()
	return r.attached && r.processID != "" && now != "" && now != r.processID && r.processID == r.former
}

// drained waits until the kernel has answered, and what it said before that has
// reached the recorder.
func (r *recorder) drained(ctx context.Context) bool {
	if r.conn.Probe(ctx) != nil {
		return false
	}
	pause := time.NewTimer(r.m.timing.drain)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return false
	}
	// However long that takes: the recorder may wait for the disk.
	reached := make(chan struct{})
	r.conn.Barrier(reached)
	select {
	case <-reached:
		return true
	case <-r.ended: // a barrier behind the end is dropped
		return false
	case <-ctx.Done():
		return false
	}
}

// endForeign ends the records of what others run, or an earlier Easel has begun: the kernel
// is idle, so their ends were missed.
func (r *recorder) endForeign(why cause) {
	for _, u := range r.byRequest {
		switch {
		case u == r.current || u.phase.ended():
		case u.linkLost:
			said := why
			if u.phase == runUnconfirmed && why.status == catalog.StatusLost && r.phase != kernelDisconnected {
				said.message = messageOrphanLost
			}
			r.finish(u, said)
		default:
			r.idle(u)
		}
	}
}

// messageOrphanLost is said of what an earlier Easel began, and of whose end nobody knows.
const messageOrphanLost = "Easel was restarted while this ran, and its end was lost: the kernel is idle again. Earlier output is kept."

// causeReplaced is the end of what ran in a kernel that has become another process, unseen.
var causeReplaced = cause{
	catalog.StatusKernelDied, catalog.CodeKernelDied,
	"The kernel was restarted or died while Easel was not connected to it. Its variables are lost; earlier output and plots are kept.", hintDied,
}
