package record

import (
	"easel/mcphost/catalog"
)

// idle records that the kernel has finished u.
func (d *dispatcher) idle(u *queuedExecution) {
	if u.phase == runSent || u.phase == runRunning {
		u.advance(d.log, runIdle)
	}
	d.finishIfDone(u)
}

// finishIfDone ends u when both its reply and its idle have arrived, in any order. Easel does
// not receive the replies to other clients, also if they sent the code for Easel, and an
// earlier run of Easel may have received the reply to a resumed run, so these need only the
// idle.
func (d *dispatcher) finishIfDone(u *queuedExecution) {
	if u.phase != runIdle || u.own && u.reply == "" && !u.resumed && u.send == nil {
		return
	}
	d.finish(u, d.finisher.conclusion(u))
}

// finish ends u. It does nothing if u has ended.
func (d *dispatcher) finish(u *queuedExecution, why cause) {
	if u.phase.ended() {
		return
	}
	if d.current == u {
		d.current = nil
		d.foreign.wake(u) // for interrupts from before u was identified
	}
	d.finisher.end(u, why)
}

// leave disconnects from the kernel because Easel quits. On the managed server, which ends
// with Easel, all executions end. On other servers, running code continues and is left for
// the next start of Easel.
func (d *dispatcher) leave() {
	if s, err := d.env.Servers.Lookup(d.link.Server); err != nil || s.Managed {
		d.endAll(causeQuit)
		return
	}
	d.finisher.outputs.flush()
	d.leaveInput()
	for _, u := range d.queue.take() {
		d.finish(u, causeUnsent)
	}
	for _, u := range d.ledger.byID {
		if !u.phase.ended() {
			d.finisher.detach(u)
		}
	}
}

// endAll ends all executions: the current one, those that wait, and those of other clients.
func (d *dispatcher) endAll(why cause) {
	waiting := why
	switch why.status {
	case catalog.StatusInterrupted, catalog.StatusTimeout, catalog.StatusCancelled:
		waiting = cause{status: catalog.StatusCancelled, code: catalog.CodeCancelled, message: "It never ran: " + why.message}
	case catalog.StatusLost:
		waiting = causeUnsent
	}
	if d.current != nil {
		if why.status == catalog.StatusKernelDied { // what a kernel says just before that may be lost
			d.current.x.AssumeBegun()
		}
		d.finish(d.current, why)
	}
	for _, u := range d.queue.take() {
		d.finish(u, waiting)
	}
	for _, u := range d.ledger.byID {
		d.finish(u, why)
	}
}

// endOthers ends the runs other than current that are still open. The kernel does not execute
// them any more, so their ends were missed.
func (d *dispatcher) endOthers(why cause) {
	for _, u := range d.ledger.byID {
		switch {
		case u == d.current || u.phase.ended():
		case u.linkLost:
			said := why
			if u.phase == runUnconfirmed && why.status == catalog.StatusLost && d.session.phase != kernelDisconnected {
				said.message = messageOrphanLost
			}
			d.finish(u, said)
		default:
			d.idle(u)
		}
	}
}
