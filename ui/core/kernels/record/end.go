package record

import (
	"reflect"
	"time"

	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
)

// idle records that the kernel has finished u.
func (d *dispatcher) idle(u *run) {
	if u.phase == runSent || u.phase == runRunning {
		u.advance(d.log, runIdle)
	}
	d.finishIfDone(u)
}

// finishIfDone ends u when both its reply and its idle have arrived, in any order. Easel does
// not receive the replies to other clients, also if they sent the code for Easel, and an
// earlier run of Easel may have received the reply to a resumed run, so these need only the
// idle.
func (d *dispatcher) finishIfDone(u *run) {
	if u.phase != runIdle || u.own && u.reply == "" && !u.resumed && u.send == nil {
		return
	}
	d.conclude(u)
}

// conclude ends u, as its reply and its output say.
func (d *dispatcher) conclude(u *run) {
	interrupted := u.failure != nil && isInterrupt(u.failure, d.link.python())
	switch {
	case u.stop.status == catalog.StatusTimeout, // however the code reacted to the interrupt
		u.stop != (cause{}) && (interrupted || u.failure == nil && u.own && u.reply != wire.ReplyOK):
		d.finish(u, u.stop)
	case u.failure != nil && u.failure.Type == keyboardInterrupt:
		d.finish(u, causeKeyboardInterrupt)
	case u.failure != nil:
		d.finish(u, cause{status: catalog.StatusError, code: catalog.CodeExecution, message: u.failure.Message, hint: d.adviser.hint(u)})
	case u.own && u.reply != "" && u.reply != wire.ReplyOK: // "aborted", or "abort" from some kernels
		d.finish(u, cause{status: catalog.StatusCancelled, code: catalog.CodeCancelled, message: "The kernel aborted it."})
	default:
		d.finish(u, cause{status: catalog.StatusOK, hint: d.adviser.hint(u)})
	}
}

// finish ends u, stores it, notifies of it and closes its Done. It does nothing if u has
// ended.
func (d *dispatcher) finish(u *run, why cause) {
	if u.phase.ended() {
		return
	}
	d.outputs.flush()
	d.session.SetUsed(time.Now())
	if u.storedEnd != nil { // it succeeded, whatever has happened since
		why = cause{status: catalog.StatusOK, hint: why.hint}
	}
	for _, t := range []*time.Timer{u.timeoutTimer, u.retryTimer} {
		if t != nil {
			t.Stop()
		}
	}
	if u.withdrawApproval != nil {
		u.withdrawApproval()
	}
	if d.current == u {
		d.current = nil
		d.foreign.wake(u) // for interrupts from before u was identified
	}
	rec := u.x.End(u.outcome(why))
	u.advance(d.log, runEnded)
	if u.storedEnd == nil || !reflect.DeepEqual(rec, *u.storedEnd) {
		d.journal.keep(u)
	}
	d.env.Executions.Retire(u.x)
	d.journal.notify(catalog.ExecutionEnded, u) // before those who wait for Done act on it
	u.x.CloseDone()
}

// outcome returns how u ends because of why.
func (u *run) outcome(why cause) execution.Outcome {
	o := execution.Outcome{Status: why.status, At: u.endedAt(why), Hint: why.hint}
	if why.status != catalog.StatusOK {
		o.Error = &catalog.ExecutionError{Code: why.code, Message: why.message}
		if u.failure != nil {
			o.Error.Type, o.Error.Traceback = u.failure.Type, u.failure.Traceback
		}
	}
	return o
}

// endedAt returns when u ended. That is now, unless messages were missed. Then it is the
// time of the kernel's last message about u, by the kernel's clock.
func (u *run) endedAt(why cause) time.Time {
	now := time.Now().UTC()
	switch {
	case u.storedEnd != nil:
		return u.storedEnd.EndedAt
	case u.linkLost && u.phase == runIdle, why.status == catalog.StatusLost && u.phase.started(), u.phase == runUnconfirmed:
	default:
		return now
	}
	at := u.lastWord
	if started := u.x.Record().StartedAt; at.Before(started) { // also if there was no message
		at = started
	}
	if at.After(now) {
		return now
	}
	return at
}

// storeEnd stores the end of u when its reply says that it succeeded, before its idle
// arrives. Usually nothing comes in between, and then finish need not wait for the disk.
// It does nothing if u has not started: the reply and the busy come over different sockets,
// in any order.
func (d *dispatcher) storeEnd(u *run) {
	if u != d.current || u.phase != runRunning || u.resumed || u.failure != nil || u.stop != (cause{}) || u.reply != wire.ReplyOK {
		return
	}
	d.outputs.flush()
	rec := u.x.RecordWith(u.outcome(cause{status: catalog.StatusOK}))
	if err := d.env.Library.Executions.Put(d.journal.keeping(), rec); err == nil { // otherwise, finish tries again and reports the error
		u.storedEnd = &rec
	}
}

// leave disconnects from the kernel because Easel quits. On the managed server, which ends
// with Easel, all executions end. On other servers, running code continues and is left for
// the next start of Easel.
func (d *dispatcher) leave() {
	if s, err := d.env.Servers.Lookup(d.link.Server); err != nil || s.Managed {
		d.endAll(causeQuit)
		return
	}
	d.outputs.flush()
	for _, u := range d.queue.take() {
		d.finish(u, causeUnsent)
	}
	for _, u := range d.ledger.byID {
		if u.phase.ended() {
			continue
		}
		u.advance(d.log, runDetached)
		for _, t := range []*time.Timer{u.timeoutTimer, u.retryTimer} {
			if t != nil {
				t.Stop()
			}
		}
		u.x.Doubt(execution.HintSeeking)
		d.journal.keep(u)
		u.x.CloseDone()
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
